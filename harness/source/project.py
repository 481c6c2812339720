"""Owns the index of a project: its modules, definitions, imports, callers and tests, read lazily.

Does not cover reading files (a function is given) nor judging names inside one text (`scope`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

from harness.source import imports, shape, symbols, syntax
from harness.source.shape import Layout
from harness.source.symbols import Symbol

_HOLDS_TESTS = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test|^class[ \t]+\w*Test", re.M)
_TEST_NAME = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests|conftest)\.py$")
_TEST_FOLDERS = {"tests", "test"}
_SOURCE_FOLDERS = {"src", "lib", "python", "source"}
_ASIDE = {"__init__.py", "__main__.py", "setup.py", "conftest.py"}


@lru_cache(maxsize=1024)
def _outline(text: str) -> tuple[Symbol, ...]:
    """A text's outline, kept for as long as the text stays the same."""
    return symbols.outline(text)


class Project:
    """A folder's text files as one project; made anew when a file changes."""

    def __init__(self, root: Path, files: Sequence[str], read: Callable[[str], str | None]) -> None:
        """Files are relative POSIX paths; `read` gives a file's text, None where it cannot."""
        self.root = root
        self.files: tuple[str, ...] = tuple(files)
        self._read = read
        self._texts: dict[str, str] = {}
        self._known = frozenset(self.files)

    def text(self, path: str) -> str:
        """A file's text; empty where it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path) or ""
        return self._texts[path]

    def outline(self, path: str) -> tuple[Symbol, ...]:
        """Definitions of one file; empty where it does not parse."""
        return _outline(self.text(path)) if path.endswith((".py", ".pyi")) else ()

    @cached_property
    def _python(self) -> tuple[str, ...]:
        return tuple(path for path in self.files if path.endswith(".py"))

    def python_files(self) -> tuple[str, ...]:
        """Relative paths of the Python files."""
        return self._python

    def is_test(self, path: str) -> bool:
        """Whether a file belongs to the tests, by its name or its folder."""
        if not path.endswith(".py"):
            return False
        folders = set(PurePosixPath(path).parts[:-1])
        return bool(_TEST_NAME.search(path)) or bool(folders & _TEST_FOLDERS)

    def tests(self) -> tuple[str, ...]:
        """Relative paths of the files that hold tests."""
        found = [path for path in self._python if self.is_test(path)]
        return tuple(path for path in found if _HOLDS_TESTS.search(self.text(path)))

    def sources(self) -> tuple[str, ...]:
        """Relative paths of the Python files that are no tests."""
        return tuple(path for path in self._python if not self.is_test(path))

    @cached_property
    def _roots(self) -> dict[str, str]:
        """By folder with Python files, the folder that its modules' names start from."""
        folders = {_folder(path) for path in self._python}
        packages = {_folder(p) for p in self._python if p.endswith("__init__.py")}
        said: frozenset[str] = frozenset()
        if any(folder and folder not in packages for folder in folders):
            said = frozenset().union(*(imports.quick(self.text(p)) for p in self._python))
        names: dict[str, set[str]] = {}
        for path in self._python:
            top = _top(_folder(path), packages)
            inside = path.removesuffix(".py").removesuffix("/__init__")
            names.setdefault(top, set()).add(inside.replace("/", "."))
        roots = {top: _root_of(top, names[top], said, top in folders - packages) for top in names}
        return {folder: roots[_top(folder, packages)] for folder in folders}

    def source_roots(self) -> tuple[str, ...]:
        """Folders that module names start from, most modules first; `` is the project itself."""
        count: dict[str, int] = {}
        for path in self.sources():
            root = self._roots[_folder(path)]
            count[root] = count.get(root, 0) + 1
        return tuple(sorted(count, key=lambda root: (-count[root], root)))

    def module_of(self, path: str) -> str:
        """Dotted name by which a file is imported; a new file's follows from its folder."""
        folder = _folder(path)
        root = self._roots.get(folder)
        if root is None:
            holding = [r for r in self.source_roots() if r and path.startswith(f"{r}/")]
            root = max(holding, key=len, default="")
        inside = path[len(root) :].strip("/").removesuffix(".py")
        return inside.removesuffix("/__init__").replace("/", ".")

    @cached_property
    def _modules(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in self._python:
            found.setdefault(self.module_of(path), path)
        return found

    def modules(self) -> dict[str, str]:
        """Path of each module by its dotted name."""
        return dict(self._modules)

    def path_of(self, dotted: str) -> str:
        """File of a module, also where it is named from another root; empty if it is not ours."""
        if dotted in self._modules:
            return self._modules[dotted]
        inside = dotted.replace(".", "/")
        for root in dict.fromkeys(["", *self._roots.values()]):
            base = f"{root}/{inside}" if root else inside
            for path in (f"{base}.py", f"{base}/__init__.py"):
                if path in self._known:
                    return path
        return ""

    def package_of(self, path: str) -> str:
        """Dotted package that a file's relative imports start from."""
        dotted = self.module_of(path)
        return dotted if path.endswith("__init__.py") else dotted.rpartition(".")[0]

    def imports(self, path: str, *, lazy: bool = True) -> frozenset[str]:
        """Paths of the project's files that one imports; without lazy those it runs at once."""
        package = self.package_of(path)
        found: set[str] = set()
        for one in imports.of(self.text(path)):
            if one.lazy and not lazy:
                continue
            module = imports.absolute(one, package)
            inner = self.path_of(f"{module}.{one.name}".strip(".")) if one.name else ""
            found.add(inner or self.path_of(module))
        return frozenset(found - {"", path})

    def reaching(self, path: str) -> tuple[str, ...]:
        """A file, and those whose imports lead to it, over others too, or to a package around."""
        back: dict[str, set[str]] = {}
        for one in self._python:
            for other in self.imports(one):
                back.setdefault(other, set()).add(one)
        folders = path.split("/")[:-1]
        seen: set[str] = set()
        around = ["/".join([*folders[:n], "__init__.py"]) for n in range(1, len(folders) + 1)]
        waiting = [path, *(init for init in around if init in self._known)]
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += back.get(one, ())
        return tuple(sorted(seen))

    def importers(self, module: str) -> tuple[str, ...]:
        """Paths of the files that import a module, by its dotted name."""
        wanted = self.path_of(module)
        last = module.rpartition(".")[2]
        if not wanted:
            return ()
        named = re.compile(
            rf"\bimport\b[^\n]*(?:\([^)]*)?\b{last}\b|\b(?:from|import)\b[^\n]*\b{last}\b"
        )
        likely = [p for p in self._python if p != wanted and last in self.text(p)]
        near = [p for p in likely if named.search(self.text(p))]
        if wanted.endswith("__init__.py"):
            near = [p for p in self._python if p != wanted and "import" in self.text(p)]
        return tuple(p for p in near if wanted in self.imports(p))

    def definitions(self, name: str) -> tuple[tuple[str, Symbol], ...]:
        """Where a name or a qualified name is defined, as (path, symbol); tests come last."""
        last = name.rpartition(".")[2]
        if not last.isidentifier():
            return ()
        defining = re.compile(
            rf"(?:\b(?:def|class|type)[ \t]+|^[ \t]*(?:\w+[ \t]*,[ \t]*)*){last}\b", re.M
        )
        found = []
        for path in sorted(self._python, key=lambda p: (self.is_test(p), p)):
            if last in self.text(path) and defining.search(self.text(path)):
                same = [s for s in self.outline(path) if name in (s.name, s.qualname)]
                found += [(path, symbol) for symbol in same]
        return tuple(found)

    def callers(self, qualname: str) -> tuple[tuple[str, int, str], ...]:
        """Calls of a function, class or method as (path, line, text of the line)."""
        last = qualname.rpartition(".")[2]
        method = "." in qualname
        if not last.isidentifier():
            return ()
        calling = re.compile(rf"\b{last}\s*\(")
        found = []
        for path in self._python:
            text = self.text(path)
            if last not in text or not calling.search(text):
                continue
            rows = syntax.lines(text)
            for line in sorted(set(_calls(text, last, method))):
                found.append((path, line, rows[line - 1].strip()))
        return tuple(found)

    def symbol_at(self, path: str, line: int) -> str:
        """Qualified name of the innermost function or method at a line; empty outside one."""
        around = [
            s
            for s in symbols.everything(self.text(path))
            if s.kind in ("function", "method") and s.first_line <= line <= s.end_line
        ]
        return min(around, key=lambda s: s.end_line - s.first_line).qualname if around else ""

    def beside(self, name: str) -> str:
        """Where a new module belongs: in the folder of most implementation modules."""
        count: dict[str, int] = {}
        for path in self.sources():
            if PurePosixPath(path).name not in _ASIDE:
                count[_folder(path)] = count.get(_folder(path), 0) + 1
        folder = min(count, key=lambda f: (-count[f], f.count("/"), f), default="")
        return f"{folder}/{name}" if folder else name

    def test_file_for(self, path: str) -> str:
        """The file that holds the tests of a module, or where a new one belongs."""
        if self.is_test(path):
            return path
        return shape.test_file(self, path)

    def layout(self) -> Layout:
        """Facts about the project's shape: import cycles, large modules, packages without tests."""
        return shape.layout(self)

    def outline_text(self, limit: int = 4000) -> str:
        """The project's files with their definitions, within so many characters."""
        return shape.outline_text(self, limit)


def _folder(path: str) -> str:
    """Folder of a relative path; empty at the root."""
    return path.rpartition("/")[0]


def _calls(text: str, last: str, method: bool) -> Iterator[int]:
    """Lines of the calls of a name: plain or dotted for a function, dotted for a method."""
    parsed = syntax.tree(text)
    for node in ast.walk(parsed) if parsed else ():
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == last:
                yield node.func.end_lineno or node.lineno
            elif not method and isinstance(node.func, ast.Name) and node.func.id == last:
                yield node.lineno


def _top(folder: str, packages: set[str]) -> str:
    """The folder that holds the outermost package around one; itself outside any."""
    while folder and folder in packages:
        folder = _folder(folder)
    return folder


def _root_of(top: str, dotted: set[str], said: frozenset[str], loose: bool) -> str:
    """Where names of modules under a folder start: as most imports say, else as the layout does.

    `dotted` are the modules' names from the project's own folder, `said` what imports name.
    """
    candidates = [top]
    while candidates[-1]:
        candidates.append(_folder(candidates[-1]))

    def used(root: str) -> int:
        return len({name[len(root) + 1 if root else 0 :] for name in dotted} & said)

    best = max(candidates, key=used)
    if used(best) or not loose:
        return best
    sources = [c for c in candidates if PurePosixPath(c).name in _SOURCE_FOLDERS]
    return sources[0] if sources else ""
