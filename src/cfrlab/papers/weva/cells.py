"""What the measures of claims read: exploitabilities by cell and board, and ratios of two cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, PositiveInt

from cfrlab.papers.weva import labels
from cfrlab.reporting import claims, statistics
from cfrlab.reporting.claims import MissingData

#: Game, solver, method, warm-up, K and averaging rule.
Key: TypeAlias = tuple[str, str, str, int | None, int, str]
_NO_ROWS = pd.DataFrame({"instance": [], "iteration": [], "exploitability": []})


DELTA = "95%, delta method on the logarithm with Student's t over boards"
STUDENT = "95%, Student's t over boards"
"""What the intervals of measures are."""


class Cell(BaseModel):
    """A method with its warm-up and number of buckets.

    ``iteration`` asks for the last recorded point up to it instead of the end of the run.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: str
    warmup: PositiveInt | None = None
    buckets: PositiveInt
    iteration: PositiveInt | None = None

    def __str__(self) -> str:
        end = "" if self.iteration is None else f" by iteration {self.iteration}"
        return f"{labels.method_label(self.method, self.warmup)} with {self.buckets} buckets{end}"


@dataclass(frozen=True)
class Where:
    """Where cells are compared: game, solver, averaging rule, and iterations of the tables."""

    game: str
    solver: str
    averaging: str
    iterations: int


@dataclass(frozen=True)
class Data:
    """What measures read.

    Attributes:
        boards: rows of `statistics.board_means` by cell.
        oracle: oracle curves, see `cfrlab.papers.weva.records`.
        published: published tables, see `tables.load_published`.
    """

    boards: Mapping[Key, pd.DataFrame]
    oracle: pd.DataFrame
    published: pd.DataFrame

    @staticmethod
    def of(records: pd.DataFrame, oracle: pd.DataFrame, published: pd.DataFrame) -> Data:
        """Gather the records of solves, see `cfrlab.papers.weva.records`, and the rest."""
        means = statistics.board_means(records)
        groups = means.groupby(statistics.CELL, dropna=False)
        boards: dict[Key, pd.DataFrame] = {
            (game, solver, method, None if pd.isna(w) else int(w), int(k), averaging): rows
            for (game, solver, method, w, k, averaging), rows in groups
        }
        return Data(boards, oracle, published)

    @property
    def averagings(self) -> list[str]:
        """Averaging rules of the run, the default configuration's first."""
        return sorted({key[-1] for key in self.boards}, key=labels.averaging_order)

    def values(self, where: Where, cell: Cell) -> pd.Series:
        """Exploitability by instance in one cell, mean over k-means seeds.

        Raises:
            MissingData: no record of the cell.
        """
        key = (where.game, where.solver, cell.method, cell.warmup, cell.buckets, where.averaging)
        rows = self.boards.get(key, _NO_ROWS)
        wanted = where.iterations
        if cell.iteration is not None:
            wanted = rows.loc[rows["iteration"] <= cell.iteration, "iteration"].max()
        rows = rows[rows["iteration"] == wanted]
        if rows.empty:
            after = "" if cell.iteration else f" after {wanted} iterations"
            raise MissingData(
                f"This run has no record of {cell} on {labels.game_label(where.game)} by "
                f"{labels.solver_label(where.solver)} ({where.averaging}){after}"
            )
        return rows.set_index("instance")["exploitability"]

    def matrix(self, where: Where, cells: Sequence[Cell]) -> NDArray[np.float64]:
        """Exploitabilities [boards, cells] on the boards that all cells have."""
        columns = {i: self.values(where, cell) for i, cell in enumerate(cells)}
        return np.asarray(pd.DataFrame(columns).dropna(), dtype=np.float64)


class Pair(BaseModel):
    """A cell and the cell it is compared with, in the same game."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cell: Cell
    against: Cell

    def values(self, data: Data, where: Where) -> tuple[pd.Series, pd.Series]:
        """Exploitability by board of the two cells."""
        return data.values(where, self.cell), data.values(where, self.against)


def published_cells(published: pd.DataFrame, game: str) -> list[tuple[Cell, float]]:
    """Return the cells of a game's published table with their exploitabilities."""
    rows = published[published["game"] == game]
    return [
        (
            Cell(
                method=row.method,
                warmup=None if pd.isna(row.warmup) else int(row.warmup),
                buckets=int(row.buckets),
            ),
            float(row.exploitability),
        )
        for row in rows.itertuples()
    ]


class Measure(claims.Measure[Data]):
    """What the measures of this paper share: the names that a claim gives."""

    def cells(self) -> list[Cell]:
        """Cells that the arguments name."""
        return []

    def named_games(self) -> list[str]:
        """Games that the arguments name."""
        return [self.game] if hasattr(self, "game") else []
