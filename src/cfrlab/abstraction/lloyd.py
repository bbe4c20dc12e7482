"""k-means++ and Lloyd's iterations under an L1 distance, for which scikit-learn has none.

With histograms embedded by ``emd.embed``, L1 is the earth mover's distance, and the mean of a
cluster is the embedding of its mean histogram. So this is k-means as papers on hand abstraction use
it (Ganzfried and Sandholm 2014; Fu et al. 2025): each histogram goes to the nearest mean histogram.

1. Seeding (Arthur and Vassilvitskii 2007): centres are drawn among the points, one after another,
   in proportion to the squared distance to the nearest centre so far.
2. Every point joins the nearest centre; of equally near ones the first.
3. A centre that nobody joined takes the point that is farthest from its own.
4. Every centre moves to the mean of its points. Back to 2, until the mean distance to the nearest
   centre settles.

The mean minimises squared Euclidean distances, not L1, so that the mean distance may rise a little
in a step; hence the limit on the number of steps. Equal points are one point with a weight, as in
``kmeans``: they share a cluster, no cluster is empty, and fewer distinct points than clusters asked
for give one cluster each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from cfrlab.abstraction.kmeans import by_first_hand, check, distinct_rows
from cfrlab.errors import CfrlabError

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

CHUNK = 1 << 22
"""Distances held at a time."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """A partition of points.

    Attributes:
        labels: int32 [n], cluster of each point; clusters are numbered by their first point.
        k_effective: number of clusters, at most the k asked for.
        mean_distance: mean L1 distance of a point to the mean of its cluster.
    """

    labels: NDArray[np.int32]
    k_effective: int
    mean_distance: float


def clusters(
    points: Floats,
    k: int,
    rng: np.random.Generator,
    n_init: int = 1,
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Clusters:
    """Cluster the rows of ``points`` (float64 [n, d]) into at most ``k`` clusters.

    Args:
        points: the points, all of the same weight.
        k: from 1 to n.
        rng: draws the seeds; the same draws give the same clusters.
        n_init: number of starts, of which the one with the least mean distance is kept.
        iterations: most Lloyd iterations of a start.
        tolerance: stop when the mean distance changes by no more than this share of itself.

    Raises CfrlabError for k, n_init or iterations out of range and for points that are not finite.
    """
    check(points, k, n_init)
    if iterations < 1:
        raise CfrlabError(f"k-means: iterations is {iterations}; at least one is needed")
    distinct, row, count = distinct_rows(points)
    if len(distinct) <= k:
        return _finished(points, row)
    weight = count.astype(np.float64)
    found = (_lloyd(distinct, weight, k, rng, iterations, tolerance) for _ in range(n_init))
    return min((_finished(points, f[row]) for f in found), key=lambda c: c.mean_distance)


def means(points: Floats, labels: NDArray[np.integer], weight: Floats | None = None) -> Floats:
    """Mean of the points of every cluster, float64 [clusters, d]; no cluster may be empty."""
    n, k = len(labels), int(labels.max()) + 1
    w = np.ones(n) if weight is None else weight
    member = sparse.csr_array((w, (labels, np.arange(n))), (k, n))
    return np.asarray((member @ points) / np.bincount(labels, w, k)[:, None])


def mean_distance(points: Floats, labels: NDArray[np.integer]) -> float:
    """Mean L1 distance of a point to the mean of its cluster."""
    return float(np.abs(points - means(points, labels)[labels]).sum(1).mean())


def _finished(points: Floats, labels: Labels) -> Clusters:
    named = by_first_hand(labels)
    return Clusters(named, int(named.max()) + 1, mean_distance(points, named))


def _seed(points: Floats, weight: Floats, k: int, rng: np.random.Generator) -> Floats:
    """k distinct points as first centres (step 1)."""
    chosen = [rng.choice(len(points), p=weight / weight.sum())]
    near = np.full(len(points), np.inf)
    while len(chosen) < k:
        near = np.minimum(near, cdist(points[chosen[-1:]], points, "cityblock")[0])
        mass = weight * near**2
        chosen.append(rng.choice(len(points), p=mass / mass.sum()))
    return points[chosen]


def _lloyd(
    points: Floats,
    weight: Floats,
    k: int,
    rng: np.random.Generator,
    iterations: int,
    tolerance: float,
) -> Labels:
    """Labels of distinct points, all of k clusters used."""
    centres, previous = _seed(points, weight, k, rng), np.inf
    for _ in range(iterations):
        labels, distance = _nearest(points, centres)
        _fill_empty(labels, distance, k)
        now = float(distance @ weight)
        if abs(previous - now) <= tolerance * now:
            break
        centres, previous = means(points, labels, weight), now
    return labels


def _nearest(points: Floats, centres: Floats) -> tuple[Labels, Floats]:
    """Nearest centre of every point and the distance to it (step 2)."""
    labels, distance = np.empty(len(points), np.intp), np.empty(len(points))
    step = max(1, CHUNK // len(centres))
    for start in range(0, len(points), step):
        rows = slice(start, start + step)
        block = cdist(points[rows], centres, "cityblock")
        labels[rows] = block.argmin(1)
        distance[rows] = block.min(1)
    return labels, distance


def _fill_empty(labels: Labels, distance: Floats, k: int) -> None:
    """Give each empty cluster the point farthest from its centre, in place (step 3).

    No cluster loses its last point.
    """
    size = np.bincount(labels, minlength=k)
    empty = list(np.flatnonzero(size == 0))
    if not empty:
        return
    for i in np.argsort(-distance, kind="stable"):
        if not empty:
            return
        if size[labels[i]] > 1:
            size[labels[i]] -= 1
            labels[i], distance[i] = empty.pop(0), 0.0
