"""resolve_run: re-solve the subgames of CFR-D's trunks, and exploitability (Figure 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.papers.cfrd import artifacts
from cfrlab.pipeline.checkpoint import Arrays, Checkpoint, follow
from cfrlab.pipeline.compiled import decomposition
from cfrlab.pipeline.job import Job
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from cfrlab.solve.side_by_side import SideBySide

STEP = 1000
"""Iterations, of the trunks side by side, between two looks at the clock."""


def resolve(
    cut: Decomposition,
    rule: Rule,
    iterations: int,
    left: Mapping[str, NDArray[Any]],
    checkpoint: Checkpoint | None = None,
) -> Arrays:
    """Re-solve all subgames from what CFR-D left, by CFR and exactly.

    Args:
        cut: the game and its subgames.
        rule: update rule.
        iterations: of re-solving.
        left: see `stages.run.solve`, of C trunks.
        checkpoint: where to go on from, and to keep the state.

    Returns:
        ``iterations`` as in ``left``; ``exploitability`` and ``exact``, float64 [C], half-sums in
        the unit of the game after re-solving by CFR and by linear programs.
    """
    decomposition.ensure()
    evaluator = Evaluator(cut.game)
    trunks = list(zip(left["trunk_0"], left["trunk_1"], strict=True))
    values = list(zip(left["values_0"], left["values_1"], strict=True))
    pairs = list(zip(trunks, values, strict=True))
    resolvers = [Resolver(cut, trunk, "safe", rule, stored) for trunk, stored in pairs]

    def measure() -> dict[str, list[float]]:
        return {"exploitability": [evaluator.exploitability(r.profile()) for r in resolvers]}

    found = follow(SideBySide(resolvers), [iterations], measure, STEP, checkpoint)
    exact = [resolve_exactly(cut, trunk, "safe", stored) for trunk, stored in pairs]
    return {
        "iterations": left["iterations"],
        "exploitability": found["exploitability"][0],
        "exact": np.array([evaluator.exploitability(profile) for profile in exact]),
    }


def run(job: Job) -> None:
    """Run the stage."""
    left, iterations = job.load("run", artifacts.RUN), job.config["iterations"]
    cut, rule = artifacts.decomposition(job), artifacts.rule(job)
    arrays = resolve(cut, rule, iterations, left.arrays, job.checkpoint)
    job.save(artifacts.GRID, arrays, {**left.meta, "resolving_iterations": iterations})
