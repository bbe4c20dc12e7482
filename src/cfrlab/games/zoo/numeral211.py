"""Numeral211 hold'em: two private cards, a flop and a turn of one card each, three limit rounds.

The deck has ten ranks in four suits, the ace next to the ten: 9-T-A is a straight, A-2-3 is not.
A showdown compares the best three of a player's four cards: straight flush, three of a kind,
straight, flush, pair, high card; equal categories by their ranks, highest or repeated first.
Sources: Fu et al., *KrwEmd* (arXiv 2511.12089, 2025) and *No-Regret Strategy Solving in
Imperfect-Information Games via Pre-Trained Embedding* (AAAI 2026).

The stakes are those of the game's first paper; there is no blind. ``build`` is the game over raw
cards, for decks small enough; ``rounds`` the same game over classes of hands up to suits.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from cfrlab.errors import CfrlabError
from cfrlab.games.betting import Close, Fold, limit
from cfrlab.games.cards import HAND, Deck
from cfrlab.games.game import Game
from cfrlab.games.isomorphism import check_deck, hand_classes
from cfrlab.games.payoffs import Dense, Payoff
from cfrlab.games.rounds import Betting, RoundGame, streets
from cfrlab.games.tree import Chance, Node, PublicTree, Terminal

Chips = float
Board = frozenset[int]
ROUNDS = 3
# Bytes of one strategy and of the payoffs; solving needs several strategies.
_LARGEST = 2**29

HIGH, PAIR, FLUSH, STRAIGHT, TRIPS, STRAIGHT_FLUSH = range(6)


class Params(BaseModel):
    """Parameters of Numeral211 hold'em and of smaller games of its kind.

    Attributes:
        ranks, suits: the deck (``cfrlab.games.cards.Deck``); its order decides what is a straight.
        ante: what each player puts in before the deal, in chips.
        bets: size of a bet or raise in each round, in chips.
        max_raises: most bets and raises together in a round, at most 50.
        first: seat that acts first in each round.
    """

    model_config = ConfigDict(extra="forbid")

    ranks: str = "23456789TA"
    suits: str = "cdhs"
    ante: float = Field(default=5.0, gt=0, allow_inf_nan=False)
    bets: tuple[float, float, float] = (10.0, 20.0, 20.0)
    max_raises: int = Field(default=4, ge=0, le=50)
    first: tuple[int, int, int] = (0, 1, 1)

    @model_validator(mode="after")
    def _playable(self) -> Params:
        if not all(0 < bet < float("inf") for bet in self.bets):
            raise ValueError(f"bets {list(self.bets)}: all sizes must be positive")
        if not all(seat in (0, 1) for seat in self.first):
            raise ValueError(f"first {list(self.first)}: seats are 0 and 1")
        try:
            check_deck(self.deck, ROUNDS)
        except CfrlabError as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def deck(self) -> Deck:
        """The deck. Raises CfrlabError for ranks or suits that are unknown or named twice."""
        return Deck(self.ranks, self.suits)


def strength(
    deck: Deck, hands: NDArray[np.integer], board: NDArray[np.integer]
) -> NDArray[np.int32]:
    """Strength of hands at a showdown, int32 [k]: that of the best three cards; larger wins.

    Args:
        deck: the deck, whose ranks ascend in the order listed.
        hands: cards, int [k, 2].
        board: cards of the flop and the turn, int [2].
    """
    cards = np.column_stack([hands, np.tile(board, (len(hands), 1))])
    three = cards[:, list(combinations(range(4), 3))]  # [k, 4, 3]
    rank, suit = np.divmod(three, len(deck.suits))
    low, middle, high = np.moveaxis(np.sort(rank, axis=2), 2, 0)
    flush = (suit == suit[..., :1]).all(2)
    straight = (middle == low + 1) & (high == middle + 1)
    trips, pair = low == high, (low == middle) | (middle == high)
    category = np.select(
        [straight & flush, trips, straight, flush, pair],
        [STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR],
        HIGH,
    )
    # The middle card is always one of a pair; what is left of it is the kicker.
    kicker = low + high - middle
    leading = np.where(category == PAIR, middle, high)
    second = np.where(category == PAIR, kicker, middle)
    n = len(deck.ranks)
    score = ((category * n + leading) * n + second) * n + low
    return np.asarray(score.max(1), np.int32)


def build(params: Params, rng: np.random.Generator) -> Game:
    """The game over raw cards, in chips; nothing is random. The pot is the two antes.

    Hands that hold a public card have payoff 0. Raises CfrlabError for a deck so large that
    strategies would not fit in memory.
    """
    del rng
    deck = params.deck
    labels, cards = deck.hands()
    _check_size(params, len(labels))
    payoffs, folds = _payoffs(deck, cards.astype(np.int32))
    ones = np.ones(len(labels))
    return Game(
        name="numeral211",
        tree=_tree(params, folds),
        payoffs=payoffs,
        deal=payoffs[folds[frozenset()]],
        hands=(labels, labels),
        weights=(ones, ones),
        unit="chips",
        pot=2 * params.ante,
        fold_payoffs=frozenset(folds.values()),
    )


def rounds(params: Params) -> RoundGame:
    """The same game over classes of hands up to suits, in chips; of any size."""
    deck = params.deck
    return RoundGame(
        name="numeral211",
        unit="chips",
        ante=params.ante,
        deck=deck,
        classes=hand_classes(deck, ROUNDS, partial(strength, deck)),
        streets=streets([_betting(params, r) for r in range(ROUNDS)], params.ante),
    )


def _betting(params: Params, number: int) -> Betting:
    """The betting of one round."""

    def start(paid: Chips, fold: Fold, close: Close) -> Node:
        first = params.first[number]
        return limit(params.bets[number], params.max_raises, paid, fold, close, first)

    return start


def _payoffs(deck: Deck, cards: NDArray[np.int32]) -> tuple[tuple[Payoff, ...], dict[Board, int]]:
    """Operators, and the index of every board's fold; after two cards the showdown follows it."""
    held = np.zeros((len(cards), len(deck)), np.int32)
    np.put_along_axis(held, cards, 1, axis=1)
    apart = (held @ held.T == 0).astype(np.int8)
    payoffs: list[Payoff] = []
    folds: dict[Board, int] = {}
    for dealt in range(ROUNDS):
        for board in combinations(range(len(deck)), dealt):
            folds[frozenset(board)] = len(payoffs)
            alive = ~held[:, board].any(1)
            fold = apart * np.outer(alive, alive)
            payoffs.append(Dense(fold))
            if dealt == ROUNDS - 1:
                score = strength(deck, cards, np.array(board))
                payoffs.append(Dense(np.sign(score[:, None] - score).astype(np.int8) * fold))
    return tuple(payoffs), folds


