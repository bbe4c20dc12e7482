"""Records and oracle curves made up so that the right answer is known in closed form."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from cfrlab.papers.weva import tables
from cfrlab.papers.weva.tables import Results
from cfrlab.reporting import published

PUBLISHED_FOLDER = Path(__file__).resolve().parents[1] / "src/cfrlab/papers/weva/published"
PUBLISHED = tables.load_published(PUBLISHED_FOLDER / "tables.csv")
NUMBERS = published.of("cfrlab.papers.weva")

BASELINES: Mapping[str, Sequence[str]] = {
    "hunl-river": ["equity", "rank"],
    "double-board": ["equity", "rank", "rank-2d"],
    "random-game": ["equity"],
    "random-game-235": ["equity"],
}
GAMES = tuple(BASELINES)[:3]
WARM = (("ev-root", 50), ("ev-nd", 10), ("ev-nd", 50), ("ev-nd", 500))
AVERAGING = ("simultaneous-uniform", "alternating-quadratic")
POINTS = (10, 100, 300, 1000, 2000)

#: Exploitability of (game, solver, method, warmup, K, averaging, iteration).
Level = Callable[[str, str, str, int | None, int, str, int], float]

_CELLS = {
    (row.game, row.method, None if pd.isna(row.warmup) else int(row.warmup), int(row.buckets)): (
        float(row.exploitability)
    )
    for row in PUBLISHED.itertuples()
}


def published_level(game: str, method: str, warmup: int | None, buckets: int) -> float:
    """The paper's value of a cell; 235 hands count as the random game."""
    return _CELLS[game.removesuffix("-235"), method, warmup, buckets]


def as_published(
    game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
) -> float:
    """The paper's values at the end; before it more, and equity falls more slowly than others."""
    del solver, averaging
    late = 2000 / t
    return published_level(game, method, warmup, k) * (late if method == "equity" else late**1.02)


def board_factors(instances: int) -> np.ndarray:
    """What multiplies all exploitabilities of a board; their geometric mean is 1."""
    return 1.1 ** (np.linspace(-1, 1, instances) if instances > 1 else np.zeros(1))


def make_records(
    level: Level,
    *,
    games: Sequence[str] = GAMES,
    solvers: Sequence[str] = ("pcfr-plus", "dcfr"),
    buckets: Sequence[int] = (20, 50, 200),
    instances: int = 10,
    seeds: int = 3,
    points: Sequence[int] = POINTS,
    noise: float = 0.0,
) -> pd.DataFrame:
    """Records with exploitability ``level(...)`` times the board's factor times the seed's.

    The factors of three k-means seeds are .9, 1 and 1.1, so means over seeds are exact. Points
    before the last exist for the largest K, PCFR+ and the first seed alone. ``noise`` is the
    standard deviation of a logarithm drawn for each board and cell.
    """
    rng = np.random.default_rng(0)
    board = board_factors(instances)
    rows = []
    for game, solver, averaging in itertools.product(games, solvers, AVERAGING):
        methods = [*((name, None) for name in BASELINES[game]), *WARM]
        for (method, warmup), k in itertools.product(methods, buckets):
            shift = np.exp(noise * rng.standard_normal(instances))
            for t in points:
                is_final = t == points[-1]
                if not is_final and (k != max(buckets) or solver != "pcfr-plus"):
                    continue
                value = level(game, solver, method, warmup, k, averaging, t)
                for instance, seed in itertools.product(
                    range(instances), range(seeds if is_final else 1)
                ):
                    factor = 1 + 0.1 * (seed - (seeds - 1) / 2) if is_final else 1.0
                    rows.append(
                        {
                            "game": game,
                            "solver": solver,
                            "method": method,
                            "warmup": warmup,
                            "instance": instance,
                            "buckets": k,
                            "k_effective_0": k,
                            "k_effective_1": k,
                            "kmeans_seed": seed,
                            "averaging": averaging,
                            "iteration": t,
                            "exploitability": value * board[instance] * shift[instance] * factor,
                            "value": 0.0,
                            "is_final": is_final,
                        }
                    )
    return pd.DataFrame(rows).astype({"warmup": "Int64"})


def make_results(records: pd.DataFrame, oracle: pd.DataFrame | None = None) -> Results:
    """Results of a run with these records, beside the published numbers."""
    empty = pd.DataFrame()
    return Results(records, PUBLISHED, NUMBERS, empty if oracle is None else oracle)


def make_oracle(
    rho: Mapping[str, float] | None = None,
    *,
    instances: int = 10,
    last: int = 50000,
    inner: float = 0.7,
) -> pd.DataFrame:
    """Oracle curves: exploitability .3 / t; rho at the root ``rho[game]`` at iteration 10.

    Elsewhere 1 - rho falls as 1 / t. Players differ by ±.001 around the mean, boards do not differ.
    """
    rho = dict.fromkeys(GAMES, 0.998) if rho is None else rho
    rows = [
        {
            "game": game,
            "instance": instance,
            "player": player,
            "iteration": t,
            "exploitability": 0.3 / t,
            "where": where,
            "rho": (1 - (1 - root) * 10 / t if where == "root" else inner)
            + 0.001 * (player - 0.5) * (where == "root"),
            "rho_min": 0.5,
        }
        for (game, root), instance, player, t, where in itertools.product(
            rho.items(), range(instances), (0, 1), (1, 10, 100, 1000, last), ("root", "inner")
        )
    ]
    columns = ["game", "instance", "player", "iteration", "exploitability", "where", "rho"]
    return pd.DataFrame(rows, columns=[*columns, "rho_min"])
