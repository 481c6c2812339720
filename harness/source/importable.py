"""Owns where an undefined name can be imported from: as the project does, its own, the library.

Does not cover misspelt names (`spelling`).
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import ModuleType

from harness.fix import Carried, Mend, Question
from harness.source import imports, scope, spelling, symbols, syntax
from harness.source.imports import Imported
from harness.source.project import Project
from harness.source.scope import UndefinedName

_CLASSES = {
    "pathlib": "Path PurePath PurePosixPath PureWindowsPath PosixPath WindowsPath",
    "collections": "defaultdict Counter deque OrderedDict namedtuple ChainMap UserDict UserList",
    "collections.abc": "Callable Iterable Iterator Generator Sequence Mapping MutableMapping "
    "MutableSequence Awaitable Coroutine AsyncIterator AsyncIterable AsyncGenerator Hashable Sized",
    "typing": "Any Optional Union List Dict Tuple Set FrozenSet Type Literal TypeVar Protocol "
    "NamedTuple TypedDict ClassVar Final NoReturn Annotated Self TypeAlias ParamSpec Generic "
    "TYPE_CHECKING",
    "enum": "Enum IntEnum Flag IntFlag StrEnum",
    "abc": "ABC ABCMeta",
    "decimal": "Decimal InvalidOperation ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN",
    "fractions": "Fraction",
    "uuid": "UUID",
    "datetime": "timedelta",
    "zoneinfo": "ZoneInfo",
    "io": "StringIO BytesIO TextIOWrapper",
    "unittest": "TestCase",
    "unittest.mock": "MagicMock Mock AsyncMock",
    "tempfile": "TemporaryDirectory NamedTemporaryFile",
    "argparse": "ArgumentParser",
    "contextlib": "ExitStack AsyncExitStack",
    "json": "JSONDecodeError",
    "subprocess": "CalledProcessError TimeoutExpired",
    "types": "SimpleNamespace MappingProxyType ModuleType TracebackType",
    "concurrent.futures": "ThreadPoolExecutor ProcessPoolExecutor as_completed",
    "http": "HTTPStatus",
}
_FUNCTIONS = {
    "dataclasses": "dataclass asdict astuple",
    "functools": "lru_cache wraps cached_property total_ordering singledispatch partial reduce",
    "itertools": "combinations permutations islice groupby accumulate zip_longest chain",
    "contextlib": "contextmanager asynccontextmanager suppress redirect_stdout nullcontext",
    "abc": "abstractmethod",
    "math": "sqrt ceil floor isclose hypot",
    "copy": "deepcopy",
    "textwrap": "dedent",
    "uuid": "uuid4",
    "unittest.mock": "patch mock_open",
    "operator": "itemgetter attrgetter",
    "typing": "overload NewType",
    "pprint": "pprint",
    "tempfile": "mkdtemp mkstemp",
    "importlib": "import_module",
    "random": "randint",
}
_LIBRARY = {n: m for m, ns in _CLASSES.items() for n in ns.split()}
_CALLED = {n: m for m, ns in _FUNCTIONS.items() for n in ns.split()}
_DATES = {
    "datetime": {"now", "strptime", "utcnow", "fromisoformat", "today", "fromtimestamp", "combine"},
    "date": {"today", "fromisoformat", "fromordinal", "fromtimestamp"},
}
# Importing these does something, or they are no modules for a program.
_UNSAFE = {"antigravity", "this", "test", "idlelib", "turtledemo", "site", "readline", "tkinter"}
_BUILDS = {"__main__", "setup", "conftest"}


@dataclass(frozen=True)
class Source:
    """One way to define a name by import."""

    statement: str
    path: str = ""
    """File that it imports from, where it is the project's own."""


def with_imports(path: str, text: str, project: Project, left: Collection[str] = ()) -> Mend:
    """The text with an import for each undefined name that only one import can mean.

    Names in `left` stay undefined.
    """
    notes: list[str] = []
    question: Question | None = None
    for name, uses in _undefined(text, left).items():
        found = list(dict.fromkeys(sources(name, uses, path, text, project)))
        safe = [s for s in found if not s.path or not makes_cycle(path, s.path, project)]
        if len(found) == 1 and safe:
            changed = _added(text, found[0].statement)
            if changed != text and not symbols.parses(changed):
                text = changed
                notes.append(f"{path}: added `{found[0].statement}`")
        elif found and question is None:
            question = _which(path, text, uses, found, safe)
    return Mend(text, tuple(notes), question)