def _tree(params: Params, folds: dict[Board, int]) -> PublicTree:
    """Three betting rounds with a public card between."""
    deck = params.deck

    def street(board: tuple[int, ...], before: Chips) -> Node:
        r, payoff = len(board), folds[frozenset(board)]

        def fold(winner: int, paid: Chips) -> Node:
            return Terminal(payoff, paid if winner == 0 else -paid)

        def close(paid: Chips) -> Node:
            if r == ROUNDS - 1:
                return Terminal(payoff + 1, paid)
            left = [card for card in range(len(deck)) if card not in board]
            # Given two hands that leave the card in the deck.
            chance = 1.0 / (len(left) - 2 * HAND)
            return Chance([(deck.label(c), chance, street((*board, c), paid)) for c in left])

        return _betting(params, r)(before, fold, close)

    return PublicTree.build(street((), params.ante))


def _check_size(params: Params, hands: int) -> None:
    """Raise CfrlabError if a strategy and the payoffs of the game over raw cards take too much."""
    over = Terminal(0)
    betting = PublicTree.build(limit(1.0, params.max_raises, 0.0, lambda *_: over, lambda _: over))
    calls = len(betting.terminals) - betting.label.count("fold")
    cards = len(params.deck)
    flops = calls * cards
    turns = flops * calls * (cards - 1)
    size = 8 * (1 + flops + turns) * sum(betting.rows) * hands + (1 + cards**2) * hands**2
    if size > _LARGEST:
        raise CfrlabError(
            f"numeral211: over the raw cards of ranks {params.ranks} and suits {params.suits}, a "
            f"strategy and the payoffs take {size / 2**20:,.0f} MiB (at most "
            f"{_LARGEST / 2**20:,.0f}); use a smaller deck or fewer max_raises, or the game over "
            "classes of hands"
        )
