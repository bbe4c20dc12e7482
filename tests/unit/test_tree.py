"""Public trees against a tree flattened by hand, and games against their own invariants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import CHANCE, TERMINAL, Chance, Decision, Node, PublicTree, Terminal

NESTED = Decision(
    0,
    {
        "check": Chance(
            [
                ("red", 0.25, Decision(1, {"stop": Terminal(1, 2.0), "go": Terminal(0, -1.0)})),
                ("blue", 0.75, Terminal(2, 3.0)),
            ]
        ),
        "bet": Decision(1, {"fold": Terminal(0), "call": Decision(0, {"end": Terminal(1)})}),
    },
)


def test_flattening_in_preorder() -> None:
    tree = PublicTree.build(NESTED)
    names = ["", "check", "red", "stop", "go", "blue", "bet", "fold", "call", "end"]
    assert tree.label == tuple(names)
    assert tree.player.tolist() == [0, CHANCE, 1, -2, -2, -2, 1, -2, 0, -2]
    assert tree.parent.tolist() == [-1, 0, 1, 2, 2, 1, 0, 6, 6, 8]
    assert tree.chance.tolist() == [1, 1, 0.25, 1, 1, 0.75, 1, 1, 1, 1]
    assert tree.payoff.tolist() == [-1, -1, -1, 1, 0, 2, -1, 0, -1, 1]
    assert tree.scale.tolist() == [0, 0, 0, 2, -1, 3, 0, 1, 0, 1]
    assert tree.depth.tolist() == [0, 1, 2, 3, 3, 2, 1, 2, 2, 3]
    assert tree.children[1] == (2, 5)
    assert tree.terminals.tolist() == [3, 4, 5, 7, 9]
    assert tree.describe(4) == "check/red/go"
    assert tree.describe(0) == "root"


def test_rows_number_actions_decision_by_decision() -> None:
    tree = PublicTree.build(NESTED)
    assert tree.rows == (3, 4)
    assert tree.decisions(0).tolist() == [0, 8]
    # Player 0: check, bet at the root, then end; player 1: stop, go, then fold, call.
    assert tree.row.tolist() == [-1, 0, -1, 0, 1, -1, 1, 2, 3, 2]


@pytest.mark.parametrize(
    "node",
    [
        Decision(0, {}),
        Decision(2, {"a": Terminal(0)}),
        Chance([]),
        Decision(0, {"deeper": Decision(1, {})}),
    ],
)
def test_impossible_nodes_are_refused_in_one_line(node: Node) -> None:
    with pytest.raises(CfrlabError) as error:
        PublicTree.build(node)
    assert "\n" not in str(error.value)


NODES: st.SearchStrategy[Node] = st.recursive(
    st.builds(Terminal, st.just(0)),
    lambda below: (
        st.builds(
            lambda player, kids: Decision(player, {str(i): kid for i, kid in enumerate(kids)}),
            st.integers(0, 1),
            st.lists(below, min_size=1, max_size=3),
        )
        | st.lists(below, min_size=1, max_size=3).map(
            lambda kids: Chance([(str(i), 1 / len(kids), kid) for i, kid in enumerate(kids)])
        )
    ),
    max_leaves=12,
)


@given(NODES)
def test_any_tree_keeps_its_structure(root: Node) -> None:
    tree = PublicTree.build(root)

    def same(node: Node, i: int) -> None:
        match node:
            case Terminal():
                assert tree.player[i] == TERMINAL
                assert tree.children[i] == ()
            case Decision(player, actions):
                assert tree.player[i] == player
                assert [tree.label[c] for c in tree.children[i]] == list(actions)
                rows = tree.row[list(tree.children[i])]
                assert rows.tolist() == list(range(rows[0], rows[0] + len(rows)))
                for child, c in zip(actions.values(), tree.children[i], strict=True):
                    same(child, c)
            case Chance(outcomes):
                assert tree.player[i] == CHANCE
                for (label, p, child), c in zip(outcomes, tree.children[i], strict=True):
                    assert (tree.label[c], tree.chance[c]) == (label, p)
                    same(child, c)

    same(root, 0)
    for p in (0, 1):
        own = [i for i in range(1, len(tree)) if tree.player[tree.parent[i]] == p]
        assert sorted(tree.row[own].tolist()) == list(range(tree.rows[p]))
    assert all(tree.parent[i] < i for i in range(len(tree)))


def a_game() -> Game:
    ones = Dense(np.ones((2, 3)))
    hands = (("a", "b"), ("x", "y", "z"))
    weights = (np.array([1.0, 3.0]), np.array([0.5, 0.0, 1.5]))
    return Game("toy", PublicTree.build(NESTED), (ones,) * 3, ones, hands, weights, "chips")


def test_deal_is_normalised_by_the_weight_of_all_pairs() -> None:
    game = a_game()
    assert game.pairs == 4.0 * 2.0
    joint = game.norm * np.outer(*game.weights) * game.deal.dense()
    assert joint.sum() == pytest.approx(1.0, abs=1e-15)


def test_reach_of_chance_multiplies_along_the_path() -> None:
    game = a_game()
    assert game.reach_of_chance().tolist() == [1, 1, 0.25, 0.25, 0.25, 0.75, 1, 1, 1, 1]


def test_uniform_profile_is_a_profile() -> None:
    game = a_game()
    profile = game.uniform()
    game.check_profile(profile)
    assert profile[0][:, 0].tolist() == [0.5, 0.5, 1.0]


def test_a_profile_that_is_not_one_is_refused() -> None:
    game = a_game()
    first, second = game.uniform()
    with pytest.raises(CfrlabError, match="made for another game"):
        game.check_profile((first[:-1], second))
    second[2, 1] = 0.75
    with pytest.raises(CfrlabError, match="player 1's strategy at bet is not"):
        game.check_profile((first, second))


def test_games_that_do_not_fit_together_are_refused() -> None:
    game = a_game()
    with pytest.raises(CfrlabError, match="weights"):
        replace(game, weights=(np.ones(3), np.ones(3)))
    with pytest.raises(CfrlabError, match="weights"):
        replace(game, weights=(np.array([1.0, -1.0]), np.ones(3)))
    with pytest.raises(CfrlabError, match=r"payoff 1 is for \(3, 2\) hands"):
        replace(game, payoffs=(game.payoffs[0], Dense(np.ones((3, 2))), game.payoffs[0]))
    with pytest.raises(CfrlabError, match="names payoff 2"):
        replace(game, payoffs=game.payoffs[:2])
    with pytest.raises(CfrlabError, match="no pair"):
        replace(game, weights=(np.zeros(2), np.ones(3)))


@pytest.mark.parametrize("probability", [-0.5, 1.5, float("nan")])
def test_a_number_that_is_no_probability_is_refused(probability: float) -> None:
    chance = Chance([("heads", probability, Terminal(0))])
    with pytest.raises(CfrlabError, match="outcome 'heads' after 'the root' has probability"):
        PublicTree.build(chance)


def test_what_is_no_node_is_refused() -> None:
    with pytest.raises(CfrlabError, match="'heads' leads to None"):
        PublicTree.build(Chance([("heads", 1.0, None)]))  # type: ignore[list-item]


def test_a_factor_that_is_not_finite_is_refused() -> None:
    with pytest.raises(CfrlabError, match="'bet' has the factor inf"):
        PublicTree.build(Decision(0, {"bet": Terminal(0, float("inf"))}))
