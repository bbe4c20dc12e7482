"""Betting trees against trees enumerated by hand and replayed rule by rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cfrlab.games.betting import Betting, limit, no_limit
from cfrlab.games.tree import Node, PublicTree, Terminal

CALL, FOLD = 0, 1


def tree_of(betting: Betting) -> PublicTree:
    """Terminals carry what the loser has put in, negative if player 0 folds."""
    return PublicTree.build(no_limit(betting, _fold, lambda paid: Terminal(CALL, paid)))


def _fold(winner: int, paid: float) -> Node:
    return Terminal(FOLD, paid if winner == 0 else -paid)


def endings(tree: PublicTree) -> dict[str, float]:
    return {tree.describe(int(z)): float(tree.scale[z]) for z in tree.terminals}


def test_default_tree_by_hand() -> None:
    tree = tree_of(Betting())
    # What follows a bet, with the bettor's opponent to act: actions, loser's contribution.
    after_bet = {
        "bet 0.5/fold": 0,
        "bet 0.5/call": 0.5,
        "bet 0.5/raise 1.5/fold": 0.5,
        "bet 0.5/raise 1.5/call": 1.5,
        "bet 0.5/raise 1.5/all-in/fold": 1.5,
        "bet 0.5/raise 1.5/all-in/call": 2,
        "bet 0.5/all-in/fold": 0.5,
        "bet 0.5/all-in/call": 2,
        "bet 1/fold": 0,
        "bet 1/call": 1,
        "bet 1/all-in/fold": 1,
        "bet 1/all-in/call": 2,
        "all-in/fold": 0,
        "all-in/call": 2,
    }
    expected = {"check/check": 0.0}
    for path, paid in after_bet.items():
        # Every second bet or raise is the opener's: an even number of steps before the fold
        # means that the opener folds.
        opener_folds = path.endswith("fold") and path.count("/") % 2 == 0
        for opener, prefix in ((0, ""), (1, "check/")):
            first_folds = path.endswith("fold") and opener_folds == (opener == 0)
            expected[prefix + path] = -paid if first_folds else paid
    assert endings(tree) == expected
    assert (sum(tree.player >= 0), len(tree.terminals)) == (16, 29)


def test_benchmark_tree() -> None:
    betting = Betting(
        pot=200, stack=900, bets=(0.5, "all-in"), raises=(0.6, "all-in"), max_raises=None
    )
    tree = tree_of(betting)
    assert (sum(tree.player >= 0), len(tree.terminals)) == (16, 29)
    # 60% of the pot after calling 100: 100 + .6 * 400; then 340 + .6 * 880.
    assert endings(tree)["bet 100/raise 340/raise 868/call"] == 868
    assert endings(tree)["bet 100/raise 340/raise 868/fold"] == 340


def test_sizes_are_capped_at_the_stack_and_counted_once() -> None:
    assert Betting(stack=1, bets=(1, 2, "all-in")).sizes(0, 0) == [1]
    assert Betting(stack=5, bets=(2, 1, 1.0)).sizes(0, 0) == [1, 2]
    # .1 + .7 * 1.2 is a rounding error short of the stack.
    assert Betting(stack=0.94, bets=(0.1, 0.7)).sizes(0.1, 1) == [pytest.approx(0.22), 0.94]
    assert Betting(stack=3, bets=(0.5,)).sizes(3, 1) == []


def test_raises_are_bets_unless_given_and_none_if_empty() -> None:
    paths = set(endings(tree_of(Betting(stack=100, bets=(1,), raises=(), max_raises=None))))
    assert paths == {
        *("check/check", "bet 1/fold", "bet 1/call", "check/bet 1/fold", "check/bet 1/call")
    }
    same = Betting(stack=9, bets=(0.5,), raises=(0.5,))
    assert endings(tree_of(same)) == endings(tree_of(Betting(stack=9, bets=(0.5,))))


@pytest.mark.parametrize("cap", [1, 2, 3, 4])
def test_cap_counts_bets_and_raises_together(cap: int) -> None:
    paths = endings(tree_of(Betting(stack=1e6, bets=(1,), max_raises=cap)))
    assert max(path.count("bet") + path.count("raise") for path in paths) == cap


sizes = st.lists(
    st.floats(0.05, 3, allow_subnormal=False) | st.just("all-in"), min_size=1, max_size=3
)


@given(
    st.floats(0.5, 300), st.floats(0.3, 8), sizes, st.none() | sizes, st.none() | st.integers(1, 4)
)
def test_replaying_every_path_gives_its_stakes(
    pot: float, depth: float, bets: list[Any], raises: list[Any] | None, cap: int | None
) -> None:
    betting = Betting.model_validate(
        {
            "pot": pot,
            "stack": pot * depth,
            "bets": bets,
            "raises": raises,
            "max_raises": 2 if cap is None else cap,
        }
    )
    tree = tree_of(betting)
    for z in tree.terminals:
        paid, player, raised = [0.0, 0.0], 0, 0
        *before, last = tree.describe(int(z)).split("/")
        for action in before:
            theirs = paid[1 - player]
            if action != "check":
                to = betting.stack if action == "all-in" else float(action.split()[1])
                options = betting.bets if not raised else betting.raises or betting.bets
                wanted = [
                    min(
                        betting.stack,
                        betting.stack if f == "all-in" else theirs + f * (pot + 2 * theirs),
                    )
                    for f in options
                ]
                assert min(abs(to - w) for w in wanted) <= 1e-8 * betting.stack
                assert theirs < to <= betting.stack
                paid[player] = to
                raised += 1
            player = 1 - player
        assert betting.max_raises is not None
        assert raised <= betting.max_raises
        if last == "fold":
            assert abs(tree.scale[z]) == pytest.approx(paid[player], rel=1e-6)
            assert tree.payoff[z] == FOLD
            if paid[player]:
                assert (tree.scale[z] < 0) == (player == 0)
        else:
            assert tree.payoff[z] == CALL
            assert tree.scale[z] == pytest.approx(max(paid), rel=1e-6)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("bets", [0], "bet size 0: use a positive fraction"),
        ("bets", [-0.5], "bet size -0.5: use a positive fraction"),
        ("bets", ["allin"], "bet size 'allin': use a positive fraction of the pot, or 'all-in'"),
        ("bets", [float("nan")], "bet size nan"),
        ("raises", [0.5, 0], "bet size 0: use a positive fraction"),
        ("bets", [], "no bet sizes"),
        ("stack", -1, "greater than 0"),
        ("stack", 0, "greater than 0"),
        ("stack", float("inf"), "finite"),
        ("pot", 0, "greater than 0"),
        ("max_raises", 0, "greater than or equal to 1"),
        ("stak", 2, "Extra inputs are not permitted"),
    ],
)
def test_each_mistake_gives_one_line(key: str, value: Any, message: str) -> None:
    with pytest.raises(ValidationError) as error:
        Betting.model_validate({key: value})
    [found] = error.value.errors()
    assert message in found["msg"]
    assert "\n" not in found["msg"]


def test_limit_street_by_hand() -> None:
    tree = PublicTree.build(limit(2.0, 2, 1.0, _fold, lambda paid: Terminal(CALL, paid)))
    assert endings(tree) == {
        "check/check": 1,
        "check/bet/fold": -1,
        "check/bet/call": 3,
        "check/bet/raise/fold": 3,
        "check/bet/raise/call": 5,
        "bet/fold": 1,
        "bet/call": 3,
        "bet/raise/fold": -3,
        "bet/raise/call": 5,
    }


def test_limit_street_without_bets() -> None:
    tree = PublicTree.build(limit(2.0, 0, 1.0, _fold, lambda paid: Terminal(CALL, paid)))
    assert endings(tree) == {"check/check": 1}


def test_limit_street_from_the_other_seat() -> None:
    """The same sequences; seats change places, so folds count for the other side."""

    def street(first: int) -> PublicTree:
        ends = Terminal(CALL, 1.0)
        return PublicTree.build(limit(2.0, 3, 1.0, _fold, lambda paid: ends, first=first))

    zero, one = street(0), street(1)
    assert zero.label == one.label
    acts = zero.player >= 0
    np.testing.assert_array_equal(one.player[acts], 1 - zero.player[acts])
    folds = np.array(zero.label) == "fold"
    assert folds.sum() == 6
    np.testing.assert_array_equal(one.scale[folds], -zero.scale[folds])
