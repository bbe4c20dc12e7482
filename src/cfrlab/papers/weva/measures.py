"""How our side of a claim is measured: one model each, an estimate with its interval from records.

A claim names a measure of `MEASURES` and gives its arguments. Every measure takes boards as the
unit of replication (`cfrlab.reporting.statistics`). The paper divides the means of its tables, so
percentages and ratios are judged as ratios of means over boards; the geometric mean of the ratio on
each board stands beside them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, PositiveInt
from scipy import stats

from cfrlab.errors import CfrlabError, nearest
from cfrlab.papers.weva import labels
from cfrlab.papers.weva.cells import (
    DELTA,
    STUDENT,
    Cell,
    Data,
    Measure,
    Pair,
    Where,
    published_cells,
)
from cfrlab.papers.weva.oracle_measures import OrdersAboveOracle, RankCorrelation
from cfrlab.reporting import claims, statistics
from cfrlab.reporting.claims import Claims, Estimate, MissingData
from cfrlab.seeds import rng_for

_BOOTSTRAP = "95%, percentiles of 1000 bootstrap samples of boards"

Strings = Annotated[list[str], Field(min_length=1)]
Counts = Annotated[list[PositiveInt], Field(min_length=1)]


class _OfCells(Measure):
    """Cells under one averaging rule after as many iterations as the paper's tables.

    The averaging rule is ours to choose: under the default the column of 200 buckets is on the
    published scale, under the other it is up to eight times lower.
    """

    solver: str = "pcfr-plus"
    averaging: str = "simultaneous-uniform"
    iterations: PositiveInt = 2000

    def elsewhere(self, records: Data) -> Mapping[str, Estimate]:
        """Under the other averaging rules of the run."""
        others = {}
        for averaging in records.averagings:
            if averaging != self.averaging:
                try:
                    under = self.model_copy(update={"averaging": averaging})
                    others[averaging] = under.estimate(records)
                except MissingData:
                    continue
        return others

    def _where(self, game: str) -> Where:
        return Where(game, self.solver, self.averaging, self.iterations)


class _OnePair(_OfCells):
    game: str
    cell: Cell
    against: Cell

    def cells(self) -> list[Cell]:
        return [self.cell, self.against]

    def _values(self, records: Data) -> tuple[pd.Series, pd.Series]:
        pair = Pair(cell=self.cell, against=self.against)
        return pair.values(records, self._where(self.game))

    def _ratio(self, records: Data, function: Callable[[float], float]) -> Estimate:
        """A function of the ratio's logarithm: of means, beside the geometric mean."""
        ours, against = self._values(records)
        detail = f"{self.cell}: {ours.mean():.5f}; {self.against}: {against.mean():.5f}"
        means, paired = (
            summarise(ours, against)
            for summarise in (statistics.log_ratio_of_means, statistics.paired_log_ratio)
        )
        beside = Estimate(
            *paired.transformed(function),
            paired.n,
            detail,
            "boards",
            "geometric mean of the ratio on each board",
            STUDENT + ", on logarithms",
        )
        return Estimate(
            *means.transformed(function),
            means.n,
            detail,
            "boards",
            "ratio of means over boards",
            DELTA,
            beside,
        )


class Reduction(_OnePair):
    """By how many percent a cell is below another: 100 (1 - ratio)."""

    name: Literal["reduction"]

    def estimate(self, records: Data) -> Estimate:
        return self._ratio(records, _percent_lower)


class CellRatio(_OnePair):
    """How many times another cell's exploitability a cell's is."""

    name: Literal["cell_ratio"]

    def estimate(self, records: Data) -> Estimate:
        return self._ratio(records, math.exp)


class ShareOfBoards(_OfCells):
    """Percentage of boards on which a method is below a baseline, at the warm-up with the least.

    The interval is Clopper and Pearson's.
    """

    name: Literal["share_of_boards"]
    game: str
    method: str
    warmups: Counts
    baseline: str
    buckets: PositiveInt

    def cells(self) -> list[Cell]:
        return [Cell(method=m, buckets=self.buckets) for m in (self.method, self.baseline)]

    def estimate(self, records: Data) -> Estimate:
        shares = [self._share(records, warmup) for warmup in self.warmups]
        return min(shares, key=lambda share: share.value)

    def _share(self, records: Data, warmup: int) -> Estimate:
        cell = Cell(method=self.method, warmup=warmup, buckets=self.buckets)
        against = Cell(method=self.baseline, buckets=self.buckets)
        ours, base = Pair(cell=cell, against=against).values(records, self._where(self.game))
        both = ours.index.intersection(base.index)
        wins, n = int((ours.loc[both] < base.loc[both]).sum()), len(both)
        interval = stats.binomtest(wins, n).proportion_ci(statistics.CONFIDENCE)
        return Estimate(
            100 * wins / n,
            100 * interval.low,
            100 * interval.high,
            n,
            f"{cell} is below {self.baseline} on {wins} of {n} boards",
            "boards",
            "share of boards" + (", at the warm-up with the least" if self.warmups[1:] else ""),
            "95%, Clopper and Pearson",
        )


