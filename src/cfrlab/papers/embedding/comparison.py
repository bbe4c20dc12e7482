"""What is compared with what: lines of a figure with their seeds, and ratios between them.

A *line* is one abstraction by one solver in one game under one averaging rule, with all its seeds.
Exploitabilities are compared through the logarithms of their ratios. The unit of replication is the
seed, of the clustering or of the network: the game is one, and full traversals are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from cfrlab.papers.embedding.labels import CLUSTERINGS, EMBEDDING, advisors, role
from cfrlab.papers.embedding.records import FIGURE5, of_study
from cfrlab.reporting.published import Numbers
from cfrlab.reporting.statistics import FLOOR, Summary, contrast

KEY = ["game", "abstraction", "solver", "averaging"]

Solvers = Mapping[str, Mapping[str, Any]]
"""Options of each solver of the configuration, by label; see `section.Solver`."""


@dataclass(frozen=True)
class Results:
    """What tables and figures are made of.

    Attributes:
        curves: see `records.COLUMNS`.
        solvers: of the configuration.
        numbers: what the paper states; see `cfrlab.reporting.published`.
        phis: see `records.PHI_COLUMNS`; only the table of Phi needs them,
        neighbours: and these, see `neighbours.COLUMNS`.
    """

    curves: pd.DataFrame
    solvers: Solvers
    numbers: Numbers
    phis: pd.DataFrame = field(default_factory=pd.DataFrame)
    neighbours: pd.DataFrame = field(default_factory=pd.DataFrame)


@dataclass(frozen=True)
class Line:
    """One line at one iteration.

    Attributes:
        abstraction, family, phi, solver: see `records.COLUMNS`.
        values: exploitability (half-sum, chips a hand) by seed, ascending.
        effective: effective advisors a hand on flop and turn, mean over seeds.
    """

    abstraction: str
    family: str
    phi: str
    solver: str
    values: pd.Series
    effective: tuple[float, float]

    @cached_property
    def mean(self) -> float:
        """Geometric mean over seeds."""
        return float(np.exp(self.logs.mean()))

    @cached_property
    def logs(self) -> pd.Series:
        """Logarithms of the values, by seed."""
        return np.log(self.values.clip(lower=FLOOR))

    def __str__(self) -> str:
        mixed = f" ({advisors(*self.effective)} effective advisors a hand on flop and turn)"
        text = self.abstraction + mixed * (self.family == EMBEDDING) + f" {self.mean:.4g} chips"
        if len(self.values) > 1:
            low, high = self.values.min(), self.values.max()
            text += f" ({len(self.values)} seeds, {low:.4g} to {high:.4g})"
        return text


def at(
    curves: pd.DataFrame, game: str, solver: str, averaging: str, iteration: int
) -> dict[str, Line]:
    """The lines at an iteration, by abstraction, in the order of the frame.

    Args:
        curves: see `records.COLUMNS`.
        game, solver, averaging, iteration: which.
    """
    rows = curves[
        (curves["game"] == game)
        & (curves["solver"] == solver)
        & (curves["averaging"] == averaging)
        & (curves["iteration"] == iteration)
    ]
    return {
        str(name): Line(
            str(name),
            str(group["family"].iloc[0]),
            str(group["phi"].iloc[0]),
            solver,
            group.set_index("seed")["exploitability"].sort_index(),
            (float(group["effective_1"].mean()), float(group["effective_2"].mean())),
        )
        for name, group in rows.groupby("abstraction", sort=False)
    }


def best(lines: Iterable[Line]) -> Line:
    """The line with the lowest mean; the first of equals. Raises ValueError if there is none."""
    return min(lines, key=lambda line: line.mean)


def clusterings(lines: Mapping[str, Line]) -> dict[str, Line]:
    """The best line of each of the paper's clusterings that is there, by family."""
    by_family = {f: [x for x in lines.values() if x.family == f] for f in CLUSTERINGS}
    return {family: best(own) for family, own in by_family.items() if own}


def studies(curves: pd.DataFrame) -> list[str]:
    """Names of the studies that points were asked for by, sorted."""
    return sorted({name for names in curves["studies"].unique() for name in names.split()})


def of_figure5(curves: pd.DataFrame) -> pd.DataFrame:
    """All points of the abstractions that Figure 5 shows, under any solver and in any game."""
    shown = set(of_study(curves, FIGURE5)["abstraction"])
    return curves[curves["abstraction"].isin(shown)].reset_index(drop=True)


def lowest_clustering(
    curves: pd.DataFrame, solvers: Solvers
) -> Callable[[str, str, str, int], Line | None]:
    """What a curve is compared with, a function of its game, solver, averaging rule and iteration.

    It is the best line of the paper's clusterings there, by the solver's counterpart; None if the
    run has none. In a run without Figure 5 every clustering of the paper's families counts.
    """
    standard = of_figure5(curves)
    standard = curves if standard.empty else standard

    @cache
    def lowest(game: str, solver: str, averaging: str, iteration: int) -> Line | None:
        plain = counterpart(standard, solvers, game, solver, averaging, [iteration])
        there = at(standard, game, plain, averaging, iteration)
        lines = clusterings(there).values()
        return best(lines) if lines else None

    return lowest


def log_ratio(above: Line, below: Sequence[Line]) -> Summary:
    """Summarise log(above / geometric mean of below)."""
    share = -1.0 / len(below)
    samples = [line.logs.to_numpy() for line in (above, *below)]
    return contrast(samples, [1.0, *(share for _ in below)])


def log_change(later: Line, earlier: Line) -> pd.Series:
    """log(later / earlier) of each seed that both have."""
    return (later.logs - earlier.logs).dropna()


