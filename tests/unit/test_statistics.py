"""Statistics against SciPy and closed forms."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cfrlab.reporting import statistics
from synthetic_records import Level, board_factors, make_records


def flat(value: float = 0.01) -> Level:
    """A level that is the same everywhere."""
    return lambda *_: value


def test_summary_of_three_numbers_by_hand() -> None:
    summary = statistics.summarise(np.array([1.0, 2.0, 3.0]))
    assert summary.mean == 2
    assert summary.n == 3
    assert summary.sem == pytest.approx(1 / math.sqrt(3))
    # 4.302653 is the 97.5% point of t with two degrees of freedom in printed tables.
    assert summary.ci_low == pytest.approx(2 - 4.302653 / math.sqrt(3), abs=1e-6)
    assert summary.ci_high == pytest.approx(2 + 4.302653 / math.sqrt(3), abs=1e-6)


def test_summary_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).lognormal(size=10)
    summary = statistics.summarise(values, confidence=0.9)
    assert summary.sem == pytest.approx(stats.sem(values))
    interval = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert (summary.ci_low, summary.ci_high) == pytest.approx((interval.low, interval.high))


def test_one_board_has_a_mean_and_no_interval() -> None:
    summary = statistics.summarise(np.array([0.5]))
    assert summary.mean == 0.5
    assert summary.n == 1
    assert math.isnan(summary.sem)
    assert math.isnan(summary.ci_low)
    with pytest.raises(ValueError, match="no values"):
        statistics.summarise(np.array([]))


def test_a_decreasing_function_swaps_the_ends_of_an_interval() -> None:
    summary = statistics.Summary(mean=0.0, sem=1.0, n=5, ci_low=-1.0, ci_high=2.0)
    assert summary.transformed(lambda x: -x) == (0.0, -2.0, 1.0)
    assert summary.transformed(lambda x: 2 * x) == (0.0, -2.0, 4.0)


def test_seeds_of_one_board_are_not_replicates() -> None:
    """Two boards with the same mean and scattered seeds: no spread between boards at all."""
    records = make_records(flat(), instances=2, games=["random-game"], points=[2000])
    records["exploitability"] = np.where(
        records["instance"] == 0,
        [0.9, 1.0, 1.1] * (len(records) // 3),
        [0.5, 1.0, 1.5] * (len(records) // 3),
    )
    cells = statistics.cell_means(statistics.board_means(records))
    assert (cells["n"] == 2).all()
    assert cells["mean"].to_numpy() == pytest.approx(1.0)
    assert cells["sem"].to_numpy() == pytest.approx(0.0, abs=1e-15)
    # Root mean square of the two boards' standard deviations, .1 and .5.
    assert cells["seed_sd"].to_numpy() == pytest.approx(math.sqrt((0.1**2 + 0.5**2) / 2))
    assert (cells["seeds"] == 3).all()


def test_cells_of_known_boards() -> None:
    records = make_records(flat(0.02), games=["hunl-river"], solvers=["dcfr"], points=[2000])
    cells = statistics.cell_means(statistics.board_means(records))
    # Methods x K x averaging rules; those without warm-up must not be lost to missing values.
    assert len(cells) == 6 * 3 * 2
    assert cells["warmup"].isna().sum() == 2 * 3 * 2
    factors = 0.02 * board_factors(10)
    assert cells["mean"].to_numpy() == pytest.approx(factors.mean())
    assert cells["sem"].to_numpy() == pytest.approx(stats.sem(factors))
    assert cells["k_effective"].to_numpy() == pytest.approx(cells["buckets"].to_numpy())


def test_a_single_seed_has_no_seed_spread() -> None:
    records = make_records(flat(), games=["random-game"], seeds=1, points=[2000])
    cells = statistics.cell_means(statistics.board_means(records))
    assert cells["seed_sd"].isna().all()
    assert cells["sem"].notna().all()


def test_paired_ratio_agrees_with_scipy_and_aligns_boards() -> None:
    rng = np.random.default_rng(5)
    first = pd.Series(rng.lognormal(size=8), index=range(8))
    second = pd.Series(rng.lognormal(size=9), index=range(9))
    summary = statistics.paired_log_ratio(first, second.sample(frac=1, random_state=1))
    test = stats.ttest_rel(np.log(first), np.log(second[:8]))
    interval = test.confidence_interval(0.95)
    assert summary.n == 8
    assert (summary.ci_low, summary.ci_high) == pytest.approx((interval.low, interval.high))


def test_the_spread_between_boards_cancels_in_pairs() -> None:
    boards = pd.Series([0.001, 0.1, 7.0])
    summary = statistics.paired_log_ratio(0.25 * boards, boards)
    assert summary.mean == pytest.approx(math.log(0.25))
    assert summary.sem == pytest.approx(0, abs=1e-15)


def test_contrast_of_two_samples_is_students_pooled_interval() -> None:
    rng = np.random.default_rng(7)
    one, two = rng.normal(1.0, 0.2, 3), rng.normal(0.5, 0.2, 9)
    summary = statistics.contrast([one, two], [1.0, -1.0])
    interval = stats.ttest_ind(one, two, equal_var=True).confidence_interval()
    assert summary.n == 3
    assert summary.mean == pytest.approx(one.mean() - two.mean())
    assert (summary.ci_low, summary.ci_high) == pytest.approx((interval.low, interval.high))


def test_contrast_is_that_of_an_analysis_of_variance() -> None:
    """Scatter is SciPy's mean square within groups; a sample of one borrows it."""
    rng = np.random.default_rng(9)
    samples = [rng.normal(size=n) for n in (4, 1, 6)]
    pool = [rng.normal(size=5)]
    summary = statistics.contrast(samples, [1.0, -0.5, -0.5], pool)
    everything = [*samples, *pool]
    within = sum(float(np.sum((x - x.mean()) ** 2)) for x in everything)
    freedom = 3 + 0 + 5 + 4
    # One-way F is the mean square between over that within.
    means = np.concatenate([np.full(len(x), x.mean()) for x in everything])
    between = float(np.sum((means - np.concatenate(everything).mean()) ** 2)) / 3
    assert stats.f_oneway(*everything).statistic == pytest.approx(between / (within / freedom))
    sem = math.sqrt(within / freedom * (1 / 4 + 0.25 / 1 + 0.25 / 6))
    assert summary.n == 1
    assert summary.sem == pytest.approx(sem)
    low, high = stats.t.interval(0.95, freedom, loc=summary.mean, scale=sem)
    assert (summary.ci_low, summary.ci_high) == pytest.approx((low, high))


