"""k-means++ and Lloyd's iterations, under the Euclidean or the L1 distance.

Under L1, with histograms embedded by ``emd.embed``, the distance is the earth mover's, and the mean
of a cluster is the embedding of its mean histogram. So that is k-means as papers on hand
abstraction use it (Ganzfried and Sandholm 2014; Fu et al. 2025): each histogram goes to the nearest
mean histogram.

1. Seeding (Arthur and Vassilvitskii 2007): centres are drawn among the points, one after another,
   in proportion to the squared distance to the nearest centre so far. Under the Euclidean distance
   several are drawn each time, 2 + ln k as in scikit-learn, and the best is taken.
2. Every point joins the nearest centre.
3. A centre that nobody joined takes the point that is farthest from its own.
4. Every centre moves to the mean of its points. Back to 2, until no point changes sides or the mean
   distance to the nearest centre settles.

The mean minimises squared Euclidean distances, not L1, under which the mean distance may rise a
little in a step; hence the limit on the number of steps.

Many hands have the same features (suits that do not matter, equal strengths). Equal rows are one
point, weighted by their number, which leaves the objective as it was and makes three promises
simple: equal rows share a cluster, no cluster is empty, and with at most k distinct rows each is
its own cluster. Points are clustered in sorted order, so that the result does not depend on the
order of hands.

**Another processor, the same clusters.** Features differ between processors in their last bits, and
ties are common among hands (strengths are multiples of one number), so that rounding would decide
them. Here differences of distances below ``TIE`` are ties, and the first point or centre wins one:
what is 1e-13 off changes nothing, unless a difference happens to be within that of ``TIE`` itself.
scikit-learn's k-means has no such rule, and computes distances as differences of large products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from cfrlab.errors import CfrlabError

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Metric = Literal["euclidean", "cityblock"]

SAME = 1e-9
"""Features closer than this share of the largest magnitude in their column are the same number."""

CANCELLED = 1e-12
"""Features closer than this share of the largest magnitude in all columns are the same number, too:
a column of zeros may be one of differences between numbers of that size."""

TIE = 1e-9
"""Distances are equal if they differ by less than this share of the distance across all points."""

CHUNK = 1 << 17
"""Distances held at a time: few enough to stay in a processor's cache."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """A partition of points.

    Attributes:
        labels: int32 [n], cluster of each point; clusters are numbered by their first point.
        k_effective: number of clusters, at most the k asked for.
        mean_distance: mean distance of a point to the mean of its cluster.
    """

    labels: NDArray[np.int32]
    k_effective: int
    mean_distance: float


def buckets(features: Floats, k: int, seed: int, n_init: int = 1) -> Clusters:
    """Buckets of hands: Euclidean `clusters` of their features, until no hand changes sides.

    ``seed`` fixes the draws; equal input, equal output.
    """
    rng = np.random.default_rng(seed)
    return clusters(features, k, rng, "euclidean", n_init, iterations=300, tolerance=0.0)


def clusters(
    points: Floats,
    k: int,
    rng: np.random.Generator,
    metric: Metric = "cityblock",
    n_init: int = 1,
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Clusters:
    """Cluster the rows of ``points`` (float64 [n, d]) into at most ``k`` clusters.

    Args:
        points: the points, all of the same weight.
        k: from 1 to n.
        rng: draws the seeds; the same draws give the same clusters.
        metric: the distance.
        n_init: number of starts, of which the one with the least mean (under the Euclidean
            distance, mean squared) distance is kept.
        iterations: most Lloyd iterations of a start.
        tolerance: stop when the mean distance changes by no more than this share of itself.

    Raises CfrlabError for k, n_init or iterations out of range and for points that are not finite.
    """
    check(points, k, n_init)
    if iterations < 1:
        raise CfrlabError(f"k-means: iterations is {iterations}; at least one is needed")
    distinct, row, count = distinct_rows(points)
    if len(distinct) <= k:
        return _finished(points, row, metric)
    space = _Space.of(distinct, count, metric)
    best, least = row, np.inf
    for _ in range(n_init):
        labels = space.lloyd(k, rng, iterations, tolerance)
        if (size := space.size(labels)) < least - space.tie:
            best, least = labels[row], size
    return _finished(points, best, metric)


def means(points: Floats, labels: NDArray[np.integer], weight: Floats | None = None) -> Floats:
    """Mean of the points of every cluster, float64 [clusters, d]; no cluster may be empty."""
    n, k = len(labels), int(labels.max()) + 1
    w = np.ones(n) if weight is None else weight
    member = sparse.csr_array((w, (labels, np.arange(n))), (k, n))
    return np.asarray((member @ points) / np.bincount(labels, w, k)[:, None])


def mean_distance(
    points: Floats, labels: NDArray[np.integer], metric: Metric = "cityblock"
) -> float:
    """Mean distance of a point to the mean of its cluster."""
    return float(_lengths(points - means(points, labels)[labels], metric).mean())


def _lengths(rows: Floats, metric: Metric) -> Floats:
    return np.asarray(np.linalg.norm(rows, 1 if metric == "cityblock" else 2, axis=1))


def _finished(points: Floats, labels: Labels, metric: Metric) -> Clusters:
    named = by_first_hand(labels)
    return Clusters(named, int(named.max()) + 1, mean_distance(points, named, metric))


@dataclass(frozen=True, eq=False)
class _Space:
    """What is clustered.

    Attributes:
        points: distinct points, float64 [n, d].
        weight: how often each occurs, float64 [n].
        metric: the distance.
        tie: a distance that counts as none.
    """

    points: Floats
    weight: Floats
    metric: Metric
    tie: float

    @staticmethod
    def of(points: Floats, count: NDArray[np.integer], metric: Metric) -> _Space:
        across = _lengths(np.ptp(points, axis=0)[None, :], metric)[0]
        return _Space(points, count.astype(np.float64), metric, TIE * float(across))

    def size(self, labels: Labels) -> float:
        """How large clusters are: what the start to keep has least of."""
        off = _lengths(self.points - means(self.points, labels, self.weight)[labels], self.metric)
        return self._mean(off) if self.metric == "cityblock" else float(self._rms(off[None, :])[0])

    def _mean(self, distance: Floats) -> float:
        return float(distance @ self.weight / self.weight.sum())

    def _rms(self, distances: Floats) -> Floats:
        """Root mean squares of rows of distances, which are off by no more than these are."""
        return np.asarray(np.sqrt(distances**2 @ self.weight / self.weight.sum()))

    def seed(self, k: int, rng: np.random.Generator) -> Floats:
        """k distinct points as first centres (step 1)."""
        n, trials = len(self.points), 1 if self.metric == "cityblock" else 2 + int(np.log(k))
        chosen = [int(rng.choice(n, p=self.weight / self.weight.sum()))]
        near = self._distances(self.points[chosen], self.points)[0]
        while len(chosen) < k:
            mass = self.weight * near**2
            drawn = rng.choice(n, trials, p=mass / mass.sum())
            after = np.minimum(near, self._distances(self.points[drawn], self.points))
            best = int(_first_least(self._rms(after)[None, :], self.tie)[0])
            chosen.append(int(drawn[best]))
            near = after[best]
        return self.points[chosen]

    def lloyd(self, k: int, rng: np.random.Generator, iterations: int, tolerance: float) -> Labels:
        """Labels of the points, all of k clusters used."""
        centres, previous, before = self.seed(k, rng), np.inf, np.full(len(self.points), -1)
        for _ in range(iterations):
            labels, distance = self.nearest(centres)
            self.fill_empty(labels, distance, k)
            now = self._mean(distance)
            if (labels == before).all() or abs(previous - now) <= tolerance * now:
                break
            centres = means(self.points, labels, self.weight)
            before, previous = labels, now
        return labels

    def _distances(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(cdist(a, b, self.metric))

    def nearest(self, centres: Floats) -> tuple[Labels, Floats]:
        """Nearest centre of every point and the distance to it (step 2)."""
        labels, distance = np.empty(len(self.points), np.intp), np.empty(len(self.points))
        step = max(1, CHUNK // len(centres))
        for start in range(0, len(self.points), step):
            rows = slice(start, start + step)
            block = self._distances(self.points[rows], centres)
            labels[rows] = _first_least(block, self.tie)
            distance[rows] = block.min(1)
        return labels, distance

    def fill_empty(self, labels: Labels, distance: Floats, k: int) -> None:
        """Give each empty cluster the point farthest from its centre, in place (step 3).

        No cluster loses its last point.
        """
        size = np.bincount(labels, minlength=k)
        for cluster in np.flatnonzero(size == 0):
            free = np.where(size[labels] > 1, -distance, np.inf)
            farthest = int(_first_least(free[None, :], self.tie)[0])
            size[labels[farthest]] -= 1
            size[cluster] = 1
            labels[farthest], distance[farthest] = cluster, 0.0


def _first_least(rows: Floats, tie: float) -> Labels:
    """Column of the least number of every row; of tied ones the first."""
    return np.asarray((rows <= rows.min(1, keepdims=True) + tie).argmax(1))


def distinct_rows(
    features: Floats,
) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
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


def check(features: Floats, k: int, n_init: int) -> None:
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


def by_first_hand(labels: Labels) -> NDArray[np.int32]:
    """The same partition with compact labels in the order in which buckets first appear."""
    _, first, compact = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[compact]