def equals(solvers: Solvers, solver: str) -> list[str]:
    """Solvers that do the same for buckets as a solver, in the order to look at them.

    A baseline changes nothing for buckets and the lossless game. So these are the solvers that
    differ from it in nothing else: first those without a baseline, among which it is the first if
    it has none; then itself and others with one.
    """
    same = ("rule", "alternating", "averaging", "deals")
    options = solvers.get(solver, {})
    alike = [
        label
        for label, others in solvers.items()
        if label != solver and all(others.get(k) == options.get(k) for k in same)
    ]
    return sorted([solver, *alike], key=lambda label: bool(solvers.get(label, {}).get("baseline")))


def counterpart(
    curves: pd.DataFrame,
    solvers: Solvers,
    game: str,
    solver: str,
    averaging: str,
    iterations: Sequence[int],
) -> str:
    """The solver of the clusterings with which curves by a solver are compared.

    It is the one of its `equals` with most of the paper's clusterings at all the iterations, the
    first of those with as many.

    Args:
        curves: see `records.COLUMNS`; those of the clusterings.
        solvers: of the configuration.
        game, solver, averaging, iterations: which.
    """

    def there(label: str) -> int:
        families = [set(clusterings(at(curves, game, label, averaging, t))) for t in iterations]
        return len(set.intersection(*families))

    return max(equals(solvers, solver), key=there)


def with_roles(curves: pd.DataFrame, solvers: Solvers) -> pd.DataFrame:
    """Add what each curve stands for, ``role``; see `labels.role`."""
    keys = zip(curves["family"], curves["phi"], curves["solver"], strict=True)
    return curves.assign(
        role=[role(f, p, bool(solvers.get(s, {}).get("baseline"))) for f, p, s in keys]
    )


def ends(curves: pd.DataFrame, solvers: Solvers, study: str | None = None) -> pd.DataFrame:
    """The last point of each curve, beside the best of the paper's clusterings there.

    Args:
        curves: see `records.COLUMNS`.
        solvers: of the configuration.
        study: look at its points only.

    Returns:
        The columns of the curves, and ``role`` (see `labels.role`), ``best_clustering`` (name),
        ``best_value`` (its mean exploitability under the same averaging rule and solver, after as
        many iterations), ``ratio`` (of exploitabilities) and ``last_doubling`` (percent by which
        exploitability changed from half the iterations on; NaN without a point at exactly half).
        Names are empty and numbers NaN where there is nothing to compare with.
    """
    lowest = lowest_clustering(curves, solvers)
    rows = []
    wanted = curves if study is None else of_study(curves, study)
    for _, curve in wanted.groupby([*KEY, "seed"], sort=False):
        points = curve.sort_values("iteration")
        last = points.iloc[-1].to_dict()
        compared = lowest(last["game"], last["solver"], last["averaging"], last["iteration"])
        before = points[2 * points["iteration"] == last["iteration"]]["exploitability"]
        value = last["exploitability"]
        rows.append(
            {
                **last,
                "best_clustering": compared.abstraction if compared else "",
                "best_value": compared.mean if compared else np.nan,
                "ratio": value / compared.mean if compared else np.nan,
                "last_doubling": 100 * (value / before.iloc[-1] - 1) if len(before) else np.nan,
            }
        )
    more = ["best_clustering", "best_value", "ratio", "last_doubling"]
    return with_roles(pd.DataFrame(rows, columns=[*curves.columns, *more]), solvers)


def means(ended: pd.DataFrame) -> pd.DataFrame:
    """Summarise `ends` over seeds, a row for each line.

    Returns:
        Columns of the records without ``seed``, and those of `ends`: exploitability, NashConv,
        milli-antes and ratio as geometric means, ``low`` and ``high`` (least and largest
        exploitability), ``seeds`` (number), and arithmetic means of rows, effective advisors and
        ``last_doubling``. A line that ends at several iterations has a row for each.
    """
    same = ["family", "network", "phi", "studies", "role", "best_clustering", "best_value"]
    grouped = ended.groupby([*KEY, "iteration"], sort=False)
    summary = grouped.agg(
        **{name: (name, "first") for name in same},
        **{name: (name, _geometric) for name in ("exploitability", "nashconv", "milli_antes")},
        ratio=("ratio", _geometric),
        low=("exploitability", "min"),
        high=("exploitability", "max"),
        seeds=("seed", "nunique"),
        **{
            name: (name, "mean")
            for name in ("rows_1", "rows_2", "effective_1", "effective_2", "last_doubling")
        },
    )
    return summary.reset_index()


def reversals(curves: pd.DataFrame, solvers: Solvers, iteration: int) -> pd.DataFrame:
    """Embeddings of Figure 5 that change sides with the best clustering after an iteration.

    Returns:
        Columns `KEY`, ``ratio`` (after `iteration`, to the best clustering there), and
        ``later_iteration`` and ``later_ratio`` at the end of the curve.
    """
    early = means(ends(curves[curves["iteration"] <= iteration], solvers, FIGURE5))
    early = early[(early["family"] == EMBEDDING) & (early["iteration"] == iteration)]
    late = means(ends(curves, solvers, FIGURE5))[[*KEY, "iteration", "ratio"]]
    late = late.rename(columns={"iteration": "later_iteration", "ratio": "later_ratio"})
    both = early[[*KEY, "ratio"]].merge(late, on=KEY)
    return both[(both["ratio"] < 1) != (both["later_ratio"] < 1)].dropna()


def _geometric(values: pd.Series) -> float:
    return float(np.exp(np.log(values.clip(lower=FLOOR)).mean()))
