"""Compression of a bucketed game: hands that always play alike become one hand.

When one bucket map serves the whole game, reach stays constant inside a bucket, so a terminal's
payoff needs the buckets only: ``U_K = B diag(w0) U diag(w1) B^T`` with B the 0/1 matrix of buckets
by hands. The compressed game is a game like any other, with K hands of weight 1; its values are
those of the original game under the strategy lifted from buckets to hands, exactly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Dense, Payoff
from cfrlab.solve.phi import Abstraction, BucketMap

Maps = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Bucket of each hand, int32 [n_p], for the two players; buckets are 0 to K_p - 1, none empty."""


def compress(game: Game, maps: Maps) -> Game:
    """The game over buckets: dense K0 x K1 payoffs and deal, weights 1.

    A counterfactual value of a bucket is the sum of its hands' values, each times its weight; the
    value of the game, best responses *within the abstraction* and compatible reach carry over.
    Operators that terminals share stay shared. Strengths have no meaning for buckets and are left
    out. Raises CfrlabError for labels that are malformed or made for another game.
    """
    buckets = BucketMap(maps[0]), BucketMap(maps[1])
    Abstraction(*buckets).check(game)
    left, right = (
        phi.indicator * weights[None, :] for phi, weights in zip(buckets, game.weights, strict=True)
    )
    distinct = {id(op): op for op in (*game.payoffs, game.deal)}
    small = {key: Dense(_sandwich(left, op, right)) for key, op in distinct.items()}
    sizes = buckets[0].rows, buckets[1].rows
    return replace(
        game,
        payoffs=tuple(small[id(op)] for op in game.payoffs),
        deal=small[id(game.deal)],
        hands=(_labels(sizes[0]), _labels(sizes[1])),
        weights=(np.ones(sizes[0]), np.ones(sizes[1])),
        strengths=np.empty((0, 0)),
    )


def lift(rows: Profile, maps: Maps) -> Profile:
    """Strategy over hands from one over buckets: [actions, K_p] -> [actions, n_p]."""
    return Abstraction(BucketMap(maps[0]), BucketMap(maps[1])).lift(rows)


def _sandwich(left: Any, op: Payoff, right: Any) -> NDArray[np.float64]:
    """``left @ U @ right^T`` for sparse bucket matrices, float64 [K0, K1]."""
    matrix = op.matrix if isinstance(op, Dense) else op.dense()
    half = left @ matrix
    return np.ascontiguousarray((right @ half.T).T)


def _labels(count: int) -> tuple[str, ...]:
    return tuple(f"bucket {i}" for i in range(count))
