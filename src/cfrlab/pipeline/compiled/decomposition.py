"""Kernels of decomposition, and those of games on public trees beneath them."""

from __future__ import annotations

import numpy as np

from cfrlab.decomposition.lanes import LaneSolver
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.zoo import leduc
from cfrlab.pipeline.compiled import trees
from cfrlab.pipeline.compiled.once import compile_once
from cfrlab.solve.merged import Merged, MergedCFR
from cfrlab.solve.pcs import SampledCFR, first_chance
from cfrlab.solve.rule import Rule


def ensure() -> None:
    """Compile every kernel into numba's cache, unless that has been done for this very code."""
    trees.ensure()
    compile_once("kernels of decomposition", _use_all_kernels)


def _use_all_kernels() -> None:
    """Solve Leduc for an iteration each way; sampling is compiled for a number of outcomes."""
    rule, game = Rule.named("cfr"), leduc.build(leduc.Params(), np.random.default_rng(0))
    solver = LaneSolver(game, Decomposition.at(game).roots, rule)
    solver.run(1)
    solver.root_values(best=False)
    MergedCFR(game, rule, Merged.apart(game)).run(1)
    SampledCFR(game, rule, first_chance(game.tree), np.random.default_rng(0)).run(1)
