"""Kernels of games on public trees: solving, values and best responses."""

from __future__ import annotations

import numpy as np

from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Decision, PublicTree, Terminal
from cfrlab.pipeline.compiled.once import compile_once
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule


def ensure() -> None:
    """Compile the kernels into numba's cache, unless that was done for this very code."""
    compile_once("kernels", _use_all_kernels)


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
