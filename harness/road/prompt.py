"""Owns the words that a model is given: the bare request, the loop's system text and opening turn.

Does not cover the drafters' own requests, which stand with each drafter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.reading.fenced import wrapped
from harness.road import excerpt
from harness.source.project import Project
from harness.types import Job, Message, SuiteReport

RULES_FILE = "AGENTS.md"
MAX_RULES = 1200
MAX_FILES = 40
EXAMPLE_PATH, EXAMPLE_NAME, EXAMPLE_NEW = "src/orders.py", "order_total", "src/greeting.py"
"""What the actions' examples name, and is put right for the project at hand."""

_BARE_END = (
    "Reply with the complete new content of every file that changes or is new, each in a fenced "
    "code block with the file's path on the line above it."
)


def language_of(path: str) -> str:
    """The info string of a fence for a file."""
    return {"py": "python", "md": "markdown", "yml": "yaml"}.get(path.rsplit(".", 1)[-1], "")


def shown(files: Mapping[str, str]) -> str:
    """Files as a model sees them: the path on a line, then the text in a fence."""
    return "\n\n".join(
        f"{path}\n{wrapped(text, language_of(path))}" for path, text in files.items()
    )


def bare(task: str, files: Mapping[str, str]) -> tuple[Message, ...]:
    """What a person would paste into a chat: the files, the task, and the form of the answer.

    This is draft 0 and the bench's bare arm, byte for byte.
    """
    parts = [shown(files), f"Task: {task.strip()}", _BARE_END]
    return (Message("user", "\n\n".join(part for part in parts if part)),)


def rules_of(project: Project) -> str:
    """What the project's own rules file says to helpers, bounded; empty where it has none."""
    return project.text(RULES_FILE).strip()[:MAX_RULES] if RULES_FILE in project.files else ""


def system(helps: Mapping[str, str], examples: Mapping[str, str]) -> str:
    """The loop's system text, built from the actions' own words: a worked block for each verb.

    A pattern with gaps in it is copied with its gaps by small models; a worked block is not.
    """
    lines = [
        "You work on one Python project, one step a turn. Each reply is exactly one Action block "
        "and nothing else; after it you see the result. These are the steps there are:"
    ]
    lines += [f"{helps[verb]}:\n{block.strip()}" for verb, block in examples.items()]
    lines.append("Read a file before you patch it. End with done once a test has shown it.")
    return "\n\n".join(lines)


def retargeted(example: str, job: Job, project: Project) -> str:
    """An action's example with this project's names: models edit what they are shown."""
    sources = [p for p in project.sources() if not p.endswith("__init__.py")]
    path = job.path if job.path in project.files else next(iter(sources), "")
    if path:
        example = example.replace(EXAMPLE_PATH, path)
    if job.subject:
        example = example.replace(EXAMPLE_NAME, job.subject)
    return example.replace(EXAMPLE_NEW, project.beside(EXAMPLE_NEW.rsplit("/", 1)[-1]))


def opening(job: Job, project: Project, suite: SuiteReport | None, examples: Sequence[str]) -> str:
    """The loop's first user turn: the project in short, what is known, the task last."""
    files = list(project.files)
    listed = "\n".join(files[:MAX_FILES])
    more = f"\n… and {len(files) - MAX_FILES} more" if len(files) > MAX_FILES else ""
    parts = [f"Files:\n{listed}{more}"]
    if rules := rules_of(project):
        parts.append(f"The project's rules:\n{rules}")
    if job.subject and job.path:
        parts.append(f"The task is about {job.subject} in {job.path}.")
    if suite is not None:
        parts.append(f"The suite now: {excerpt.in_short(suite)}")
    if job.evidence:
        parts.append(f"Given with the task:\n{wrapped(job.evidence[-MAX_RULES:])}")
    parts.append(f"Task: {job.task.strip()}")
    parts.append("Start with one Action, such as:\n\n" + (examples[0] if examples else ""))
    return "\n\n".join(parts)
