"""run_cfrd and cfrd_resolve_run: Figure 4, CFR-D for many lengths of trunk and subgame runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.logs import Progress
from cfrlab.papers.cfrd.jit import ensure_compiled
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule

STEP = 100
"""Most trunk iterations between two reports of progress."""

Arrays = dict[str, NDArray[Any]]


def run(decomposition: Decomposition, rule: Rule, variant: Variant, at: Sequence[int]) -> Arrays:
    """Run CFR-D once and keep what it leaves at some trunk iterations (C of them).

    Returns:
        ``iterations`` int64 [C]; for each player p ``trunk_p`` float64 [C, rows, n] (uniform inside
        subgames) and ``values_p`` float64 [C, roots, n].
    """
    ensure_compiled()
    process = CFRD(decomposition, rule, variant)
    progress, done = Progress(max(at), "trunk iterations"), 0
    kept: dict[str, list[Any]] = {
        name: [] for name in ("trunk_0", "trunk_1", "values_0", "values_1")
    }
    for t in process.checkpoints([*at, *range(STEP, max(at), STEP)]):
        progress.step(t - done)
        done = t
        if t in at:
            trunk, values = process.trunk_average(), process.root_values()
            for p in (0, 1):
                kept[f"trunk_{p}"].append(trunk[p])
                kept[f"values_{p}"].append(values[p].copy())
    arrays = {name: np.array(found) for name, found in kept.items()}
    return {"iterations": np.array(sorted(set(at)), np.int64), **arrays}


def resolve(
    decomposition: Decomposition, rule: Rule, iterations: int, left: Mapping[str, NDArray[Any]]
) -> Arrays:
    """Re-solve all subgames from what CFR-D left, by CFR and exactly.

    Returns:
        ``iterations`` as in ``left``; ``exploitability`` and ``exact``, float64 [C], half-sums in
        the unit of the game after re-solving by CFR and by linear programs.
    """
    ensure_compiled()
    evaluator = Evaluator(decomposition.game)
    found, exact = [], []
    for k in range(len(left["iterations"])):
        trunk = (left["trunk_0"][k], left["trunk_1"][k])
        values = (left["values_0"][k], left["values_1"][k])
        resolver = Resolver(decomposition, trunk, "safe", rule, values)
        resolver.run(iterations)
        found.append(evaluator.exploitability(resolver.profile()))
        best = resolve_exactly(decomposition, trunk, "safe", values)
        exact.append(evaluator.exploitability(best))
    return {
        "iterations": left["iterations"],
        "exploitability": np.array(found),
        "exact": np.array(exact),
    }
