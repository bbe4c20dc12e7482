"""ev: clusters of expected values under the profile of a warm-up (Li and Huang 2026, WEVA's ev-nd).

Each class of a round is the vector of its values at the betting decisions of that round, for both
seats; k-means++ under the Euclidean distance. Needs no notion of hand strength.

The values of different decisions are nearly linear functions of few numbers, so that thousands of
them span few directions. They are first projected on the principal components that hold all but
a sliver of the variance, which leaves distances as they were to that accuracy and makes k-means
faster by an order of magnitude.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from cfrlab.abstraction import components, kmeans
from cfrlab.abstraction.clusterings._checks import check_budgets
from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame

NEEDS_VALUES = True


class Params(BaseModel, extra="forbid", strict=True):
    """Options.

    Attributes:
        variance: share of the variance that the principal components must hold.
        n_init: starts of k-means, of which the best is kept.
    """

    variance: float = Field(default=components.VARIANCE, gt=0, lt=1)
    n_init: int = Field(default=1, ge=1)


def buckets(
    game: RoundGame,
    budgets: Sequence[int],
    params: Params,
    rng: np.random.Generator,
    values: Sequence[NDArray[np.floating]] | None,
) -> tuple[NDArray[np.int32], ...]:
    """Buckets of every round after the first.

    Raises CfrlabError for budgets out of range and for values that are missing, not finite or of
    another game.
    """
    check_budgets(game, budgets)
    if values is None:
        raise CfrlabError("clustering ev: needs the expected values of a warm-up, got none")
    _check_values(game, values)
    return tuple(
        kmeans.buckets(
            components.principal(values[r], params.variance),
            k,
            int(rng.integers(2**31)),
            params.n_init,
        ).labels
        for r, k in enumerate(budgets, start=1)
    )


def _check_values(game: RoundGame, values: Sequence[NDArray[np.floating]]) -> None:
    got = [v.shape[0] for v in values]
    expected = [len(c) for c in game.classes]
    if got != expected:
        raise CfrlabError(
            f"clustering ev: values of {got} classes in the rounds of game {game.name}, which has "
            f"{expected}; compute them for this game"
        )
    for r, v in enumerate(values):
        if not np.isfinite(v).all():
            raise CfrlabError(f"clustering ev: the values of round {r + 1} are not finite numbers")
