"""The A-K-Q half-street game: player 0 may bet, player 1 may call or fold.

Each player antes half the pot and gets one of three cards. Player 0 bets with the ace, bluffs
with some queens, and checks the king, which ends in a showdown. Counted net of half the pot, the
game without betting is worth 0, so its value is all due to the bet: with pot P, bet B and bluffs
that make the king indifferent, B / (P + B) of the queens, it is (B / (P + B))(P - B) / 6 for
B < P: 1/36 for P = 1 and B = 1/2. (Chen and Ankenman, *The Mathematics of Poker*, 2006.)
"""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Decision, PublicTree, Terminal

SHOWDOWN, FOLD = 0, 1


class Params(BaseModel):
    """The size of the bet, as a fraction of the pot (which is the unit)."""

    model_config = ConfigDict(extra="forbid")

    bet: float = Field(default=0.5, gt=0, allow_inf_nan=False)


def build(params: Params, rng: np.random.Generator) -> Game:
    """The game; nothing is random. Hands are ordered Q, K, A."""
    del rng
    strength = np.arange(3)
    deal = Dense((1 - np.eye(3)).astype(np.int8))
    showdown = Dense(np.sign(strength[:, None] - strength[None, :]).astype(np.int8))
    reply = Decision(1, {"fold": Terminal(FOLD, 0.5), "call": Terminal(SHOWDOWN, 0.5 + params.bet)})
    tree = PublicTree.build(
        Decision(0, {"check": Terminal(SHOWDOWN, 0.5), f"bet {params.bet:.10g}": reply})
    )
    hands = ("Q", "K", "A")
    return Game(
        name="akq",
        tree=tree,
        payoffs=(showdown, deal),
        deal=deal,
        hands=(hands, hands),
        weights=(np.ones(3), np.ones(3)),
        unit="initial pots",
        strengths=strength[None, :].astype(np.float64),
        fold_payoffs=frozenset({FOLD}),
    )