def test_contrast_of_one_sample_is_the_mean() -> None:
    values = np.random.default_rng(8).normal(size=6)
    ours, known = statistics.contrast([values], [1.0]), statistics.summarise(values)
    assert astuple(ours) == pytest.approx(astuple(known))


def test_contrast_without_spread_or_without_a_second_value() -> None:
    same = statistics.contrast([np.array([2.0, 2.0]), np.array([1.5])], [1.0, -1.0])
    assert (same.ci_low, same.mean, same.ci_high) == (0.5, 0.5, 0.5)
    lone = statistics.contrast([np.array([2.5]), np.array([1.5])], [1.0, -1.0])
    assert lone.mean == 1.0
    assert lone.n == 1
    assert math.isnan(lone.ci_low)
    with pytest.raises(ValueError, match="no values"):
        statistics.contrast([np.array([1.0]), np.array([])], [1.0, -1.0])


def test_ratio_of_means_by_hand() -> None:
    """Means 1 and 3; the boards' influences are 1/2 and -1/2 less 1/3 and -1/3."""
    above, below = pd.Series([1.5, 0.5]), pd.Series([4.0, 2.0])
    summary = statistics.log_ratio_of_means(above, below)
    assert summary.mean == pytest.approx(math.log(1 / 3))
    assert summary.sem == pytest.approx(math.hypot(1 / 6, 1 / 6) / math.sqrt(2))
    proportional = statistics.log_ratio_of_means(0.25 * below, below)
    assert (proportional.mean, proportional.sem) == pytest.approx((math.log(0.25), 0))


