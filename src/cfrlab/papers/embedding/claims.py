"""Claims of the Embedding CFR paper, judged as those of the other papers are.

``published/claims.yaml`` states them. What is compared is the geometric mean
over seeds of each method's best configuration. An interval is the 95% interval over seeds (Welch
and Student's t on logarithms). Where a side has one seed alone there is none: the claim is at best
confirmed in its direction, and a value that is against it by no more than seeds may be apart
(``undecided``) is not judged at all. Each claim is judged under one averaging rule, and its
evidence says what it comes to under the others and under other solvers, where it can be judged.
That the best configuration is chosen after the fact, as in the paper's figure, is not in the
interval.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field, PositiveFloat, PositiveInt

from cfrlab.papers.embedding import comparison
from cfrlab.papers.embedding.comparison import Line, Solvers
from cfrlab.papers.embedding.labels import CLUSTERINGS, family_label
from cfrlab.papers.weva.measures import Estimate, MissingData
from cfrlab.reporting import stated
from cfrlab.reporting.stated import Measure
from cfrlab.reporting.statistics import Summary, contrast
from cfrlab.solve.rounds.averages import AVERAGES


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
    def standard(self) -> pd.DataFrame:
        """The points of the abstractions of Figure 5."""
        return comparison.of_figure5(self.curves)

    def others(self, solver: str) -> list[str]:
        """Solvers but this and its equals, those with a baseline if this has one."""
        same = comparison.equals(self.solvers, solver)
        baseline = bool(self.solvers.get(solver, {}).get("baseline"))
        return [
            label
            for label, options in self.solvers.items()
            if label not in same and bool(options.get("baseline")) == baseline
        ]


class Count(Measure[Results]):
    """Number of classes of hands; see `counts.COLUMNS`. Round 0 is before the flop."""

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
            raise MissingData("the published deck is not in this run")
        value = float(rows["classes"].iloc[0])
        return Estimate(value, value, value, 1, f"enumerated exactly: {value:.0f}")


def _ascending(ends: tuple[float, float]) -> tuple[float, float]:
    if ends[0] > ends[1]:
        raise ValueError(f"must ascend, but {ends[0]:g} is above {ends[1]:g}")
    return ends


class _OfCurves(Measure[Results]):
    """Curves of one game after as many iterations, under one averaging rule and solver.

    ``solver`` is that of the embedding; clusterings are compared by its counterpart
    (`comparison.counterpart`). ``undecided``: values that are against the claim, up to the second,
    but too near to its favour, the first, to say so with one seed alone.
    """

    game: str = "numeral211"
    solver: str = "cfr"
    averaging: Literal["uniform", "advisor", "infoset"] = "uniform"
    iteration: PositiveInt
    undecided: Annotated[tuple[PositiveFloat, PositiveFloat], AfterValidator(_ascending)]

    def elsewhere(self, records: Results) -> Mapping[str, Estimate]:
        return dict(self._elsewhere(records))

    def _elsewhere(self, records: Results) -> Iterator[tuple[str, Estimate]]:
        """Under other averaging rules, then under other solvers, where there are the curves."""
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
        rows = records.curves
        rows = rows[(rows["game"] == self.game) & (rows["averaging"] == averaging)]
        points = [
            set.intersection(
                *(
                    set(rows[(rows["solver"] == by) & rows[column].isin(names)]["iteration"])
                    for by, column, names in self._compared(solver, plain)
                )
            )
            for plain in comparison.equals(records.solvers, solver)
        ]
        return int(max(set.union(*points), default=1))

    def _compared(self, solver: str, plain: str) -> list[tuple[str, str, Sequence[str]]]:
        """Of each method that is compared, its solver, and names in a column of the records."""
        del solver
        return [(plain, "family", [family]) for family in CLUSTERINGS]

    def _plain(self, records: Results) -> str:
        """The solver of the clusterings."""
        where = self.game, self.solver, self.averaging, self._points()
        return comparison.counterpart(records.standard, records.solvers, *where)

    def _points(self) -> list[int]:
        """Iterations that are looked at."""
        return [self.iteration]

    def _clusterings(self, records: Results, iteration: int) -> dict[str, Line]:
        plain = self._plain(records)
        lines = comparison.at(records.standard, self.game, plain, self.averaging, iteration)
        found = comparison.clusterings(lines)
        for family in CLUSTERINGS:
            if family not in found:
                raise MissingData(
                    f"no curve of {family_label(family)} in {self.game} by {plain}, "
                    f"{self.averaging} averaging, {iteration} iterations"
                )
        return found

    def _decided(self, estimate: Estimate, *against: float) -> Estimate:
        """The estimate. Raises MissingData if one seed alone is not enough to judge it.

        Args:
            estimate: what was measured.
            against: values of which the highest, if it is in `undecided`, forbids a verdict.
        """
        low, high = self.undecided
        if estimate.n == 1 and low < max(against) <= high:
            raise MissingData(
                f"{estimate.value:.3g} is against the claim, but not clearly (not above {high:g}) "
                f"with one seed alone: {estimate.detail}"
            )
        return estimate


def _tried(name: str, measure: _OfCurves, records: Results) -> Iterator[tuple[str, Estimate]]:
    try:
        yield name, measure.estimate(records)
    except MissingData:
        return


class _OfEmbedding(_OfCurves):
    """An embedding, the best of those named, against the paper's clusterings."""

    embeddings: Annotated[tuple[str, ...], Field(min_length=1)]

    def _compared(self, solver: str, plain: str) -> list[tuple[str, str, Sequence[str]]]:
        return [(solver, "abstraction", self.embeddings), *super()._compared(solver, plain)]

    def _embedding(self, records: Results, iteration: int) -> Line:
        lines = comparison.at(records.curves, self.game, self.solver, self.averaging, iteration)
        own = [lines[name] for name in self.embeddings if name in lines]
        if not own:
            raise MissingData(
                f"no curve of {' or '.join(self.embeddings)} in {self.game} by {self.solver}, "
                f"{self.averaging} averaging, {iteration} iterations"
            )
        return comparison.best(own)


