"""Compile the kernels once, before jobs run side by side.

Numba writes what it compiles into the folder named by ``NUMBA_CACHE_DIR``. Processes that compile
the same function at the same time, for different arguments, may overwrite each other's entries
there, and it compiles anew when a source file's time changes, even for a comment. So every job asks
the module of its kernels here to `ensure` that they are compiled: under a lock, one process
compiles and the others wait. The workflow has it done by a rule of its own, so that normally nobody
waits.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import numba
from numba.core.registry import cpu_target

from cfrlab.logs import LOGGER


def compile_once(what: str, modules: Sequence[ModuleType], use: Callable[[], None]) -> None:
    """Have `use` call every kernel of some modules, unless that was done for this very code.

    Args:
        what: name of the kernels, in a message and for a file in the cache.
        modules: where they are, and where constants are that numba compiles into them: it does not
            see that these change, so older entries are removed.
        use: calls them with every combination of types.
    """
    if not (folder := os.environ.get("NUMBA_CACHE_DIR")):
        return
    cache = Path(folder)
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = cache / f"{what.replace(' ', '-')}-{_fingerprint(modules)}"
        if not done.exists():
            LOGGER.info("compiling the %s (10 to 40 seconds, once)", what)
            start = time.monotonic()
            for path in map(_file, modules):
                for entry in cache.glob(f"{path.parent.name}_*/{path.stem}.*"):
                    entry.unlink()
            use()
            done.touch()
            LOGGER.info("compiled in %.1f s", time.monotonic() - start)


def _file(module: ModuleType) -> Path:
    return Path(str(module.__file__))


def _fingerprint(modules: Sequence[ModuleType]) -> str:
    """What numba's cache entries depend on: files, their times and sizes, version, processor."""
    sources = [
        (str(path), path.stat().st_mtime, path.stat().st_size) for path in map(_file, modules)
    ]
    host = cpu_target.target_context.codegen().magic_tuple()
    return hashlib.sha256(repr((sources, numba.__version__, host)).encode()).hexdigest()[:16]
