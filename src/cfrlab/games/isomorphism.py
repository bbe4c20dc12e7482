"""Classes of hands that differ by a renaming of suits only: lossless abstraction, round by round.

Two cards are dealt to each player and public cards come one at a time, one before each betting
round but the first. Players remember the order of the public cards, so a raw situation of a player
is a hand and an *ordered* board. Suits are alike: a permutation of them maps situations to
situations of equal value, and its orbits are the classes (Gilpin and Sandholm, *Lossless
abstraction of imperfect information games*, JACM 2007).

Boards fall into orbits too. One representative of each is kept, and every class lives on exactly
one of them: there its members are the orbit of a hand under the suit permutations that leave each
card of the board in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import comb, perm

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.cards import HAND, Deck

Ints = NDArray[np.int32]

Strength = Callable[[Ints, Ints], NDArray[np.integer]]
"""``strength(hands [k, 2], board [j])``: showdown strength, int [k]; larger wins, equal ties."""


@dataclass(frozen=True, eq=False)
class HandClasses:
    """Classes of hands in one betting round (round 0 before the first public card).

    The classes of a board are contiguous, and sorted by strength and then by representative hand.
    A raw board is written as the number whose digits to base ``len(deck)`` are its cards in order
    of dealing; raw hands are numbered as ``itertools.combinations(range(len(deck)), 2)``.

    Attributes (B representative boards, n classes):
        boards: int32 [B, round]; cards of the representative boards in order of dealing.
        copies: int64 [B]; raw boards that are isomorphic to each.
        parent_board: int32 [B]; board of the round before, -1 in round 0.
        first: int64 [B + 1]; the classes of board b are ``first[b]`` to ``first[b + 1] - 1``.
        hands: int32 [n, 2]; a hand of the class on the representative board, low card first.
        size: int64 [n]; raw hands of the class on one raw board.
        orbit: int32 [n, 2]; for both cards of ``hands``, which set of cards the symmetries of the
            board map it to; numbered from 0 on every board.
        share: float64 [n, 2]; ``size`` over the size of that orbit: the raw hands of the class
            that hold one given card of the orbit. Where both cards lie in one orbit, the two
            shares add up to that number.
        orbits: int32 [B]; orbits of the cards that are not on the board.
        parent: int32 [n]; class of the round before, -1 in round 0.
        strength: int32 [n]; showdown strength in the last round, larger wins; 0 before.
        lookup: int32 [raw boards, raw hands]; class of every hand on every board, -1 where they
            share a card and on boards that name a card twice.
    """

    boards: Ints
    copies: NDArray[np.int64]
    parent_board: Ints
    first: NDArray[np.int64]
    hands: Ints
    size: NDArray[np.int64]
    orbit: Ints
    share: NDArray[np.float64]
    orbits: Ints
    parent: Ints
    strength: Ints
    lookup: Ints

    def __len__(self) -> int:
        return len(self.size)

    @cached_property
    def board(self) -> Ints:
        """Representative board of every class, int32 [n]."""
        return np.repeat(np.arange(len(self.copies), dtype=np.int32), np.diff(self.first))


def raw_hands(cards: int) -> tuple[Ints, Ints]:
    """Raw hands of a deck of so many cards, and their numbers.

    Returns the hands, int32 [hands, 2], low card first; and the number of the hand of two cards,
    int32 [cards, cards], in either order.
    """
    pairs = np.array(list(combinations(range(cards), HAND)), np.int32)
    number = np.full((cards, cards), -1, np.int32)
    number[pairs[:, 0], pairs[:, 1]] = number[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
    return pairs, number


@dataclass(frozen=True, eq=False)
class _Symmetry:
    """All permutations of the suits of a deck.

    Attributes (G permutations, the identity first):
        cards: int32 [G, deck]; image of every card.
        pairs: int32 [raw hands, 2]; all hands, low card first.
        hands: int32 [G, raw hands]; image of every hand.
    """

    cards: Ints
    pairs: Ints
    hands: Ints

    @staticmethod
    def of(deck: Deck) -> _Symmetry:
        n, suits = len(deck), len(deck.suits)
        rank, suit = np.divmod(np.arange(n), suits)
        cards = (rank * suits + np.array(list(permutations(range(suits))))[:, suit]).astype(
            np.int32
        )
        pairs, number = raw_hands(n)
        return _Symmetry(cards, pairs, number[cards[:, pairs[:, 0]], cards[:, pairs[:, 1]]])

    def fixing(self, board: Ints) -> NDArray[np.bool_]:
        """Which permutations leave every card of a board in place, bool [G]."""
        return np.asarray((self.cards[:, board] == board).all(1))

    def numbers(self, board: Ints) -> NDArray[np.int64]:
        """The raw board that each permutation makes of a board, int64 [G]."""
        number = np.zeros(len(self.cards), np.int64)
        for card in board:
            number = number * self.cards.shape[1] + self.cards[:, card]
        return number


@dataclass(frozen=True, eq=False)
class _Board:
    """Classes on one representative board; the arrays are those of ``HandClasses``.

    ``numbers`` is int32 [n], the representative hands as raw hands; ``labels`` is int32 [raw
    hands], the class of every raw hand on this board, counted from 0, or -1.
    """

    numbers: Ints
    size: NDArray[np.int64]
    orbit: Ints
    share: NDArray[np.float64]
    orbits: int
    strength: Ints
    labels: Ints


def check_deck(deck: Deck, rounds: int) -> None:
    """Raise CfrlabError unless the deck has the cards for two hands and ``rounds - 1`` more."""
    needed = 2 * HAND + rounds - 1
    if len(deck) < needed:
        raise CfrlabError(
            f"deck of ranks {deck.ranks} and suits {deck.suits}: {len(deck)} cards are too few for "
            f"two hands and {rounds - 1} public cards ({needed} are needed); add ranks or suits"
        )


def hand_classes(deck: Deck, rounds: int, strength: Strength) -> tuple[HandClasses, ...]:
    """The classes of every betting round.

    Args:
        deck: the deck.
        rounds: number of betting rounds, at least 1; one more than public cards.
        strength: of hands on a board of ``rounds - 1`` cards; must not change with the names of
            suits.

    Raises CfrlabError when the deck has too few cards for two hands and the board.
    """
    check_deck(deck, rounds)
    public = rounds - 1
    symmetry = _Symmetry.of(deck)
    boards, copies, parent = np.empty((1, 0), np.int32), np.ones(1, np.int64), np.full(1, -1)
    out: list[HandClasses] = []
    for r in range(rounds):
        if r > 0:
            boards, copies, parent = _deal(symmetry, boards, copies)
        rule = strength if r == public else _equal
        before = out[-1] if out else None
        out.append(_round(symmetry, boards, copies, parent.astype(np.int32), rule, before))
    return tuple(out)


def class_counts(ranks: int, suits: int, rounds: int) -> list[int]:
    """Number of classes of (hand, ordered board) up to suits, for every round, without any made.

    By Burnside's lemma: the mean, over permutations of suits, of the situations that they leave as
    they are. The board's cards have fixed suits then; the two cards of a hand too, or they are of
    one rank and change places.
    """
    counts = []
    group = list(permutations(range(suits)))
    for dealt in range(rounds):
        fixed = 0
        for image in group:
            still = ranks * sum(image[s] == s for s in range(suits))
            swapped = sum(image[image[s]] == s and image[s] > s for s in range(suits))
            hands = comb(max(still - dealt, 0), HAND) + ranks * swapped
            fixed += perm(still, dealt) * hands
        counts.append(fixed // len(group))
    return counts


def _equal(hands: Ints, board: Ints) -> Ints:
    """Strength before the last round."""
    del board
    return np.zeros(len(hands), np.int32)


def _deal(
    symmetry: _Symmetry, boards: Ints, copies: NDArray[np.int64]
) -> tuple[Ints, NDArray[np.int64], NDArray[np.int64]]:
    """Representatives with one more card, their numbers of copies, and where they come from."""
    longer, count, parent = [], [], []
    for b, board in enumerate(boards):
        least = symmetry.cards[symmetry.fixing(board)].min(0)
        cards, ways = np.unique(least, return_counts=True)
        for card, k in zip(cards, ways, strict=True):
            if card not in board:
                longer.append([*board, card])
                count.append(copies[b] * k)
                parent.append(b)
    return np.array(longer, np.int32), np.array(count, np.int64), np.array(parent)


def _round(
    symmetry: _Symmetry,
    boards: Ints,
    copies: NDArray[np.int64],
    parent_board: Ints,
    strength: Strength,
    before: HandClasses | None,
) -> HandClasses:
    """Classes of one round, from its representative boards and the classes of the round before."""
    parts = [_classify(symmetry, board, strength) for board in boards]
    first = np.cumsum([0] + [len(part.size) for part in parts])
    lookup = np.full((len(symmetry.cards[0]) ** boards.shape[1], len(symmetry.pairs)), -1, np.int32)
    parent = []
    for b, part in enumerate(parts):
        labels = np.where(part.labels >= 0, part.labels + first[b], -1)
        raw, by = np.unique(symmetry.numbers(boards[b]), return_index=True)
        for number, g in zip(raw, by, strict=True):
            lookup[number, symmetry.hands[g]] = labels
        if before is None:
            parent.append(np.full(len(part.size), -1))
        else:
            shorter = symmetry.numbers(boards[b, :-1])[0]  # that of the identity
            parent.append(before.lookup[shorter, part.numbers])
    return HandClasses(
        boards=boards,
        copies=copies,
        parent_board=parent_board,
        first=first.astype(np.int64),
        hands=symmetry.pairs[np.concatenate([part.numbers for part in parts])],
        size=np.concatenate([part.size for part in parts]),
        orbit=np.concatenate([part.orbit for part in parts]),
        share=np.concatenate([part.share for part in parts]),
        orbits=np.array([part.orbits for part in parts], np.int32),
        parent=np.concatenate(parent).astype(np.int32),
        strength=np.concatenate([part.strength for part in parts]),
        lookup=lookup,
    )


def _classify(symmetry: _Symmetry, board: Ints, strength: Strength) -> _Board:
    """Orbits of hands and of cards under the permutations that leave a board in place."""
    fixing = symmetry.fixing(board)
    live = ~np.isin(symmetry.pairs, board).any(1)
    least = symmetry.hands[fixing].min(0)
    numbers, size = np.unique(least[live], return_counts=True)
    rank = strength(symmetry.pairs[numbers], board).astype(np.int32)
    order = np.argsort(rank, kind="stable")  # ties stay in order of their hands
    numbers, size, rank = numbers[order], size[order].astype(np.int64), rank[order]
    place = np.full(len(symmetry.pairs), -1, np.int32)
    place[numbers] = np.arange(len(numbers))

    left = np.setdiff1d(np.arange(symmetry.cards.shape[1]), board)
    _, number, count = np.unique(
        symmetry.cards[fixing].min(0)[left], return_inverse=True, return_counts=True
    )
    orbit_of = np.full(symmetry.cards.shape[1], -1, np.int32)
    orbit_of[left] = number
    orbit = orbit_of[symmetry.pairs[numbers]]
    return _Board(
        numbers=numbers,
        size=size,
        orbit=orbit,
        share=size[:, None] / count[orbit],
        orbits=len(count),
        strength=rank,
        labels=np.where(live, place[least], -1).astype(np.int32),
    )
