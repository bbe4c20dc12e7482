"""How our side of the Embedding CFR paper's claims is measured.

What is compared is the geometric mean over seeds of each method's best configuration. Intervals are
over seeds, on logarithms; all lines of the comparison tell how far seeds scatter
(`statistics.contrast`), so that a method with one seed has an interval too. Each claim is judged
under one averaging rule, and its evidence says what it comes to under the others and under other
solvers. That the best configuration is chosen after the fact, as in the paper's figure, is not in
the interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, PositiveInt

from cfrlab.papers.embedding import comparison
from cfrlab.papers.embedding.comparison import Line, Solvers
from cfrlab.papers.embedding.labels import CLUSTERINGS, family_label
from cfrlab.reporting import claims
from cfrlab.reporting.claims import Estimate, MissingData
from cfrlab.reporting.statistics import Summary, contrast
from cfrlab.solve.rounds.averages import AVERAGES

_POOLED = "95%, Student's t over seeds, on logarithms, with the scatter of all lines compared"
_GEOMETRIC = "ratio of geometric means over seeds"

Names = Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Results:
    """What the measures read.

    Attributes:
        curves: see `records.COLUMNS`.
        counts: see `counts.COLUMNS`.
        solvers: of the configuration.
    """

    curves: pd.DataFrame
    counts: pd.DataFrame
    solvers: Solvers

    @cached_property
    def standard(self) -> Names:
        """Names of the abstractions of Figure 5."""
        return tuple(sorted(set(comparison.of_figure5(self.curves)["abstraction"])))

    @cached_property
    def _lines(self) -> dict[tuple[str, str, str, int], dict[str, Line]]:
        return {}

    @cached_property
    def _counterparts(self) -> dict[tuple[object, ...], str]:
        return {}

    def lines(self, game: str, solver: str, averaging: str, iteration: int) -> dict[str, Line]:
        """The lines at an iteration, see `comparison.at`; each computed once."""
        where = game, solver, averaging, iteration
        if where not in self._lines:
            self._lines[where] = comparison.at(self.curves, *where)
        return self._lines[where]

    def counterpart(
        self, names: Names, game: str, solver: str, averaging: str, points: Sequence[int]
    ) -> str:
        """The solver of the clusterings named, see `comparison.counterpart`; computed once."""
        where = names, game, solver, averaging, tuple(points)
        if where not in self._counterparts:
            curves = self.curves[self.curves["abstraction"].isin(names)]
            self._counterparts[where] = comparison.counterpart(
                curves, self.solvers, game, solver, averaging, points
            )
        return self._counterparts[where]

    def others(self, solver: str) -> list[str]:
        """Solvers but this and its equals, those with a baseline if this has one."""
        same = comparison.equals(self.solvers, solver)
        baseline = bool(self.solvers.get(solver, {}).get("baseline"))
        return [
            label
            for label, options in self.solvers.items()
            if label not in same and bool(options.get("baseline")) == baseline
        ]


class Count(claims.Measure[Results]):
    """Number of classes of hands; see `counts.COLUMNS`. Round 0 is before the flop."""

    name: Literal["count"]
    partition: Literal["lossless", "outcome", "winrate"]
    recall: int | None = None
    round: int

    def estimate(self, records: Results) -> Estimate:
        rows = records.counts
        recall = rows["recall"].isna() if self.recall is None else rows["recall"] == self.recall
        rows = rows[
            rows["published"].notna()
            & (rows["partition"] == self.partition)
            & recall.fillna(False).astype(bool)
            & (rows["round"] == self.round)
        ]
        if rows.empty:
            raise MissingData("This run has no game with the published deck")
        value = float(rows["classes"].iloc[0])
        return Estimate.exact(value, f"Enumeration finds {value:.0f}", "count")


@dataclass(frozen=True)
class Compared:
    """The lines of a comparison at one iteration.

    Attributes:
        own: the embedding, the best of those named; None where clusterings alone are compared.
        families: the best line of each of the paper's clusterings.
        lines: all lines, configurations that are not the best too.
    """

    own: Line | None
    families: Mapping[str, Line]
    lines: Sequence[Line]

    @property
    def lowest(self) -> Line:
        """The clustering with the lowest mean."""
        return comparison.best(self.families.values())

    def ratio(self, above: Line, below: Sequence[Line]) -> Summary:
        """Summarise log(above / geometric mean of below)."""
        summed = [above, *below]
        rest = [_logs(line) for line in self.lines if not any(line is other for other in summed)]
        weights = [1.0, *(-1.0 / len(below) for _ in below)]
        return contrast([_logs(line) for line in summed], weights, rest)


class _OfCurves(claims.Measure[Results]):
    """Curves of one game after as many iterations, under one averaging rule and solver.

    ``solver`` is that of the embedding; clusterings are compared by its counterpart
    (`comparison.counterpart`). ``clusterings`` names those that are compared instead of those of
    Figure 5.
    """

    game: str = "numeral211"
    solver: str = "cfr"
    averaging: Literal["uniform", "advisor", "infoset"] = "uniform"
    iteration: PositiveInt
    clusterings: Names | None = None

    def elsewhere(self, records: Results) -> Mapping[str, Estimate]:
        """Under other averaging rules, then under other solvers, where there are the curves."""
        return dict(self._elsewhere(records))

    def _elsewhere(self, records: Results) -> Iterator[tuple[str, Estimate]]:
        for rule in AVERAGES:
            if rule != self.averaging:
                yield from _tried(f"{rule} averaging", self._with(averaging=rule), records)
        for solver in records.others(self.solver):
            for rule in AVERAGES:
                last = self._last(records, solver, rule)
                here = self._with(solver=solver, averaging=rule, iteration=last)
                name = f"{solver}, {rule} averaging, {last} iterations"
                yield from _tried(name, here, records)

    def _with(self, **changed: object) -> _OfCurves:
        return self.model_copy(update=changed)

    def _last(self, records: Results, solver: str, averaging: str) -> int:
        """Most iterations at which all that are compared have a point; 1 if they never do."""
        return max(self._common(records, solver, averaging), default=1)

    def _common(self, records: Results, solver: str, averaging: str) -> set[int]:
        """Iterations at which all that are compared have a point."""
        rows = records.curves
        rows = rows[(rows["game"] == self.game) & (rows["averaging"] == averaging)]
        points = [
            set.intersection(
                *(
                    set(rows[(rows["solver"] == by) & rows[column].isin(names)]["iteration"])
                    for by, column, names in self._named(solver, plain)
                )
            )
            for plain in comparison.equals(records.solvers, solver)
        ]
        return {int(point) for point in set.union(*points)}

    def _named(self, solver: str, plain: str) -> list[tuple[str, str, Sequence[str]]]:
        """Of each method that is compared, its solver, and names in a column of the records."""
        del solver
        return [(plain, "family", [family]) for family in CLUSTERINGS]

    def _clusterings(self, records: Results) -> Names:
        return records.standard if self.clusterings is None else self.clusterings

    def _plain(self, records: Results) -> str:
        """The solver of the clusterings."""
        where = self.game, self.solver, self.averaging, self._points()
        return records.counterpart(self._clusterings(records), *where)

    def _points(self) -> list[int]:
        """Iterations that are looked at."""
        return [self.iteration]

    def _compared(self, records: Results, iteration: int) -> Compared:
        plain = self._plain(records)
        names = self._clusterings(records)
        there = records.lines(self.game, plain, self.averaging, iteration)
        lines = {name: line for name, line in there.items() if name in names}
        families = comparison.clusterings(lines)
        for family in CLUSTERINGS:
            if family not in families:
                raise MissingData(self._without(family_label(family), plain, iteration))
        kept = [line for line in lines.values() if line.family in CLUSTERINGS]
        return Compared(None, families, kept)

    def _without(self, what: str, solver: str, iteration: int) -> str:
        return (
            f"This run has no curve of {what} in {self.game} by {solver} with {self.averaging} "
            f"averaging after {iteration} iterations"
        )


def _tried(name: str, measure: _OfCurves, records: Results) -> Iterator[tuple[str, Estimate]]:
    try:
        yield name, measure.estimate(records)
    except MissingData:
        return


class _OfEmbedding(_OfCurves):
    """An embedding, the best of those named, against the paper's clusterings."""

    embeddings: Names

    def _named(self, solver: str, plain: str) -> list[tuple[str, str, Sequence[str]]]:
        return [(solver, "abstraction", self.embeddings), *super()._named(solver, plain)]

    def _compared(self, records: Results, iteration: int) -> Compared:
        lines = records.lines(self.game, self.solver, self.averaging, iteration)
        own = [lines[name] for name in self.embeddings if name in lines]
        if not own:
            raise MissingData(self._without(" or ".join(self.embeddings), self.solver, iteration))
        clusterings = super()._compared(records, iteration)
        return replace(clusterings, own=comparison.best(own), lines=[*own, *clusterings.lines])


