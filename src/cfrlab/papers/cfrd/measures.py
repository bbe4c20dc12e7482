"""How our side of the CFR-D paper's claims is measured, from `records.COLUMNS`.

The paper shows one case of many: one start, one sample, one abstract equilibrium. Where ours are
several, the value is their mean, and the interval is that of the mean over independent cases (an
equilibrium with all its samples is one). Where a claim is about every line of a figure, the value
is the median line's, and the interval the range over all. A deterministic run alone is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict
from scipy import stats

from cfrlab.papers.cfrd import records as records_module
from cfrlab.reporting import claims, statistics
from cfrlab.reporting.claims import Estimate, MissingData

_STUDENT = "95%, Student's t over cases"
_DELTA = "95%, delta method on the logarithm with Student's t over cases"
_LINE = "95%, Student's t of least squares over the points of the line"
_EVERY = "the range over all"
_FIGURES = {f"fig{n}": f"Figure {n}" for n in (3, 4, 5)}
_KEYS = ["game", "case", "trunk", "subgame", "iterations"]
"""What two rows that are compared have in common."""


class Select(BaseModel):
    """Rows of the records (see `records.COLUMNS`); what is left out does not matter.

    ``case`` is the beginning of the case's name; ``last`` keeps the most iterations only; ``since``
    leaves out fewer iterations; a run that has not ``at_least`` as many has no such rows.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    figure: str
    quantity: str
    game: str | None = None
    method: str | None = None
    case: str | None = None
    trunk: int | None = None
    subgame: int | None = None
    iterations: int | None = None
    since: int = 0
    last: bool = False
    at_least: int = 0

    def rows(self, records: pd.DataFrame) -> pd.DataFrame:
        """The rows. Raises MissingData if there is none."""
        kept = records
        for column in ("figure", "quantity", "game", "method", "trunk", "subgame", "iterations"):
            wanted = getattr(self, column)
            kept = kept if wanted is None else kept[kept[column] == wanted]
        if self.case is not None:
            kept = kept[kept["case"].str.startswith(self.case)]
        kept = kept[kept["iterations"] >= self.since]
        if kept.empty or kept["iterations"].max() < self.at_least:
            raise MissingData(f"This run has no record of {self}")
        if self.last:
            kept = kept[kept["iterations"] == kept["iterations"].max()]
        return kept

    def __str__(self) -> str:
        named = [
            (self.method, "method"),
            (self.game, "game"),
            (self.case, "case"),
            (self.trunk, "trunk iterations"),
            (self.subgame, "subgame iterations"),
            (self.iterations or self.at_least or None, "iterations"),
        ]
        which = ", ".join(f"{what} {value}" for value, what in named if value is not None)
        figure = _FIGURES.get(self.figure, f"the part '{self.figure}'")
        return f"the quantity '{self.quantity}' for {figure}" + (f" ({which})" if which else "")


class Measure(claims.Measure[pd.DataFrame]):
    """What the measures of this paper share."""


class CaseMean(Measure):
    """Mean of the selected values over cases."""

    name: Literal["case_mean"]
    select: Select
    positive: bool = True

    def estimate(self, records: pd.DataFrame) -> Estimate:
        return _mean(_by_case(self.select.rows(records)), positive=self.positive)


class CaseExtremes(Measure):
    """Largest value along the iterations of a case, mean over cases; so must the least agree."""

    name: Literal["case_extremes"]
    select: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        groups = self.select.rows(records).groupby("case")["value"]
        most, least = (
            _mean(_groups(values), positive=True, what=f"{word} along iterations")
            for values, word in ((groups.max(), "largest"), (groups.min(), "least"))
        )
        return replace(most, requires=least)


