"""What a file was made from: configuration, seed, code and library versions.

The code is identified by its import closure. Workflow engines see that a script changed, but not
that a module it imports did; hashing the script together with every module of this package that it
imports, directly or not, closes the gap. Syntax trees are hashed, so comments, layout and
docstrings do not count. Imports by computed name cannot be seen; pass such modules explicitly
(`cfrlab.plugins.module_name` gives a plug-in's).
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from cfrlab.errors import CfrlabError, nearest

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("numba", "numpy", "scikit-learn", "scipy")


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries whose releases can change numbers."""
    versions = {name: metadata.version(name) for name in LIBRARIES}
    return {**versions, "python": platform.python_version()}


@dataclass(frozen=True)
class Provenance:
    """What an artifact is, and what it was made from.

    Attributes:
        config: the part of the configuration that was used, as JSON.
        seed: the seed that was drawn from, or None if nothing was random.
        code: `closure_hash` of the stage and the plug-ins it loaded.
        stage: paper and stage that made it, ``weva_buckets``.
        key: which of the stage's outputs it is, by wildcard.
        inputs: SHA-256 of the artifacts that were read, by the name of the input.
        libraries: version by library name; those in use unless given.
        behind: hash of what all that is behind it was made from (`recipe.Recipe.identity`).
    """

    config: Mapping[str, Any]
    seed: int | None
    code: str
    stage: str = ""
    key: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    libraries: Mapping[str, str] = field(default_factory=library_versions)
    behind: str = ""

    def as_json(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return asdict(self)


IDENTITY = ("stage", "key", "seed", "config", "code", "behind")
"""What tells one output from another, in the order in which differences are reported."""


def difference(made: Any, asked: Any) -> str:
    """Say in what a file's provenance differs from what is asked for; empty if in nothing.

    Args:
        made: provenance as JSON, of the file.
        asked: the same, of which `IDENTITY` counts.
    """
    for name in (name for name in IDENTITY if name in asked):
        if made.get(name) != asked[name]:
            key, before, now = _first_difference(name, made.get(name), asked[name])
            if name == "code":
                return "made by other code"
            if name == "behind":
                return "made from results of another configuration, seed or code"
            return f"made with {key} {_short(before)}, but {_short(now)} is asked for"
    return ""


def _first_difference(key: str, before: Any, now: Any) -> tuple[str, Any, Any]:
    """Dotted key at which two JSON values first differ, with both values there."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name in [*now, *before]:
            if before.get(name) != now.get(name):
                return _first_difference(f"{key}.{name}", before.get(name), now.get(name))
    return key, before, now


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def closure_hash(*starts: str | os.PathLike[str], root: Path = PACKAGE_ROOT) -> str:
    """Return the SHA-256 (hex) of the code in the import closure of scripts and modules.

    Args:
        starts: paths of Python files (``workflow/scripts/solve.py``) and dotted names of modules of
            the package (``cfrlab.games.zoo.leduc``), in any order.
        root: folder of the package whose modules count; its name is the package's.

    Raises:
        CfrlabError: a start does not exist, or a file is not valid Python.
    """
    digest = hashlib.sha256()
    for name, path in closure(*starts, root=root):
        digest.update(f"{name}\0{_parse(path).code}\0".encode())
    return digest.hexdigest()


def closure(*starts: str | os.PathLike[str], root: Path = PACKAGE_ROOT) -> list[tuple[str, Path]]:
    """Return names and files of the import closure of `starts`, sorted.

    Modules go by their dotted names, scripts by their file names. Arguments and errors are those of
    `closure_hash`.
    """
    modules = _modules(root.resolve())
    found: set[tuple[str, Path]] = set()
    waiting = [item for start in starts for item in _start(os.fspath(start), modules)]
    while waiting:
        item = waiting.pop()
        if item not in found:
            found.add(item)
            waiting.extend(_imported(*item, modules))
    return sorted(found)


def _modules(root: Path) -> dict[str, Path]:
    """Return the file of each module of the package in folder `root`, by dotted name."""
    modules = {}
    # In this order `a.py` comes before `a/__init__.py`, so the package wins, as in Python.
    for path in sorted(root.rglob("*.py"), reverse=True):
        parts = (root.name, *path.relative_to(root).with_suffix("").parts)
        modules[".".join(parts).removesuffix(".__init__")] = path
    return modules


@dataclass(frozen=True)
class _Source:
    """A parsed file: hash of its code, and its imports as (level, module, names)."""

    code: str
    imports: tuple[tuple[int, str, tuple[str, ...]], ...]


def _start(start: str, modules: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    if not start.endswith(".py"):
        if start not in modules:
            raise CfrlabError(
                f"'{start}' is neither a module of the package nor a .py file; correct the name"
                f"{nearest(start, modules)}"
            )
        yield from _with_parents(start, modules)
    elif not Path(start).is_file():
        raise CfrlabError(f"{start}: no such script; give the path of a Python file")
    else:
        path = Path(start).resolve()
        # A script inside the package is the same node as the module.
        inside = [name for name, file in modules.items() if file == path]
        yield from _with_parents(inside[0], modules) if inside else [(path.name, path)]


def _with_parents(name: str, modules: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Yield a module and the packages around it, whose ``__init__`` runs first."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        if module in modules:
            yield module, modules[module]


def _imported(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Yield the modules of the package that file `path`, module `name`, imports."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for level, module, names in _parse(path).imports:
        base = package[: len(package) - level + 1] if level else []
        full = ".".join([*base, *([module] if module else [])])
        # `from package import name` may name a module or an attribute; files tell which.
        for target in (full, *(f"{full}.{item}" for item in names)):
            yield from _with_parents(target, modules)


def _parse(path: Path) -> _Source:
    return _parse_content(path, path.read_bytes())


@functools.cache
def _parse_content(path: Path, content: bytes) -> _Source:
    """Parse a file, once for each content it had while this process ran."""
    try:
        tree = ast.parse(content, filename=str(path))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise CfrlabError(f"{path}:{line}: not valid Python ({error}); correct it") from None
    imports: list[tuple[int, str, tuple[str, ...]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports.extend((0, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            imports.append((node.level, node.module or "", names))
    text = _spelled(_DropStrings().visit(tree))
    return _Source(hashlib.sha256(text.encode()).hexdigest(), tuple(imports))


def _spelled(node: Any) -> str:
    """Write a syntax tree as text, the same under every version of Python.

    `ast.dump` will not do: which empty fields it writes, and which there are, has changed.
    """
    if isinstance(node, ast.AST):
        fields = [(name, getattr(node, name, None)) for name in node._fields]
        given = [f"{name}={_spelled(value)}" for name, value in fields if value not in (None, [])]
        if isinstance(node, ast.Constant):
            given = [repr(node.value)]
        return f"{type(node).__name__}({','.join(given)})"
    if isinstance(node, list):
        return f"[{','.join(map(_spelled, node))}]"
    return repr(node)


class _DropStrings(ast.NodeTransformer):
    """Drops strings that stand as statements: docstrings, and comments in that form."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_string = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_string else node
