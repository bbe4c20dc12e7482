"""Augmented infosets and the closure of subgames."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from cfrlab.decomposition.infosets import (
    augmented,
    check_subgame,
    closed_subgames,
    named_roots,
    roots_before_chance,
)
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Chance, Decision, PublicTree, Terminal
from leduc_cut import kuhn, leduc, rock_paper_scissors
from solver_games import games, small_zoo, zoo


def message(game: Game, roots: Sequence[int]) -> str:
    with pytest.raises(CfrlabError) as caught:
        check_subgame(game, roots)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_leduc_is_cut_before_the_public_card() -> None:
    game = leduc().game
    names = [game.tree.describe(root) for root in leduc().roots]
    assert names == [
        "check/check",
        "check/bet/call",
        "check/bet/raise/call",
        "bet/call",
        "bet/raise/call",
    ]
    assert all(len(roots) == 1 for roots in leduc().subgames)


@pytest.mark.parametrize("root", range(5))
def test_no_board_of_leduc_is_a_subgame(root: int) -> None:
    game, node = leduc().game, leduc().roots[root]
    boards = game.tree.children[node]
    for cut in ([boards[0]], [boards[0], boards[2]]):
        line = message(game, cut)
        assert "not closed" in line
        assert "player 1 with J" in line
        assert game.tree.describe(boards[0]) in line
        assert game.tree.describe(boards[1]) in line
    check_subgame(game, boards)  # all three together are


def test_boards_join_into_subgames() -> None:
    game = leduc().game
    boards = [board for root in leduc().roots for board in game.tree.children[root]]
    expected = tuple(tuple(game.tree.children[root]) for root in leduc().roots)
    assert closed_subgames(game, boards[::-1]) == expected


def test_augmented_infosets_are_own_sequences() -> None:
    for game in small_zoo().values():
        assert_own_sequences(game)


@settings(max_examples=50)
@given(games(most_hands=1, most_cards=3))
def test_augmented_infosets_of_random_trees(game: Game) -> None:
    assert_own_sequences(game)


def assert_own_sequences(game: Game) -> None:
    """Equal exactly where the player's own infosets and actions above (and at) a node are."""
    tree = game.tree
    for player in (0, 1):
        known: dict[int, object] = {}
        labels = augmented(tree, player)
        for node in range(len(tree)):
            path = list(tree.path(node))[::-1]
            own = [(up, child) for up, child in pairwise(path) if tree.player[up] == player]
            sequence = (tuple(own), node if tree.player[node] == player else None)
            assert known.setdefault(int(labels[node]), sequence) == sequence
        assert len(set(map(str, known.values()))) == len(known)


@pytest.mark.parametrize("name", ["river", "double board", "random", "kuhn", "dice"])
def test_without_public_chance_any_decision_is_a_root(name: str) -> None:
    game = small_zoo()[name]
    for node in np.flatnonzero(game.tree.player >= 0):
        check_subgame(game, [int(node)])


def test_an_unseen_choice_between_two_nodes_joins_them() -> None:
    """Player 0 moves twice; player 1, who has not acted, cannot tell its first moves apart."""
    end = {"a": Terminal(0, 1.0), "b": Terminal(0, -1.0)}
    second = Decision(0, {"l": Decision(1, end), "r": Decision(1, end)})
    tree = PublicTree.build(Decision(0, {"x": second, "y": second}))
    one = Dense(np.ones((1, 1)))
    game = Game("twice", tree, (one,), one, (("-",), ("-",)), (np.ones(1), np.ones(1)), "points")
    first = list(tree.children[0])
    assert "player 1 with -" in message(game, first[:1])
    assert closed_subgames(game, first) == (tuple(first),)


def test_root_mistakes() -> None:
    game = leduc().game
    root = leduc().roots[0]
    assert "no root" in message(game, [])
    assert "there is no node 100000" in message(game, [100000])
    assert "below another root" in message(game, [root, game.tree.children[root][1]])
    assert "listed twice" in message(game, [root, root])
    fold = named_roots(game, ["bet/fold"])[0]
    assert "the game is over there" in message(game, [fold])
    with pytest.raises(CfrlabError, match=r"no node 'bet/cal'"):
        named_roots(game, ["bet/cal"])
    with pytest.raises(CfrlabError, match="no subgame"):
        Decomposition(game, ())
    with pytest.raises(CfrlabError, match="in two subgames"):
        Decomposition(game, ((0,), (root,)))


def test_a_subgame_without_a_legal_history() -> None:
    leaf = Decision(0, {"a": Terminal(0), "b": Terminal(0)})
    tree = PublicTree.build(
        Decision(0, {"go": Chance([("never", 0.0, leaf), ("always", 1.0, leaf)])})
    )
    one = Dense(np.ones((1, 1)))
    game = Game("never", tree, (one,), one, (("-",), ("-",)), (np.ones(1), np.ones(1)), "points")
    line = message(game, [int(tree.children[1][0])])
    assert "no legal history" in line
    assert "never" in line


def test_defaults_and_names() -> None:
    assert roots_before_chance(leduc().game.tree) == leduc().roots
    assert roots_before_chance(zoo("kuhn").tree) == ()
    with pytest.raises(CfrlabError, match="no root"):
        Decomposition.at(zoo("kuhn"))
    assert len(kuhn().subgames) == 2
    assert Decomposition.at(rock_paper_scissors(), [1]).roots == (1,)
