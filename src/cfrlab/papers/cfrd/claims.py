"""Claims of the CFR-D paper, judged as those of the WEVA paper are.

``published/claims.yaml`` states them. Where the paper shows one case of many, the
interval is the range over all our starts, seeds, equilibria or lengths of the trunk, from the least
to the largest; it is not a confidence interval. A single value has no interval of its own: both
ends are the value.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict

from cfrlab.papers.cfrd import records as records_module
from cfrlab.papers.weva.measures import Estimate, MissingData
from cfrlab.reporting import stated
from cfrlab.reporting.stated import Measure


class Select(BaseModel):
    """Rows of the records (see `records.COLUMNS`); what is left out does not matter.

    ``case`` is the beginning of the case's name; ``last`` keeps the most iterations only; a run
    that has not ``at_least`` as many has no such rows.
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
        if kept.empty or kept["iterations"].max() < self.at_least:
            raise MissingData(f"no record of {self.model_dump(exclude_defaults=True)}")
        if self.last:
            kept = kept[kept["iterations"] == kept["iterations"].max()]
        return kept


class Level(Measure[pd.DataFrame]):
    """Median of the selected values, and their range as the interval."""

    select: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        return _spread(self.select.rows(records)["value"].to_numpy())


class Difference(Measure[pd.DataFrame]):
    """Median difference of two selections, paired by case and iterations.

    ``by_case``: pair each row of ``less`` with the one value of ``select`` that its case begins
    with, an equilibrium's with those of its seeds.
    """

    select: Select
    less: Select
    by_case: bool = False

    def estimate(self, records: pd.DataFrame) -> Estimate:
        keys = ["case", "iterations"]
        if self.by_case:
            whole = self.select.rows(records).set_index("case")["value"]
            less = self.less.rows(records)
            base = less["case"].str.split("/").str[0].map(whole)
            return _spread((base - less["value"]).to_numpy())
        one, two = (s.rows(records).set_index(keys)["value"] for s in (self.select, self.less))
        both = (one - two).dropna()
        if both.empty:
            raise MissingData("no two records to compare")
        return _spread(both.to_numpy())


class Slope(Measure[pd.DataFrame]):
    """Slope of log(value) over log(iterations), by case."""

    select: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        slopes = []
        for _, line in self.select.rows(records).groupby("case"):
            if len(line) > 2:
                x, y = np.log(line["iterations"]), np.log(line["value"])
                slopes.append(float(np.polyfit(x, y, 1)[0]))
        if not slopes:
            raise MissingData("no curve of three points")
        return _spread(np.array(slopes))


class Plateau(Measure[pd.DataFrame]):
    """First over least value along subgame iterations; the median over lengths of the trunk."""

    select: Select

    def estimate(self, records: pd.DataFrame) -> Estimate:
        ratios = [
            line.sort_values("subgame")["value"].iloc[0] / line["value"].min()
            for _, line in self.select.rows(records).groupby("trunk")
            if len(line) > 1
        ]
        if not ratios:
            raise MissingData("no trunk with several subgame settings")
        return _spread(np.array(ratios))


class Bytes(Measure[pd.DataFrame]):
    """A number of the calculator, in units of ``per``; the least over all splits."""

    game: str
    column: str
    per: float

    def estimate(self, records: pd.DataFrame) -> Estimate:
        del records
        table = records_module.calculated()
        rows = table[table["game"] == self.game]
        value = float(rows[self.column].min()) / self.per
        return Estimate(value, value, value, 1, f"calculated exactly: {value * self.per:.0f} bytes")


MEASURES: Mapping[str, type[Measure[pd.DataFrame]]] = {
    "level": Level,
    "difference": Difference,
    "slope": Slope,
    "plateau": Plateau,
    "bytes": Bytes,
}


def _spread(values: np.ndarray[Any, np.dtype[np.float64]]) -> Estimate:
    if len(values) == 1:
        value = float(values[0])
        return Estimate(value, value, value, 1, f"one value: {value:.4g}")
    middle, low, high = float(np.median(values)), float(values.min()), float(values.max())
    detail = f"median of {len(values)}, from {low:.4g} to {high:.4g}"
    return Estimate(middle, low, high, len(values), detail)


def evaluate(path: str | os.PathLike[str], records: pd.DataFrame) -> pd.DataFrame:
    """Judge every claim of the file; see `cfrlab.reporting.stated.evaluate`.

    ``n`` counts the starts, seeds, equilibria or lengths of the trunk behind a claim.
    """
    return stated.evaluate(path, MEASURES, records)
