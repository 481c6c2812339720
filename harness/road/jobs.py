"""Owns what a task asks for: its kind, its subject and its files, from words and project.

Does not cover finding a fault by execution (`locate`) nor what is then done (`drafts`, `loop`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from harness.normal import normalise
from harness.source import symbols
from harness.source.project import Project
from harness.types import Job, JobKind

MAX_EVIDENCE = 6000

# A word that a person uses as plain English: a symbol only in back-ticks or before a bracket.
_ENGLISH = frozenset(
    """
    a an the and or not no is in of on to for from with by as at it its this that all any each
    new test tests unit function functions method methods class classes module modules file
    files code bug bugs error errors fix add write create make check name names value values
    return returns call calls run runs fails failing failed raise raises find where what which
    who why how does do when should must please project package line lines list number string
    text help open read print type types input output result results import main case cases
    data
    """.split()  # noqa: SIM905
)
_QUESTION = re.compile(
    r"^\s*(what|where|which|who|whose|why|how|when|does|do|is|are|can|could|should|will|explain|"
    r"describe|show me|tell me)\b",
    re.IGNORECASE,
)
_RENAME = re.compile(
    r"\brename\s+`?(?P<old>[\w./]+)(?:\(\))?`?\s+(?:to|as|into)\s+`?(?P<new>[\w./]+)", re.I
)
_MOVE = re.compile(r"\bmove\s+`?(?P<old>[\w./]+)`?\s+(?:to|into|under)\s+`?(?P<new>[\w./]+)", re.I)
_TEST = re.compile(
    r"^\W*(?:please\s+)?(?:(?:write|add|create|make|give me|generate)\s+(?:\w+\s+){0,4}?tests?\b"
    r"|(?:unit[- ]?)?test\s+\w|cover\b|(?:\w+\s+){0,3}tests?\s+for\b)",
    re.IGNORECASE,
)
_ADD = re.compile(
    r"^\W*(?:please\s+)?(?:add|write|create|implement|make|define|build)\b", re.IGNORECASE
)
_FIX = re.compile(
    r"\b(fix|mend|repair|solve|debug|bugs?|broken|wrong(?:ly)?|incorrect(?:ly)?|crash(?:es|ed)?|"
    r"fails?|failing|failed|failure|regression|traceback|exception|\w+Error|off.by.one|"
    r"instead of|should (?:be|return|give|have)|too (?:low|high|small|large|many|few))\b",
    re.IGNORECASE,
)
_SYMPTOM = re.compile(
    r"\b(returns?|gives?|lets?|goes|does(?:n't| not)|prints|raises|ignores|forgets|skips|drops|"
    r"keeps|never|always|but|though|although|even (?:if|when))\b",
    re.IGNORECASE,
)
_ERROR = re.compile(r"\b([A-Z]\w*(?:Error|Exception|Warning)|StopIteration|KeyboardInterrupt)\b")
_WANTS_TEST = re.compile(r"\b(?:and|with|plus|including)\b[^.]{0,40}\btests?\b", re.IGNORECASE)
_PYTEST_ID = re.compile(r"[\w./\\-]+\.py(?:::[\w\[\]., -]+?)+(?=$|[\s`'\",;)]|\.\s)")
_UNITTEST_ID = re.compile(
    r"\b(?:\w+\.)+\w*[Tt]est\w*\.test\w+\b|\b(?:\w+\.)*test_\w+\.\w+\.test\w+\b"
)
_SIGNATURE = re.compile(r"`?\b(?P<name>[A-Za-z_]\w*)\s*\((?P<args>[^()`\n]*)\)")
_NAMED = re.compile(
    r"\b(?:function|method|class|def|helper|called|named)\s+`?(?P<name>[A-Za-z_]\w*)`?", re.I
)
_WORD = re.compile(r"`(?P<ticked>[\w.]+)(?:\(\))?`|(?P<plain>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_PATHLIKE = re.compile(r"[\w./\\-]*\w\.(?:pyi?|md|rst|txt|toml|ya?ml|cfg|ini|json)\b")
_FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>[\w<>]+))?')
_PYTEST_FRAME = re.compile(r"^(?P<path>[\w./\\-]+\.py):(?P<line>\d+):", re.MULTILINE)


def read(task: str, project: Project, files: Sequence[str] = (), evidence: str = "") -> Job:
    """What a task asks for; never fails: what its words do not tell stays empty."""
    evidence = normalise(evidence, project.root)[-MAX_EVIDENCE:]
    named = tuple(dict.fromkeys([*files, *paths_in(task, project)]))
    kind, why = _kind(task, evidence)
    job = Job(kind=kind, task=task, files=named, evidence=evidence, why=why)
    if kind in ("rename", "move"):
        return _renaming(job, project)
    if error := _ERROR.search(task) or _last(_ERROR.finditer(evidence)):
        job = replace(job, error=error.group(1))
    job = replace(job, failing=tuple(dict.fromkeys(failing_tests(f"{task}\n{evidence}"))))
    job = _adding(job, project) if kind == "add-function" else _about(job, project)
    if kind == "other" and job.subject and _SYMPTOM.search(task):
        job = replace(job, kind="fix", why="the task says what a function does wrong")
    wants = kind == "add-function" and bool(_WANTS_TEST.search(task))
    test = project.test_file_for(job.path) if job.path else ""
    return replace(job, wants_test=wants, test_path=test)


def _kind(task: str, evidence: str) -> tuple[JobKind, str]:
    """The kind of job and what decided it."""
    if _MOVE.search(task) and re.search(r"\.py\b|/", task):
        return "move", "the task says move"
    if _RENAME.search(task):
        return "rename", "the task says rename"
    if task.rstrip().endswith("?") and _QUESTION.match(task):
        return "ask", "the task is a question"
    if _TEST.search(task) and not re.match(r"\W*(fix|mend|repair)\b", task, re.IGNORECASE):
        return "write-test", "the task asks for a test"
    if _ADD.search(task) and not re.match(r"\W*(fix|mend|repair)\b", task, re.IGNORECASE):
        return "add-function", "the task asks for something new"
    if _FIX.search(task) or _FRAME.search(evidence) or _ERROR.search(evidence):
        return "fix", "the task or the piped text names a fault"
    if _QUESTION.match(task):
        return "ask", "the task is a question"
    return "other", "its words name no kind of job"


def _last(found: Iterable[re.Match[str]]) -> re.Match[str] | None:
    """The last match, or none."""
    matches = list(found)
    return matches[-1] if matches else None


def paths_in(task: str, project: Project) -> tuple[str, ...]:
    """Paths of the project's files that the words name, by path or by a unique base name."""
    known = project.files
    found = []
    for match in _PATHLIKE.finditer(task):
        name = match.group().replace("\\", "/").removeprefix("./")
        same = [p for p in known if p == name or p.endswith("/" + name)]
        found += [name] if name in known else same if len(same) == 1 else []
    return tuple(dict.fromkeys(found))


