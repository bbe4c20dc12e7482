"""k-means under L1: promises on duplicates and empty clusters, fixed points, small optima."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cfrlab.abstraction import kmeans
from cfrlab.errors import CfrlabError

Floats = NDArray[np.float64]


def l1_to_means(x: Floats, labels: NDArray[np.integer]) -> float:
    """Mean distance to the own cluster's mean, cluster by cluster."""
    own = [x[labels == c] for c in np.unique(labels)]
    return float(sum(np.abs(part - part.mean(0)).sum() for part in own) / len(x))


def space(x: Floats, weight: Floats | None = None) -> kmeans._Space:
    return kmeans._Space.of(x, np.ones(len(x)) if weight is None else weight, "cityblock")


def cluster(x: Floats, k: int, seed: int = 0, **options: float) -> kmeans.Clusters:
    return kmeans.clusters(x, k, np.random.default_rng(seed), **options)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(st.integers(0, 2**16), st.integers(1, 40), st.integers(1, 40), st.integers(1, 3))
def test_labels_are_compact_and_equal_points_share_a_cluster(
    seed: int, n: int, k: int, d: int
) -> None:
    rng = np.random.default_rng(seed)
    kinds = rng.normal(size=(rng.integers(1, n + 1), d))
    x = kinds[rng.integers(0, len(kinds), n)]
    k = min(k, n)
    got = cluster(x, k, seed)
    distinct = np.unique(x, axis=0)
    # Fewer clusters than asked for, where points repeat, and the number says so.
    assert got.k_effective == min(k, len(distinct)) == len(np.unique(got.labels))
    assert got.labels.dtype == np.int32
    _, first = np.unique(got.labels, return_index=True)
    assert (np.diff(first) > 0).all()
    assert got.labels.max() == got.k_effective - 1
    for row in distinct:
        assert len(np.unique(got.labels[(x == row).all(1)])) == 1
    assert got.mean_distance == pytest.approx(l1_to_means(x, got.labels), abs=1e-12)


def test_clusters_far_apart_are_found() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 12, 600)
    middle = 100.0 * np.arange(12)[:, None] * np.array([1.0, -2.0, 0.5])
    got = cluster(middle[truth] + rng.normal(size=(600, 3)), 12)
    np.testing.assert_array_equal(got.labels[:, None] == got.labels, truth[:, None] == truth)


@pytest.mark.parametrize("seed", range(4))
def test_result_is_a_fixed_point(seed: int) -> None:
    """Where the iterations stop by themselves, every point is nearest to its own mean."""
    x = np.random.default_rng(seed).normal(size=(60, 2))
    got = cluster(x, 4, seed, tolerance=0.0, iterations=500)
    centres = np.stack([x[got.labels == c].mean(0) for c in range(4)])
    np.testing.assert_array_equal(np.abs(x[:, None] - centres).sum(2).argmin(1), got.labels)


def partitions(n: int, k: int) -> Iterator[NDArray[np.intp]]:
    """All ways to put n points into at most k clusters."""

    def extend(head: list[int]) -> Iterator[list[int]]:
        if len(head) == n:
            yield head
            return
        for c in range(min(max(head, default=-1) + 2, k)):
            yield from extend([*head, c])

    return (np.array(p) for p in extend([]))


@pytest.mark.parametrize("seed", range(3))
def test_many_starts_come_near_the_best_partition(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(9, 2))
    best = min(l1_to_means(x, p) for p in partitions(9, 3))
    found = cluster(x, 3, seed, n_init=40, tolerance=0.0).mean_distance
    assert best - 1e-12 <= found <= 1.05 * best


def test_l1_not_l2_decides() -> None:
    """(3, 3) is nearer to (0, 0) than (5, 0) under L2, farther under L1."""
    labels, distance = space(np.zeros((1, 2))).nearest(np.array([[3.0, 3.0], [5.0, 0.0]]))
    assert labels.tolist() == [1]
    assert distance.tolist() == [5.0]


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).normal(size=(100, 3))
    whole = cluster(x, 7).labels
    monkeypatch.setattr(kmeans, "CHUNK", 20)
    np.testing.assert_array_equal(cluster(x, 7).labels, whole)


