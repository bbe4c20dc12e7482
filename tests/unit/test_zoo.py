"""The named games against OpenSpiel's own, against eval7, and against counts."""

from __future__ import annotations

from itertools import combinations
from types import ModuleType
from typing import Any

import eval7
import numpy as np
import pyspiel
import pytest
from pydantic import ValidationError

from cfrlab.errors import CfrlabError
from cfrlab.games.cards import Deck
from cfrlab.games.game import Game, Profile
from cfrlab.games.zoo import akq, double_board, hunl_river, kuhn, leduc, numeral211, random_game
from openspiel_bridge import export
from small_games import random_profile


def make(module: ModuleType, seed: int = 0, **params: Any) -> Game:
    game = module.build(module.Params.model_validate(params), np.random.default_rng(seed))
    assert isinstance(game, Game)
    return game


SMALL: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    "hunl_river": (hunl_river, {"ranks": "TJQKA", "suits": "cd"}),
    "double_board": (double_board, {"ranks": "9TJQKA", "suits": "cds"}),
    "random_game": (random_game, {"hands": 6}),
    "random folds": (random_game, {"hands": 5, "folds": "random", "scaled": False}),
    "kuhn": (kuhn, {}),
    "leduc": (leduc, {}),
    "leduc cards": (leduc, {"merge_suits": False}),
    "akq": (akq, {}),
    "numeral211": (numeral211, {"ranks": "234", "suits": "cd", "max_raises": 1}),
}


@pytest.mark.parametrize("case", SMALL)
def test_every_game_survives_its_arrays(case: str) -> None:
    module, params = SMALL[case]
    game = make(module, **params)
    arrays, meta = game.to_arrays()
    again = Game.from_arrays(arrays, meta)
    more, more_meta = again.to_arrays()
    assert meta == more_meta
    assert arrays.keys() == more.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(array, more[key])
        assert array.dtype == more[key].dtype
    assert again.pairs == game.pairs


@pytest.mark.parametrize("case", SMALL)
def test_a_game_depends_on_its_generator_alone(case: str) -> None:
    module, params = SMALL[case]
    first, second, other = (make(module, seed, **params).to_arrays()[0] for seed in (1, 1, 2))
    assert all(np.array_equal(first[key], second[key]) for key in first)
    dealt = module in (hunl_river, double_board, random_game)
    differs = first.keys() != other.keys() or not all(
        np.array_equal(first[key], other[key]) for key in first
    )
    assert differs == dealt


@pytest.mark.parametrize("case", SMALL)
def test_fold_payoffs_are_those_that_only_folds_use(case: str) -> None:
    module, params = SMALL[case]
    game = make(module, **params)
    tree = game.tree
    after_fold = {int(tree.payoff[z]) for z in tree.terminals if tree.label[z] == "fold"}
    shown_down = {int(tree.payoff[z]) for z in tree.terminals if tree.label[z] != "fold"}
    assert after_fold <= game.fold_payoffs
    assert not shown_down & game.fold_payoffs


def test_river_counts() -> None:
    river = make(hunl_river, 5)
    assert river.n == (1081, 1081)
    assert river.pairs == 1081 * 990
    assert (sum(river.tree.player >= 0), len(river.tree.terminals)) == (16, 29)
    assert (river.unit, river.pot) == ("initial pots", 1.0)
    assert river.strengths.shape == (1, 1081)
    double = make(double_board, 5)
    assert double.n == (861, 861)
    assert double.pairs == 861 * 780  # C(40, 2)
    assert double.strengths.shape == (2, 861)
    np.testing.assert_array_equal(double.tree.scale, river.tree.scale)


def strength_on(board: str, hand: str) -> int:
    names = [board[i : i + 2] for i in range(0, len(board), 2)]
    return int(eval7.evaluate([eval7.Card(c) for c in (*names, hand[:2], hand[2:])]))


@pytest.mark.parametrize("boards", [("Ts3h2h5c9s",), ("Ts3h2h5c9s", "AsAdKcKh7d")])
def test_river_payoffs_follow_eval7(boards: tuple[str, ...]) -> None:
    if len(boards) == 1:
        game = make(hunl_river, board=boards[0])
    else:
        game = make(double_board, boards=boards)
    showdown, fold = (op.dense() for op in game.payoffs)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, game.n[0], (3000, 2)).tolist():
        a, b = game.hands[0][i], game.hands[1][j]
        apart = len({a[:2], a[2:], b[:2], b[2:]}) == 4
        assert fold[i, j] == apart
        wins = [
            int(strength_on(board, a) > strength_on(board, b))
            - int(strength_on(board, a) < strength_on(board, b))
            for board in boards
        ]
        assert showdown[i, j] == (np.mean(wins) if apart else 0)


def test_stakes_are_net_of_half_the_pot() -> None:
    betting = {"pot": 200, "stack": 900, "bets": [0.5], "max_raises": 1}
    game = make(hunl_river, board="Ts3h2h5c9s", betting=betting)
    tree = game.tree
    scale = {tree.describe(int(z)): float(tree.scale[z]) for z in tree.terminals}
    assert scale == {
        "check/check": 100,
        "check/bet 100/fold": -100,
        "check/bet 100/call": 200,
        "bet 100/fold": 100,
        "bet 100/call": 200,
    }
    assert (game.unit, game.pot) == ("chips", 200)


