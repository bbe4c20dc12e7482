"""Means over boards, paired comparisons across boards, and their intervals.

The unit of replication is the board (one instance of a game). Seeds of k-means on one board are
averaged first: they share the board, so counting them as independent would make intervals too
narrow. Methods are compared on the same boards, through the logarithm of the ratio of their
exploitabilities, which takes the spread between boards out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

CONFIDENCE = 0.95

#: Columns that identify a cell of a table.
CELL = ["game", "solver", "method", "warmup", "buckets", "averaging"]

#: Exploitabilities below this are rounding errors of a best response; their logarithms are noise.
FLOOR = 1e-12


@dataclass(frozen=True)
class Summary:
    """Mean of `n` values with its standard error and confidence interval (NaN when n < 2)."""

    mean: float
    sem: float
    n: int
    ci_low: float
    ci_high: float

    def transformed(self, function: Callable[[float], float]) -> tuple[float, float, float]:
        """Return mean and interval under a monotonic function, the lower end first."""
        ends = sorted((function(self.ci_low), function(self.ci_high)))
        return function(self.mean), ends[0], ends[1]


def summarise(values: NDArray[np.float64], confidence: float = CONFIDENCE) -> Summary:
    """Return mean, standard error (n - 1 in the variance) and Student's t interval of a sample.

    Raises:
        ValueError: `values` is empty.
    """
    n = len(values)
    if n == 0:
        raise ValueError("no values to summarise")
    mean = float(np.mean(values))
    if n == 1:
        return Summary(mean, math.nan, 1, math.nan, math.nan)
    sem = float(np.std(values, ddof=1) / math.sqrt(n))
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1)) * sem
    return Summary(mean, sem, n, mean - half, mean + half)


def final(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records at the last iteration, of which the tables are made."""
    return records[records["is_final"]]


def board_means(records: pd.DataFrame) -> pd.DataFrame:
    """Average over the seeds of k-means on each board.

    Returns:
        One row for each cell (`CELL`), iteration and instance, with columns ``exploitability``
        (mean over seeds), ``seed_sd`` (their standard deviation, NaN with one seed), ``seeds``
        (their number) and ``k_effective`` (mean over seeds and players).
    """
    table = records.assign(
        k_effective=(records["k_effective_0"] + records["k_effective_1"]) / 2,
    )
    grouped = table.groupby([*CELL, "iteration", "instance"], dropna=False, sort=True)
    return grouped.agg(
        exploitability=("exploitability", "mean"),
        seed_sd=("exploitability", "std"),
        seeds=("exploitability", "size"),
        k_effective=("k_effective", "mean"),
    ).reset_index()


def cell_means(boards: pd.DataFrame) -> pd.DataFrame:
    """Summarise `board_means` over boards.

    Returns:
        One row for each cell and iteration, with columns ``mean``, ``sem``, ``n``, ``ci_low``,
        ``ci_high`` (of the exploitability), ``seed_sd`` (root mean square over boards of the
        standard deviation between k-means seeds), ``seeds`` (fewest on a board) and
        ``k_effective``.
    """
    rows = []
    for key, group in boards.groupby([*CELL, "iteration"], dropna=False, sort=True):
        summary = summarise(group["exploitability"].to_numpy(dtype=np.float64))
        seed_sd = group["seed_sd"].to_numpy(dtype=np.float64)
        rows.append(
            {
                **dict(zip([*CELL, "iteration"], key, strict=True)),
                "mean": summary.mean,
                "sem": summary.sem,
                "n": summary.n,
                "ci_low": summary.ci_low,
                "ci_high": summary.ci_high,
                "seed_sd": float(np.sqrt(np.mean(seed_sd**2))),
                "seeds": int(group["seeds"].min()),
                "k_effective": float(group["k_effective"].mean()),
            }
        )
    columns = [*CELL, "iteration", "mean", "sem", "n", "ci_low", "ci_high"]
    cells = pd.DataFrame(rows, columns=[*columns, "seed_sd", "seeds", "k_effective"])
    return cells.astype({"warmup": "Int64"})


def paired_log_ratio(
    numerator: pd.Series, denominator: pd.Series, confidence: float = CONFIDENCE
) -> Summary:
    """Summarise log(numerator / denominator) over the boards that both have.

    Args:
        numerator, denominator: exploitabilities, indexed by instance.
        confidence: of the t interval.

    Raises:
        ValueError: they have no board in common.
    """
    both = numerator.index.intersection(denominator.index)
    logs = [
        np.log(np.maximum(series.loc[both].to_numpy(dtype=np.float64), FLOOR))
        for series in (numerator, denominator)
    ]
    return summarise(logs[0] - logs[1], confidence)


def contrast(
    samples: Sequence[NDArray[np.float64]],
    weights: Sequence[float],
    confidence: float = CONFIDENCE,
) -> Summary:
    """Summarise a weighted sum of the means of independent samples, such as a difference.

    The interval is Student's t with Welch and Satterthwaite's degrees of freedom; `Summary.n` is
    the size of the smallest sample. With one value alone in a sample there is no interval.

    Raises:
        ValueError: a sample is empty.
    """
    sizes = [len(sample) for sample in samples]
    if min(sizes) == 0:
        raise ValueError("no values to summarise")
    mean = float(sum(w * np.mean(x) for w, x in zip(weights, samples, strict=True)))
    if min(sizes) == 1:
        return Summary(mean, math.nan, 1, math.nan, math.nan)
    parts = [w**2 * np.var(x, ddof=1) / len(x) for w, x in zip(weights, samples, strict=True)]
    sem = math.sqrt(sum(parts))
    spread = sum(part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
    freedom = sem**4 / spread if spread else math.inf
    half = float(stats.t.ppf((1 + confidence) / 2, freedom)) * sem
    return Summary(mean, sem, min(sizes), mean - half, mean + half)


def bootstrap_interval(
    statistic: Callable[[NDArray[np.int64]], float],
    n: int,
    rng: np.random.Generator,
    draws: int = 1000,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """Return the percentile interval of a statistic of boards drawn with replacement.

    For statistics that mix cells (a maximum, a mean of absolute values) and so have no t interval.

    Args:
        statistic: function of the positions of the boards drawn, int64 [n].
        n: number of boards; the interval is NaN when n < 2.
        rng: source of the draws.
        draws: resamples.
        confidence: share of resamples inside.
    """
    if n < 2:
        return math.nan, math.nan
    values = [statistic(rng.integers(n, size=n)) for _ in range(draws)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.asarray(values), [tail, 1 - tail])
    return float(low), float(high)
