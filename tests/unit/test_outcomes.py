"""Outcomes at showdown against plain enumeration of deals, and the published numbers of classes."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.abstraction import outcomes
from cfrlab.errors import CfrlabError
from cfrlab.games.cards import Deck
from cfrlab.games.isomorphism import HandClasses, hand_classes
from cfrlab.games.zoo import numeral211

Cards = tuple[int, ...]
Classes = tuple[HandClasses, ...]

# What makes a hand, best first: (category, all of one suit, pattern of ranks).
CATEGORIES = ["straight flush", "three of a kind", "straight", "flush", "pair", "high card"]


def category(ranks: list[int], suits: list[int]) -> str:
    run = max(ranks) - min(ranks) == 2 and len(set(ranks)) == 3
    if len(set(suits)) == 1 and run:
        return "straight flush"
    if len(set(ranks)) == 1:
        return "three of a kind"
    if run:
        return "straight"
    if len(set(suits)) == 1:
        return "flush"
    return "pair" if len(set(ranks)) == 2 else "high card"


def best_three(deck: Deck, cards: Cards) -> tuple[int, list[tuple[int, int]]]:
    """Value of the best three cards under the rules of Numeral211; larger is better."""

    def value(three: Cards) -> tuple[int, list[tuple[int, int]]]:
        ranks, suits = zip(*(divmod(c, len(deck.suits)) for c in three), strict=True)
        repeated = sorted(((n, r) for r, n in Counter(ranks).items()), reverse=True)
        return -CATEGORIES.index(category(list(ranks), list(suits))), repeated

    return max(value(three) for three in combinations(cards, 3))


def small(ranks: str, suits: str) -> tuple[Deck, Classes]:
    game = numeral211.rounds(numeral211.Params(ranks=ranks, suits=suits))
    return game.deck, game.classes


@pytest.fixture(scope="module")
def full() -> tuple[Deck, Classes]:
    return small("23456789TA", "cdhs")


DECKS = [("234", "cd"), ("2345", "cdh"), ("234", "cdhs"), ("59A", "ch")]


def situations(deck: Deck, dealt: int) -> Iterator[tuple[Cards, Cards]]:
    """All hands and ordered boards of so many cards."""
    for hand in combinations(range(len(deck)), 2):
        yield from (
            (hand, board)
            for board in permutations([c for c in range(len(deck)) if c not in hand], dealt)
        )


def class_of(classes: HandClasses, deck: Deck, hand: Cards, board: Cards) -> int:
    raw = 0
    for card in board:
        raw = raw * len(deck) + card
    number = list(combinations(range(len(deck)), 2)).index((hand[0], hand[1]))
    return int(classes.lookup[raw][number])


def enumerate_showdowns(deck: Deck, hand: Cards, board: Cards, public: int) -> list[int]:
    """(lose, tie, win) over all ways to deal the missing public cards and an opponent hand."""
    seen = [0, 0, 0]
    left = [c for c in range(len(deck)) if c not in hand + board]
    for more in permutations(left, public - len(board)):
        mine = best_three(deck, hand + board + more)
        for other in combinations([c for c in left if c not in more], 2):
            theirs = best_three(deck, other + board + more)
            seen[1 + (mine > theirs) - (mine < theirs)] += 1
    return seen


@pytest.mark.parametrize(("ranks", "suits"), DECKS)
def test_triples_of_small_decks_count_every_deal(ranks: str, suits: str) -> None:
    deck, classes = small(ranks, suits)
    got = outcomes.triples(classes)
    for r, triple in enumerate(got):
        assert triple.dtype == np.int64
        assert triple.shape == (len(classes[r]), 3)
        for d in range(len(triple)):
            hand = tuple(classes[r].hands[d].tolist())
            board = tuple(classes[r].boards[classes[r].board[d]].tolist())
            assert triple[d].tolist() == enumerate_showdowns(deck, hand, board, 2)


def three_card_values(deck: Deck) -> NDArray[np.int64]:
    """Order of all sets of three cards by ``best_three``, int64 [cards, cards, cards]."""
    sets = list(combinations(range(len(deck)), 3))
    values = [best_three(deck, three) for three in sets]
    order = sorted(values)
    table = np.zeros((len(deck),) * 3, np.int64)
    for three, value in zip(sets, values, strict=True):
        table[tuple(zip(*permutations(three), strict=True))] = bisect_left(order, value)
    return table


def count_showdowns(
    table: NDArray[np.int64], hand: Cards, board: Cards, public: int
) -> NDArray[np.int64]:
    """As ``enumerate_showdowns``, with all opponent hands at once."""
    seen = np.zeros(3, np.int64)
    left = [c for c in range(len(table)) if c not in hand + board]
    for more in permutations(left, public - len(board)):
        x, y = board + more
        # Our hand first, then those of the opponent.
        hands = [hand, *combinations([c for c in left if c not in more], 2)]
        a, b = np.array(hands).T
        best = np.stack([table[a, b, x], table[a, b, y], table[a, x, y], table[b, x, y]]).max(0)
        seen += np.bincount(1 + np.sign(best[0] - best[1:]), minlength=3)
    return seen


def test_triples_of_forty_cards_count_every_deal(full: tuple[Deck, Classes]) -> None:
    """Hands and boards are drawn raw, so this is also a test of their classes."""
    deck, classes = full
    got, table = outcomes.triples(classes), three_card_values(deck)
    rng = np.random.default_rng(0)
    for r, many in ((2, 200), (1, 8), (0, 1)):
        for _ in range(many):
            cards = rng.permutation(len(deck))[: 2 + r].tolist()
            hand, board = tuple(sorted(cards[:2])), tuple(cards[2:])
            triple = got[r][class_of(classes[r], deck, hand, board)]
            np.testing.assert_array_equal(triple, count_showdowns(table, hand, board, 2))


def test_totals_count_opponents_and_future_cards(full: tuple[Deck, Classes]) -> None:
    totals = [np.unique(t.sum(1)).tolist() for t in outcomes.triples(full[1])]
    assert totals == [[630 * 37 * 38], [630 * 37], [630]]


def test_well_known_hands(full: tuple[Deck, Classes]) -> None:
    """Two aces are best before the flop; the highest straight flush beats everything."""
    deck, classes = full
    before, _, last = outcomes.triples(classes)
    strength = outcomes.strength(before)
    assert int(strength.argmax()) == class_of(classes[0], deck, deck.parse("AcAd"), ())
    royal = class_of(classes[2], deck, deck.parse("TsAs"), deck.parse("9s2d"))
    assert last[royal].tolist() == [0, 0, 630]
    # Nothing on nothing: of the nine other hands of a two and a three, two make a flush.
    nothing = class_of(classes[2], deck, deck.parse("2c3d"), deck.parse("7hTs"))
    lose, tie, win = last[nothing]
    assert (lose, tie, win) == (623, 7, 0)
    assert outcomes.strength(last)[nothing] == pytest.approx(3.5 / 630)


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_any_number_of_rounds(rounds: int) -> None:
    """A made-up showdown: the sum of squared ranks modulo seven, on eight cards."""
    deck = Deck("2345", "cd")

    def rule(hands: NDArray[np.int32], board: NDArray[np.int32]) -> NDArray[np.int32]:
        squares = (np.arange(8) // 2 + 1) ** 2
        return np.asarray((squares[hands].sum(1) + squares[board].sum()) % 7, np.int32)

    classes = hand_classes(deck, rounds, rule)
    for r, triple in enumerate(outcomes.triples(classes)):
        for d in range(len(triple)):
            hand = tuple(classes[r].hands[d].tolist())
            board = tuple(classes[r].boards[classes[r].board[d]].tolist())
            seen = [0, 0, 0]
            left = [c for c in range(8) if c not in hand + board]
            for more in permutations(left, rounds - 1 - r):
                table = np.array(board + more, np.int32)
                for other in combinations([c for c in left if c not in more], 2):
                    mine, theirs = rule(np.array([hand, other]), table).tolist()
                    seen[1 + (mine > theirs) - (mine < theirs)] += 1
            assert triple[d].tolist() == seen


# ---------------------------------------------------------------- classes


def test_published_numbers_of_classes(full: tuple[Deck, Classes]) -> None:
    """Fu et al. (AAAI 2026), tables of Numeral211's lossless, outcome and winrate classes."""
    got = {(c.partition, c.recall, c.round): c.classes for c in outcomes.counts(full[1])}
    assert got == {
        ("lossless", None, 0): 100,
        ("lossless", None, 1): 2260,
        ("lossless", None, 2): 62020,
        ("outcome", 0, 0): 100,
        ("outcome", 0, 1): 2250,
        ("outcome", 0, 2): 3957,
        ("outcome", 1, 1): 2260,
        ("outcome", 1, 2): 51176,
        ("outcome", 2, 2): 51228,
        ("winrate", 0, 0): 100,
        ("winrate", 0, 1): 2234,
        ("winrate", 0, 2): 3957,
        ("winrate", 1, 1): 2248,
        ("winrate", 1, 2): 51000,
        ("winrate", 2, 2): 51070,
    }


