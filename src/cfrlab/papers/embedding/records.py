"""Results of the embedding experiments as tidy data frames: curves, and the abstractions beneath.

The workflow writes both as CSV files, ``tables/embedding_curves.csv`` and
``tables/embedding_phis.csv``, for people and for other programs; it reads neither.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from cfrlab.papers.embedding.artifacts import NAMES
from cfrlab.pipeline.store import Artifact
from cfrlab.pipeline.text import write_text_atomic

FAMILIES = ("lossless", "ehs", "paemd", "krwemd", "ev", "embedding")
FIGURE5 = "figure5"

COLUMNS = [
    "game",
    "abstraction",
    "family",
    "network",
    "phi",
    "seed",
    "solver",
    "averaging",
    "iteration",
    "b0",
    "b1",
    "nashconv",
    "exploitability",
    "milli_antes",
    "rows_1",
    "rows_2",
    "effective_1",
    "effective_2",
    "studies",
]
"""Columns of the frame of curves: a row for each point, averaging rule and curve.

game, solver: labels of the configuration. abstraction: ``lossless``, the label of a clustering, of
a network (its Phi as trained), or network and transform as in ``hand/cubed``. family: one of
`FAMILIES` (the module of a clustering, or ``embedding``). network, phi: label of the network and of
the transform (`artifacts.AS_TRAINED` for none); empty for others. seed: 0, 1, ... averaging: see
`solve.rounds.averages`. b0, b1: what a best response of player 0 (1) wins, chips a hand;
``nashconv`` is their sum and ``exploitability`` half of it; ``milli_antes`` is that half in
thousandths of the ante.
rows_r, effective_r: rows of Phi in effect in round r, and the mean effective number of them that a
hand mixes. Rounds count from 0 in all data: 0 is before the flop, 1 the flop, 2 the turn. studies:
parts of the configuration that ask for this *point* of the curve, joined by blanks: ``figure5`` and
the labels of ablations. A curve that goes on to 1024 iterations for Figure 5 is in an ablation with
the points of that ablation only, so that `of_study` gives curves that end after equally many
iterations.
"""

PHI_COLUMNS = [
    *NAMES,
    "round",
    "classes",
    "budget",
    "rows",
    "effective",
    "dead",
    "r2",
]
"""Columns of the frame of abstractions: a row for each round of each Phi.

round: counts from 0, before the flop, where no Phi is; so 1 is the flop and 2 the turn. classes:
columns of Phi. budget: rows asked for. rows: of them in effect, that is, trusted by a hand at all;
dead: trusted by next to none (`abstraction.embedding.report`). effective: as in `COLUMNS`. r2:
share of the variance of its targets that the network explains, whatever was done to its Phi later;
empty for a clustering.
"""


def curves(artifacts: Iterable[Artifact], studies: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Curves, from artifacts of kind `artifacts.CURVE`.

    Args:
        artifacts: one for each curve.
        studies: by name, the ``points`` and the ``curves`` (their keys) that it asks for.
    """
    rows: list[dict[str, Any]] = []
    for artifact in artifacts:
        key = artifact.provenance.key
        asking = {name: study for name, study in studies.items() if key in study["curves"]}
        for row in _curve(artifact):
            names = [name for name, study in asking.items() if row["iteration"] in study["points"]]
            rows.append({**row, "studies": " ".join(names)})
    return pd.DataFrame(rows, columns=COLUMNS)


def phis(artifacts: Iterable[Artifact]) -> pd.DataFrame:
    """What abstractions are like, from artifacts of kind `artifacts.PHI`."""
    rows = [row for artifact in artifacts for row in _phi(artifact)]
    return pd.DataFrame(rows, columns=PHI_COLUMNS)


def of_study(frame: pd.DataFrame, study: str) -> pd.DataFrame:
    """The points that a study asks for."""
    asked = frame["studies"].str.split().map(lambda names: study in names).astype(bool)
    return frame[asked].reset_index(drop=True)


def write(path: str | os.PathLike[str], frame: pd.DataFrame) -> None:
    """Write a frame as CSV; numbers survive exactly."""
    write_text_atomic(path, frame.to_csv(index=False, lineterminator="\n"))


def _curve(artifact: Artifact) -> Iterator[dict[str, Any]]:
    meta, points = artifact.meta, artifact.arrays["points"]
    same = {name: meta[name] for name in COLUMNS[:7]}
    same |= {f"rows_{r}": rows for r, rows in enumerate(meta["rows"]) if r}
    same |= {f"effective_{r}": number for r, number in enumerate(meta["effective"]) if r}
    for k, averaging in enumerate(meta["averages"]):
        for i, iteration in enumerate(points):
            b0, b1 = (float(x) for x in artifact.arrays["b"][k, :, i])
            yield {
                **same,
                "averaging": averaging,
                "iteration": int(iteration),
                "b0": b0,
                "b1": b1,
                "nashconv": b0 + b1,
                "exploitability": (b0 + b1) / 2,
                "milli_antes": 1000 * (b0 + b1) / 2 / meta["ante"],
            }


def _phi(artifact: Artifact) -> Iterator[dict[str, Any]]:
    meta = artifact.meta
    same = {name: meta[name] for name in NAMES}
    for r, about in enumerate(meta["rounds"], start=1):
        yield {
            **same,
            "round": r,
            **{name: about.get(name) for name in PHI_COLUMNS[len(NAMES) + 1 :]},
        }