class EmbeddingRatio(_OfEmbedding):
    """Exploitability of the embedding over that of the lowest clustering, or of all on average."""

    name: Literal["embedding_ratio"]
    against: Literal["lowest", "mean"]

    def estimate(self, records: Results) -> Estimate:
        compared = self._compared(records, self.iteration)
        own, families = compared.own, compared.families
        assert own is not None
        others = [compared.lowest] if self.against == "lowest" else list(families.values())
        listed = ", ".join(str(line) for line in others)
        least = min(float(line.values.min()) for line in families.values())
        detail = (
            f"{own}; {'lowest clustering ' if self.against == 'lowest' else ''}{listed}; best "
            f"curve over best curve {own.values.min() / least:.3f}"
        )
        return _exponential(compared.ratio(own, others), detail)


class EmbeddingThroughout(_OfEmbedding):
    """Largest ratio of the embedding to the lowest clustering at any point from ``since`` on.

    The ends of the interval are the largest of the points' ends: the claim holds if it does at each
    point, and fails if it does at one.
    """

    name: Literal["embedding_throughout"]
    since: PositiveInt

    def estimate(self, records: Results) -> Estimate:
        points = self._common(records, self.solver, self.averaging)
        kept = sorted(t for t in points if self.since <= t <= self.iteration)
        if self.iteration not in kept:
            raise MissingData(self._without(self.embeddings[0], self.solver, self.iteration))
        ratios = [self._at(records, t) for t in kept]
        worst = max(ratios, key=lambda ratio: ratio.value)
        listed = ", ".join(f"{r.value:.3f} after {t}" for t, r in zip(kept, ratios, strict=True))
        return replace(
            worst,
            low=max(ratio.low for ratio in ratios),
            high=max(ratio.high for ratio in ratios),
            detail=f"The ratio is {listed} iterations",
            estimand=f"largest {_GEOMETRIC}",
        )

    def _at(self, records: Results, iteration: int) -> Estimate:
        compared = self._compared(records, iteration)
        assert compared.own is not None
        return _exponential(compared.ratio(compared.own, [compared.lowest]), "")