def test_boards_are_dealt_uniformly() -> None:
    """Each of the 10 cards is missing from half of the boards of 5."""
    counts = np.zeros(10)
    for seed in range(300):
        game = make(hunl_river, seed, ranks="TJQKA", suits="cd")
        held = {label[i : i + 2] for label in game.hands[0] for i in (0, 2)}
        counts += [Deck("TJQKA", "cd").label(c) in held for c in range(10)]
    assert (abs(counts - 150) < 5 * np.sqrt(75)).all()


def test_ranges_weigh_hands_by_name() -> None:
    board = "Ts3h2h5c9s"
    game = make(hunl_river, board=board, ranges=[{"AsKd": 0.5, "2c2d": 1}, {"KsAc": 2, "AsKd": 3}])
    named = [
        {game.hands[p][h]: game.weights[p][h] for h in np.flatnonzero(game.weights[p])}
        for p in (0, 1)
    ]
    assert named == [{"AsKd": 0.5, "2d2c": 1}, {"AcKs": 2, "AsKd": 3}]
    # AsKd meets only AcKs; the twos meet both.
    assert game.pairs == 0.5 * 2 + 1 * (2 + 3)


@pytest.mark.parametrize(
    ("module", "params", "message"),
    [
        (hunl_river, {"board": "Ts3h2h5cTs"}, "Ts is dealt twice"),
        (hunl_river, {"board": "Ts3h2h5c"}, "4 cards where 5"),
        (hunl_river, {"board": "Ts3h2h5c1s"}, "'1s' is not in the deck"),
        (hunl_river, {"ranks": "QKA", "suits": "cd"}, "6 cards are too few"),
        (hunl_river, {"ranks": "QKA", "suits": "cd", "board": "QcQdKcKdAc"}, "no legal hand"),
        (hunl_river, {"ranks": "AK"}, "in that order"),
        (hunl_river, {"board": "Ts3h2h5c9s", "ranges": [{"AsTs": 1}, {}]}, "card of the board"),
        (hunl_river, {"board": "Ts3h2h5c9s", "ranges": [{"AsKs": 1}, {}]}, "no pair"),
        (hunl_river, {"board": "Ts3h2h5c9s", "ranges": [{"As": 1}, {}]}, "1 cards where 2"),
        (double_board, {"boards": ["Ts3h2h5c9s", "Ts4h4c5d6s"]}, "Ts is dealt twice"),
        (double_board, {"boards": ["Ts3h2h5c9s", "4h4c5d6s"]}, "4 cards where 5"),
    ],
)
def test_bad_cards_give_one_line(module: ModuleType, params: dict[str, Any], message: str) -> None:
    with pytest.raises(CfrlabError, match=message) as error:
        make(module, **params)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("module", "params"),
    [
        (hunl_river, {"bord": "Ts3h2h5c9s"}),
        (random_game, {"hands": 0}),
        (random_game, {"folds": "never"}),
        (kuhn, {"ranks": 1}),
        (leduc, {"ranks": 1, "suits": 2}),
        (leduc, {"bets": [2, 0]}),
        (akq, {"bet": 0}),
    ],
)
def test_parameters_out_of_range_are_refused(module: ModuleType, params: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as error:
        make(module, **params)
    assert all("\n" not in found["msg"] for found in error.value.errors())


def test_random_game_defaults() -> None:
    game = make(random_game, 3)
    assert game.n == (500, 500)
    matrices = [op.dense() for op in game.payoffs]
    # 14 of 29 terminals follow a fold and share the matrix of ones; the others have their own.
    assert len(matrices) == 1 + 15
    assert (matrices[0] == 1).all()
    showdowns = [z for z in game.tree.terminals if game.tree.label[z] != "fold"]
    assert sorted(game.tree.payoff[showdowns].tolist()) == list(range(1, 16))
    for matrix in matrices[1:]:
        np.testing.assert_array_equal(matrix, -matrix.T)
        off = matrix[np.triu_indices(500, 1)]
        assert set(off.tolist()) == {-1.0, 1.0}
        assert abs(off.mean()) < 5 / np.sqrt(off.size)
    for a, b in combinations(matrices[1:], 2):
        product = (a * b)[np.triu_indices(500, 1)]
        assert abs(product.mean()) < 5 / np.sqrt(product.size)
    river = make(hunl_river, board="Ts3h2h5c9s")
    np.testing.assert_array_equal(game.tree.scale, river.tree.scale)


def test_random_game_options() -> None:
    game = make(random_game, hands=40, antisymmetric=False, scaled=False, folds="random")
    assert game.payoffs[0] is game.deal
    assert sorted(game.tree.payoff[game.tree.terminals].tolist()) == list(range(1, 30))
    assert (game.tree.scale[game.tree.terminals] == 1).all()
    for op in game.payoffs[1:]:
        assert set(op.dense().ravel().tolist()) == {-1.0, 1.0}
        assert not np.array_equal(op.dense(), -op.dense().T)
    assert len(game.fold_payoffs) == 1 + 14
    plain = make(random_game, hands=4, scaled=False)
    folds = [z for z in plain.tree.terminals if plain.tree.label[z] == "fold"]
    assert set(plain.tree.scale[folds].tolist()) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("game", "oracle"),
    [
        (make(kuhn), "kuhn_poker"),
        (make(leduc), "leduc_poker"),
        (make(leduc, merge_suits=False), "leduc_poker"),
    ],
)
def test_uniform_play_equals_openspiels_own_game(game: Game, oracle: str) -> None:
    spiel = pyspiel.load_game(oracle)
    uniform = pyspiel.UniformRandomPolicy(spiel)
    ours = export(game)
    assert ours.nash_conv(game.uniform()) == pytest.approx(
        pyspiel.nash_conv(spiel, uniform), abs=1e-12
    )
    theirs = pyspiel.expected_returns(spiel.new_initial_state(), uniform, -1, True)
    assert ours.value(game.uniform()) == pytest.approx(theirs[0], abs=1e-12)


