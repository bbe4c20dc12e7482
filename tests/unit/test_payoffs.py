"""O(n) values against dense matrices, and dense matrices against the rules."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfrlab.errors import CfrlabError
from cfrlab.games.cards import Deck
from cfrlab.games.payoffs import (
    CardFold,
    CardShowdown,
    Dense,
    Mixture,
    Payoff,
    atoms,
    from_arrays,
    to_arrays,
)


@st.composite
def operators(draw: st.DrawFn) -> tuple[CardFold, CardShowdown, CardShowdown]:
    """Some of the hands of a small deck, in any order, with many ties."""
    deck = draw(st.integers(2, 9))
    pairs = list(combinations(range(deck), 2))
    hands = draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    cards = np.array(hands, np.int8)
    levels = st.lists(st.integers(-2, 3), min_size=len(hands), max_size=len(hands))
    first, second = (np.array(draw(levels), np.int32) for _ in range(2))
    return CardFold(cards), CardShowdown(cards, first), CardShowdown(cards, second)


def check(op: Payoff, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for player in (0, 1):
        n = op.shape[1 - player]
        reach = rng.random(n) * (rng.random(n) < 0.7)
        expected = op.dense() @ reach if player == 0 else -(op.dense().T @ reach)
        np.testing.assert_allclose(op.values(reach, player), expected, atol=1e-12)


@given(operators(), st.integers(0, 2**32 - 1))
def test_linear_time_equals_dense(
    ops: tuple[CardFold, CardShowdown, CardShowdown], seed: int
) -> None:
    fold, first, second = ops
    for op in (fold, first, Mixture(((0.5, first), (0.5, second))), Mixture(((2.0, fold),))):
        check(op, seed)


@given(operators())
def test_dense_follows_the_rules(ops: tuple[CardFold, CardShowdown, CardShowdown]) -> None:
    fold, show, _ = ops
    for i, a in enumerate(fold.cards.tolist()):
        for j, b in enumerate(fold.cards.tolist()):
            free = not set(a) & set(b)
            assert fold.dense()[i, j] == free
            beats = int(show.strength[i] > show.strength[j]) - int(
                show.strength[i] < show.strength[j]
            )
            assert show.dense()[i, j] == free * beats


@pytest.mark.parametrize("seed", range(3))
def test_full_boards(seed: int) -> None:
    deck, rng = Deck(), np.random.default_rng(seed)
    board = tuple(rng.choice(52, 5, replace=False).tolist())
    _, cards = deck.hands(board)
    show = CardShowdown(cards, deck.strengths(board, cards))
    check(CardFold(cards), seed)
    check(show, seed)
    np.testing.assert_array_equal(show.dense(), -show.dense().T)


def test_every_hand_meets_990_others() -> None:
    _, cards = Deck().hands(range(5))
    against = CardFold(cards).values(np.ones(1081), 0)
    assert (against == 990).all()


@given(operators())
def test_order_and_groups_list_every_hand_by_strength(
    ops: tuple[CardFold, CardShowdown, CardShowdown],
) -> None:
    show = ops[1]
    groups = np.split(show.order, show.group_ends[:-1])
    levels = [set(show.strength[g].tolist()) for g in groups]
    assert [len(level) for level in levels] == [1] * len(set(show.strength.tolist()))
    assert sorted(levels, key=min) == levels
    assert sorted(show.order.tolist()) == list(range(len(show.strength)))
    assert show.group_ends[-1] == len(show.strength)


@pytest.mark.parametrize("dtype", [np.int8, np.float64])
def test_dense_operator_by_either_player(dtype: type) -> None:
    rng = np.random.default_rng(0)
    op = Dense(rng.integers(-1, 2, (4, 7)).astype(dtype))
    assert op.shape == (4, 7)
    assert op.matrix.dtype == dtype
    check(op, 1)


def test_arrays_restore_operators_and_keep_shared_arrays_once() -> None:
    cards = np.array([(0, 1), (2, 3), (1, 4)], np.int8)
    fold = CardFold(cards)
    shows = [CardShowdown(cards, np.array(s, np.int32)) for s in ([1, 2, 2], [3, 1, 2])]
    ops: tuple[Payoff, ...] = (
        fold,
        Mixture(((0.25, shows[0]), (0.75, shows[1]))),
        Dense(np.eye(3, dtype=np.int8)),
    )
    arrays, described = to_arrays(ops)
    assert sum(array is cards for array in arrays.values()) == 1
    for before, after in zip(ops, from_arrays(arrays, described), strict=True):
        assert type(before) is type(after)
        np.testing.assert_array_equal(before.dense(), after.dense())
    assert [w for w, _ in atoms(ops[1])] == [0.25, 0.75]
    assert atoms(fold) == ((1.0, fold),)


def test_an_unknown_operator_in_a_file_is_named() -> None:
    with pytest.raises(CfrlabError, match="unknown payoff type 'fancy'"):
        from_arrays({}, [{"type": "fancy"}])
