"""Measures of claims about the oracle's curves: how soon hands' values are in their last order."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import PositiveInt

from cfrlab.papers.weva import labels
from cfrlab.papers.weva.cells import DELTA, STUDENT, Data, Measure
from cfrlab.reporting import statistics
from cfrlab.reporting.claims import Estimate, MissingData


class _OfOracle(Measure):
    game: str
    iteration: PositiveInt
    oracle_iterations: PositiveInt = 50000

    def _curves(self, records: Data) -> pd.DataFrame:
        curves = records.oracle[records.oracle["game"] == self.game]
        last = curves["iteration"].max() if len(curves) else 0
        game = labels.game_label(self.game)
        if last < self.oracle_iterations:
            raise MissingData(
                f"This run has no oracle of {self.oracle_iterations} iterations for {game}"
                + (f" (only of {last})" if last else "")
            )
        if not (curves["iteration"] == self.iteration).any():
            raise MissingData(f"The oracle of {game} has no point at iteration {self.iteration}")
        return curves


class RankCorrelation(_OfOracle):
    """Spearman's correlation of hands' root values after some iterations with the oracle's."""

    name: Literal["rank_correlation"]

    def estimate(self, records: Data) -> Estimate:
        curves = self._curves(records)
        points = curves[curves["iteration"] == self.iteration]
        means = points.groupby(["where", "instance"])["rho"].mean()
        summary = statistics.summarise(means.loc["root"].to_numpy(dtype=np.float64))
        detail = f"The lowest board has {means.loc['root'].min():.4f}"
        if "inner" in means.index.get_level_values("where"):
            detail += f"; at inner nodes the mean is {means.loc['inner'].mean():.3f}"
        estimand = "mean over boards and players"
        return Estimate(
            summary.mean,
            summary.ci_low,
            summary.ci_high,
            summary.n,
            detail,
            "boards",
            estimand,
            STUDENT,
        )


class OrdersAboveOracle(_OfOracle):
    """Orders of magnitude (log10) by which exploitability is above the oracle's."""

    name: Literal["orders_above_oracle"]

    def estimate(self, records: Data) -> Estimate:
        curves = self._curves(records)
        by_board = curves.groupby(["iteration", "instance"])["exploitability"].mean()
        start, end = by_board.loc[self.iteration], by_board.loc[curves["iteration"].max()]
        summary = statistics.log_ratio_of_means(start, end)
        return Estimate(
            *summary.transformed(lambda x: x / math.log(10)),
            summary.n,
            f"It is {start.mean():.2g} of the pot after {self.iteration} iterations, and "
            f"{end.mean():.2g} for the oracle",
            "boards",
            "ratio of means over boards",
            DELTA,
        )
