"""Curves and abstractions of the embedding experiments, made up so that the answers are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from cfrlab.papers.embedding import neighbours, records
from cfrlab.papers.embedding.artifacts import AS_TRAINED
from cfrlab.papers.embedding.comparison import Results
from cfrlab.papers.embedding.records import FIGURE5
from cfrlab.reporting import published
from cfrlab.solve.rounds.averages import AVERAGES

GAME, ANTE = "numeral211", 5
POINTS = (54, 128, 256, 512, 1024)
SEEDS = 3

#: Solvers as the configuration has them.
SOLVERS: Mapping[str, Mapping[str, Any]] = {
    "cfr": {"rule": "cfr", "alternating": False, "averaging": 0.0},
    "cfr-baseline": {"rule": "cfr", "alternating": False, "averaging": 0.0, "baseline": True},
    "cfr-plus": {"rule": "cfr-plus", "alternating": True, "averaging": 1.0},
    "cfr-plus-baseline": {
        **{"rule": "cfr-plus", "alternating": True, "averaging": 1.0},
        "baseline": True,
    },
}

#: Family, network, Phi, rows and effective advisors (flop, turn) of each abstraction.
ABSTRACTIONS: Mapping[str, tuple[str, str, str, tuple[int, int], tuple[float, float]]] = {
    "lossless": ("lossless", "", "", (2260, 62020), (1.0, 1.0)),
    "ehs": ("ehs", "", "", (225, 396), (1.0, 1.0)),
    "paemd": ("paemd", "", "", (225, 396), (1.0, 1.0)),
    "krwemd-exponential": ("krwemd", "", "", (225, 396), (1.0, 1.0)),
    "krwemd-linear": ("krwemd", "", "", (225, 396), (1.0, 1.0)),
    "ev": ("ev", "", "", (225, 396), (1.0, 1.0)),
    "hand": ("embedding", "hand", AS_TRAINED, (225, 396), (27.0, 35.0)),
    "hand/cubed": ("embedding", "hand", "cubed", (225, 390), (2.6, 3.0)),
    "hand/top-4": ("embedding", "hand", "top-4", (225, 396), (3.9, 3.9)),
    "wide": ("embedding", "wide", AS_TRAINED, (450, 792), (31.0, 44.0)),
    "cool": ("embedding", "cool", AS_TRAINED, (225, 396), (9.0, 11.0)),
}

#: Study, abstractions, solver, last iteration.
STUDIES: Sequence[tuple[str, Sequence[str], str, int]] = (
    (
        FIGURE5,
        ["lossless", "ehs", "paemd", "krwemd-exponential", "krwemd-linear", "hand"],
        "cfr",
        1024,
    ),
    (FIGURE5, ["hand/cubed"], "cfr-baseline", 1024),
    ("sharpness", ["hand", "hand/cubed", "hand/top-4"], "cfr-baseline", 1024),
    ("width", ["hand", "wide"], "cfr", 1024),
    ("supervision", ["ev"], "cfr", 1024),
    ("floors", ["ehs", "paemd", "krwemd-exponential", "hand"], "cfr-plus", 256),
    ("floors", ["hand", "hand/cubed"], "cfr-plus-baseline", 256),
)

#: Exploitability of (abstraction, solver, averaging, iteration), in chips.
Level = Callable[[str, str, str, int], float]

#: After 1024 iterations, each in the place that the paper gives it.
PAPER = {
    "lossless": 0.1,
    "ehs": 1.02,
    "paemd": 1.05,
    "krwemd-exponential": 1.0,
    "krwemd-linear": 1.1,
    "ev": 1.0,
    "hand": 0.65,
    "hand/cubed": 0.65,
    "hand/top-4": 0.65,
    "wide": 0.6,
    "cool": 0.65,
}
#: The other way round: the wider Phi, the worse; sharpened, just below the clusterings.
REVERSED = {**PAPER, "hand": 1.8, "wide": 2.0, "hand/cubed": 0.9, "hand/top-4": 1.2}


def level(ends: Mapping[str, float], gain: float = 0.1) -> Level:
    """Values that end at `ends`; embeddings fall by the power `gain` faster than all others."""

    def value(abstraction: str, solver: str, averaging: str, t: int) -> float:
        del solver, averaging
        family = ABSTRACTIONS[abstraction][0]
        return float(ends[abstraction] * (1024 / t) ** (0.3 + gain * (family == "embedding")))

    return value


def make_curves(
    at: Level,
    *,
    seeds: int = SEEDS,
    spread: float = 0.01,
    studies: Sequence[tuple[str, Sequence[str], str, int]] = STUDIES,
) -> pd.DataFrame:
    """Curves with exploitability ``at(...)`` times a factor of the seed.

    The factors' logarithms lie `spread` apart around 0, so geometric means over seeds are exact.
    Player 0 wins twice what player 1 does.
    """
    asked: dict[tuple[str, str], dict[str, int]] = {}
    for study, names, solver, last in studies:
        for name in names:
            asked.setdefault((name, solver), {})[study] = last
    rows = []
    for (name, solver), lasts in asked.items():
        family, network, phi, rows_r, effective = ABSTRACTIONS[name]
        count = 1 if family == "lossless" else seeds
        for seed in range(count):
            factor = (1 + spread) ** (seed - (count - 1) / 2)
            for averaging in AVERAGES:
                for t in (t for t in POINTS if t <= max(lasts.values())):
                    value = at(name, solver, averaging, t) * factor
                    rows.append(
                        {
                            **{"game": GAME, "abstraction": name, "family": family},
                            **{"network": network, "phi": phi, "seed": seed, "solver": solver},
                            **{"averaging": averaging, "iteration": t},
                            **{"b0": value * 4 / 3, "b1": value * 2 / 3, "nashconv": 2 * value},
                            **{"exploitability": value, "milli_antes": 1000 * value / ANTE},
                            **{f"rows_{r}": n for r, n in enumerate(rows_r, 1)},
                            **{f"effective_{r}": n for r, n in enumerate(effective, 1)},
                            "studies": " ".join(s for s, last in lasts.items() if t <= last),
                        }
                    )
    return pd.DataFrame(rows, columns=records.COLUMNS)


def make_results(curves: pd.DataFrame, **frames: pd.DataFrame) -> Results:
    """Results of a run with these curves, and the abstractions and neighbours made up here."""
    others = {"phis": make_phis(), "neighbours": make_neighbours(), **frames}
    return Results(curves, SOLVERS, published.of("cfrlab.papers.embedding"), **others)


def make_phis(seeds: int = SEEDS) -> pd.DataFrame:
    """What the abstractions but the lossless one are like: R² falls by .01 a round and seed."""
    rows = []
    for name, (family, network, phi, rows_r, effective) in ABSTRACTIONS.items():
        if family == "lossless":
            continue
        for seed in range(seeds):
            for r, classes in ((1, 2260), (2, 62020)):
                budget = 2 * (225, 396)[r - 1] if name == "wide" else (225, 396)[r - 1]
                rows.append(
                    {
                        **{"game": GAME, "abstraction": name, "family": family},
                        **{"network": network, "phi": phi, "seed": seed, "round": r},
                        **{"classes": classes, "budget": budget, "rows": rows_r[r - 1]},
                        "effective": effective[r - 1],
                        "dead": budget - rows_r[r - 1],
                        "r2": 1 - 0.01 * (r + seed) if phi == AS_TRAINED else None,
                    }
                )
    return pd.DataFrame(rows, columns=records.PHI_COLUMNS)


def make_neighbours() -> pd.DataFrame:
    """Neighbours of one hand on the flop, and the paper's example."""
    same = {"game": GAME, "abstraction": "hand", "seed": 0, "round": 1}
    hand = {"hand": "straight flush draw", "cards": "TsAs Ah"}
    rows = [
        {**same, **hand, "rank": k, "neighbour": other, "other": "", "distance": 0.1 * k}
        for k, other in enumerate(("TsAs Ad", "TsAs Ac", "9sTs Th"), start=1)
    ]
    example = {"rank": 41, "neighbour": "8sAs Ah", "other": "flush draw", "distance": 0.35}
    return pd.DataFrame([*rows, {**same, **hand, **example}], columns=neighbours.COLUMNS)
