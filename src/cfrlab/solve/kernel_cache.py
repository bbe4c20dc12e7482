"""Where compiled kernels are kept: under the code that they were compiled from.

Numba keeps what it compiles beside a module's name and content, and does not see that a function or
a constant of another module, which it compiled in, has changed. Here the folder's name is a hash of
all modules that kernels can come from, so that other code never meets old kernels, and copies of
the same code share one folder. It lies in ``NUMBA_CACHE_DIR`` if that is set, else in the user's
folder of caches. Where neither can be written to, kernels are compiled anew in every process.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cfrlab.logs import LOGGER

# Numba lets its locators be replaced, but has no types for them.
_numba: Any = importlib.import_module("numba.core.caching")

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = ("decomposition", "games", "solve")
"""Folders of the package that kernels, and what is compiled into them, can lie in."""


@functools.cache
def folder() -> Path:
    """Folder of the kernels of this very code."""
    digest = hashlib.sha256()
    for path in sorted(path for part in SOURCES for path in (PACKAGE / part).rglob("*.py")):
        digest.update(f"{path.relative_to(PACKAGE)}\0".encode() + path.read_bytes() + b"\0")
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(user) / "cfrlab")
    return root / f"kernels-{digest.hexdigest()[:16]}"


def keep_compiled(dispatcher: Any, function: Callable[..., Any]) -> None:
    """Have numba's dispatcher of a function keep what it compiles, and load what is there."""
    try:
        dispatcher._cache = _KernelCache(function)
    except RuntimeError:
        _say_once(
            f"kernels cannot be kept, since {folder()} cannot be written to: each process compiles "
            "its own; set NUMBA_CACHE_DIR to a folder of yours"
        )


class _Locator(_numba._CacheLocator):  # type: ignore[misc]
    """Files of one module's kernels."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        self._folder = str(folder() / function.__module__)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        """Nothing: the folder's name tells the code."""
        return ""

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _Kept(_numba.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _KernelCache(_numba.FunctionCache):  # type: ignore[misc]
    """Numba's cache of one kernel, which says when it compiles, and replaces damaged entries."""

    _impl_class = _Kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            compiled = super().load_overload(sig, target_context)
        except Exception as error:  # whatever reading a damaged file can raise
            _say_once(f"a kept kernel is damaged ({type(error).__name__}) and is compiled anew")
            self.flush()
            compiled = None
        if compiled is None:
            _say_once("compiling kernels, which takes up to a minute the first time")
        return compiled


@functools.cache
def _say_once(message: str) -> None:
    LOGGER.warning(message)
