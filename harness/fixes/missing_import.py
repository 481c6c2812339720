"""Adds the import of a name that only one import can mean.

That is a name as the project's other files import it, one that the project defines once, or one
of the standard library; never an import that would close a cycle.
"""

from __future__ import annotations

from harness.fix import Mend
from harness.source import importable, spelling
from harness.source.project import Project

STAGE = "draft"
EXAMPLES = (
    (
        '"""Reads."""\n\nimport sys\n\n\ndef f(text):\n    return json.loads(text), sys.path\n',
        '"""Reads."""\n\nimport json\nimport sys\n\n\ndef f(text):\n'
        "    return json.loads(text), sys.path\n",
    ),
    (
        "def here():\n    return Path.cwd()\n",
        "from pathlib import Path\n\n\ndef here():\n    return Path.cwd()\n",
    ),
    (
        "def now():\n    return datetime.datetime.now()\n",
        "import datetime\n\n\ndef now():\n    return datetime.datetime.now()\n",
    ),
    (
        "def now():\n    return datetime.now()\n",
        "from datetime import datetime\n\n\ndef now():\n    return datetime.now()\n",
    ),
    ("def f():\n    return queue.append(1)\n", "def f():\n    return queue.append(1)\n"),
)


def mend(path: str, text: str, project: Project) -> Mend:
    """The draft with the imports that it lacks, where there is no doubt which."""
    return importable.with_imports(path, text, project, spelling.undefined_in(project.text(path)))
