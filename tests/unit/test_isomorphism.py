"""Hand classes against orbits enumerated card by card, and against the published counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, permutations

import numpy as np
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.games.cards import Deck
from cfrlab.games.isomorphism import HandClasses, class_counts, hand_classes
from cfrlab.games.zoo.numeral211 import strength

Hand = frozenset[str]
Board = tuple[str, ...]

DECKS = {
    "3x2": ("234", "cd"),
    "4x2": ("9TJA", "ds"),
    "3x3": ("8TA", "cdh"),
    "3x4": ("234", "cdhs"),
    "4x4": ("79TA", "cdhs"),
}


@dataclass(frozen=True)
class Orbits:
    """All hands on all ordered boards of one round; those that a renaming of suits joins.

    ``of`` names the orbit of each, ``members`` lists them.
    """

    of: dict[tuple[Hand, Board], int]
    members: list[list[tuple[Hand, Board]]]


def renamings(deck: Deck) -> list[dict[str, str]]:
    """Every permutation of suits, as a map of cards."""
    return [
        {r + s: r + t for r in deck.ranks for s, t in zip(deck.suits, image, strict=True)}
        for image in permutations(deck.suits)
    ]


def enumerate_orbits(deck: Deck, cards: int) -> Orbits:
    maps = renamings(deck)
    names = list(maps[0])
    raw = [
        (frozenset(hand), board)
        for board in permutations(names, cards)
        for hand in combinations([c for c in names if c not in board], 2)
    ]
    of: dict[tuple[Hand, Board], int] = {}
    members: list[list[tuple[Hand, Board]]] = []
    for hand, board in raw:
        if (hand, board) not in of:
            orbit = {(frozenset(m[c] for c in hand), tuple(m[c] for c in board)) for m in maps}
            of |= dict.fromkeys(orbit, len(members))
            members.append(list(orbit))
    return Orbits(of, members)


@cache
def small(name: str) -> tuple[Deck, tuple[HandClasses, ...], tuple[Orbits, ...]]:
    deck = Deck(*DECKS[name])
    orbits = tuple(enumerate_orbits(deck, r) for r in range(3))
    return deck, hand_classes(deck, 3, partial(strength, deck)), orbits


@cache
def full() -> tuple[Deck, tuple[HandClasses, ...]]:
    deck = Deck("23456789TA")
    return deck, hand_classes(deck, 3, partial(strength, deck))


def board_number(deck: Deck, board: Board) -> int:
    number = 0
    for card in deck.parse("".join(board)):
        number = number * len(deck) + card
    return number


def hand_number(deck: Deck, hand: Hand) -> int:
    low, high = sorted(deck.parse("".join(hand)))
    return list(combinations(range(len(deck)), 2)).index((low, high))


@cache
def numbered(name: str) -> tuple[dict[tuple[Hand, Board], int], ...]:
    """Class of every raw situation of each round, by ``lookup``."""
    deck, classes, orbits = small(name)
    hands = {hand: hand_number(deck, hand) for hand, _ in orbits[0].of}
    boards = {board: board_number(deck, board) for o in orbits for _, board in o.of}
    return tuple(
        {raw: int(c.lookup[boards[raw[1]], hands[raw[0]]]) for raw in o.of}
        for c, o in zip(classes, orbits, strict=True)
    )


def test_counts_of_the_full_deck() -> None:
    _, classes = full()
    assert [len(c) for c in classes] == [100, 2260, 62020]
    assert [len(c.boards) for c in classes] == [1, 10, 190]
    assert [int(c.copies.sum()) for c in classes] == [1, 40, 1560]
    assert Counter(classes[2].copies.tolist()) == {4: 90, 12: 100}
    hands = [780, 40 * 741, 40 * 39 * 703]
    assert [int((c.copies[c.board] * c.size).sum()) for c in classes] == hands


@pytest.mark.parametrize("name", DECKS)
def test_classes_are_the_orbits(name: str) -> None:
    _, classes, orbits = small(name)
    for c, o, lookup in zip(classes, orbits, numbered(name), strict=True):
        assert len(c) == len(o.members)
        images = [{lookup[raw] for raw in members} for members in o.members]
        assert all(len(image) == 1 for image in images)
        assert set.union(*images) == set(range(len(c)))
        # Whatever is not a hand beside a board is no class.
        assert (c.lookup >= 0).sum() == len(o.of)


@pytest.mark.parametrize("name", DECKS)
def test_boards_and_sizes_by_counting(name: str) -> None:
    deck, classes, orbits = small(name)
    for c, o, lookup in zip(classes, orbits, numbered(name), strict=True):
        raw_boards = {board for _, board in o.of}
        maps = renamings(deck)
        seen: set[Board] = set()
        for b, cards in enumerate(c.boards):
            board = tuple(deck.label(card) for card in cards)
            isomorphic = {tuple(m[card] for card in board) for m in maps}
            assert c.copies[b] == len(isomorphic)
            assert not seen & isomorphic
            seen |= isomorphic
            on_board = [d for (_, other), d in lookup.items() if other == board]
            first, last = int(c.first[b]), int(c.first[b + 1])
            assert Counter(on_board) == dict(enumerate(c.size[first:last].tolist(), first))
        assert seen == raw_boards


@pytest.mark.parametrize("name", DECKS)
def test_representatives_find_their_class(name: str) -> None:
    deck, classes, _ = small(name)
    for c, lookup in zip(classes, numbered(name), strict=True):
        assert (c.hands[:, 0] < c.hands[:, 1]).all()
        for d, (hand, b) in enumerate(zip(c.hands, c.board, strict=True)):
            board = tuple(deck.label(card) for card in c.boards[b])
            assert lookup[frozenset(deck.label(card) for card in hand), board] == d


@pytest.mark.parametrize("name", DECKS)
def test_parents_forget_the_last_card(name: str) -> None:
    _, classes, _ = small(name)
    numbers = numbered(name)
    assert (classes[0].parent == -1).all()
    assert (classes[0].parent_board == -1).all()
    for r in (1, 2):
        now, before = classes[r], classes[r - 1]
        for (hand, board), d in numbers[r].items():
            assert now.parent[d] == numbers[r - 1][hand, board[:-1]]
        np.testing.assert_array_equal(before.board[now.parent], now.parent_board[now.board])
        np.testing.assert_array_equal(
            now.boards[:, :-1], before.boards[now.parent_board], "a parent is a representative"
        )


@pytest.mark.parametrize("name", DECKS)
def test_next_cards_of_every_raw_hand(name: str) -> None:
    """From each raw hand of a class, equally many next cards lead to each of its children."""
    _, classes, _ = small(name)
    numbers = numbered(name)
    for r in (1, 2):
        now, before = classes[r], classes[r - 1]
        weight = now.copies[now.board] * now.size
        ways = weight / (before.copies[before.board] * before.size)[now.parent]
        counted: dict[tuple[Hand, Board], Counter[int]] = defaultdict(Counter)
        for (hand, board), d in numbers[r].items():
            counted[hand, board[:-1]][d] += 1
        for raw, dealt in counted.items():
            children = np.flatnonzero(now.parent == numbers[r - 1][raw])
            assert dealt == {int(d): ways[d] for d in children}


@pytest.mark.parametrize("name", DECKS)
def test_card_orbits_and_shares_by_counting(name: str) -> None:
    deck, classes, _ = small(name)
    for c, lookup in zip(classes, numbered(name), strict=True):
        for b, cards in enumerate(c.boards):
            board = tuple(deck.label(card) for card in cards)
            fixing = [m for m in renamings(deck) if all(m[card] == card for card in board)]
            left = [card for card in fixing[0] if card not in board]
            orbit_of = {card: frozenset(m[card] for m in fixing) for card in left}
            assert c.orbits[b] == len(set(orbit_of.values()))
            held = Counter((d, x) for (h, t), d in lookup.items() if t == board for x in h)
            ids: dict[int, frozenset[str]] = {}
            for d in range(int(c.first[b]), int(c.first[b + 1])):
                expected: dict[str, float] = defaultdict(float)
                for card, orbit, share in zip(c.hands[d], c.orbit[d], c.share[d], strict=True):
                    mine = orbit_of[deck.label(card)]
                    assert ids.setdefault(int(orbit), mine) == mine
                    for other in mine:
                        expected[other] += share
                assert {x: held[d, x] for x in left if held[d, x]} == pytest.approx(expected)
            assert sorted(ids) == list(range(int(c.orbits[b])))
            assert len(set(ids.values())) == len(ids)


@pytest.mark.parametrize("name", DECKS)
def test_classes_ascend_by_strength_and_hand(name: str) -> None:
    deck, classes, _ = small(name)
    assert not classes[0].strength.any()
    assert not classes[1].strength.any()
    for c in classes:
        for b, board in enumerate(c.boards):
            here = slice(int(c.first[b]), int(c.first[b + 1]))
            keys = list(zip(c.strength[here], c.hands[here].tolist(), strict=True))
            assert keys == sorted(keys)
            if c is classes[2]:
                np.testing.assert_array_equal(
                    c.strength[here], strength(deck, c.hands[here], board)
                )


def test_renaming_suits_changes_no_class_of_the_full_deck() -> None:
    deck, classes = full()
    n = len(deck)
    pairs = list(combinations(range(n), 2))
    number = {pair: i for i, pair in enumerate(pairs)}
    for renaming in renamings(deck):
        image = [deck.parse(renaming[deck.label(c)])[0] for c in range(n)]
        hands = [number[min(image[a], image[b]), max(image[a], image[b])] for a, b in pairs]
        flop = np.array(image)
        boards = (np.zeros(1, np.intp), flop, (flop[:, None] * n + flop).ravel())
        for c, board in zip(classes, boards, strict=True):
            np.testing.assert_array_equal(c.lookup[board][:, hands], c.lookup)


def test_full_deck_finds_its_representatives() -> None:
    deck, classes = full()
    pairs = list(combinations(range(len(deck)), 2))
    number = {pair: i for i, pair in enumerate(pairs)}
    for r, c in enumerate(classes):
        raw_board = c.boards @ len(deck) ** np.arange(r)[::-1]
        raw_hand = [number[a, b] for a, b in c.hands.tolist()]
        np.testing.assert_array_equal(c.lookup[raw_board[c.board], raw_hand], np.arange(len(c)))


def test_one_suit_has_no_symmetry() -> None:
    deck = Deck("23456789T", "c")
    classes = hand_classes(deck, 3, partial(strength, deck))
    assert [len(c) for c in classes] == [36, 9 * 28, 9 * 8 * 21]
    assert all((c.size == 1).all() and (c.copies == 1).all() for c in classes)


def test_rounds_are_as_many_as_asked() -> None:
    deck = Deck("234", "cd")
    [only] = hand_classes(deck, 1, lambda hands, board: hands.sum(1))
    assert (only.boards.shape, only.lookup.shape) == ((1, 0), (1, 15))
    # A pair of each rank; two ranks suited or not.
    assert len(only) == 3 + 2 * 3
    assert (np.diff(only.strength) >= 0).all()
    assert only.strength.any()


def test_a_deck_too_small_gives_one_line() -> None:
    deck = Deck("234", "cd")
    with pytest.raises(CfrlabError, match=r"6 cards are too few .*\(7 are needed\)") as error:
        hand_classes(deck, 4, lambda hands, board: hands.sum(1))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("ranks", "suits"), [(3, 2), (4, 2), (3, 3), (4, 3), (2, 4)])
def test_class_counts_are_those_of_an_enumeration(ranks: int, suits: int) -> None:
    """Orbits of (hand, ordered board) under all renamings of suits, counted one by one."""
    cards = [(r, s) for r in range(ranks) for s in range(suits)]
    renamings = list(permutations(range(suits)))
    for dealt, found in enumerate(class_counts(ranks, suits, 3)):
        orbits = set()
        for board in permutations(cards, dealt):
            for hand in combinations([card for card in cards if card not in board], 2):
                images = []
                for to in renamings:
                    new = [(r, to[s]) for r, s in (*hand, *board)]
                    images.append((*sorted(new[:2]), *new[2:]))
                orbits.add(min(images))
        assert found == len(orbits)