def test_same_draws_same_clusters_and_more_starts_are_not_worse() -> None:
    x = np.random.default_rng(1).normal(size=(200, 3))
    first, again = cluster(x, 20, 5), cluster(x.copy(order="F"), 20, 5)
    np.testing.assert_array_equal(first.labels, again.labels)
    single = [cluster(x, 20, s).mean_distance for s in range(8)]
    assert len(set(single)) == 8
    assert cluster(x, 20, 0, n_init=20).mean_distance < np.median(single)


def test_clusters_do_not_depend_on_the_order_of_points() -> None:
    rng = np.random.default_rng(2)
    x, shuffle = rng.normal(size=(80, 2)), rng.permutation(80)
    plain, shuffled = cluster(x, 6).labels[shuffle], cluster(x[shuffle], 6).labels
    np.testing.assert_array_equal(plain[:, None] == plain, shuffled[:, None] == shuffled)


def test_repeated_points_weigh_as_often_as_they_occur() -> None:
    x = np.array([[0.0]] * 9 + [[1.0]])
    labels = np.zeros(10, np.intp)
    np.testing.assert_allclose(kmeans.means(x, labels), [[0.1]])
    distinct, weight = np.array([[0.0], [1.0]]), np.array([9.0, 1.0])
    np.testing.assert_allclose(kmeans.means(distinct, np.zeros(2, np.intp), weight), [[0.1]])
    assert kmeans.mean_distance(x, labels) == pytest.approx((9 * 0.1 + 0.9) / 10)


def test_seeds_are_distinct_points_drawn_by_squared_distance() -> None:
    """From 0, the points at 1 and 3 follow with odds of 1 to 9, nine times as much at weight 9."""
    x = np.array([[0.0], [1.0], [3.0]])
    for weight, odds in ((np.ones(3), 9.0), (np.array([1.0, 9.0, 1.0]), 1.0)):
        second = [
            seeds[1]
            for seeds in (
                space(x, weight).seed(2, np.random.default_rng(s))[:, 0] for s in range(4000)
            )
            if seeds[0] == 0
        ]
        share = np.mean(np.array(second) == 3)
        error = np.sqrt(odds) / (1 + odds) / np.sqrt(len(second))
        assert abs(share - odds / (1 + odds)) < 4 * error
    seeds = space(x).seed(3, np.random.default_rng(0))[:, 0]
    assert sorted(seeds.tolist()) == [0, 1, 3]


def test_empty_clusters_take_the_farthest_points() -> None:
    labels, distance = np.array([0, 0, 0, 1, 1]), np.array([0.5, 3.0, 1.0, 9.0, 9.0])
    space(np.arange(5.0)[:, None]).fill_empty(labels, distance, 4)
    # The first point at 9 goes; the second would leave cluster 1 empty, so the one at 3 follows.
    assert labels.tolist() == [0, 3, 0, 2, 1]
    assert distance.tolist() == [0.5, 0.0, 1.0, 0.0, 9.0]


@pytest.mark.parametrize(
    ("x", "k", "n_init", "says"),
    [
        (np.zeros((5, 1)), 6, 1, "cannot make 6 buckets of 5 hands"),
        (np.zeros((5, 1)), 0, 1, "cannot make 0 buckets"),
        (np.zeros((5, 1)), 2, 0, "n_init is 0"),
        (np.array([[0.0], [np.inf]]), 1, 1, "hand 1 are not finite"),
    ],
)
def test_mistakes_are_one_clear_line(x: Floats, k: int, n_init: int, says: str) -> None:
    with pytest.raises(CfrlabError, match=says) as error:
        cluster(x, k, n_init=n_init)
    assert "\n" not in str(error.value)


def test_at_least_one_iteration() -> None:
    with pytest.raises(CfrlabError, match="iterations is 0; at least one is needed"):
        cluster(np.arange(9.0)[:, None], 2, iterations=0)
