"""Compile the kernels once, before jobs run side by side.

Numba writes what it compiles into the folder named by ``NUMBA_CACHE_DIR``. Processes that compile
the same function at the same time, for different arguments, may overwrite each other's entries
there, and it compiles anew when a source file's time changes, even for a comment. So every job asks
`ensure_compiled` first: under a lock, one process compiles and the others wait. The workflow has it
done by a rule of its own, so that normally nobody waits.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from pathlib import Path

import numba
import numpy as np
from numba.core.registry import cpu_target

from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Decision, PublicTree, Terminal
from cfrlab.logs import LOGGER
from cfrlab.solve import kernels
from cfrlab.solve.cfr import CFR, Rule
from cfrlab.solve.response import Evaluator


def ensure_compiled() -> None:
    """Compile every kernel into numba's cache, unless that has been done for this very code."""
    if not (folder := os.environ.get("NUMBA_CACHE_DIR")):
        return
    cache = Path(folder)
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = cache / f"compiled-{_fingerprint()}"
        if not done.exists():
            LOGGER.info("compiling the kernels (10 to 20 seconds, once)")
            start = time.monotonic()
            _use_all_kernels()
            done.touch()
            LOGGER.info("compiled in %.1f s", time.monotonic() - start)


def _fingerprint() -> str:
    """What numba's cache entries depend on: file, its time and size, version, processor."""
    path = Path(str(kernels.__file__))
    source = (str(path), path.stat().st_mtime, path.stat().st_size)
    host = cpu_target.target_context.codegen().magic_tuple()
    return hashlib.sha256(repr((source, numba.__version__, host)).encode()).hexdigest()[:16]


def _use_all_kernels() -> None:
    """Solve and evaluate a tiny game. Argument types are the same for every game and rule."""
    game = _matching_pennies()
    solver = CFR(game, Rule.named("cfr"))
    solver.run(1)
    evaluator, profile = Evaluator(game), solver.average()
    evaluator.exploitability(profile)
    evaluator.value(profile)


def _matching_pennies() -> Game:
    deal = Dense(np.ones((1, 1), np.int8))
    second = [Decision(1, {"a": Terminal(0, s), "b": Terminal(0, -s)}) for s in (1.0, -1.0)]
    one = (("h",), ("h",))
    weights = (np.ones(1), np.ones(1))
    tree = PublicTree.build(Decision(0, {"a": second[0], "b": second[1]}))
    return Game("matching_pennies", tree, (deal,), deal, one, weights, "points")
