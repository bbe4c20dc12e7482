"""Leduc hold'em: one private card each, a betting round, a public card, a second betting round.

A pair with the public card wins, else the higher card, equal ranks tie (Southey et al., *Bayes'
Bluff*, UAI 2005). Suits never matter, so ``merge_suits`` plays with ranks alone: a pair of ranks
and a public rank stand for all the cards that make them, their number being a factor of the
payoff. That loses nothing: value and exploitability are those of the game over cards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from cfrlab.games.betting import limit
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Chance, Node, PublicTree, Terminal

Chips = float
DEAL = 0


class Params(BaseModel):
    """Parameters of Leduc hold'em and of larger games of its kind.

    Attributes:
        ranks, suits: size of the deck.
        bets: size of a bet or raise in the first and in the second round.
        max_raises: most bets and raises together in a round.
        ante: what each player puts in before the deal.
        merge_suits: whether a hand is a rank, or a card.
    """

    model_config = ConfigDict(extra="forbid")

    ranks: int = Field(default=3, ge=1)
    suits: int = Field(default=2, ge=1)
    bets: tuple[float, float] = (2.0, 4.0)
    max_raises: int = Field(default=2, ge=0)
    ante: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    merge_suits: bool = True

    @model_validator(mode="after")
    def _playable(self) -> Params:
        if self.ranks * self.suits < 3:
            raise ValueError(
                f"{self.ranks} ranks in {self.suits} suits are too few cards: two hands and a "
                "public card need 3"
            )
        if not all(0 < bet < float("inf") for bet in self.bets):
            raise ValueError(f"bets {list(self.bets)}: both sizes must be positive")
        return self


def build(params: Params, rng: np.random.Generator) -> Game:
    """The game in chips; nothing is random. Hands ascend by rank; the pot is the two antes.

    Payoff 0 is the deal (and a fold in the first round); public card b has payoffs 1 + 2b (fold)
    and 2 + 2b (showdown).
    """
    del rng
    names, rank, copies = _kinds(params)
    n = len(names)
    # ways[i, j]: cards of kinds i and j for the two players; left[i, j, b]: then of kind b.
    eye = np.eye(n)
    ways = np.outer(copies, copies) - eye * copies
    left = ways[:, :, None] * (copies - eye[:, None, :] - eye[None, :, :])
    deal = Dense(ways)
    payoffs = [deal]
    for board in range(n):
        score = rank + (rank == rank[board]) * params.ranks
        sign = np.sign(score[:, None] - score[None, :])
        payoffs += [Dense(left[:, :, board]), Dense(sign * left[:, :, board])]
    return Game(
        name="leduc",
        tree=_tree(params, names),
        payoffs=tuple(payoffs),
        deal=deal,
        hands=(names, names),
        weights=(np.ones(n), np.ones(n)),
        unit="chips",
        pot=2 * params.ante,
        fold_payoffs=frozenset({DEAL, *range(1, 2 * n, 2)}),
    )


def _kinds(params: Params) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.float64]]:
    """Names, ranks and numbers of copies of the cards that players can tell apart."""
    faces = "A23456789TJQK"
    names = [faces[i - params.ranks] if params.ranks <= 13 else f"{i}" for i in range(params.ranks)]
    if params.merge_suits:
        return tuple(names), np.arange(params.ranks), np.full(params.ranks, float(params.suits))
    suits = "shdc" if params.suits <= 4 else [f".{i}" for i in range(params.suits)]
    cards = tuple(name + suits[s] for name in names for s in range(params.suits))
    return cards, np.repeat(np.arange(params.ranks), params.suits), np.ones(len(cards))


def _tree(params: Params, names: tuple[str, ...]) -> PublicTree:
    """First round, public card, second round."""
    # The payoffs count the cards of a kind, so this is the probability of one card.
    card = 1.0 / (params.ranks * params.suits - 2)

    def first_fold(winner: int, paid: Chips) -> Node:
        return Terminal(DEAL, paid if winner == 0 else -paid)

    def public_card(paid: Chips) -> Node:
        return Chance([(name, card, second(b, paid)) for b, name in enumerate(names)])

    def second(board: int, before: Chips) -> Node:
        def fold(winner: int, paid: Chips) -> Node:
            return Terminal(1 + 2 * board, paid if winner == 0 else -paid)

        def close(paid: Chips) -> Node:
            return Terminal(2 + 2 * board, paid)

        return limit(params.bets[1], params.max_raises, before, fold, close)

    return PublicTree.build(
        limit(params.bets[0], params.max_raises, params.ante, first_fold, public_card)
    )
