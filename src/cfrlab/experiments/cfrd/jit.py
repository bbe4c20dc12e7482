"""Compile the kernels of decomposition once, as `cfrlab.experiments.stages.jit` does the others."""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path

import numba
import numpy as np

from cfrlab.decomposition import lanes
from cfrlab.decomposition.lanes import LaneSolver
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.experiments.stages import jit
from cfrlab.games.zoo import leduc
from cfrlab.logs import LOGGER
from cfrlab.solve import kernels, merged, pcs
from cfrlab.solve.cfr import Rule
from cfrlab.solve.merged import Merged, MergedCFR
from cfrlab.solve.pcs import SampledCFR, first_chance


def ensure_compiled() -> None:
    """Compile every kernel into numba's cache, unless that has been done for this very code."""
    jit.ensure_compiled()
    if not (folder := os.environ.get("NUMBA_CACHE_DIR")):
        return
    with (Path(folder) / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = Path(folder) / f"decomposition-{_fingerprint()}"
        if not done.exists():
            LOGGER.info("compiling the kernels of decomposition (10 to 20 seconds, once)")
            _use_all_kernels()
            done.touch()


def _fingerprint() -> str:
    stamps = []
    for module in (kernels, lanes, merged, pcs):
        path = Path(str(module.__file__))
        stamps.append((str(path), path.stat().st_mtime, path.stat().st_size))
    return hashlib.sha256(repr((stamps, numba.__version__)).encode()).hexdigest()[:16]


def _use_all_kernels() -> None:
    """Solve Leduc for an iteration each way; sampling is compiled for a number of outcomes."""
    rule, game = Rule.named("cfr"), leduc.build(leduc.Params(), np.random.default_rng(0))
    solver = LaneSolver(game, Decomposition.at(game).roots, rule)
    solver.run(1)
    solver.root_values(best=False)
    MergedCFR(game, rule, Merged.apart(game)).run(1)
    SampledCFR(game, rule, first_chance(game.tree), np.random.default_rng(0)).run(1)