def test_uniform_play_in_published_numbers() -> None:
    assert export(make(kuhn)).nash_conv(make(kuhn).uniform()) == pytest.approx(11 / 12, abs=1e-12)
    game = make(leduc)
    assert export(game).nash_conv(game.uniform()) / 2 == pytest.approx(2.3736111, abs=1e-7)


def leduc_policy(game: Game, profile: Profile) -> Any:
    """A strategy of our Leduc over cards as a table for OpenSpiel's own leduc_poker."""
    tree = game.tree
    table: dict[str, list[tuple[int, float]]] = {}

    def child(node: int, *names: str) -> int:
        return next(c for c in tree.children[node] if tree.label[c] in names)

    names = {0: ("fold",), 1: ("check", "call"), 2: ("bet", "raise")}

    def visit(state: Any, node: int, cards: tuple[int, ...]) -> None:
        if state.is_terminal():
            return
        for action in state.legal_actions():
            below = state.child(action)
            if state.is_chance_node():
                public = len(cards) == 2
                visit(below, tree.children[node][action] if public else node, (*cards, action))
            else:
                visit(below, child(node, *names[action]), cards)
        if not state.is_chance_node():
            p = state.current_player()
            table[state.information_state_string()] = [
                (a, float(profile[p][tree.row[child(node, *names[a])], cards[p]]))
                for a in state.legal_actions()
            ]

    visit(pyspiel.load_game("leduc_poker").new_initial_state(), 0, ())
    assert len(table) == 936
    return pyspiel.TabularPolicy(table)


@pytest.mark.parametrize("seed", range(3))
def test_random_play_equals_openspiels_leduc(seed: int) -> None:
    game = make(leduc, merge_suits=False)
    profile = random_profile(game, seed)
    theirs = pyspiel.nash_conv(pyspiel.load_game("leduc_poker"), leduc_policy(game, profile))
    assert export(game).nash_conv(profile) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("params", [{}, {"ranks": 4, "suits": 3}, {"ranks": 2, "suits": 4}])
def test_merging_suits_loses_nothing(params: dict[str, Any]) -> None:
    merged, cards = make(leduc, **params), make(leduc, merge_suits=False, **params)
    suits = cards.n[0] // merged.n[0]
    assert merged.pairs == cards.pairs == cards.n[0] * (cards.n[0] - 1)
    profile = random_profile(merged, 7)
    # Play a card as its rank, also where the public card is one of several of a rank.
    lifted = cards.uniform()
    node_of = {merged.tree.describe(i): i for i in range(len(merged.tree))}
    ranks = {name: name[0] for name in cards.hands[0]}
    for i in range(len(cards.tree)):
        if cards.tree.row[i] < 0:
            continue
        steps = [ranks.get(s, s) for s in cards.tree.describe(i).split("/")]
        row = merged.tree.row[node_of["/".join(steps)]]
        p = int(cards.tree.player[cards.tree.parent[i]])
        lifted[p][cards.tree.row[i]] = np.repeat(profile[p][row], suits)
    a, b = export(merged), export(cards)
    assert a.value(profile) == pytest.approx(b.value(lifted), abs=1e-12)
    assert a.nash_conv(profile) == pytest.approx(b.nash_conv(lifted), abs=1e-11)


def test_leduc_labels_and_larger_decks() -> None:
    assert make(leduc).hands[0] == ("J", "Q", "K")
    assert make(leduc, merge_suits=False).hands[0] == ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
    large = make(leduc, ranks=20, suits=6, max_raises=3)
    assert large.n == (20, 20)
    assert len(set(large.hands[0])) == 20
    assert large.pairs == 120 * 119


def test_half_street_game_has_three_endings() -> None:
    game = make(akq, bet=0.25)
    tree = game.tree
    scale = {tree.describe(int(z)): float(tree.scale[z]) for z in tree.terminals}
    assert scale == {"check": 0.5, "bet 0.25/fold": 0.5, "bet 0.25/call": 0.75}
