"""Cards and hand strength; eval7 is the authority for the order of hands."""

from __future__ import annotations

from math import comb

import eval7
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfrlab.errors import CfrlabError
from cfrlab.games.cards import RANKS, SUITS, Deck

FULL = Deck()


def eval7_strengths(deck: Deck, board: tuple[int, ...], labels: tuple[str, ...]) -> list[int]:
    table = [eval7.Card(deck.label(c)) for c in board]
    return [
        eval7.evaluate([*table, eval7.Card(label[:2]), eval7.Card(label[2:])]) for label in labels
    ]


@pytest.mark.parametrize("seed", range(6))
def test_order_of_all_hands_equals_eval7(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = tuple(rng.choice(52, 5, replace=False).tolist())
    labels, cards = FULL.hands(board)
    ours = FULL.strengths(board, cards)
    assert ours.dtype == np.int32
    theirs = np.array(eval7_strengths(FULL, board, labels))
    # Same order and same ties: equal positions among the distinct strengths.
    np.testing.assert_array_equal(
        np.unique(ours, return_inverse=True)[1], np.unique(theirs, return_inverse=True)[1]
    )


@pytest.mark.parametrize(
    ("ranks", "suits"), [("TJQKA", "cd"), ("6789TJQKA", "cdhs"), ("23456A", "ds")]
)
def test_short_decks_use_the_same_ranking(ranks: str, suits: str) -> None:
    deck = Deck(ranks, suits)
    board = tuple(np.random.default_rng(3).choice(len(deck), 5, replace=False).tolist())
    labels, cards = deck.hands(board)
    ours, theirs = deck.strengths(board, cards), eval7_strengths(deck, board, labels)
    np.testing.assert_array_equal(
        np.unique(ours, return_inverse=True)[1], np.unique(theirs, return_inverse=True)[1]
    )


def test_hands_of_the_river_and_of_two_boards() -> None:
    board = FULL.parse("Ts3h2h5c9s")
    labels, cards = FULL.hands(board)
    assert len(labels) == len(set(labels)) == len(cards) == comb(47, 2) == 1081
    assert cards.dtype == np.int8
    assert not set(cards.ravel().tolist()) & set(board)
    assert len(FULL.hands(board + FULL.parse("AsAdAcAh8h"))[0]) == comb(42, 2) == 861


def test_labels_name_the_higher_card_first_and_agree_with_the_cards() -> None:
    labels, cards = FULL.hands()
    assert "AsKd" in labels
    assert "KdAs" not in labels
    for label, pair in zip(labels, cards.tolist(), strict=True):
        assert FULL.parse(label) == tuple(pair)
        assert RANKS.index(label[0]) >= RANKS.index(label[2])


@given(
    st.lists(st.sampled_from([r + s for r in RANKS for s in SUITS]), min_size=1, unique=True),
    st.booleans(),
)
def test_parse_is_the_inverse_of_label(names: list[str], spaced: bool) -> None:
    cards = FULL.parse((" " if spaced else "").join(names))
    assert FULL.label(*cards) == "".join(names)
    assert len(set(cards)) == len(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ts3h2h5cTs", "Ts is dealt twice"),
        ("Ts3h2h5c1s", "'1s' is not in the deck"),
        ("Ts3h2h5c9x", "'9x' is not in the deck"),
        ("Ts3h2h5c9", "'9' is not in the deck"),
        ("Ts3h2h5c", "4 cards where 5 are needed"),
        ("", "0 cards where 5 are needed"),
    ],
)
def test_bad_boards_name_the_mistake_in_one_line(text: str, message: str) -> None:
    with pytest.raises(CfrlabError, match=message) as error:
        FULL.parse(text, 5)
    assert "\n" not in str(error.value)


def test_a_card_of_another_deck_is_refused() -> None:
    with pytest.raises(CfrlabError, match="'2c' is not in the deck of ranks TJQKA and suits cd"):
        Deck("TJQKA", "cd").parse("Tc2c")


@pytest.mark.parametrize(("ranks", "suits"), [("", "cdhs"), ("AK", "c"), ("22", "c"), ("1", "c")])
def test_impossible_decks_are_refused(ranks: str, suits: str) -> None:
    with pytest.raises(CfrlabError, match="ranks"):
        Deck(ranks, suits)
    with pytest.raises(CfrlabError, match="suits"):
        Deck("A", "x")


def test_no_legal_hand_left() -> None:
    deck = Deck("TJQKA", "cd")
    with pytest.raises(CfrlabError, match="no legal hand"):
        deck.hands(range(7))
    assert len(deck.hands(range(6))[0]) == 6
