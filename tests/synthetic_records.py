"""Records and oracle curves made up so that the right answer is known in closed form."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

METHODS: Mapping[str, Sequence[tuple[str, int | None]]] = {
    "hunl-river": [("equity", None), ("rank", None)],
    "double-board": [("equity", None), ("rank", None), ("rank-2d", None)],
    "random-game": [("equity", None)],
}
WARM = [("ev-root", 50), ("ev-nd", 10), ("ev-nd", 50), ("ev-nd", 500)]
AVERAGING = ("simultaneous-uniform", "alternating-quadratic")

Level = Callable[[str, str, str, int | None, int, str, int], float]


def make_records(
    level: Level,
    *,
    games: Sequence[str] = tuple(METHODS),
    solvers: Sequence[str] = ("pcfr-plus", "dcfr"),
    buckets: Sequence[int] = (20, 50, 200),
    instances: int = 10,
    seeds: int = 3,
    points: Sequence[int] = (10, 100, 300, 1000, 2000),
) -> pd.DataFrame:
    """Records whose exploitability is ``level(game, solver, method, warmup, K, averaging, T)``,
    times 1.1^board effect (boards average to one on the log scale), times 1 - .1, 1, 1 + .1 for
    the three k-means seeds. Points before the last exist for K = 200, PCFR+, seed 0 alone.
    """
    rows = []
    effect = np.linspace(-1, 1, instances) if instances > 1 else np.zeros(1)
    for game, solver, averaging in itertools.product(games, solvers, AVERAGING):
        methods = [*METHODS.get(game, [("equity", None)]), *WARM]
        for (method, warmup), k, t in itertools.product(methods, buckets, points):
            is_final = t == points[-1]
            if not is_final and (k != max(buckets) or solver != "pcfr-plus"):
                continue
            value = level(game, solver, method, warmup, k, averaging, t)
            for instance, seed in itertools.product(
                range(instances), range(seeds if is_final else 1)
            ):
                shift = 1 + 0.1 * (seed - (seeds - 1) / 2)
                rows.append(
                    {
                        "game": game,
                        "instance": instance,
                        "solver": solver,
                        "method": method,
                        "warmup": warmup,
                        "buckets": k,
                        "k_effective_0": k,
                        "k_effective_1": k,
                        "kmeans_seed": seed,
                        "averaging": averaging,
                        "iteration": t,
                        "is_final": is_final,
                        "exploitability": value * 1.1 ** effect[instance] * shift,
                        "value": 0.0,
                    }
                )
    return pd.DataFrame(rows).astype({"warmup": "Int64"})
