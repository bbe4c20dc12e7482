"""krwemd: clusters of k-recall winrate features (Fu et al., *KrwEmd*, 2025).

A class is described by its distributions over losing, tying and winning at showdown, in its own
round and in every round it went through. Two classes are apart by the weighted sum, over those
rounds, of the earth mover's distances between these distributions, with losing next to tying and
tying next to winning. k-means++ under that distance.

The weights of the own round, the one before and so on back to the first, in the third and in the
second round of a game:

- exponential: 16, 4, 1 and 4, 1;
- linear: 7, 5, 3 and 5, 3;
- constant: 1, 1, 1 and 1, 1;
- increasing: 3, 5, 7 and 3, 5, the linear ones in reverse, so that earlier rounds weigh more. (The
  paper's numbers for this one are not at hand; this is our choice.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from cfrlab.abstraction import kmeans, outcomes, recall
from cfrlab.abstraction.clusterings._checks import check_budgets
from cfrlab.games.rounds import RoundGame

NEEDS_VALUES = False


class Params(BaseModel, extra="forbid", strict=True):
    """Options.

    Attributes:
        weights: how much the rounds count (see the module).
        n_init, iterations, tolerance: of k-means; starts, most iterations, and least relative gain
            of one.
    """

    weights: recall.Weighting = recall.WEIGHTING
    n_init: int = Field(default=1, ge=1)
    iterations: int = Field(default=100, ge=1, le=10**9)
    tolerance: float = Field(default=1e-5, ge=0, allow_inf_nan=False)


def buckets(
    game: RoundGame,
    budgets: Sequence[int],
    params: Params,
    rng: np.random.Generator,
    values: Sequence[NDArray[np.floating]] | None,
) -> tuple[NDArray[np.int32], ...]:
    """Buckets of every round after the first. Raises CfrlabError for budgets out of range."""
    del values
    check_budgets(game, budgets)
    outcome = outcomes.triples(game.classes)
    options = params.model_dump(exclude={"weights"})
    each = (
        recall.features(game.classes, outcome, r, params.weights)
        for r in range(1, len(game.classes))
    )
    return tuple(
        kmeans.clusters(points, k, rng, **options).labels
        for points, k in zip(each, budgets, strict=True)
    )