class ReductionGap(_OfCells):
    """Percentage points between two reductions: the first's less the second's."""

    name: Literal["reduction_gap"]
    game: str
    first: Pair
    second: Pair

    def cells(self) -> list[Cell]:
        return [self.first.cell, self.first.against, self.second.cell, self.second.against]

    def estimate(self, records: Data) -> Estimate:
        values = [
            pair.values(records, self._where(self.game)) for pair in (self.first, self.second)
        ]
        boards = pd.concat([series for pair in values for series in pair], axis=1, join="inner")
        ratios, influences, by_board = [], [], []
        for ours, base in (
            (boards.iloc[:, 0], boards.iloc[:, 1]),
            (boards.iloc[:, 2], boards.iloc[:, 3]),
        ):
            logarithm, influence = statistics.relative(ours, base)
            ratios.append(math.exp(logarithm))
            influences.append(math.exp(logarithm) * influence.to_numpy())
            by_board.append((ours / base).to_numpy())
        gap = statistics.linearised(
            100 * (ratios[1] - ratios[0]), 100 * (influences[1] - influences[0])
        )
        paired = statistics.summarise(100 * (by_board[1] - by_board[0]))
        first, second = (100 * (1 - ratio) for ratio in ratios)
        detail = (
            f"{self.first.cell}: {first:.1f}% below {self.first.against.method}; "
            f"{self.second.cell}: {second:.1f}%"
        )
        beside = Estimate(
            paired.mean,
            paired.ci_low,
            paired.ci_high,
            paired.n,
            detail,
            "boards",
            "mean of the gap on each board",
            STUDENT,
        )
        return Estimate(
            gap.mean,
            gap.ci_low,
            gap.ci_high,
            gap.n,
            detail,
            "boards",
            "gap between ratios of means over boards",
            "95%, delta method with Student's t over boards",
            beside,
        )


class LargestReduction(_OfCells):
    """The largest `Reduction` of a method against a baseline over games, warm-ups and K."""

    name: Literal["largest_reduction"]
    games: Strings
    method: str
    warmups: Counts
    buckets: Counts
    baseline: str

    def named_games(self) -> list[str]:
        return list(self.games)

    def cells(self) -> list[Cell]:
        return [Cell(method=m, buckets=self.buckets[0]) for m in (self.method, self.baseline)]

    def estimate(self, records: Data) -> Estimate:
        settings, tables = [], []
        for game, w, k in itertools.product(self.games, self.warmups, self.buckets):
            cell = Cell(method=self.method, warmup=w, buckets=k)
            settings.append(f"{cell} on {labels.game_label(game)}")
            pair = [cell, Cell(method=self.baseline, buckets=k)]
            tables.append(records.matrix(self._where(game), pair))
        n = min(len(table) for table in tables)
        # [boards, settings, (method, baseline)]
        values = np.stack([table[:n] for table in tables], axis=1)

        def reductions(boards: NDArray[np.int64]) -> NDArray[np.float64]:
            means = values[boards].mean(axis=0)
            return np.asarray(100 * (1 - means[:, 0] / means[:, 1]))

        low, high = _bootstrap(lambda b: float(reductions(b).max()), n, type(self).__name__)
        whole = reductions(np.arange(n))
        return Estimate(
            float(whole.max()),
            low,
            high,
            n,
            f"The largest is that of {settings[int(whole.argmax())]}, against {self.baseline}",
            "boards",
            "largest ratio of means over boards",
            _BOOTSTRAP,
        )


class ShareOfWins(_OfCells):
    """Percentage of settings (game, K) in which a method is below every baseline of the game.

    The method's best warm-up of those listed counts. A game's baselines are those of its published
    table; means over boards are compared, as in the tables.
    """

    name: Literal["share_of_wins"]
    games: Strings
    method: str
    warmups: Counts
    buckets: Counts
    baselines: Strings

    def named_games(self) -> list[str]:
        return list(self.games)

    def cells(self) -> list[Cell]:
        return [Cell(method=m, buckets=self.buckets[0]) for m in (self.method, *self.baselines)]

    def estimate(self, records: Data) -> Estimate:
        settings = list(itertools.product(self.games, self.buckets))
        tables = [self._setting(records, game, k) for game, k in settings]
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
        lost = [
            f"{labels.game_label(game)} with {k} buckets"
            for (game, k), win in zip(settings, won, strict=True)
            if not win
        ]
        detail = f"It is lowest in {sum(won)} of {len(won)} settings"
        detail += f", not in {', '.join(lost)}" if lost else ""
        return Estimate(
            100 * float(np.mean(won)),
            low,
            high,
            n,
            detail,
            "boards",
            "share of settings, by means over boards",
            _BOOTSTRAP,
        )

    def _setting(self, records: Data, game: str, k: int) -> tuple[NDArray[np.float64], int]:
        """Values [boards, cells], the method's cells first, and how many those are."""
        known = set(records.published.loc[records.published["game"] == game, "method"])
        own = [Cell(method=self.method, warmup=w, buckets=k) for w in self.warmups]
        others = [Cell(method=m, buckets=k) for m in self.baselines if m in known]
        return records.matrix(self._where(game), [*own, *others]), len(own)