class GapChange(_OfEmbedding):
    """Ratio to the lowest clustering after ``iteration`` iterations over that after ``before``.

    Below 1 the embedding gains on it; the claim holds only if it is below the clustering, too.
    """

    name: Literal["gap_change"]
    before: PositiveInt

    def estimate(self, records: Results) -> Estimate:
        compared = self._compared(records, self.iteration)
        own, lowest = compared.own, compared.lowest
        assert own is not None
        plain = self._plain(records)
        changes, starts = [], []
        for line, solver in ((own, self.solver), (lowest, plain)):
            before = records.lines(self.game, solver, self.averaging, self.before)
            earlier = before.get(line.abstraction)
            if earlier is None or not len(change := comparison.log_change(line, earlier)):
                raise MissingData(self._without(line.abstraction, solver, self.before))
            changes.append(change.to_numpy())
            starts.append(earlier.mean)
        end = _exponential(compared.ratio(own, [lowest]), "")
        ends = f"{end.value:.3f} [{end.low:.3f}, {end.high:.3f}]"
        end = replace(end, detail=f"The ratio at the end is {ends}")
        detail = (
            f"{own}; lowest clustering {lowest}; the ratio is {starts[0] / starts[1]:.3f} after "
            f"{self.before} and {end.value:.3f} after {self.iteration} iterations"
        )
        return replace(_exponential(contrast(changes, [1.0, -1.0]), detail), requires=end)

    def _points(self) -> list[int]:
        return [self.before, self.iteration]

    def _last(self, records: Results, solver: str, averaging: str) -> int:
        """The number of iterations is part of the claim: it is not measured at another."""
        del records, solver, averaging
        return self.iteration


class ClusteringSpread(_OfCurves):
    """Exploitability of the highest of the paper's clusterings over that of the lowest."""

    name: Literal["clustering_spread"]

    def estimate(self, records: Results) -> Estimate:
        compared = self._compared(records, self.iteration)
        ordered = sorted(compared.families.values(), key=lambda line: line.mean)
        detail = ", ".join(str(line) for line in ordered)
        return _exponential(compared.ratio(ordered[-1], ordered[:1]), detail)


MEASURES: tuple[type[claims.Measure[Results]], ...] = (
    Count,
    EmbeddingRatio,
    EmbeddingThroughout,
    GapChange,
    ClusteringSpread,
)


def _logs(line: Line) -> NDArray[np.float64]:
    return np.asarray(line.logs, np.float64)


def _exponential(summary: Summary, detail: str) -> Estimate:
    triple = summary.transformed(math.exp)
    return Estimate(*triple, summary.n, detail, "seeds", _GEOMETRIC, _POOLED)
