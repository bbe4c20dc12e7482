"""Cards, decks and showdown strength.

A card is an integer below ``len(deck)``: cards of one rank are neighbours, ranks ascend in the
order in which the deck lists them. Strength is that of the best five of seven cards under the
rules of hold'em, whatever the deck, so that short decks need no rules of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from phevaluator.evaluator import evaluate_7cards

from cfrlab.errors import CfrlabError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
BOARD = 5
HAND = 2
# phevaluator ranks hands from 1, the royal flush, to 7462.
_WORST = 7462


@dataclass(frozen=True)
class Deck:
    """A deck with one card of every rank in every suit.

    Attributes:
        ranks: distinct characters of ``RANKS``, from low to high.
        suits: distinct characters of ``SUITS``.

    Raises CfrlabError for a rank or suit that is unknown or named twice.
    """

    ranks: str = RANKS
    suits: str = SUITS

    def __post_init__(self) -> None:
        for what, given, known in (("ranks", self.ranks, RANKS), ("suits", self.suits, SUITS)):
            if not given or given != "".join(c for c in known if c in given):
                raise CfrlabError(
                    f"deck: {what} '{given}' must be distinct characters of '{known}', "
                    "in that order"
                )

    def __len__(self) -> int:
        return len(self.ranks) * len(self.suits)

    def label(self, *cards: int) -> str:
        """Names of cards, run together: ``"Ts3h"``."""
        k = len(self.suits)
        return "".join(self.ranks[c // k] + self.suits[c % k] for c in cards)

    def parse(self, text: str, count: int | None = None) -> tuple[int, ...]:
        """Cards written as ``"Ts3h2h5c9s"``; spaces are ignored.

        Raises CfrlabError for a card that is not in the deck, a card named twice, or a number of
        cards other than ``count``.
        """
        flat = "".join(text.split())
        names = [flat[i : i + 2] for i in range(0, len(flat), 2)]
        for name in names:
            if len(name) < 2 or name[0] not in self.ranks or name[1] not in self.suits:
                raise CfrlabError(
                    f"cards '{text}': '{name}' is not in the deck of ranks {self.ranks} and "
                    f"suits {self.suits}; write each card as rank and suit, such as "
                    f"{self.label(len(self) - 1)}"
                )
        cards = tuple(
            self.ranks.index(name[0]) * len(self.suits) + self.suits.index(name[1])
            for name in names
        )
        twice = [c for c in cards if cards.count(c) > 1]
        if twice:
            raise CfrlabError(f"cards '{text}': {self.label(twice[0])} is dealt twice")
        if count is not None and len(cards) != count:
            raise CfrlabError(f"cards '{text}': {len(cards)} cards where {count} are needed")
        return cards

    def hands(self, dead: Sequence[int] = ()) -> tuple[tuple[str, ...], NDArray[np.int8]]:
        """All two-card hands without the dead cards.

        Returns labels such as ``"AsKd"`` (higher card first) and the cards, int8 [n, 2], in the
        same order. Raises CfrlabError when two players cannot both be dealt a hand.
        """
        live = [c for c in range(len(self)) if c not in dead]
        if len(live) < 2 * HAND:
            raise CfrlabError(
                f"deck of ranks {self.ranks} and suits {self.suits}: {len(live)} cards remain "
                f"beside the {len(dead)} on the board, no legal hand for two players "
                f"({2 * HAND} cards are needed); add ranks or suits"
            )
        pairs = [(high, low) for low, high in combinations(live, HAND)]
        return tuple(self.label(*pair) for pair in pairs), np.array(pairs, np.int8)

    def strengths(self, board: Sequence[int], cards: NDArray[np.int8]) -> NDArray[np.int32]:
        """Strength of every hand on a five-card board, int32 [n]; larger is better.

        Args:
            board: five cards.
            cards: hands that share no card with the board, int8 [n, 2].
        """
        ids = [RANKS.index(r) * len(SUITS) + SUITS.index(s) for r in self.ranks for s in self.suits]
        table = [ids[c] for c in board]
        rank = [evaluate_7cards(*table, ids[a], ids[b]) for a, b in cards.tolist()]
        return (_WORST + 1 - np.array(rank)).astype(np.int32)
