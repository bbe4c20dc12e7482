"""Chance sampling: terminal values from sampled deals in place of all of them.

A deal is both hands and all public cards. One iteration of Fu et al. (2026) samples about
C(40, 2) * 38 * 37 of them, 0.16% of all, and traverses the whole betting for each. Everything above
the terminals is linear in their values, so an iteration sums up the sampled terminals of a board
and then goes on as if they were exact. The expectation is that of a full traversal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.isomorphism import raw_hands
from cfrlab.games.rounds import RoundGame
from cfrlab.solve.rounds import kernels
from cfrlab.solve.rounds.traversal import Board, Traversal

Reals = NDArray[Any]
Ints = NDArray[np.int64]


def draw(game: RoundGame, count: int, rng: np.random.Generator) -> Ints:
    """Deals with replacement, all equally likely: int64 [count, 4 + public cards].

    The first two cards are player 0's, the next two player 1's, then the public ones in order.
    """
    cards, width = len(game.deck), 4 + game.rounds - 1
    found: list[Ints] = []
    missing = count
    while missing > 0:
        deals = rng.integers(cards, size=(2 * missing + 16, width))
        masks = np.bitwise_or.reduce(np.uint64(1) << deals.astype(np.uint64), axis=1)
        distinct = deals[np.bitwise_count(masks) == width][:missing]
        found.append(distinct)
        missing -= len(distinct)
    return np.concatenate(found)


def classes_of(game: RoundGame, deals: Ints) -> tuple[NDArray[np.int32], ...]:
    """Classes of both players' hands in every round: int32 [deals, 2] each."""
    cards = len(game.deck)
    _, number = raw_hands(cards)
    hands = number[deals[:, [0, 2]], deals[:, [1, 3]]]
    board, out = np.zeros(len(deals), np.int64), []
    for r, classes in enumerate(game.classes):
        if r:
            board = board * cards + deals[:, 3 + r]
        out.append(classes.lookup[board[:, None], hands])
    return tuple(out)


@dataclass(frozen=True, eq=False)
class Sample:
    """Sampled deals, in the order of the boards of every round.

    Attributes:
        walk: the game.
        count: number of deals.
        pairs: for every round int32 [deals, 2], classes counted on their board.
        first: for every round int64 [boards + 1]; where each board's deals begin.
    """

    walk: Traversal
    count: int
    pairs: tuple[NDArray[np.int32], ...]
    first: tuple[Ints, ...]

    @staticmethod
    def of(walk: Traversal, classes: Sequence[NDArray[np.int32]]) -> Sample:
        """Sort deals, given by their classes (``classes_of``), into boards."""
        pairs, first = [], []
        for r, found in enumerate(classes):
            known = walk.game.classes[r]
            board = known.board[found[:, 0]]
            order = np.argsort(board, kind="stable")
            start = known.first[board[order]][:, None]
            pairs.append((found[order] - start).astype(np.int32))
            first.append(np.searchsorted(board[order], np.arange(len(known.boards) + 1)))
        return Sample(walk, len(classes[0]), tuple(pairs), tuple(first))

    def ends(self, board: Board, number: int, reach: Reals, value: Reals) -> None:
        """Estimate the values of a board's terminals (``Traversal.walk``)."""
        r = board.round
        one = self.walk.game.pairs / self.count
        kernels.sampled_terminals(
            self.walk.plans[r],
            self.walk.stakes[r],
            board.cards.strength,
            self.pairs[r][self.first[r][number] : self.first[r][number + 1]],
            (one / board.weight).astype(self.walk.dtype),
            reach,
            value,
        )