def failing_tests(text: str) -> tuple[str, ...]:
    """Ids of tests that a text names, in either runner's form."""
    ids = [m.group().replace("\\", "/") for m in _PYTEST_ID.finditer(text)]
    return tuple(ids or [m.group() for m in _UNITTEST_ID.finditer(text)])


def frames(text: str, project: Project) -> tuple[tuple[str, int], ...]:
    """Frames of a traceback that stand in the project, outermost first, as (path, line)."""
    found = []
    for pattern in (_FRAME, _PYTEST_FRAME):
        for match in pattern.finditer(text):
            name = match["path"].replace("\\", "/").removeprefix("./")
            same = [p for p in project.python_files() if name == p or name.endswith("/" + p)]
            found += [(max(same, key=len), int(match["line"]))] if same else []
    return tuple(found)


def symbols_in(task: str, project: Project) -> tuple[str, ...]:
    """Words that the project defines, those in back-ticks or before a bracket first."""
    marked = [m["name"] for m in _SIGNATURE.finditer(task)]
    marked += [m["ticked"] for m in _WORD.finditer(task) if m["ticked"]]
    plain = [m["plain"] for m in _WORD.finditer(task) if m["plain"]]
    plain = [w for w in plain if w.lower() not in _ENGLISH and len(w) > 1]
    known = [w for w in [*marked, *plain] if project.definitions(w)]
    # `in orders.py` names a file; its stem is no symbol.
    return tuple(dict.fromkeys(w for w in known if f"{w}.py" not in task or w in marked))