class CaseDifference(Measure):
    """Mean difference of two selections over cases.

    Rows are paired by case and iterations. ``to_equilibrium``: each row of ``less`` is paired with
    the one value of ``select`` that its case begins with.
    """

    name: Literal["case_difference"]
    select: Select
    less: Select
    to_equilibrium: bool = False

    def estimate(self, records: pd.DataFrame) -> Estimate:
        one, two = self.select.rows(records), self.less.rows(records)
        if self.to_equilibrium:
            whole = one.set_index("case")["value"]
            values = two["case"].map(_root).map(whole) - two["value"]
            values.index = pd.Index(two["case"])
        else:
            keyed = [rows.set_index(["case", "iterations"])["value"] for rows in (one, two)]
            values = (keyed[0] - keyed[1]).dropna().droplevel("iterations")
        values = values.dropna()
        if values.empty:
            raise MissingData(f"This run has no case in common of {self.select} and of {self.less}")
        return _mean(_groups(values), positive=False)


class CaseSpread(Measure):
    """Largest selected value over the least."""

    name: Literal["case_spread"]
    select: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        values = self.select.rows(records)["value"]
        detail = f"{len(values)} cases range from {values.min():.4g} to {values.max():.4g}"
        return Estimate.exact(float(values.max() / values.min()), detail, "largest over least")


class PercentMore(Measure):
    """By how many percent one selection is above another, paired by case (delta method)."""

    name: Literal["percent_more"]
    select: Select
    than: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        one, two = (s.rows(records).set_index("case")["value"] for s in (self.select, self.than))
        if one.index.intersection(two.index).empty:
            raise MissingData(f"This run has no case in common of {self.select} and of {self.than}")
        summary = statistics.log_ratio_of_means(one, two)
        triple = summary.transformed(lambda log: 100 * math.expm1(log))
        detail = f"The means are {one.mean():.4g} and {two.mean():.4g}"
        return Estimate(*triple, summary.n, detail, "cases", "ratio of means over cases", _DELTA)


class LargestRatio(Measure):
    """Largest ratio of two quantities over all that both have, as a theorem bounds it."""

    name: Literal["largest_ratio"]
    select: Select
    over: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        one, two = (s.rows(records).set_index(_KEYS)["value"] for s in (self.select, self.over))
        ratios = (one / two).dropna()
        if ratios.empty:
            raise MissingData(f"This run has no case in common of {self.select} and of {self.over}")
        detail = f"{len(ratios)} ratios range from {ratios.min():.4g} to {ratios.max():.4g}"
        return Estimate.exact(float(ratios.max()), detail, "largest ratio")


class LogSlope(Measure):
    """Slope of log(value) over log(iterations), or over the logarithm of another selection.

    With several cases the mean of their slopes; with one alone the slope of its line.
    """

    name: Literal["log_slope"]
    select: Select
    over: Select | None = None

    def estimate(self, records: pd.DataFrame) -> Estimate:
        rows = self.select.rows(records)
        x = rows["iterations"]
        if self.over is not None:
            other = self.over.rows(records).set_index(_KEYS)["value"]
            x = pd.Series(
                other.reindex(pd.MultiIndex.from_frame(rows[_KEYS])).to_numpy(), rows.index
            )
        points = rows.assign(x=x).dropna(subset="x")
        lines = [line for _, line in points.groupby("case") if line["x"].nunique() > 2]
        if not lines:
            raise MissingData(f"This run has no line of three points of {self.select}")
        fits = [_fit(line["x"], line["value"]) for line in lines]
        if len(fits) == 1:
            return fits[0]
        return _mean(np.array([fit.value for fit in fits]), positive=False, what="slope of a line")


class WorkSlope(Measure):
    """Slope of log(work) over log(1 / error): the least work of all settings for each error.

    Work is trunk times subgame iterations; a setting counts if none with as little work does as
    well.
    """

    name: Literal["work_slope"]
    select: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        rows = self.select.rows(records)
        rows = rows.assign(work=rows["trunk"] * rows["subgame"]).sort_values(["work", "value"])
        best = rows["value"].cummin()
        front = rows[(best == rows["value"]) & (best < best.shift(fill_value=np.inf))]
        if len(front) < 3:
            raise MissingData(f"This run has fewer than three settings of {self.select}")
        return _fit(1 / front["value"], front["work"])


