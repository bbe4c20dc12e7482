"""Buckets of hands by k-means++ on their features (Arthur and Vassilvitskii, 2007).

Many hands have the same features (suits that do not matter, equal strengths), and scikit-learn then
returns fewer clusters than asked, some of them empty, with only a warning. So equal rows are first
collapsed into one point weighted by their number, which leaves the objective as it was and makes
three promises simple: equal rows share a bucket, no bucket is empty, and with at most K distinct
rows each is its own bucket and k-means has nothing to do. Points are clustered in sorted order, so
the buckets do not depend on the order of hands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from cfrlab.errors import CfrlabError

SAME = 1e-9
"""Features closer than this share of the largest magnitude in their column are the same number."""

CANCELLED = 1e-12
"""Features closer than this share of the largest magnitude in all columns are the same number, too:
a column of zeros may be one of differences between numbers of that size."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """A bucket map.

    Attributes:
        labels: int32 [n], bucket of each hand; buckets are numbered by their first hand.
        k_effective: number of buckets, at most the K asked for.
    """

    labels: NDArray[np.int32]
    k_effective: int


def buckets(features: NDArray[np.float64], k: int, seed: int, n_init: int = 1) -> Buckets:
    """Cluster the rows of ``features`` (float64 [n, d]) into at most ``k`` buckets.

    ``seed`` fixes the k-means++ draws and ``n_init`` is the number of restarts, of which the one
    with the least within-cluster sum of squares is kept. One thread; equal input, equal output.
    Raises CfrlabError for k or n_init out of range and for features that are not finite.
    """
    check(features, k, n_init)
    points, point_of, count = distinct_rows(features)
    of_point = np.arange(len(points)) if len(points) <= k else _fit(points, count, k, seed, n_init)
    labels = by_first_hand(of_point[point_of])
    return Buckets(labels, int(labels.max()) + 1)


def distinct_rows(
    features: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Distinct rows in sorted order, the row of each hand among them, and how many hands have it.

    Values that should be equal differ in their last bits when they are sums in different orders, so
    neighbours in a column that are as close as ``SAME`` and ``CANCELLED`` say count as one value.
    """
    n = len(features)
    size = np.abs(features).max(0)
    close = np.maximum(SAME * size, CANCELLED * size.max())
    order = np.argsort(features, axis=0, kind="stable")
    ranked = np.take_along_axis(features, order, 0)
    new = np.diff(ranked, axis=0) > close
    start = np.zeros(features.shape, np.intp)
    start[1:] = np.where(new, np.arange(1, n)[:, None], 0)
    snapped = np.empty_like(features)
    least = np.take_along_axis(ranked, np.maximum.accumulate(start, axis=0), 0)
    np.put_along_axis(snapped, order, least, 0)
    points, row, count = np.unique(snapped, axis=0, return_inverse=True, return_counts=True)
    return points, row.ravel(), count


def check(features: NDArray[np.float64], k: int, n_init: int) -> None:
    """Raise CfrlabError for k or n_init out of range and for features that are not finite."""
    if features.ndim != 2 or 0 in features.shape:
        raise CfrlabError(f"k-means: features need shape [hands, d], got {features.shape}")
    if not 1 <= k <= len(features):
        raise CfrlabError(
            f"k-means: cannot make {k} buckets of {len(features)} hands; choose K from 1 to "
            f"{len(features)}"
        )
    if n_init < 1:
        raise CfrlabError(f"k-means: n_init is {n_init}; at least one start is needed")
    if not np.isfinite(features).all():
        hand = int(np.argmin(np.isfinite(features).all(1)))
        raise CfrlabError(f"k-means: the features of hand {hand} are not finite numbers")


def _fit(
    points: NDArray[np.float64], weight: NDArray[np.intp], k: int, seed: int, n_init: int
) -> NDArray[np.intp]:
    """Cluster of each of more than k distinct points."""
    model = KMeans(k, init="k-means++", n_init=n_init, random_state=seed)
    with threadpool_limits(limits=1):
        return np.asarray(model.fit(points, sample_weight=weight).labels_, dtype=np.intp)


def by_first_hand(labels: NDArray[np.intp]) -> NDArray[np.int32]:
    """The same partition with compact labels in the order in which buckets first appear."""
    _, first, compact = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[compact]
