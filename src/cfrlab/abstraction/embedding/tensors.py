"""Hands as a network sees them: one plane of suits and ranks for every round.

The input is the canonical representative of a class. A network does not know that suits are alike,
so isomorphic hands would get different coordinates otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.cards import Deck
from cfrlab.games.isomorphism import HandClasses


def hand_tensor(deck: Deck, classes: HandClasses) -> NDArray[np.uint8]:
    """Representative hand and board of every class, uint8 [n, suits, ranks, planes].

    Entry (suit, rank, plane) is 1 for the hole cards in plane 0 and for the public card before
    round k in plane k; round r has r + 1 planes.
    """
    n, planes = len(classes), classes.boards.shape[1] + 1
    cards = np.concatenate([classes.hands, classes.boards[classes.board]], axis=1)
    plane = [0, *range(planes)]  # two hole cards, then one card each
    rank, suit = np.divmod(cards, len(deck.suits))
    out = np.zeros((n, len(deck.suits), len(deck.ranks), planes), np.uint8)
    out[np.arange(n)[:, None], suit, rank, plane] = 1
    return out
