"""oracle: how soon the order of hands by expected value settles (Figure 1 of Li and Huang).

CFR runs on the full game for very long; the expected values of its last average profile are the
oracle, with which those at earlier iterations are compared by Spearman's rank correlation over
hands, at the root and at every other decision node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from cfrlab.games.game import Game, Profile
from cfrlab.logs import Progress
from cfrlab.papers.weva import artifacts
from cfrlab.pipeline.compiled import trees
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.text import JSON
from cfrlab.solve import walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule

STEP = 1000
"""Most iterations between two reports of progress."""

Floats = NDArray[np.float64]


def curves(
    game: Game, rule: Rule, points: Sequence[int], iterations: int
) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    """Curves over the iterations in `points` and the last one, P in all.

    Returns:
        ``iterations`` int64 [P]; ``exploitability`` float64 [P], half-sum as a fraction of the pot;
        ``rho_root`` float64 [P, 2] and ``rho_inner`` float64 [P, 2, decision nodes but the root],
        rank correlations with the oracle for each player, NaN where all hands are worth the same.
    """
    trees.ensure()
    at = sorted({*points, iterations})
    evaluator = Evaluator(game)
    exploitability, values = [], []
    for profile in _averages(game, rule, at):
        exploitability.append(evaluator.exploitability(profile) / game.pot)
        values.append(_expected_values(game, profile))
    rho = np.array([[correlations(v[p], values[-1][p]) for p in (0, 1)] for v in values])
    return {
        "iterations": np.array(at, np.int64),
        "exploitability": np.array(exploitability),
        "rho_root": rho[:, :, 0],
        "rho_inner": rho[:, :, 1:],
    }


def correlations(ours: Floats, oracle: Floats) -> Floats:
    """Spearman's rho of rows over hands: two float64 [nodes, n] -> [nodes]; ties share ranks."""
    ranks = [rankdata(values, axis=1) for values in (ours, oracle)]
    a, b = (r - r.mean(1, keepdims=True) for r in ranks)
    norm = np.sqrt((a**2).sum(1) * (b**2).sum(1))
    rho: Floats = np.divide((a * b).sum(1), norm, out=np.full(len(ours), np.nan), where=norm > 0)
    return rho


def _averages(game: Game, rule: Rule, at: Sequence[int]) -> Iterator[Profile]:
    solver = CFR(game, rule)
    progress, done = Progress(at[-1], "iterations"), 0
    for t in solver.checkpoints([*at, *range(STEP, at[-1], STEP)]):
        progress.step(t - done)
        done = t
        if t in at:
            yield solver.average()


def _expected_values(game: Game, profile: Profile) -> tuple[Floats, Floats]:
    """Expected values of both players' hands at the decision nodes, the root first."""
    nodes = game.tree.player >= 0
    first, second = walk.expected_values(game, profile)
    return first[nodes], second[nodes]


def run(job: Job) -> None:
    """Run the stage."""
    config = job.config
    rule = Rule.named(config["solver"], config["alternating"], config["averaging"])
    (game,) = artifacts.load_games(job)
    arrays = curves(game, rule, config["points"], config["iterations"])
    meta: dict[str, JSON] = {"game": job.key["game"], "instance": int(job.key["instance"])}
    job.save(artifacts.ORACLE, arrays, meta)
