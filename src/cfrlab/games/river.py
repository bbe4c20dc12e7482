"""River endgames: every two-card hand, one betting round, one or more complete boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from cfrlab.errors import CfrlabError
from cfrlab.games.betting import Betting, no_limit
from cfrlab.games.cards import BOARD, HAND, RANKS, SUITS, Deck
from cfrlab.games.game import Game
from cfrlab.games.payoffs import CardFold, CardShowdown, Floats, Mixture, Payoff
from cfrlab.games.tree import Node, PublicTree, Terminal

Range = dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]]

SHOWDOWN, FOLD = 0, 1


class RiverParams(BaseModel):
    """Parameters that all river games share.

    Attributes:
        ranks, suits: the deck (``cfrlab.games.cards.Deck``).
        betting: the betting round; the unit of the game is that of its pot.
        ranges: prior weights by hand label (``{"AsKd": 0.5}``) for player 0 and player 1, hands
            that are not named having none; every hand weighs 1 when this is left out.
    """

    model_config = ConfigDict(extra="forbid")

    ranks: str = RANKS
    suits: str = SUITS
    betting: Betting = Betting()
    ranges: tuple[Range, Range] | None = None


def stakes(betting: Betting) -> str:
    """Name of the unit in which a betting round is written."""
    return "initial pots" if betting.pot == 1.0 else "chips"


def river_tree(betting: Betting) -> PublicTree:
    """One betting round whose terminals refer to payoffs ``SHOWDOWN`` and ``FOLD``.

    Net of half the initial pot, the winner gains the other half and what the loser has put in.
    """
    half = betting.pot / 2

    def fold(winner: int, paid: float) -> Node:
        return Terminal(FOLD, (half + paid) * (1 if winner == 0 else -1))

    return PublicTree.build(no_limit(betting, fold, lambda paid: Terminal(SHOWDOWN, half + paid)))


def deal_boards(
    params: RiverParams, given: Sequence[str] | None, count: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """``count`` boards: those given, or cards dealt uniformly without replacement.

    Raises CfrlabError for a card that is not in the deck, is dealt twice, or has no board; and for
    a deck too small to leave two hands.
    """
    deck = Deck(params.ranks, params.suits)
    if given is not None:
        if len(given) != count:
            raise CfrlabError(f"boards {list(given)}: {len(given)} boards where {count} are needed")
        for board in given:
            deck.parse(board, BOARD)
        cards = deck.parse(" ".join(given))
    else:
        if len(deck) < count * BOARD + 2 * HAND:
            raise CfrlabError(
                f"deck of ranks {deck.ranks} and suits {deck.suits}: {len(deck)} cards are too few "
                f"for {count * BOARD} board cards and two hands; add ranks or suits"
            )
        cards = tuple(int(c) for c in rng.choice(len(deck), count * BOARD, replace=False))
    return tuple(cards[i : i + BOARD] for i in range(0, len(cards), BOARD))


def river_game(name: str, params: RiverParams, boards: Sequence[Sequence[int]]) -> Game:
    """The game on known boards, each of them settling an equal share of the pot."""
    deck = Deck(params.ranks, params.suits)
    labels, cards = deck.hands([c for board in boards for c in board])
    strengths = [deck.strengths(board, cards) for board in boards]
    showdowns = [CardShowdown(cards, s) for s in strengths]
    fold = CardFold(cards)
    showdown: Payoff = (
        showdowns[0]
        if len(boards) == 1
        else Mixture(tuple((1 / len(boards), s) for s in showdowns))
    )
    return Game(
        name=name,
        tree=river_tree(params.betting),
        payoffs=(showdown, fold),
        deal=fold,
        hands=(labels, labels),
        weights=_weights(deck, params.ranges, cards),
        unit=stakes(params.betting),
        pot=params.betting.pot,
        strengths=np.array(strengths, np.float64),
        fold_payoffs=frozenset({FOLD}),
    )


def _weights(
    deck: Deck, ranges: tuple[Range, Range] | None, cards: NDArray[np.int8]
) -> tuple[Floats, Floats]:
    if ranges is None:
        return np.ones(len(cards)), np.ones(len(cards))
    index = {frozenset(pair): i for i, pair in enumerate(cards.tolist())}
    out = []
    for player, named in enumerate(ranges):
        weights = np.zeros(len(cards))
        for label, weight in named.items():
            hand = frozenset(deck.parse(label, HAND))
            if hand not in index:
                raise CfrlabError(
                    f"range of player {player}: hand '{label}' holds a card of the board; remove it"
                )
            weights[index[hand]] = weight
        out.append(weights)
    return out[0], out[1]