def potentials(deck: Deck) -> dict[tuple[Cards, Cards], Hashable]:
    """The outcome of every raw situation, from the last round to the first."""
    known: dict[tuple[Cards, Cards], Hashable] = {}
    for hand, board in situations(deck, 2):
        known[hand, board] = tuple(enumerate_showdowns(deck, hand, board, 2))
    for dealt in (1, 0):
        for hand, board in situations(deck, dealt):
            left = [c for c in range(len(deck)) if c not in hand + board]
            known[hand, board] = frozenset(Counter(known[hand, (*board, c)] for c in left).items())
    return known


@pytest.mark.parametrize(("ranks", "suits"), DECKS[:1] + DECKS[2:])
@pytest.mark.parametrize("partition", ["outcome", "winrate"])
def test_classes_of_small_decks_by_recursion(ranks: str, suits: str, partition: str) -> None:
    """Every recall: raw situations have one class if and only if they have one history."""
    deck, classes = small(ranks, suits)
    triple = outcomes.triples(classes)
    if partition == "outcome":
        made, known = outcomes.outcome_classes(classes, triple), potentials(deck)
    else:
        made = outcomes.winrate_classes(triple)
        known = {
            (hand, board): tuple(triple[r][class_of(classes[r], deck, hand, board)].tolist())
            for r in range(3)
            for hand, board in situations(deck, r)
        }
    for r in range(3):
        for k in range(r + 1):
            label = outcomes.with_recall(made, classes, r, k)
            assert sorted(np.unique(label)) == list(range(label.max() + 1))
            pairs = {
                (
                    int(label[class_of(classes[r], deck, hand, board)]),
                    tuple(known[hand, board[: r - back]] for back in range(k + 1)),
                )
                for hand, board in situations(deck, r)
            }
            assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_next_cards_lead_from_raw_hands(full: tuple[Deck, Classes]) -> None:
    deck, classes = full
    for r in (1, 2):
        cards = outcomes.next_cards(classes, r)
        assert cards.dtype == np.int64
        np.testing.assert_array_equal(cards.sum(1), len(deck) - 2 - (r - 1))
        rng = np.random.default_rng(r)
        for _ in range(20):
            drawn = rng.permutation(len(deck))[: 1 + r].tolist()
            hand, board = tuple(sorted(drawn[:2])), tuple(drawn[2:])
            after = Counter(
                class_of(classes[r], deck, hand, (*board, c))
                for c in range(len(deck))
                if c not in drawn
            )
            row = cards[[class_of(classes[r - 1], deck, hand, board)]].tocoo()
            assert dict(zip(row.col.tolist(), row.data.tolist(), strict=True)) == after


def test_ancestors_forget_the_last_cards(full: tuple[Deck, Classes]) -> None:
    deck, classes = full
    hand, board = deck.parse("3c7h"), deck.parse("9sTd")
    d = class_of(classes[2], deck, hand, board)
    for back in range(3):
        expected = class_of(classes[2 - back], deck, hand, board[: 2 - back])
        assert outcomes.ancestors(classes, 2, back)[d] == expected


@pytest.mark.parametrize("recall", [-1, 2])
def test_recall_out_of_range_is_one_line(recall: int) -> None:
    _, classes = small("234", "cd")
    ids = outcomes.winrate_classes(outcomes.triples(classes))
    with pytest.raises(CfrlabError, match=f"recall {recall} in round 1: choose from 0 to 1"):
        outcomes.with_recall(ids, classes, 1, recall)
