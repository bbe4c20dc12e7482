"""ehs: clusters of expected hand strength (Gilpin and Sandholm 2007).

Strength is the probability of winning plus half that of tying at showdown, over opponent hands and
future cards drawn uniformly; k-means++ on that number, in every round by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from cfrlab.abstraction import kmeans, outcomes
from cfrlab.abstraction.clusterings._checks import check_budgets
from cfrlab.games.rounds import RoundGame

NEEDS_VALUES = False


class Params(BaseModel, extra="forbid", strict=True):
    """``n_init``: starts of k-means, of which the best is kept."""

    n_init: int = Field(default=1, ge=1)


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
    return tuple(
        by_strength(outcome[r], k, rng, params.n_init) for r, k in enumerate(budgets, start=1)
    )


def by_strength(
    outcome: outcomes.Ints, k: int, rng: np.random.Generator, n_init: int
) -> NDArray[np.int32]:
    """At most k clusters of outcomes (int64 [n, 3]) by expected strength, int32 [n]."""
    strength = outcomes.strength(outcome)[:, None]
    return kmeans.buckets(strength, k, int(rng.integers(2**31)), n_init).labels
