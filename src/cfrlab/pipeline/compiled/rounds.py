"""Kernels of games of betting rounds."""

from __future__ import annotations

import numpy as np

from cfrlab.games.zoo import numeral211
from cfrlab.pipeline.compiled.once import compile_once
from cfrlab.solve.phi import BucketMap, Identity, Phi, Soft
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rounds.values import expected_values
from cfrlab.solve.rule import Rule


def ensure() -> None:
    """Compile every kernel into numba's cache, unless that has been done for this very code."""
    compile_once("kernels of games of rounds", _use_all_kernels)


def _use_all_kernels() -> None:
    """Solve the smallest game for an iteration under every kind of Phi, and evaluate it."""
    game = numeral211.rounds(numeral211.Params(ranks="234", suits="cd", max_raises=1))
    for kind in (Identity, _one_bucket, _one_advisor):
        first, *others = game.hands
        phis: list[Phi] = [Identity(first), *(kind(n) for n in others)]
        abstraction = RoundAbstraction(tuple(phis))
        for deals in (None, 1):
            solver = RoundCFR(
                game, Rule.named("cfr"), abstraction, averages=AVERAGES, baseline=True, deals=deals
            )
            solver.run(1)
            for name in AVERAGES:
                best_responses(solver.average(name))
            expected_values(game, solver.average("infoset"))


def _one_bucket(hands: int) -> Phi:
    return BucketMap(np.zeros(hands, np.int32))


def _one_advisor(hands: int) -> Phi:
    return Soft(np.ones((1, hands)))
