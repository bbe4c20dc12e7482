"""paemd: potential-aware clusters under the earth mover's distance (Ganzfried and Sandholm 2014).

The last round is clustered by hand strength, as in ``ehs``. In a round before, a class is the
histogram of next-round clusters that the next card leads to, and histograms are clustered under the
earth mover's distance, with the distance between two clusters as ground distance.

The paper approximates that distance by a greedy heuristic, which is asymmetric. Here it is exact:
a cluster of the last round is a number, its mean hand strength, so histograms over such clusters
lie on a line, and their distance is the closed form of ``emd``. In a game of three rounds, whose
first is not clustered, that is all. In longer games the clusters of the rounds between are taken to
stand at their mean hand strength, too, which is a simplification of the paper's ground distance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from scipy import sparse

from cfrlab.abstraction import emd, kmeans, outcomes
from cfrlab.abstraction.clusterings._checks import check_budgets
from cfrlab.abstraction.clusterings.ehs import by_strength
from cfrlab.games.rounds import RoundGame

NEEDS_VALUES = False
Labels = NDArray[np.int32]


class Params(BaseModel, extra="forbid", strict=True):
    """Options of k-means: its starts, most iterations, and least relative gain of one."""

    n_init: int = Field(default=1, ge=1)
    iterations: int = Field(default=100, ge=1, le=10**9)
    tolerance: float = Field(default=1e-5, ge=0, allow_inf_nan=False)


def buckets(
    game: RoundGame,
    budgets: Sequence[int],
    params: Params,
    rng: np.random.Generator,
    values: Sequence[NDArray[np.floating]] | None,
) -> tuple[Labels, ...]:
    """Buckets of every round after the first. Raises CfrlabError for budgets out of range."""
    del values
    check_budgets(game, budgets)
    outcome = outcomes.triples(game.classes)
    labels: list[Labels] = []
    for r in range(len(budgets), 0, -1):
        k = budgets[r - 1]
        if not labels:
            labels = [by_strength(outcome[r], k, rng, params.n_init)]
            continue
        cards = outcomes.next_cards(game.classes, r + 1)
        points = histograms(cards, labels[0], outcomes.strength(outcome[r + 1]))
        found = kmeans.clusters(points, k, rng, **params.model_dump())
        labels.insert(0, found.labels)
    return tuple(labels)


def histograms(
    cards: sparse.csr_array, labels: Labels, strength: outcomes.Floats
) -> outcomes.Floats:
    """Histograms over the next round's clusters, embedded so that L1 is their exact distance.

    Args:
        cards: next cards from each of n classes to each of m classes of the next round, [n, m].
        labels: cluster of each class of the next round, [m].
        strength: its expected strength, float64 [m]; a cluster stands at the mean of its members'.

    Returns float64 [n, clusters - 1]; [n, 1], all zero, if there is one cluster.
    """
    position = kmeans.means(strength[:, None], labels)[:, 0]
    if len(position) == 1:
        return np.zeros((cards.shape[0], 1))
    order = np.argsort(position, kind="stable")
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    columns = (np.arange(len(labels)), place[labels])
    member = sparse.csr_array((np.ones(len(labels)), columns), (len(labels), len(order)))
    mass = (cards @ member).toarray()
    return emd.embed(mass / mass.sum(1, keepdims=True), np.diff(position[order]))
