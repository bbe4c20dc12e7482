"""Compile the kernels once, before jobs run side by side.

Processes that compile the same function at the same time, for different arguments, may overwrite
each other's entries in the folder of compiled kernels (`cfrlab.solve.kernel_cache`). So every job
asks the module of its kernels here to `ensure` that they are compiled: under a lock, one process
compiles and the others wait. The workflow has it done by a rule of its own, so that normally nobody
waits.
"""

from __future__ import annotations

import fcntl
import hashlib
import time
from collections.abc import Callable

import numba

from cfrlab.logs import LOGGER
from cfrlab.solve import jit, kernel_cache


def compile_once(what: str, use: Callable[[], None]) -> None:
    """Have `use` call every kernel of an engine, unless that was done for this very code.

    Args:
        what: name of the kernels, in a message and for a file beside them.
        use: calls them with every combination of types.
    """
    folder = kernel_cache.folder()
    name = what.replace(" ", "-")
    host = hashlib.sha256(f"{numba.__version__} {jit.processor()}".encode()).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / f"{name}.lock").open("w")
    except OSError:
        return  # nothing can be kept, and `kernel_cache` has said so
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / f"{name}.{host}.done"
        if not done.exists():
            LOGGER.info("compiling the %s (10 to 40 seconds, once)", what)
            start = time.monotonic()
            use()
            done.touch()
            LOGGER.info("compiled in %.1f s", time.monotonic() - start)