class SameOrder(_OfCells):
    """Percentage of pairs of methods that a solver orders as the reference solver does.

    Counted over all K, among pairs whose order is clear under the reference: the interval of their
    log ratio excludes 0.
    """

    name: Literal["same_order"]
    game: str
    reference: str = "pcfr-plus"
    buckets: Counts

    def estimate(self, records: Data) -> Estimate:
        gaps = [self._gaps(records, k) for k in self.buckets]
        signs = np.concatenate([sign for sign, _ in gaps])
        logs = np.concatenate([log for _, log in gaps], axis=1)
        reference, solver = (labels.solver_label(s) for s in (self.reference, self.solver))
        if len(signs) == 0:
            raise MissingData(f"No two methods are clearly ordered by {reference}")

        def agreeing(boards: NDArray[np.int64]) -> float:
            return 100 * float(np.mean(np.sign(logs[boards].mean(axis=0)) == signs))

        n = len(logs)
        low, high = _bootstrap(agreeing, n, type(self).__name__, self.game)
        value = agreeing(np.arange(n))
        detail = (
            f"{round(value * len(signs) / 100)} of {len(signs)} pairs that {reference} orders "
            f"clearly are in the same order under {solver}"
        )
        return Estimate(value, low, high, n, detail, "boards", "share of pairs", _BOOTSTRAP)

    def _gaps(self, records: Data, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Clear pairs at one K: the reference's sign [pairs]; the solver's logs [boards, pairs]."""
        cells = [
            cell for cell, _ in published_cells(records.published, self.game) if cell.buckets == k
        ]
        here = self._where(self.game)
        there = Where(self.game, self.reference, self.averaging, self.iterations)
        ours, reference = (
            np.log(np.maximum(records.matrix(where, cells), statistics.FLOOR))
            for where in (here, there)
        )
        first, second = np.triu_indices(len(cells), 1)
        gaps = [
            statistics.summarise(column)
            for column in (reference[:, first] - reference[:, second]).T
        ]
        clear = np.array([s.ci_low > 0 or s.ci_high < 0 for s in gaps], dtype=bool)
        signs = np.sign(np.array([s.mean for s in gaps]))
        return signs[clear], (ours[:, first] - ours[:, second])[:, clear]


class TableDistance(_OfCells):
    """Mean |log(ours / published)| over the cells of a game's table."""

    name: Literal["table_distance"]
    game: str

    def estimate(self, records: Data) -> Estimate:
        cells = published_cells(records.published, self.game)
        values = records.matrix(self._where(self.game), [cell for cell, _ in cells])
        published = np.array([value for _, value in cells])

        def distances(boards: NDArray[np.int64]) -> NDArray[np.float64]:
            means = np.maximum(values[boards].mean(axis=0), statistics.FLOOR)
            return np.asarray(np.log(means / published))

        def distance(boards: NDArray[np.int64]) -> float:
            return float(np.mean(np.abs(distances(boards))))

        n = len(values)
        logs = distances(np.arange(n))
        low, high = _bootstrap(distance, n, type(self).__name__, self.game)
        rho = float(stats.spearmanr(values.mean(axis=0), published).statistic)
        worst = int(np.argmax(np.abs(logs)))
        within = int(np.sum(np.abs(logs) <= math.log(1.25)))
        detail = (
            f"{within} of {len(logs)} cells are within a factor of 1.25; the farthest is "
            f"{cells[worst][0]}, {math.exp(logs[worst]):.2f} times the paper's; Spearman's "
            f"correlation over cells is {rho:.2f}"
        )
        value = distance(np.arange(n))
        return Estimate(value, low, high, n, detail, "boards", "mean over cells", _BOOTSTRAP)


MEASURES: tuple[type[claims.Measure[Data]], ...] = (
    Reduction,
    CellRatio,
    ShareOfBoards,
    ReductionGap,
    LargestReduction,
    ShareOfWins,
    SameOrder,
    TableDistance,
    RankCorrelation,
    OrdersAboveOracle,
)


def check_names(stated: Claims[Data], published: pd.DataFrame) -> None:
    """Refuse a game or a method that the published tables do not have.

    Raises:
        CfrlabError: there is one; the line names the claim.
    """
    for claim in stated.claims:
        measure = claim.measure
        assert isinstance(measure, Measure)
        used = {
            "game": measure.named_games(),
            "method": [cell.method for cell in measure.cells()],
        }
        for column, names in used.items():
            allowed = sorted(set(published[column]))
            for name in names:
                if name not in allowed:
                    raise CfrlabError(
                        f"claim '{claim.id}': the published tables have no {column} '{name}'"
                        f"{nearest(name, allowed)} (they have {', '.join(allowed)})"
                    )


def _percent_lower(log_ratio: float) -> float:
    return 100 * (1 - math.exp(log_ratio))


def _bootstrap(
    statistic: Callable[[NDArray[np.int64]], float], n: int, *names: str
) -> tuple[float, float]:
    """Bootstrap interval with a stream of its own, the same in every run."""
    return statistics.bootstrap_interval(statistic, n, rng_for(0, "bootstrap", *names))