def _added(text: str, statement: str) -> str:
    """The text with an import; the first one of a file stands two lines above a definition."""
    changed = imports.add(text, statement)
    if imports.of(text):
        return changed
    alone = re.escape(statement) + r"\n"
    return re.sub(rf"(?m)^({alone})\n(?=def |class |async def |@)", r"\1\n\n", changed, count=1)


def _undefined(text: str, left: Collection[str] = ()) -> dict[str, list[UndefinedName]]:
    """Undefined names with their places, but those left out."""
    grouped: dict[str, list[UndefinedName]] = {}
    for one in scope.undefined(text):
        if one.name not in left:
            grouped.setdefault(one.name, []).append(one)
    return grouped


def known(path: str, text: str, project: Project) -> frozenset[str]:
    """Undefined names of a text that are no slips: an import would define exactly that name."""
    grouped = _undefined(text)
    return frozenset(n for n, uses in grouped.items() if any(sources(n, uses, path, text, project)))


def _which(
    path: str, text: str, uses: list[UndefinedName], found: list[Source], safe: list[Source]
) -> Question:
    """What to ask where several imports would do, or the only one would close a circle."""
    where = f"{path}, line {uses[0].line}: {uses[0].name} is not defined"
    options = tuple(s.statement for s in safe) if len(found) > 1 else ()

    def put(answer: str) -> Carried | None:
        if answer not in options:
            return spelling.answered(path, text, uses, answer)
        changed = _added(text, answer)
        done = changed != text and not symbols.parses(changed)
        return Carried({path: changed}, (f"{path}: added `{answer}`",)) if done else None

    if len(found) > 1:
        return Question(f"{where}. Which import is meant?", options, put)
    why = f"`{found[0].statement}` would make an import cycle"
    return Question(f"{where}; {why}. What shall stand there?", (), put)


def sources(
    name: str, uses: list[UndefinedName], path: str, text: str, project: Project
) -> Iterator[Source]:
    """Ways to import a name, the project's own habit first; if that is one, no other counts."""
    if habit := _habit(name, path, project):
        yield Source(habit)
        return
    own = list(_defined(name, uses, path, text, project))
    yield from own
    if library := _library(name, uses, text):
        yield Source(library)
    if not own:
        yield from _own_module(name, uses, path, text, project)


def _habit(name: str, path: str, project: Project) -> str:
    """The statement by which the project's other files import a foreign name, if they agree."""
    said: set[str] = set()
    for other in project.python_files():
        if other == path or name not in project.text(other):
            continue
        if not re.search(rf"\bimport\b[^\n]*(?:\([^)]*)?\b{name}\b", project.text(other)):
            continue
        for one in imports.of(project.text(other)):
            if one.alias == name and not one.level and not one.lazy:
                said.add(_statement(one))
    foreign = {s for s in said if not project.path_of(s.split()[1])}
    return foreign.pop() if len(foreign) == len(said) == 1 else ""


def _statement(one: Imported) -> str:
    """An import as a statement of its own."""
    if not one.name:
        bound = one.alias != one.module.split(".")[0] or one.alias == ""
        return f"import {one.module}" + (f" as {one.alias}" if bound else "")
    renamed = f" as {one.alias}" if one.alias != one.name else ""
    return f"from {one.module} import {one.name}{renamed}"


def _defined(
    name: str, uses: list[UndefinedName], path: str, text: str, project: Project
) -> Iterator[Source]:
    """Modules of the project that define a name at their top."""
    for other, symbol in project.definitions(name):
        if other == path or symbol.qualname != name:
            continue
        stem = PurePosixPath(other).stem
        if stem in _BUILDS or (project.is_test(other) and not project.is_test(path)):
            continue
        if symbol.kind == "assignment" and not name.strip("_")[:1].isupper():
            continue
        called = all(u.use in ("call", "callback", "argument") for u in uses)
        if symbol.kind == "function" and not called:
            continue
        yield Source(f"from {spelt(other, path, text, project)} import {name}", other)


