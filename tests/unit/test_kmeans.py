"""k-means buckets: promises on duplicates, order and determinism, and an exact optimum."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from cfrlab.abstraction import kmeans
from cfrlab.abstraction.features import equity, ev_nd
from cfrlab.abstraction.kmeans import buckets, distinct_rows
from cfrlab.errors import CfrlabError
from cfrlab.games.zoo import hunl_river, random_game
from cfrlab.solve.cfr import CFR
from cfrlab.solve.rule import Rule

Floats = NDArray[np.float64]


@st.composite
def features(draw: st.DrawFn) -> Floats:
    """Between 2 and 40 hands drawn with repetition from fewer distinct rows."""
    seed, n = draw(st.integers(0, 2**16)), draw(st.integers(2, 40))
    distinct, d = draw(st.integers(1, n)), draw(st.integers(1, 3))
    rng = np.random.default_rng(seed)
    rows: Floats = rng.normal(size=(distinct, d))[rng.integers(0, distinct, n)]
    return rows


def inertia(x: Floats, labels: NDArray[np.int32]) -> float:
    return float(
        sum(((x[labels == b] - x[labels == b].mean(0)) ** 2).sum() for b in range(labels.max() + 1))
    )


@settings(deadline=None, max_examples=60)
@given(features(), st.integers(1, 40), st.integers(0, 5))
def test_labels_are_compact_and_equal_rows_share_a_bucket(x: Floats, k: int, seed: int) -> None:
    k = min(k, len(x))
    got = buckets(x, k, seed)
    distinct = np.unique(x, axis=0)
    assert got.labels.dtype == np.int32
    assert got.labels.shape == (len(x),)
    assert got.k_effective == min(k, len(distinct)) == len(np.unique(got.labels))
    # Buckets are numbered by their first hand, which also makes them 0 .. K - 1 without gaps.
    _, first = np.unique(got.labels, return_index=True)
    assert (np.diff(first) > 0).all()
    assert got.labels.max() == got.k_effective - 1
    for row in distinct:
        assert len(np.unique(got.labels[(x == row).all(1)])) == 1


@settings(deadline=None, max_examples=40)
@given(features(), st.integers(1, 10), st.integers(0, 99))
def test_buckets_do_not_depend_on_the_order_of_hands(x: Floats, k: int, seed: int) -> None:
    k = min(k, len(x))
    shuffle = np.random.default_rng(seed).permutation(len(x))
    plain, shuffled = buckets(x, k, 3).labels, buckets(x[shuffle], k, 3).labels
    np.testing.assert_array_equal(
        plain[shuffle, None] == plain[None, shuffle], shuffled[:, None] == shuffled[None, :]
    )


def test_rounding_errors_do_not_make_hands_distinct() -> None:
    """As in a river: 60 kinds of hands, equal but for the last bits, and 200 buckets asked."""
    rng = np.random.default_rng(0)
    kinds = rng.normal(size=(60, 4))[np.arange(1081) % 60]
    noisy = kinds * (1 + rng.normal(size=kinds.shape) * 1e-15)
    assert len(np.unique(noisy, axis=0)) > 1000
    got = buckets(noisy, 200, seed=1)
    assert got.k_effective == 60
    np.testing.assert_array_equal(got.labels, np.arange(1081) % 60)
    # Nor does the noise reach the clustering: the kinds are clustered as if there were none.
    np.testing.assert_array_equal(
        buckets(noisy, 20, seed=1).labels, buckets(kinds, 20, seed=1).labels
    )


def test_columns_of_different_units() -> None:
    """What counts as a rounding error in one column says nothing of the others."""
    small = np.arange(30) * 1e-3
    for large in (np.full(30, 1e8), np.where(np.arange(30) < 15, 1e8, -1e8)):
        got = buckets(np.column_stack([small, large]), 30, seed=0)
        assert got.k_effective == 30
    # Zeros that are differences of large numbers are one value all the same.
    zeros = np.random.default_rng(0).normal(size=30) * 1e-9
    assert buckets(np.column_stack([zeros, np.full(30, 1e8)]), 30, seed=0).k_effective == 1


def best_1d(x: Floats, k: int) -> float:
    """Least within-cluster sum of squares on a line, by dynamic programming over sorted values."""
    x = np.sort(x)
    n = len(x)
    cost = np.array(
        [
            [((x[i:j] - x[i:j].mean()) ** 2).sum() if j > i else 0.0 for j in range(n + 1)]
            for i in range(n)
        ]
    )
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    for _ in range(k):
        best = np.array(
            [
                min([best[i] + cost[i, j] for i in range(j)], default=0.0) if j else 0.0
                for j in range(n + 1)
            ]
        )
    return float(best[n])


@pytest.mark.parametrize("k", [2, 3, 5])
def test_finds_the_optimum_on_a_line_with_repeated_hands(k: int) -> None:
    rng = np.random.default_rng(k)
    x = np.repeat(rng.normal(size=14), rng.integers(1, 9, 14))
    got = buckets(x[:, None], k, seed=0, n_init=50)
    assert got.k_effective == k
    assert inertia(x[:, None], got.labels) == pytest.approx(best_1d(x, k), rel=1e-9)


def test_more_starts_are_not_worse_and_seeds_matter() -> None:
    x = np.random.default_rng(1).normal(size=(200, 3))
    single = [inertia(x, buckets(x, 20, seed=s).labels) for s in range(8)]
    assert len(set(single)) > 1
    assert inertia(x, buckets(x, 20, seed=0, n_init=30).labels) < np.median(single)


def test_same_seed_same_buckets() -> None:
    x = np.random.default_rng(2).normal(size=(300, 5))
    for seed in (0, 1):
        first, again = buckets(x, 30, seed), buckets(x.copy(order="F"), 30, seed)
        np.testing.assert_array_equal(first.labels, again.labels)


def test_distinct_rows_rebuild_the_features() -> None:
    x = np.random.default_rng(3).integers(-2, 3, (50, 2)).astype(np.float64)
    points, row, count = distinct_rows(x)
    np.testing.assert_array_equal(points[row], x)
    np.testing.assert_array_equal(points, np.unique(x, axis=0))
    np.testing.assert_array_equal(np.bincount(row), count)


@pytest.mark.parametrize(
    ("x", "k", "n_init", "says"),
    [
        (np.zeros((5, 1)), 6, 1, "cannot make 6 buckets of 5 hands"),
        (np.zeros((5, 1)), 0, 1, "cannot make 0 buckets"),
        (np.zeros((5, 1)), 2, 0, "n_init is 0"),
        (np.array([[0.0], [np.nan]]), 1, 1, "features of hand 1 are not finite"),
        (np.zeros(5), 1, 1, "shape"),
        (np.zeros((5, 0)), 1, 1, "shape"),
    ],
)
def test_mistakes_are_one_clear_line(x: Floats, k: int, n_init: int, says: str) -> None:
    with pytest.raises(CfrlabError, match=says) as error:
        buckets(x, k, 0, n_init)
    assert "\n" not in str(error.value)


# ---------------------------------------------------------------- another processor


@cache
def inputs(name: str) -> Floats:
    """Features as the workflow clusters them, and grids, where most distances are tied."""
    rng = np.random.default_rng(1)
    match name:
        case "line":
            return np.arange(120.0)[:, None] / 7
        case "square":
            return np.stack(np.meshgrid(np.arange(15.0), np.arange(15.0)), -1).reshape(-1, 2) / 3
        case "equity":
            river = hunl_river.build(hunl_river.Params(), rng)
            return equity.features(river, 0, equity.Params(), None)
    game = (
        hunl_river.build(hunl_river.Params(), rng)
        if name == "river"
        else random_game.build(random_game.Params(hands=200, scaled=False), rng)
    )
    warmup = CFR(game, Rule.named("cfr", alternating=False, averaging=0))
    warmup.run(100)
    return ev_nd.features(game, 1, ev_nd.Params(), warmup.average())


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("name", ["line", "square", "equity", "river", "random"])
def test_last_bits_of_the_features_change_no_bucket(name: str, metric: kmeans.Metric) -> None:
    """Ties are broken by rule: errors a thousand times those of rounding decide nothing."""
    x = inputs(name)
    for k in (5, 20, 50, 100):
        for seed in range(10):
            noise = 1 + 1e-13 * np.random.default_rng(seed).normal(size=x.shape)
            plain, noisy = (
                kmeans.clusters(y, k, np.random.default_rng(seed), metric, n_init=2)
                for y in (x, x * noise)
            )
            np.testing.assert_array_equal(plain.labels, noisy.labels)


@pytest.mark.parametrize("name", ["line", "equity", "river"])
def test_last_bits_change_no_bucket_of_the_workflow(name: str) -> None:
    x = inputs(name)
    for k in (20, 50, 100):
        for seed in range(10):
            noise = 1 + 1e-13 * np.random.default_rng(seed).normal(size=x.shape)
            np.testing.assert_array_equal(
                buckets(x, k, seed).labels, buckets(x * noise, k, seed).labels
            )


def test_a_tie_goes_to_the_first() -> None:
    """Whatever the last bits say; a difference that is none of rounding decides."""
    near = np.array([[2.0, 1.0 + 1e-12, 1.0, 3.0], [2.0, 1.0 + 1e-6, 1.0, 3.0]])
    assert kmeans._first_least(near, 1e-9).tolist() == [1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_result_is_a_fixed_point(seed: int) -> None:
    """Every hand is nearest to the mean of its own bucket."""
    x = np.random.default_rng(seed).normal(size=(80, 3))
    labels = buckets(x, 6, seed).labels
    centres = np.stack([x[labels == b].mean(0) for b in range(6)])
    nearest = ((x[:, None] - centres) ** 2).sum(2).argmin(1)
    np.testing.assert_array_equal(nearest, labels)


def test_no_worse_than_scikit_learn() -> None:
    """The mean within-cluster sum of squares over seeds, where single runs differ by a tenth."""
    x = np.random.default_rng(3).normal(size=(300, 4))
    ours = [inertia(x, buckets(x, 25, seed).labels) for seed in range(30)]
    with threadpool_limits(limits=1):
        theirs = [KMeans(25, n_init=1, random_state=seed).fit(x).inertia_ for seed in range(30)]
    assert np.mean(ours) < 1.02 * np.mean(theirs)
