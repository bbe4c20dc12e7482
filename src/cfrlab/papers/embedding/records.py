"""Results of the embedding experiments as tidy data frames: curves, and the abstractions beneath.

The workflow writes both as CSV files, ``tables/embedding_curves.csv`` and
``tables/embedding_phis.csv``; figures, tables and claims are made from these files alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from cfrlab.errors import CfrlabError
from cfrlab.papers.embedding.kinds import CURVE, NAMES, PHI
from cfrlab.pipeline import store
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
the transform (`kinds.AS_TRAINED` for none); empty for others. seed: 0, 1, ... averaging: see
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

NUMBERS = ["rows_1", "rows_2", "effective_1", "effective_2", "r2"]
"""Columns in which an empty field is an unknown number."""

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


def load(
    paths: Iterable[str | os.PathLike[str]], studies: Mapping[str, Mapping[str, Sequence[Any]]]
) -> pd.DataFrame:
    """Read curves.

    Args:
        paths: artifacts of kind `CURVE`.
        studies: by name, the ``points`` and the ``curves`` (paths) that it asks for.

    Raises CfrlabError for a damaged file or another kind.
    """
    rows: list[dict[str, Any]] = []
    for path in paths:
        asking = {n: study for n, study in studies.items() if os.fspath(path) in study["curves"]}
        for row in _curve(store.load(path, CURVE)):
            names = [n for n, study in asking.items() if row["iteration"] in study["points"]]
            rows.append({**row, "studies": " ".join(names)})
    return pd.DataFrame(rows, columns=COLUMNS)


def load_phis(paths: Iterable[str | os.PathLike[str]]) -> pd.DataFrame:
    """Read what abstractions are like. Raises CfrlabError for a damaged file or another kind."""
    rows = [row for path in paths for row in _phi(store.load(path, PHI))]
    return pd.DataFrame(rows, columns=PHI_COLUMNS)


def of_study(frame: pd.DataFrame, study: str) -> pd.DataFrame:
    """The points that a study asks for."""
    asked = frame["studies"].str.split().map(lambda names: study in names).astype(bool)
    return frame[asked].reset_index(drop=True)


def write(path: str | os.PathLike[str], frame: pd.DataFrame) -> None:
    """Write a frame as CSV; numbers survive exactly."""
    write_text_atomic(path, frame.to_csv(index=False, lineterminator="\n"))


def read(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read what `write` wrote. Raises CfrlabError for a file that is not such a frame."""
    try:
        frame = pd.read_csv(path, keep_default_na=False, na_values=dict.fromkeys(NUMBERS, ""))
    except (OSError, ValueError) as error:
        raise CfrlabError(f"{path}: not a table of results ({error}); run: snakemake") from None
    if list(frame.columns) not in (COLUMNS, PHI_COLUMNS):
        raise CfrlabError(
            f"{path}: has other columns than this program reads; rebuild it with: "
            f"{store.rebuild_command(path)}"
        )
    return frame


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