def spelt(other: str, path: str, text: str, project: Project) -> str:
    """A module's name as a file would write it: relative where it, or its package, does so."""
    target, package = project.module_of(other), project.package_of(path)
    same = package and target.split(".")[0] == package.split(".")[0]
    if not same or not _is_relative(path, text, project):
        return target
    return imports.relative(target, package)


def _is_relative(path: str, text: str, project: Project) -> bool:
    """Whether a file, or if it imports nothing of ours its folder, writes relative imports."""
    folder = path.rpartition("/")[0]
    siblings = [p for p in project.python_files() if p.rpartition("/")[0] == folder and p != path]
    for texts in ([text], [project.text(p) for p in siblings]):
        found = [one for t in texts for one in imports.of(t)]
        levels = [one.level > 0 for one in found if one.level or project.path_of(one.module)]
        if levels:
            return sum(levels) * 2 > len(levels)
    return False


def _library(name: str, uses: list[UndefinedName], text: str) -> str:
    """The statement for a name of the standard library; empty where it is not beyond doubt."""
    kinds = {u.use for u in uses}
    reads = attributes(name, text)
    if name in _DATES and "attribute" in kinds and set(reads) <= _DATES[name]:
        return f"from datetime import {name}"
    if kinds == {"attribute"} and (module := _module(name, reads, text)):
        return f"import {module}"
    if name in _LIBRARY and kinds <= {"call", "attribute", "annotation", "exception", "callback",
                                      "argument", "plain"}:  # fmt: skip
        return f"from {_LIBRARY[name]} import {name}"
    if name in _CALLED and kinds <= {"call", "callback"}:
        return f"from {_CALLED[name]} import {name}"
    return ""


def attributes(name: str, text: str) -> list[str]:
    """Attributes that a text reads from a name."""
    return [
        node.attr
        for node in ast.walk(syntax.tree(text) or ast.Module([], []))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    ]


def _module(name: str, reads: list[str], text: str) -> str:
    """The module of the standard library that has all that is read from it; empty if none."""
    if name not in sys.stdlib_module_names or name.startswith("_") or name in _UNSAFE:
        return ""
    module = importlib.import_module(name)
    # A module inside a package is an attribute of it only once something has imported it.
    inner = {a for a in reads if _is_inner(module, a)}
    if any(not hasattr(module, a) for a in reads if a not in inner) or len(inner) > 1:
        return ""
    return _deeper(f"{name}.{min(inner)}", text) if inner else name


def _is_inner(module: ModuleType, attribute: str) -> bool:
    """Whether an attribute names a module inside a package of the library."""
    if not isinstance(getattr(module, attribute, module), ModuleType):
        return False
    name = module.__name__
    return _is_package(name) and importlib.util.find_spec(f"{name}.{attribute}") is not None


def _is_package(name: str) -> bool:
    """Whether a module of the library has modules inside."""
    found = importlib.util.find_spec(name)
    return found is not None and found.submodule_search_locations is not None


def _deeper(dotted: str, text: str) -> str:
    """A dotted module as deep as every use of it in a text goes."""
    while _is_package(dotted):
        following = set(re.findall(rf"\b{re.escape(dotted)}\.(\w+)", text))
        if len(following) != 1 or not importlib.util.find_spec(f"{dotted}.{min(following)}"):
            break
        dotted = f"{dotted}.{min(following)}"
    return dotted


def _own_module(
    name: str, uses: list[UndefinedName], path: str, text: str, project: Project
) -> Iterator[Source]:
    """The project's module of that name, where all that is read from it is defined there."""
    if any(u.use != "attribute" for u in uses):
        return
    for dotted, other in project.modules().items():
        if dotted.rpartition(".")[2] != name or other == path or project.is_test(other):
            continue
        if set(attributes(name, text)) <= symbols.top_level(project.text(other)):
            module = spelt(other, path, text, project)
            head, _, last = module.rpartition(".")
            relative = module.startswith(".")
            head = head or "." if relative else head
            statement = f"from {head} import {last}" if head else f"import {last}"
            yield Source(statement, other)


def makes_cycle(path: str, other: str, project: Project) -> bool:
    """Whether a module, when it is imported, already imports the file that would import it."""
    waiting, seen = [other], set[str]()
    while waiting:
        current = waiting.pop()
        if current == path:
            return True
        if current not in seen:
            seen.add(current)
            waiting += project.imports(current, lazy=False)
    return False