class Ratio(_OfEmbedding):
    """Exploitability of the embedding over that of the lowest clustering, or of all on average."""

    against: Literal["lowest", "mean"]

    def estimate(self, records: Results) -> Estimate:
        own = self._embedding(records, self.iteration)
        found = self._clusterings(records, self.iteration)
        lowest = comparison.best(found.values())
        others = [lowest] if self.against == "lowest" else list(found.values())
        listed = ", ".join(str(line) for line in others)
        least = min(float(line.values.min()) for line in found.values())
        detail = (
            f"{own}; {'lowest clustering ' if self.against == 'lowest' else ''}{listed}; best "
            f"curve over best curve {own.values.min() / least:.3f}"
        )
        estimate = _exponential(comparison.log_ratio(own, others), detail)
        return self._decided(estimate, estimate.value)


class Widening(_OfEmbedding):
    """Ratio to the lowest clustering after ``iteration`` iterations over that after ``before``.

    Below 1 the embedding gains on it; the claim holds only if it is below the clustering, too.
    """

    before: PositiveInt

    def estimate(self, records: Results) -> Estimate:
        own = self._embedding(records, self.iteration)
        lowest = comparison.best(self._clusterings(records, self.iteration).values())
        pairs = []
        for line, solver in ((own, self.solver), (lowest, self._plain(records))):
            earlier = comparison.at(
                records.curves, self.game, solver, self.averaging, self.before
            ).get(line.abstraction)
            if earlier is None or not len(change := comparison.log_change(line, earlier)):
                raise MissingData(f"no point of {line.abstraction} after {self.before} iterations")
            pairs.append((change, earlier))
        (ours, before), (theirs, lowest_before) = pairs
        summary = contrast([ours.to_numpy(), theirs.to_numpy()], [1.0, -1.0])
        start, end = before.mean / lowest_before.mean, own.mean / lowest.mean
        detail = (
            f"{own}; lowest clustering {lowest}; ratio {start:.3f} after {self.before} and "
            f"{end:.3f} after {self.iteration} iterations"
        )
        estimate = _exponential(summary, detail, agrees=end < 1 and summary.mean < 0)
        return self._decided(estimate, estimate.value, end)

    def _points(self) -> list[int]:
        return [self.before, self.iteration]

    def _last(self, records: Results, solver: str, averaging: str) -> int:
        """The number of iterations is part of the claim: it is not measured at another."""
        del records, solver, averaging
        return self.iteration


class Spread(_OfCurves):
    """Exploitability of the highest of the paper's clusterings over that of the lowest."""

    def estimate(self, records: Results) -> Estimate:
        found = self._clusterings(records, self.iteration)
        ordered = sorted(found.values(), key=lambda line: line.mean)
        detail = ", ".join(str(line) for line in ordered)
        estimate = _exponential(comparison.log_ratio(ordered[-1], ordered[:1]), detail)
        return self._decided(estimate, estimate.value)


def _exponential(summary: Summary, detail: str, agrees: bool | None = None) -> Estimate:
    value, low, high = summary.transformed(np.exp)
    if math.isnan(summary.ci_low):
        low = high = math.nan
    return Estimate(float(value), float(low), float(high), summary.n, detail, agrees, "seed")


MEASURES: Mapping[str, type[Measure[Results]]] = {
    "count": Count,
    "ratio": Ratio,
    "widening": Widening,
    "spread": Spread,
}


def evaluate(
    path: str | os.PathLike[str], curves: pd.DataFrame, counts: pd.DataFrame, solvers: Solvers
) -> pd.DataFrame:
    """Judge every claim of the file; see `cfrlab.reporting.stated.evaluate`.

    ``n`` counts the seeds of the method that has fewest.

    Args:
        path: the file.
        curves, counts, solvers: see `Results`.
    """
    return stated.evaluate(path, MEASURES, Results(curves, counts, solvers))