class LineFall(Measure):
    """First over last value of each line of Figure 4, over all lines.

    A line goes along subgame iterations for one length of the trunk, or along lengths of the trunk
    for the most subgame iterations.
    """

    name: Literal["line_fall"]
    select: Select
    along: Literal["subgame", "trunk"]

    def estimate(self, records: pd.DataFrame) -> Estimate:
        rows = self.select.rows(records)
        if self.along == "trunk":
            rows = rows[rows["subgame"] == rows["subgame"].max()]
        lines = _lines(rows, self.along, 2, self.select)
        return _every([line[0] / line[-1] for line in lines], "first over last value of a line")


class LineLevels(Measure):
    """Fall of a line's logarithm in its last step over its mean fall a step; over all lines."""

    name: Literal["line_levels"]
    select: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        lines = _lines(self.select.rows(records), "subgame", 3, self.select)
        steps = [-np.diff(np.log(line)) for line in lines]
        return _every([s[-1] / s.mean() for s in steps], "last step over mean step of a line")


class CalculatedMemory(Measure):
    """A number of the calculator, in units of ``per`` bytes; the least over all splits."""

    name: Literal["calculated_memory"]
    game: str
    column: str
    per: float

    def estimate(self, records: pd.DataFrame) -> Estimate:
        del records
        table = records_module.calculated()
        least = int(table.loc[table["game"] == self.game, self.column].min())
        return Estimate.exact(least / self.per, f"The calculator gives {least:,} bytes")


MEASURES: tuple[type[claims.Measure[pd.DataFrame]], ...] = (
    CaseMean,
    CaseExtremes,
    CaseDifference,
    CaseSpread,
    PercentMore,
    LargestRatio,
    LogSlope,
    WorkSlope,
    LineFall,
    LineLevels,
    CalculatedMemory,
)

Values = np.ndarray[Any, np.dtype[np.float64]]


def _root(case: str) -> str:
    """What is independent of other cases: an equilibrium, without the name of its sample."""
    return case.split("/")[0]


def _by_case(rows: pd.DataFrame) -> Values:
    return _groups(rows.set_index("case")["value"])


def _groups(values: pd.Series) -> Values:
    """Means of values that belong to one independent case."""
    return np.asarray(values.groupby(_root).mean(), np.float64)


def _mean(values: Values, *, positive: bool, what: str = "value") -> Estimate:
    """Mean over independent cases with its interval; one case alone is exact."""
    if len(values) == 1:
        return Estimate.exact(float(values[0]), f"The {what} is {values[0]:.4g}", what)
    detail = f"The {what} ranges from {values.min():.4g} to {values.max():.4g} over cases"
    if positive:
        triple, interval = statistics.log_of_mean(values).transformed(math.exp), _DELTA
    else:
        summary = statistics.summarise(values)
        triple, interval = (summary.mean, summary.ci_low, summary.ci_high), _STUDENT
    return Estimate(*triple, len(values), detail, "cases", f"mean {what} over cases", interval)


def _every(values: Sequence[float], what: str) -> Estimate:
    """What is claimed of every line: their median and range."""
    if len(values) == 1:
        return Estimate.exact(values[0], f"The {what} is {values[0]:.3g}", what)
    detail = f"Over {len(values)} lines it ranges from {min(values):.3g} to {max(values):.3g}"
    return Estimate(
        float(np.median(values)),
        float(min(values)),
        float(max(values)),
        len(values),
        detail,
        "lines",
        what,
        _EVERY,
    )


def _lines(rows: pd.DataFrame, along: str, least: int, select: Select) -> list[Values]:
    """Values of each line of Figure 4, in the order of iterations."""
    across = "trunk" if along == "subgame" else "subgame"
    lines = [
        line.sort_values(along)["value"].to_numpy(np.float64)
        for _, line in rows.groupby(across)
        if len(line) >= least
    ]
    if not lines:
        raise MissingData(f"This run has no line of {least} points of {select}")
    return lines


def _fit(x: pd.Series, y: pd.Series) -> Estimate:
    """Slope of log y over log x by least squares."""
    fit = stats.linregress(np.log(x.astype(float)), np.log(y.astype(float)))
    half = float(stats.t.ppf((1 + statistics.CONFIDENCE) / 2, len(x) - 2) * fit.stderr)
    slope, n = float(fit.slope), len(x)
    detail = f"The line has {n} points"
    return Estimate(slope, slope - half, slope + half, n, detail, "points", "slope", _LINE)
