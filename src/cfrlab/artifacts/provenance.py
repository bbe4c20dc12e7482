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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from cfrlab.errors import CfrlabError

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("numba", "numpy", "scikit-learn", "scipy")


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries whose releases can change numbers."""
    versions = {name: metadata.version(name) for name in LIBRARIES}
    return {**versions, "python": platform.python_version()}


@dataclass(frozen=True)
class Provenance:
    """What an artifact was made from.

    Attributes:
        config: the part of the configuration that was used, as JSON.
        seed: the seed of the random stream, or None if nothing was random.
        code: `closure_hash` of the script and the plug-ins it loaded.
        libraries: version by library name; those in use unless given.
    """

    config: Mapping[str, Any]
    seed: int | None
    code: str
    libraries: Mapping[str, str] = field(default_factory=library_versions)


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
    root = root.resolve()
    found: set[tuple[str, Path]] = set()
    waiting = [item for start in starts for item in _start(os.fspath(start), root)]
    while waiting:
        name, path = waiting.pop()
        if (name, path) not in found:
            found.add((name, path))
            waiting.extend(_imported(name, path, root))
    return sorted(found)


@dataclass(frozen=True)
class _Source:
    """A parsed file: hash of its code, and its imports as (level, module, names)."""

    code: str
    imports: tuple[tuple[int, str, tuple[str, ...]], ...]


def _start(start: str, root: Path) -> Iterator[tuple[str, Path]]:
    if not start.endswith(".py"):
        if _module_file(start, root) is None:
            raise CfrlabError(f"no module '{start}' in {root}; name a module of the package")
        yield from _with_parents(start, root)
    elif not Path(start).is_file():
        raise CfrlabError(f"{start}: no such script; give the path of a Python file")
    else:
        path = Path(start).resolve()
        # A script inside the package is the same node as the module.
        if path.is_relative_to(root):
            parts = (root.name, *path.relative_to(root).with_suffix("").parts)
            yield from _with_parents(".".join(parts).removesuffix(".__init__"), root)
        else:
            yield path.name, path


def _module_file(name: str, root: Path) -> Path | None:
    """Return the file of a module of the package, or None if there is none of that name."""
    head, *rest = name.split(".")
    if head != root.name:
        return None
    folder = root.joinpath(*rest)
    candidates = (folder / "__init__.py", folder.with_name(f"{folder.name}.py"))
    return next((path for path in candidates if path.is_file()), None)


def _with_parents(name: str, root: Path) -> Iterator[tuple[str, Path]]:
    """Yield a module and the packages around it, whose ``__init__`` runs first."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        path = _module_file(module, root)
        if path is not None:
            yield module, path


def _imported(name: str, path: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the modules of the package that file `path`, module `name`, imports."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for level, module, names in _parse(path).imports:
        base = package[: len(package) - level + 1] if level else []
        full = ".".join([*base, *([module] if module else [])])
        # `from package import name` may name a module or an attribute; files tell which.
        for target in (full, *(f"{full}.{item}" for item in names)):
            yield from _with_parents(target, root)


def _parse(path: Path) -> _Source:
    status = path.stat()
    return _parse_version(path, status.st_mtime_ns, status.st_size)


@functools.cache
def _parse_version(path: Path, mtime_ns: int, size: int) -> _Source:
    """Parse a file once for each version of it, which time and size tell apart."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
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
    text = ast.dump(_DropStrings().visit(tree))
    return _Source(hashlib.sha256(text.encode()).hexdigest(), tuple(imports))


class _DropStrings(ast.NodeTransformer):
    """Drops strings that stand as statements: docstrings, and comments in that form."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_string = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_string else node
