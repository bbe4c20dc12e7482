"""Kuhn poker: one card each from a deck of distinct ranks, ante 1, one bet of 1, no raise.

With three ranks its value for player 0 is -1/18 (Kuhn, *Simplified two-person poker*, 1950).
"""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from cfrlab.games.betting import limit
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Node, PublicTree, Terminal

SHOWDOWN, FOLD = 0, 1


class Params(BaseModel):
    """The number of ranks in the deck."""

    model_config = ConfigDict(extra="forbid")

    ranks: int = Field(default=3, ge=2)


def build(params: Params, rng: np.random.Generator) -> Game:
    """The game in chips; nothing is random. Hands ascend; the pot is the two antes."""
    del rng
    n, ante = params.ranks, 1.0
    strength = np.arange(n)
    deal = Dense((1 - np.eye(n)).astype(np.int8))
    showdown = Dense(np.sign(strength[:, None] - strength[None, :]).astype(np.int8))

    def fold(winner: int, paid: float) -> Node:
        return Terminal(FOLD, paid if winner == 0 else -paid)

    root = limit(1.0, 1, ante, fold, lambda paid: Terminal(SHOWDOWN, paid))
    hands = ("J", "Q", "K") if n == 3 else tuple(str(i) for i in range(n))
    return Game(
        name="kuhn",
        tree=PublicTree.build(root),
        payoffs=(showdown, deal),
        deal=deal,
        hands=(hands, hands),
        weights=(np.ones(n), np.ones(n)),
        unit="chips",
        pot=2 * ante,
        strengths=strength[None, :].astype(np.float64),
        fold_payoffs=frozenset({FOLD}),
    )