def boards(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Exploitabilities of two methods on the same boards; the ratio of their means is 1/2."""
    level, first, second = (rng.normal(0, sd, shape) for sd in (0.4, 0.2, 0.2))
    return 0.5 * np.exp(level + first), np.exp(level + second)


@pytest.mark.parametrize(("n", "least"), [(10, 0.91), (1000, 0.935)])
def test_intervals_of_a_ratio_of_means_cover(n: int, least: float) -> None:
    """Of 95% intervals nearly as many hold the ratio of the means of all boards there could be."""
    above, below = boards(np.random.default_rng(11), (2000 if n < 100 else 800, n))
    found = [
        statistics.log_ratio_of_means(pd.Series(x), pd.Series(y))
        for x, y in zip(above, below, strict=True)
    ]
    held = np.mean([s.ci_low <= math.log(0.5) <= s.ci_high for s in found])
    assert least <= held <= 0.965


def test_the_delta_method_agrees_with_scipys_bootstrap() -> None:
    above, below = boards(np.random.default_rng(12), (60,))
    ours = statistics.log_ratio_of_means(pd.Series(above), pd.Series(below))
    bootstrap = stats.bootstrap(
        (above, below),
        lambda x, y, axis: np.log(x.mean(axis) / y.mean(axis)),
        paired=True,
        vectorized=True,
        method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval
    width = ours.ci_high - ours.ci_low
    assert (ours.ci_low, ours.ci_high) == pytest.approx(
        (bootstrap.low, bootstrap.high), abs=0.08 * width
    )


def test_no_interval_of_an_exploitability_reaches_below_zero() -> None:
    """Student's interval of these would: the mean is 1.0, the half-width 2.1."""
    values = np.array([0.01, 0.02, 0.1, 3.9])
    assert statistics.summarise(values).ci_low < 0
    _, low, high = statistics.log_of_mean(values).transformed(math.exp)
    assert 0 < low < values.mean() < high
    frame = make_records(flat(), games=["random-game"], instances=4, seeds=1, points=[2000])
    frame["exploitability"] = frame["instance"].map(dict(enumerate(values)))
    cells = statistics.cell_means(statistics.board_means(frame))
    assert cells["mean"].to_numpy() == pytest.approx(values.mean())
    assert cells["ci_low"].to_numpy() == pytest.approx(low)


def test_rounding_errors_count_as_the_floor() -> None:
    zero, some = pd.Series([0.0, -1e-17]), pd.Series([1e-3, 1e-3])
    expected = math.log(statistics.FLOOR / 1e-3)
    assert statistics.paired_log_ratio(zero, some).mean == pytest.approx(expected)


def test_boards_in_common_are_needed() -> None:
    for summarise in (statistics.paired_log_ratio, statistics.log_ratio_of_means):
        with pytest.raises(ValueError, match="no values"):
            summarise(pd.Series([1.0], index=[0]), pd.Series([1.0], index=[1]))


def test_bootstrap_agrees_with_scipy() -> None:
    values = np.random.default_rng(2).normal(size=12)
    ours = statistics.bootstrap_interval(
        lambda boards: float(values[boards].mean()), 12, np.random.default_rng(0), draws=20000
    )
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_bootstrap_of_two_boards_ends_at_the_boards() -> None:
    """Both draws hit the same board with probability 1/4 a side, more than the tail."""
    values = np.array([3.0, 5.0])
    interval = statistics.bootstrap_interval(
        lambda boards: float(values[boards].mean()), 2, np.random.default_rng(0)
    )
    assert interval == (3.0, 5.0)
    lone = statistics.bootstrap_interval(lambda _: 1.0, 1, np.random.default_rng(0))
    assert all(math.isnan(end) for end in lone)
