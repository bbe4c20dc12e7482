"""Means over boards, paired comparisons across boards, and their intervals.

The unit of replication is the board (one instance of a game). Seeds of k-means on one board are
averaged first: they share the board, so counting them as independent would make intervals too
narrow. Methods are compared on the same boards, which takes the spread between boards out: either
by the ratio of their mean exploitabilities, which is what a table of means shows, or by the
geometric mean of the ratio on each board.

Exploitabilities are positive, so intervals of their means and ratios are formed on logarithms and
never reach below zero.
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


def linearised(
    value: float, influence: NDArray[np.float64], confidence: float = CONFIDENCE
) -> Summary:
    """Summarise a smooth function of means by the delta method, with Student's t over boards.

    Args:
        value: the function at the sample means.
        influence: float64 [n], what each board adds to the function to first order: the gradient at
            the means times the board's values. Its mean does not matter.
        confidence: of the interval.
    """
    around = summarise(influence - np.mean(influence), confidence)
    return Summary(value, around.sem, around.n, value + around.ci_low, value + around.ci_high)


def log_of_mean(values: NDArray[np.float64], confidence: float = CONFIDENCE) -> Summary:
    """Summarise the logarithm of the mean of positive values (delta method)."""
    values = np.maximum(values, FLOOR)
    mean = np.mean(values)
    return linearised(float(np.log(mean)), values / mean, confidence)


def log_ratio_of_means(
    numerator: pd.Series, denominator: pd.Series, confidence: float = CONFIDENCE
) -> Summary:
    """Summarise log(mean of the numerator / mean of the denominator) over the boards of both.

    The delta method on the logarithm, with the boards' covariance and Student's t: see `relative`.

    Raises:
        ValueError: they have no board in common.
    """
    logarithm, influence = relative(numerator, denominator)
    return linearised(logarithm, influence.to_numpy(), confidence)


def relative(numerator: pd.Series, denominator: pd.Series) -> tuple[float, pd.Series]:
    """Return the logarithm of the ratio of two means, and the influence of each board on it.

    Args:
        numerator, denominator: exploitabilities, indexed by instance; boards that one lacks are
            left out.

    Raises:
        ValueError: they have no board in common.
    """
    both = numerator.index.intersection(denominator.index)
    if both.empty:
        raise ValueError("no values to summarise")
    above, below = (s.loc[both].astype(float).clip(lower=FLOOR) for s in (numerator, denominator))
    influence = above / above.mean() - below / below.mean()
    return math.log(above.mean() / below.mean()), influence


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
        ``ci_high`` (of the exploitability; see `log_of_mean`), ``seed_sd`` (root mean square over
        boards of the standard deviation between k-means seeds), ``seeds`` (fewest on a board) and
        ``k_effective``.
    """
    rows = []
    for key, group in boards.groupby([*CELL, "iteration"], dropna=False, sort=True):
        values = group["exploitability"].to_numpy(dtype=np.float64)
        summary = summarise(values)
        _, low, high = log_of_mean(values).transformed(math.exp)
        seed_sd = group["seed_sd"].to_numpy(dtype=np.float64)
        rows.append(
            {
                **dict(zip([*CELL, "iteration"], key, strict=True)),
                "mean": summary.mean,
                "sem": summary.sem,
                "n": summary.n,
                "ci_low": low,
                "ci_high": high,
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
    pool: Sequence[NDArray[np.float64]] = (),
    confidence: float = CONFIDENCE,
) -> Summary:
    """Summarise a weighted sum of the means of independent samples, such as a difference.

    Values are taken to scatter alike around the mean of their sample, as in an analysis of
    variance, so that a sample of one has an interval too: its scatter is that of the others. The
    interval is Student's t with the degrees of freedom of all samples together; `Summary.n` is the
    size of the smallest sample that is summed. There is no interval if every sample has one value.

    Args:
        samples: that are summed.
        weights: of their means, one for each.
        pool: further samples that tell how values scatter.
        confidence: of the interval.

    Raises:
        ValueError: a sample is empty.
    """
    sizes = [len(sample) for sample in samples]
    if min(sizes) == 0:
        raise ValueError("no values to summarise")
    mean = float(sum(w * np.mean(x) for w, x in zip(weights, samples, strict=True)))
    scattered = [*samples, *pool]
    freedom = sum(len(x) - 1 for x in scattered)
    if freedom == 0:
        return Summary(mean, math.nan, min(sizes), math.nan, math.nan)
    variance = sum(float(np.sum((x - np.mean(x)) ** 2)) for x in scattered) / freedom
    share = sum(w**2 / n for w, n in zip(weights, sizes, strict=True))
    sem = math.sqrt(variance * share)
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
