"""oracle_cfr: how soon the order of hands by expected value settles (Figure 1 of Li and Huang).

CFR runs on the full game for very long; the expected values of its last average profile are the
oracle, with which those at earlier iterations are compared by Spearman's rank correlation over
hands, at the root and at every other decision node.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.stages.game_file import load_game
from cfrlab.experiments.stages.jit import ensure_compiled
from cfrlab.games.game import Game, Profile
from cfrlab.logs import Progress
from cfrlab.solve import walk
from cfrlab.solve.cfr import CFR, Rule
from cfrlab.solve.response import Evaluator

KIND = "oracle"
STEP = 1000
"""Iterations between two looks at the clock."""

Floats = NDArray[np.float64]


def follow(
    game_path: str, rule: Rule, points: Sequence[int], iterations: int, out: str, made: Provenance
) -> None:
    """Write curves over the iterations in `points` and the last one, P in all.

    Arrays: ``iterations`` int64 [P]; ``exploitability`` float64 [P], half-sum as a fraction of the
    pot; ``rho_root`` float64 [P, 2] and ``rho_inner`` float64 [P, 2, nodes], rank correlations with
    the oracle for each player, NaN at a node where all hands are worth the same.
    """
    ensure_compiled()
    game = load_game(game_path)
    at = sorted({*points, iterations})
    exploitability, values = [], []
    evaluator = Evaluator(game)
    for profile in _averages(game, rule, at):
        exploitability.append(evaluator.exploitability(profile) / game.pot)
        values.append(_expected_values(game, profile))
    rho = np.array([[correlations(v[p], values[-1][p]) for p in (0, 1)] for v in values])
    arrays = {
        "iterations": np.array(at),
        "exploitability": np.array(exploitability),
        "rho_root": np.ascontiguousarray(rho[:, :, 0]),
        "rho_inner": np.ascontiguousarray(rho[:, :, 1:]),
    }
    store.save(out, KIND, arrays, {"unit": "fraction of the pot"}, made)


def correlations(ours: Floats, oracle: Floats) -> Floats:
    """Spearman's rho of rows over hands: two float64 [nodes, n] -> [nodes]; ties share ranks."""
    ranks = [rankdata(v, axis=1) for v in (ours, oracle)]
    centred = [r - r.mean(1, keepdims=True) for r in ranks]
    norm = np.sqrt((centred[0] ** 2).sum(1) * (centred[1] ** 2).sum(1))
    product = (centred[0] * centred[1]).sum(1)
    return np.divide(product, norm, out=np.full(len(ours), np.nan), where=norm > 0)


def _averages(game: Game, rule: Rule, at: Sequence[int]) -> list[Profile]:
    solver = CFR(game, rule)
    progress = Progress(at[-1], "iterations")
    profiles = []
    for t in solver.checkpoints([*at, *range(STEP, at[-1], STEP)]):
        progress.step(t - progress.done)
        if t in at:
            profiles.append(solver.average())
    return profiles


def _expected_values(game: Game, profile: Profile) -> tuple[Floats, Floats]:
    """Expected values of the hands of both players at the decision nodes, the root first."""
    nodes = game.tree.player >= 0
    first, second = walk.expected_values(game, profile)
    return first[nodes], second[nodes]
