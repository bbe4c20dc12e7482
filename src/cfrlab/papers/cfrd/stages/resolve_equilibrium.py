"""resolve_equilibrium: re-solve the subgames of an exact equilibrium, a line of Figure 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.papers.cfrd import artifacts
from cfrlab.pipeline.checkpoint import Arrays, Checkpoint, follow
from cfrlab.pipeline.compiled import decomposition
from cfrlab.pipeline.job import Job
from cfrlab.seeds import rng_for
from cfrlab.solve import lp
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule

STEP = 10_000
"""Iterations between two looks at the clock."""


def curve(
    cut: Decomposition,
    rule: Rule,
    method: str,
    case: str,
    points: Sequence[int],
    seed: int,
    checkpoint: Checkpoint | None = None,
) -> Arrays:
    """Exploitability by number of re-solving iterations.

    Args:
        cut: the game and its subgames.
        rule: update rule.
        method: ``safe`` or ``unsafe``.
        case: see `artifacts.cases`.
        points: iterations to look at.
        seed: root of the seeds.
        checkpoint: where to go on from, and to keep the state.

    Returns:
        ``iterations`` int64 [P], ``exploitability`` float64 [P] (half-sum); of the equilibrium
        itself, ``equilibrium``, and of exact re-solving, ``exact``, both [1].
    """
    decomposition.ensure()
    evaluator = Evaluator(cut.game)
    _, profile = lp.solve(cut.game)
    rng = rng_for(seed, "cfrd", "figure3", method, case)
    resolver = Resolver(
        cut,
        profile,
        method,
        rule,
        start=rng if case.startswith("start") else None,
        sampling=rng if case.startswith("sample") else None,
    )

    def measure() -> dict[str, float]:
        return {"exploitability": evaluator.exploitability(resolver.profile())}

    found = follow(resolver, points, measure, STEP, checkpoint)
    exact = resolve_exactly(cut, profile, method)
    return {
        **found,
        "equilibrium": np.array([evaluator.exploitability(profile)]),
        "exact": np.array([evaluator.exploitability(exact)]),
    }


def run(job: Job) -> None:
    """Run the stage."""
    key, cut, rule = job.key, artifacts.decomposition(job), artifacts.rule(job)
    points = job.config["points"]
    arrays = curve(cut, rule, key["method"], key["case"], points, job.seed, job.checkpoint)
    job.save(artifacts.CURVE, arrays, {**key})
