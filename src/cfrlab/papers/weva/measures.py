"""How our side of a claim is measured: one model each, an estimate with its interval from records.

A claim names a measure of `MEASURES` and gives its arguments. Every measure takes boards as the
unit of replication (`cfrlab.reporting.statistics`).
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, PositiveInt
from scipy import stats

from cfrlab.papers.weva import labels
from cfrlab.reporting import statistics
from cfrlab.seeds import rng_for


class MissingData(Exception):
    """This run has not the data that a measure needs; the message says which."""


@dataclass(frozen=True)
class Estimate:
    """A measured value with its interval.

    Here it is the 95% interval over boards, NaN if there is one board alone;
    `cfrlab.papers.cfrd.claims` gives the range of its values, both ends alike for one alone;
    `cfrlab.papers.embedding.claims` takes seeds for boards.

    Attributes:
        value, ci_low, ci_high: in the claim's unit.
        n: boards behind the value; other papers count other things (see their claims' modules).
        detail: the numbers behind it, as a phrase.
        agrees: whether the claim's direction holds, where the value alone does not tell.
        of: what there is one of where n is 1 and the interval is NaN.
    """

    value: float
    ci_low: float
    ci_high: float
    n: int
    detail: str
    agrees: bool | None = None
    of: str = "board"


#: Game, solver, method, warm-up, K and averaging rule.
Key: TypeAlias = tuple[str, str, str, int | None, int, str]
_NO_ROWS = pd.DataFrame({"instance": [], "iteration": [], "exploitability": []})


def by_cell(boards: pd.DataFrame) -> dict[Key, pd.DataFrame]:
    """Split `statistics.board_means` of all records into the rows of each cell."""
    groups = boards.groupby(statistics.CELL, dropna=False)
    return {
        (game, solver, method, None if pd.isna(w) else int(w), int(k), averaging): rows
        for (game, solver, method, w, k, averaging), rows in groups
    }


@dataclass(frozen=True)
class Data:
    """What measures read.

    Attributes:
        boards: see `by_cell`.
        oracle: oracle curves, see `cfrlab.papers.weva.records`.
        published: published tables, see `tables.load_published`.
        averaging: averaging rule to measure under.
        iterations: iterations at which tables are compared.
    """

    boards: Mapping[Key, pd.DataFrame]
    oracle: pd.DataFrame
    published: pd.DataFrame
    averaging: str
    iterations: int

    def board_values(self, game: str, solver: str, cell: Cell) -> pd.Series:
        """Exploitability by instance in one cell, mean over k-means seeds.

        Raises:
            MissingData: no record of the cell.
        """
        key = (game, solver, cell.method, cell.warmup, cell.buckets, self.averaging)
        rows = self.boards.get(key, _NO_ROWS)
        wanted = self.iterations
        if cell.iteration is not None:
            wanted = rows.loc[rows["iteration"] <= cell.iteration, "iteration"].max()
        rows = rows[rows["iteration"] == wanted]
        if rows.empty:
            raise MissingData(
                f"no record of {cell} on {game} with {labels.solver_label(solver)}, "
                f"{self.averaging}" + ("" if cell.iteration else f", {wanted} iterations")
            )
        return rows.set_index("instance")["exploitability"]


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
        return f"{labels.method_label(self.method, self.warmup)} K = {self.buckets}{end}"


class Pair(BaseModel):
    """A cell and the cell it is compared with, in the same game."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cell: Cell
    against: Cell

    def log_ratios(self, data: Data, game: str, solver: str) -> pd.Series:
        """log(cell / against) by board."""
        ours, theirs = (data.board_values(game, solver, c) for c in (self.cell, self.against))
        both = ours.index.intersection(theirs.index)
        floor = statistics.FLOOR
        return np.log(ours.loc[both].clip(lower=floor) / theirs.loc[both].clip(lower=floor))


class Measure(BaseModel, ABC):
    """What measures share."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @abstractmethod
    def estimate(self, data: Data) -> Estimate:
        """Measure. Raises MissingData if the run has not the data."""

    @property
    def by_averaging(self) -> bool:
        """Whether the value depends on the averaging rule."""
        return True

    def cells(self) -> list[Cell]:
        """Cells that the arguments name."""
        return []

    def named_games(self) -> list[str]:
        """Games that the arguments name."""
        return [self.game] if hasattr(self, "game") else []


class _OnePair(Measure):
    game: str
    solver: str = "pcfr-plus"
    cell: Cell
    against: Cell

    def cells(self) -> list[Cell]:
        return [self.cell, self.against]

    def _summary(self, data: Data) -> tuple[statistics.Summary, str]:
        pair = Pair(cell=self.cell, against=self.against)
        summary = statistics.summarise(pair.log_ratios(data, self.game, self.solver).to_numpy())
        means = [data.board_values(self.game, self.solver, c).mean() for c in self.cells()]
        detail = f"{self.cell}: {means[0]:.5f}; {self.against}: {means[1]:.5f}"
        return summary, detail


class Reduction(_OnePair):
    """By how many percent a cell is below another: 100 (1 - geometric mean of the ratio)."""

    def estimate(self, data: Data) -> Estimate:
        summary, detail = self._summary(data)
        return Estimate(*summary.transformed(_percent_lower), summary.n, detail)


class Ratio(_OnePair):
    """How many times another cell's exploitability a cell's is (geometric mean over boards)."""

    def estimate(self, data: Data) -> Estimate:
        summary, detail = self._summary(data)
        return Estimate(*summary.transformed(math.exp), summary.n, detail)


class ShareOfBoards(_OnePair):
    """Percentage of boards on which a cell is below another; Clopper and Pearson's interval."""

    def estimate(self, data: Data) -> Estimate:
        pair = Pair(cell=self.cell, against=self.against)
        logs = pair.log_ratios(data, self.game, self.solver)
        wins, n = int((logs < 0).sum()), len(logs)
        interval = stats.binomtest(wins, n).proportion_ci(statistics.CONFIDENCE)
        detail = f"{self.cell} is below {self.against} on {wins} of {n} boards"
        return Estimate(100 * wins / n, 100 * interval.low, 100 * interval.high, n, detail)


class Gap(Measure):
    """Percentage points between two reductions: the first's less the second's, board by board.

    Reductions are taken on each board, 100 (1 - ratio), and averaged arithmetically, those of
    ``detail`` too; a difference has no geometric mean.
    """

    game: str
    solver: str = "pcfr-plus"
    first: Pair
    second: Pair

    def cells(self) -> list[Cell]:
        return [self.first.cell, self.first.against, self.second.cell, self.second.against]

    def estimate(self, data: Data) -> Estimate:
        first, second = (
            pair.log_ratios(data, self.game, self.solver).map(_percent_lower)
            for pair in (self.first, self.second)
        )
        both = first.index.intersection(second.index)
        summary = statistics.summarise((first.loc[both] - second.loc[both]).to_numpy())
        detail = (
            f"{self.first.cell}: {first.mean():.1f}% below {self.first.against.method}; "
            f"{self.second.cell}: {second.mean():.1f}%"
        )
        return Estimate(summary.mean, summary.ci_low, summary.ci_high, summary.n, detail)


class LargestReduction(Measure):
    """The largest `Reduction` of a method against a baseline over games, warm-ups and K."""

    games: Annotated[list[str], Field(min_length=1)]
    solver: str = "pcfr-plus"
    method: str
    warmups: Annotated[list[PositiveInt], Field(min_length=1)]
    buckets: Annotated[list[PositiveInt], Field(min_length=1)]
    baseline: str

    def named_games(self) -> list[str]:
        return list(self.games)

    def cells(self) -> list[Cell]:
        return [Cell(method=m, buckets=self.buckets[0]) for m in (self.method, self.baseline)]

    def estimate(self, data: Data) -> Estimate:
        logs: dict[str, pd.Series] = {}
        for game, w, k in itertools.product(self.games, self.warmups, self.buckets):
            cell = Cell(method=self.method, warmup=w, buckets=k)
            pair = Pair(cell=cell, against=Cell(method=self.baseline, buckets=k))
            logs[f"{cell} on {game}"] = pair.log_ratios(data, game, self.solver)
        table = pd.DataFrame(logs).dropna()
        values = table.to_numpy()

        def largest(boards: NDArray[np.int64]) -> float:
            return _percent_lower(float(values[boards].mean(axis=0).min()))

        low, high = _bootstrap(largest, len(values), type(self).__name__)
        detail = f"largest for {table.mean().idxmin()}, against {self.baseline}"
        return Estimate(largest(np.arange(len(values))), low, high, len(values), detail)


class ShareOfWins(Measure):
    """Percentage of settings (game, K) in which a method is below every baseline of the game.

    The method's best warm-up of those listed counts. A game's baselines are those of its published
    table; means over boards are compared, as in the tables.
    """

    games: Annotated[list[str], Field(min_length=1)]
    solver: str = "pcfr-plus"
    method: str
    warmups: Annotated[list[PositiveInt], Field(min_length=1)]
    buckets: Annotated[list[PositiveInt], Field(min_length=1)]
    baselines: Annotated[list[str], Field(min_length=1)]

    def named_games(self) -> list[str]:
        return list(self.games)

    def cells(self) -> list[Cell]:
        return [Cell(method=m, buckets=self.buckets[0]) for m in (self.method, *self.baselines)]

    def estimate(self, data: Data) -> Estimate:
        settings = list(itertools.product(self.games, self.buckets))
        tables = [self._setting(data, game, k) for game, k in settings]
        n = min(len(table) for table, _ in tables)

        def wins(boards: NDArray[np.int64]) -> list[bool]:
            means = [table[boards].mean(axis=0) for table, _ in tables]
            return [
                bool(mean[:own].min() < mean[own:].min())
                for mean, (_, own) in zip(means, tables, strict=True)
            ]

        won = wins(np.arange(n))
        low, high = _bootstrap(
            lambda boards: 100 * float(np.mean(wins(boards))), n, type(self).__name__
        )
        lost = [f"{g} K = {k}" for (g, k), win in zip(settings, won, strict=True) if not win]
        detail = f"lowest in {sum(won)} of {len(won)} settings"
        detail += f", not in {', '.join(lost)}" if lost else ""
        return Estimate(100 * float(np.mean(won)), low, high, n, detail)

    def _setting(self, data: Data, game: str, k: int) -> tuple[NDArray[np.float64], int]:
        """Values [boards, cells], the method's cells first, and how many those are."""
        known = set(data.published.loc[data.published["game"] == game, "method"])
        own = [Cell(method=self.method, warmup=w, buckets=k) for w in self.warmups]
        others = [Cell(method=m, buckets=k) for m in self.baselines if m in known]
        return _matrix(data, game, self.solver, [*own, *others]), len(own)


class Order(Measure):
    """Percentage of pairs of methods that a solver orders as the reference solver does.

    Counted over all K, among pairs whose order is clear under the reference: the interval of their
    log ratio excludes 0.
    """

    game: str
    solver: str
    reference: str = "pcfr-plus"
    buckets: Annotated[list[PositiveInt], Field(min_length=1)]

    def estimate(self, data: Data) -> Estimate:
        gaps = [self._gaps(data, k) for k in self.buckets]
        signs = np.concatenate([sign for sign, _ in gaps])
        logs = np.concatenate([log for _, log in gaps], axis=1)
        if len(signs) == 0:
            raise MissingData(f"no two methods are clearly ordered by {self.reference}")

        def agreeing(boards: NDArray[np.int64]) -> float:
            return 100 * float(np.mean(np.sign(logs[boards].mean(axis=0)) == signs))

        n = len(logs)
        low, high = _bootstrap(agreeing, n, type(self).__name__, self.game)
        value = agreeing(np.arange(n))
        same = round(value * len(signs) / 100)
        detail = (
            f"{same} of {len(signs)} pairs that {labels.solver_label(self.reference)} orders "
            f"clearly are in the same order under {labels.solver_label(self.solver)}"
        )
        return Estimate(value, low, high, n, detail)

    def _gaps(self, data: Data, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Clear pairs at one K: the reference's sign [pairs]; the solver's logs [boards, pairs]."""
        cells = [
            cell for cell, _ in published_cells(data.published, self.game) if cell.buckets == k
        ]
        ours, reference = (
            np.log(np.maximum(_matrix(data, self.game, s, cells), statistics.FLOOR))
            for s in (self.solver, self.reference)
        )
        first, second = np.triu_indices(len(cells), 1)
        found = [
            statistics.summarise(column)
            for column in (reference[:, first] - reference[:, second]).T
        ]
        clear = np.array([s.ci_low > 0 or s.ci_high < 0 for s in found], dtype=bool)
        signs = np.sign(np.array([s.mean for s in found]))
        return signs[clear], (ours[:, first] - ours[:, second])[:, clear]


class Level(Measure):
    """Mean |log(ours / published)| over the cells of a table.

    The direction agrees when Spearman's correlation between ours and the published cells is at
    least ``order``.
    """

    game: str
    order: Annotated[float, Field(ge=-1, le=1)]

    def estimate(self, data: Data) -> Estimate:
        cells = published_cells(data.published, self.game)
        values = _matrix(data, self.game, "pcfr-plus", [cell for cell, _ in cells])
        theirs = np.array([value for _, value in cells])

        def distances(boards: NDArray[np.int64]) -> NDArray[np.float64]:
            means = np.maximum(values[boards].mean(axis=0), statistics.FLOOR)
            return np.asarray(np.log(means / theirs))

        n = len(values)
        logs = distances(np.arange(n))
        low, high = _bootstrap(
            lambda boards: float(np.mean(np.abs(distances(boards)))),
            n,
            type(self).__name__,
            self.game,
        )
        rho = float(stats.spearmanr(values.mean(axis=0), theirs).statistic)
        worst = int(np.argmax(np.abs(logs)))
        within = int(np.sum(np.abs(logs) <= math.log(1.25)))
        detail = (
            f"{within} of {len(logs)} cells within a factor of 1.25; farthest: {cells[worst][0]}, "
            f"{math.exp(logs[worst]):.2f} times the paper's; Spearman over cells {rho:.2f}"
        )
        value = float(np.mean(np.abs(logs)))
        return Estimate(value, low, high, n, detail, agrees=rho >= self.order)


class _Oracle(Measure):
    game: str
    iteration: PositiveInt
    oracle_iterations: PositiveInt = 50000

    @property
    def by_averaging(self) -> bool:
        return False

    def _curves(self, data: Data) -> pd.DataFrame:
        curves = data.oracle[data.oracle["game"] == self.game]
        last = curves["iteration"].max() if len(curves) else 0
        if last < self.oracle_iterations:
            raise MissingData(
                f"no oracle of {self.oracle_iterations} iterations for {self.game}"
                + (f" (only {last})" if last else "")
            )
        if not (curves["iteration"] == self.iteration).any():
            raise MissingData(f"the oracle of {self.game} has no point at {self.iteration}")
        return curves


class RankCorrelation(_Oracle):
    """Spearman's correlation of hands' root values after some iterations with the oracle's."""

    def estimate(self, data: Data) -> Estimate:
        curves = self._curves(data)
        points = curves[curves["iteration"] == self.iteration]
        means = points.groupby(["where", "instance"])["rho"].mean()
        summary = statistics.summarise(means.loc["root"].to_numpy(dtype=np.float64))
        detail = f"lowest board {means.loc['root'].min():.4f}"
        if "inner" in means.index.get_level_values("where"):
            detail += f"; inner nodes {means.loc['inner'].mean():.3f}"
        return Estimate(summary.mean, summary.ci_low, summary.ci_high, summary.n, detail)


class OrdersAboveOracle(_Oracle):
    """Orders of magnitude (log10) by which exploitability is above the oracle's."""

    def estimate(self, data: Data) -> Estimate:
        curves = self._curves(data)
        by_board = curves.groupby(["iteration", "instance"])["exploitability"].mean()
        start, end = by_board.loc[self.iteration], by_board.loc[curves["iteration"].max()]
        summary = statistics.paired_log_ratio(start, end)
        detail = f"{start.mean():.2g} of the pot after {self.iteration}, oracle {end.mean():.2g}"
        return Estimate(*summary.transformed(lambda x: x / math.log(10)), summary.n, detail)


MEASURES: Mapping[str, type[Measure]] = {
    "reduction": Reduction,
    "ratio": Ratio,
    "share_of_boards": ShareOfBoards,
    "gap": Gap,
    "largest_reduction": LargestReduction,
    "share_of_wins": ShareOfWins,
    "order": Order,
    "level": Level,
    "rank_correlation": RankCorrelation,
    "orders_above_oracle": OrdersAboveOracle,
}


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


def _matrix(data: Data, game: str, solver: str, cells: Sequence[Cell]) -> NDArray[np.float64]:
    """Exploitabilities [boards, cells] on the boards that all cells have."""
    columns = {i: data.board_values(game, solver, cell) for i, cell in enumerate(cells)}
    return np.asarray(pd.DataFrame(columns).dropna(), dtype=np.float64)


def _percent_lower(log_ratio: float) -> float:
    return 100 * (1 - math.exp(log_ratio))


def _bootstrap(
    statistic: Callable[[NDArray[np.int64]], float], n: int, *names: str
) -> tuple[float, float]:
    """Bootstrap interval with a stream of its own, the same in every run."""
    return statistics.bootstrap_interval(statistic, n, rng_for(0, "bootstrap", *names))