def _about(job: Job, project: Project) -> Job:
    """The job with the subject that its words, else its traceback, point at."""
    names = symbols_in(job.task, project)
    places = [(n, p, s) for n in names for p, s in project.definitions(n) if not project.is_test(p)]
    in_files = [place for place in places if place[1] in job.files]
    for _, path, symbol in in_files or places:
        return replace(job, subject=symbol.qualname, path=path)
    for path, line in reversed(frames(job.evidence, project)):
        if not project.is_test(path):
            return replace(job, path=path, subject=project.symbol_at(path, line))
    sources = [p for p in job.files if p.endswith(".py") and not project.is_test(p)]
    return replace(job, path=sources[0] if sources else "")


def _adding(job: Job, project: Project) -> Job:
    """The job with the name, the spelled signature and the file of what shall be added."""
    called = {m["name"] for m in _SIGNATURE.finditer(job.task)}
    name, signature = "", ""
    for spelled in _SIGNATURE.finditer(job.task):
        if _is_signature(spelled["args"]) and spelled["name"].lower() not in _ENGLISH:
            name, signature = spelled["name"], f"{spelled['name']}({spelled['args'].strip()})"
            break
    if not name and (match := _NAMED.search(job.task)) and match["name"].lower() not in _ENGLISH:
        name = match["name"]
    if not name:
        words = [m["plain"] for m in _WORD.finditer(job.task) if m["plain"]]
        name = next((w for w in words if "_" in w.strip("_") and w not in called), "")
    return replace(job, subject=name, signature=signature, path=_home(job, name, project))


def _is_signature(arguments: str) -> bool:
    """Whether what stands in brackets is a list of parameters, not of values."""
    return not symbols.parses(f"def f({arguments}): ...")


def _home(job: Job, name: str, project: Project) -> str:
    """The file that something new belongs into: named, else new, else by likeness of names."""
    named = [p for p in job.files if p.endswith(".py") and not project.is_test(p)]
    if named:
        return named[0]
    spelled = [m.group().replace("\\", "/") for m in _PATHLIKE.finditer(job.task)]
    if new := [p for p in spelled if p.endswith(".py") and not project.is_test(p)]:
        return new[0] if "/" in new[0] else project.beside(new[0])
    if re.search(r"\b(?:new|own|separate)\s+(?:python\s+)?(?:module|file)\b", job.task, re.I):
        return project.beside(f"{name or 'module'}.py")
    return _likeliest(job.task, name, project)


def _likeliest(task: str, name: str, project: Project) -> str:
    """The source file whose names share most with the task's words; then plain, then small."""
    words = set(re.findall(r"[a-z]+", f"{task} {name}".lower().replace("_", " "))) - _ENGLISH

    def rank(path: str) -> tuple[int, int, int, str]:
        stem = re.findall(r"[a-z]+", path.rsplit("/", 1)[-1].removesuffix(".py").lower())
        own = set(stem) | {w for s in project.outline(path) for w in s.name.lower().split("_")}
        adapter = bool({"controller", "view", "views", "cli", "main", "api", "app"} & set(stem))
        return (-len(words & own), adapter, len(project.text(path)), path)

    sources = [p for p in project.python_files() if not project.is_test(p)]
    sources = [p for p in sources if not p.endswith(("__init__.py", "__main__.py", "setup.py"))]
    return min(sources, key=rank, default="")


def _renaming(job: Job, project: Project) -> Job:
    """The job with what is renamed or moved, and to what."""
    match = _MOVE.search(job.task) if job.kind == "move" else _RENAME.search(job.task)
    if match is None:
        return job
    old, new = match["old"], match["new"].rstrip(".")
    if old.endswith(".py") or "/" in old:
        path = next(iter(paths_in(old, project)), old)
        return replace(job, kind="move", path=path, target=new)
    places = [(p, s) for p, s in project.definitions(old) if not project.is_test(p)]
    if not places:
        return replace(job, subject=old, target=new)
    named = [place for place in places if place[0] in job.files]
    path, symbol = (named or places)[0]
    return replace(job, subject=symbol.qualname, path=path, target=new)
