"""Random game: abstract hands without blocking, and an independent matrix of +-1 at each terminal.

Hands mean nothing here, so that features made for cards have nothing to hold on to. A terminal
without a fold pays the sign of its own matrix; in an antisymmetric matrix equal hands tie (the
diagonal is 0, the only value that antisymmetry allows) and exchanging the hands exchanges the
players. That alone does not make the game's value 0: the betting tree favours one player.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from cfrlab.games.betting import Betting, no_limit
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.river import stakes
from cfrlab.games.tree import Node, PublicTree, Terminal


class Params(BaseModel):
    """Parameters of the random game.

    Attributes:
        hands: hands of each player, all equally likely.
        betting: the betting round.
        scaled: whether a terminal pays the stake, as in poker, or one initial pot.
        folds: whether a fold loses for certain, or pays by a random matrix too.
        antisymmetric: whether each matrix is the negative of its transpose.
    """

    model_config = ConfigDict(extra="forbid")

    hands: int = Field(default=500, ge=1, le=20_000)
    betting: Betting = Betting()
    scaled: bool = True
    folds: Literal["deterministic", "random"] = "deterministic"
    antisymmetric: bool = True


def build(params: Params, rng: np.random.Generator) -> Game:
    """A random game; the matrices are drawn from ``rng`` in order of the tree's construction."""
    n, pot = params.hands, params.betting.pot
    deal = Dense(np.ones((n, n), np.int8))
    payoffs = [deal]
    folded = {0}

    def draw() -> int:
        payoffs.append(Dense(random_signs(n, params.antisymmetric, rng)))
        return len(payoffs) - 1

    def stake_of(paid: float) -> float:
        return pot / 2 + paid if params.scaled else pot

    def fold(winner: int, paid: float) -> Node:
        stake = stake_of(paid)
        if params.folds == "deterministic":
            return Terminal(0, stake if winner == 0 else -stake)
        folded.add(drawn := draw())
        return Terminal(drawn, stake)

    def close(paid: float) -> Node:
        return Terminal(draw(), stake_of(paid))

    tree = PublicTree.build(no_limit(params.betting, fold, close))
    labels = tuple(f"h{i}" for i in range(n))
    return Game(
        name="random_game",
        tree=tree,
        payoffs=tuple(payoffs),
        deal=deal,
        hands=(labels, labels),
        weights=(np.ones(n), np.ones(n)),
        unit=stakes(params.betting),
        pot=pot,
        fold_payoffs=frozenset(folded),
    )


def random_signs(n: int, antisymmetric: bool, rng: np.random.Generator) -> NDArray[np.int8]:
    """Independent +-1, int8 [n, n]; if antisymmetric, drawn above a diagonal of 0."""
    signs = 2 * rng.integers(0, 2, (n, n), dtype=np.int8) - np.int8(1)
    if not antisymmetric:
        return signs
    upper = np.triu(signs, 1)
    return upper - upper.T
