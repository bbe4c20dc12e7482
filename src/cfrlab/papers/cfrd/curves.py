"""cfrd_resolve_equilibrium: Figure 3, re-solving the subgames of an exact equilibrium."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.logs import Progress
from cfrlab.papers.cfrd.jit import ensure_compiled
from cfrlab.seeds import rng_for
from cfrlab.solve import lp
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule

UNIFORM = "uniform"


def cases(starts: int, samples: int) -> list[str]:
    """Names of runs: ``uniform``, ``start-1`` ... (random starts), ``sample-1`` ... (sampling)."""
    return [
        UNIFORM,
        *(f"start-{i + 1}" for i in range(starts)),
        *(f"sample-{i + 1}" for i in range(samples)),
    ]


def curve(
    decomposition: Decomposition,
    rule: Rule,
    method: str,
    case: str,
    points: Sequence[int],
    seed: int,
) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    """Exploitability by number of re-solving iterations.

    Args:
        decomposition: the game and its subgames.
        rule: update rule.
        method: ``safe`` or ``unsafe``.
        case: see `cases`.
        points: iterations to look at.
        seed: root of the seeds.

    Returns:
        ``iterations`` int64 [P], ``exploitability`` float64 [P] (half-sum); of the equilibrium
        itself, ``equilibrium``, and of exact re-solving, ``exact``, both [1].
    """
    ensure_compiled()
    game = decomposition.game
    evaluator = Evaluator(game)
    _, profile = lp.solve(game)
    rng = rng_for(seed, "cfrd", "figure3", method, case)
    resolver = Resolver(
        decomposition,
        profile,
        method,
        rule,
        start=rng if case.startswith("start") else None,
        sampling=rng if case.startswith("sample") else None,
    )
    found, progress, done = [], Progress(max(points), "iterations"), 0
    for t in resolver.checkpoints(points):
        found.append(evaluator.exploitability(resolver.profile()))
        progress.step(t - done)
        done = t
    exact = resolve_exactly(decomposition, profile, method)
    return {
        "iterations": np.array(sorted(set(points)), np.int64),
        "exploitability": np.array(found),
        "equilibrium": np.array([evaluator.exploitability(profile)]),
        "exact": np.array([evaluator.exploitability(exact)]),
    }
