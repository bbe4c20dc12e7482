"""What the compiler finds in a tree, and that every kind of sweep settles terminals exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import CardFold, Dense, Payoff
from cfrlab.games.tree import Chance, Decision, Node, PublicTree, Terminal
from cfrlab.solve import kernels, layout, walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.kernels import make_scratch
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from cfrlab.solve.treeplex import compile_game
from solver_games import (
    card_operators,
    dense_operators,
    small_zoo,
    sparse_profile,
    standard_river,
    uneven_weights,
    zoo,
)

Floats = NDArray[np.float64]


def lanes(game: Game, player: int) -> list[int]:
    """Lanes of each group, from the root down."""
    return [int(width) for width in compile_game(game).plex[player].groups[:, 1]]


def test_second_round_of_leduc_is_fifteen_lanes() -> None:
    """Five ways to close the first round times three public ranks.

    Each player has three shapes of decisions in a round: first to act, facing a bet, facing a
    raise; in the first round, each of them at one place.
    """
    for player in (0, 1):
        assert lanes(zoo("leduc"), player) == [1, 1, 1, 15, 15, 15]
        assert lanes(zoo("leduc", merge_suits=False), player) == [1, 1, 1, 30, 30, 30]


def test_lanes_of_kuhn_and_of_the_standard_river() -> None:
    assert lanes(zoo("kuhn"), 0) == [1, 1]
    assert lanes(zoo("kuhn"), 1) == [1, 1]
    game = standard_river()
    assert len(game.tree.terminals) == 29
    assert [len(game.tree.decisions(p)) for p in (0, 1)] == [8, 8]
    for player in (0, 1):
        plex = compile_game(game).plex[player]
        assert plex.hands == 1081
        assert int(plex.groups[:, 1].sum()) == 8
        # The last group are the decisions that face an all-in: fold or call, nothing below.
        assert plex.groups[-1, 0] == 2
        assert plex.groups[-1, 1] == plex.widest


def repeated(count: int, leaf: Callable[[int], Node], root: int = 0) -> PublicTree:
    """Chance, then one subtree for each outcome: all of one shape."""
    outcomes = [(str(i), 1 / count, leaf(i)) for i in range(count)]
    return PublicTree.build(Decision(root, {"go": Chance(outcomes), "stop": Terminal(0, 0.5)}))


def test_shapes_do_not_depend_on_labels_scales_or_payoffs() -> None:
    def leaf(i: int) -> Node:
        actions: dict[str, Node] = {f"a{i}": Terminal(i % 2, float(i)), f"b{i}": Terminal(0, -1.0)}
        return Decision(1, actions)

    one = Dense(np.ones((2, 3)))
    other = Dense(np.arange(6.0).reshape(2, 3))
    hands = (("x", "y"), ("u", "v", "w"))
    weights = np.ones(2), np.ones(3)
    game = Game("same shape", repeated(7, leaf), (one, other), one, hands, weights, "points")
    plex = compile_game(game).plex[1]
    assert plex.groups[:, :3].tolist() == [[2, 7, 1]]
    # Player 1 has not acted above any of them: seven times one lane below the root.
    assert plex.segments.tolist() == [[lane, 0, 1] for lane in range(7)]


def test_neighbouring_lanes_hang_below_neighbouring_rows_in_one_segment() -> None:
    """After its own action in one of seven lanes, a player acts again, each lane below its own."""

    def leaf(i: int) -> Node:
        last = Decision(0, {"l": Terminal(0, 1.0 + i), "r": Terminal(0, -1.0)})
        return Decision(0, {"on": Decision(1, {"only": last}), "off": Terminal(0, float(i))})

    one = Dense(np.ones((2, 2)))
    hands = (("x", "y"), ("u", "v"))
    game = Game(
        "chains", repeated(7, leaf, root=1), (one,), one, hands, (np.ones(2), np.ones(2)), "points"
    )
    plex = compile_game(game).plex[0]
    assert plex.groups[:, :3].tolist() == [[2, 7, 1], [2, 7, 15]]
    assert plex.segments.tolist() == [*([lane, 0, 1] for lane in range(7)), [0, 1, 7]]


@pytest.mark.parametrize("name", small_zoo())
def test_compilation_is_deterministic(name: str) -> None:
    game = small_zoo()[name]
    for first, second in zip(
        (*compile_game(game).plex, *compile_game(game).sweeps),
        (*compile_game(game).plex, *compile_game(game).sweeps),
        strict=True,
    ):
        for a, b in zip(first, second, strict=True):
            np.testing.assert_array_equal(a, b)


# Sweeps: terminal values of the kernels against the walker's dense products.


def swept(game: Game, profile: Profile, player: int) -> Floats:
    """Values of the terminals of every compiled row, as the kernels find them, [rows, hands].

    Scratch and result start as NaN: what a kernel does not set itself would show.
    """
    compiled, opp = compile_game(game), 1 - player
    plex, sweeps = compiled.plex, compiled.sweeps[player]
    sigma = np.zeros((plex[opp].rows, plex[opp].hands))
    sigma[compiled.row_of[opp]] = profile[opp]
    reach = np.full(sigma.size, np.nan)
    kernels.reaches(plex[opp], sigma.ravel(), reach)
    v = np.full(plex[player].rows * plex[player].hands, np.nan)
    scratch = make_scratch(plex[player], sweeps, 1)
    for array in scratch:
        array[...] = np.nan
    kernels.terminal_values(sweeps, reach, v, scratch)
    return v.reshape(plex[player].rows, plex[player].hands)


def dense(game: Game, profile: Profile, player: int) -> Floats:
    """The same from dense matrices."""
    tree, compiled = game.tree, compile_game(game)
    values = walk.node_values(game, profile)[player]
    out = np.zeros((tree.rows[player] + 1, game.n[player]))
    for z in tree.terminals:
        own = [i for i in tree.path(int(z)) if i and tree.player[tree.parent[i]] == player]
        out[compiled.row_of[player][tree.row[own[0]]] if own else 0] += values[z]
    return out


def assert_sweeps(game: Game, seed: int) -> None:
    profile = sparse_profile(game, seed, zeros=0.3)
    for player in (0, 1):
        expected = dense(game, profile, player)
        size = np.abs(expected).max()
        assert size > 0
        np.testing.assert_allclose(
            swept(game, profile, player), expected, rtol=0, atol=1e-13 * max(1.0, size)
        )


def kinds(game: Game, player: int) -> set[int]:
    return {int(kind) for kind in compile_game(game).sweeps[player].table[:, layout.KIND]}


def sweep_game(payoffs: tuple[Payoff, ...], deal: Payoff, weighted: bool, boards: int = 7) -> Game:
    """All operators at the terminals of one betting round, which follows ``boards`` chance events.

    Each operator stands at many terminals, below many own rows, and some rows have several.
    """
    rng = np.random.default_rng(boards)

    def end() -> Node:
        return Terminal(int(rng.integers(len(payoffs))), float(rng.normal()))

    def reply() -> Node:
        return Decision(0, {"fold": end(), "call": end()})

    def street(_: int) -> Node:
        stab = Decision(1, {"check": end(), "bet": reply()})
        return Decision(
            0, {"check": stab, "bet": Decision(1, {"fold": end(), "call": end(), "raise": reply()})}
        )

    n = deal.shape
    weights = (rng.random(n[0]) + 0.1, rng.random(n[1]) * (np.arange(n[1]) != 1))
    hands = tuple(map(str, range(n[0]))), tuple(map(str, range(n[1])))
    return Game(
        "all sweeps",
        repeated(boards, street),
        payoffs,
        deal,
        hands,
        weights if weighted else (np.ones(n[0]), np.ones(n[1])),
        "points",
    )


@pytest.mark.parametrize("player", [0, 1])
def test_weights_of_one_player_only(player: int) -> None:
    """Each player's values carry the other's prior weights, not its own."""
    payoffs, deal = card_operators(12, 9, np.random.default_rng(1))
    game = sweep_game(payoffs, deal, weighted=True)
    weights = [np.ones(12), np.ones(12)]
    weights[player] = game.weights[player]
    assert_sweeps(replace(game, weights=(weights[0], weights[1])), seed=1)


WEIGHTED = pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])


@WEIGHTED
@pytest.mark.parametrize("n", [(1, 1), (2, 8), (8, 5)])
def test_small_dense_games(n: tuple[int, int], weighted: bool) -> None:
    payoffs = dense_operators(n, np.random.default_rng(1))
    game = sweep_game(payoffs, Dense(np.ones(n)), weighted)
    assert kinds(game, 0) == kinds(game, 1) == {layout.SMALL}
    assert_sweeps(game, seed=2)


@WEIGHTED
@pytest.mark.parametrize("hands", [3, 8])
def test_small_card_games(hands: int, weighted: bool) -> None:
    payoffs, deal = card_operators(hands, 9, np.random.default_rng(1))
    game = sweep_game(payoffs, deal, weighted)
    assert kinds(game, 0) == kinds(game, 1) == {layout.SMALL}
    assert_sweeps(game, seed=2)


@WEIGHTED
@pytest.mark.parametrize("n", [(9, 3), (10, 13), (12, 11), (31, 1), (96, 110), (101, 99)])
def test_dense_games(n: tuple[int, int], weighted: bool) -> None:
    payoffs = dense_operators(n, np.random.default_rng(3))
    game = sweep_game(payoffs, Dense(np.ones(n)), weighted)
    expected = {layout.FLOATS, layout.SIGNS, layout.RANK_ONE}
    if 1 in n:  # a single row is of rank one
        expected = {layout.RANK_ONE}
    assert kinds(game, 0) == kinds(game, 1) == expected
    assert_sweeps(game, seed=4)


@pytest.mark.parametrize("dtype", [np.int8, np.float64])
@pytest.mark.parametrize("boards", range(1, 10))
def test_dense_sweeps_of_any_number_of_lanes(boards: int, dtype: type) -> None:
    matrix: NDArray[Any] = np.random.default_rng(0).integers(-9, 10, (10, 15)).astype(dtype)
    assert_sweeps(sweep_game((Dense(matrix),), Dense(np.ones((10, 15))), True, boards), seed=boards)


@WEIGHTED
@pytest.mark.parametrize("deck", [8, 20, 52])
@pytest.mark.parametrize("hands", [9, 10, 11, 12, 28])
def test_card_games(hands: int, deck: int, weighted: bool) -> None:
    """Strengths tie in threes, hardly, and all; folds; two boards; sums with a dense matrix."""
    payoffs, deal = card_operators(hands, deck, np.random.default_rng(deck))
    game = sweep_game(payoffs, deal, weighted)
    assert kinds(game, 0) == {layout.FOLD, layout.SHOWDOWN, layout.FLOATS}
    assert_sweeps(game, seed=6)


@pytest.mark.parametrize("boards", range(1, 10))
def test_card_sweeps_of_any_number_of_lanes(boards: int) -> None:
    payoffs, deal = card_operators(21, 9, np.random.default_rng(boards))
    for op in (payoffs[0], payoffs[1]):
        assert_sweeps(sweep_game((op,), deal, True, boards), seed=boards)


@pytest.mark.parametrize("name", ["hunl-river", "double-board"])
def test_full_deck(name: str) -> None:
    """1081 hands on one board, 861 on two, prior weights that are not even."""
    betting = {"bets": [0.5], "max_raises": 2}
    game = uneven_weights(zoo(name, 3, betting=betting), seed=1, zeros=True)
    assert game.n[0] == {"hunl-river": 1081, "double-board": 861}[name]
    assert kinds(game, 0) == {layout.FOLD, layout.SHOWDOWN}
    assert_sweeps(game, seed=8)


def test_random_game() -> None:
    game = zoo("random-game", 3, hands=123, betting={"bets": [0.5], "max_raises": 2})
    assert kinds(game, 0) == {layout.SIGNS, layout.RANK_ONE}
    assert_sweeps(game, seed=9)


def test_an_operator_that_only_nearly_has_rank_one_is_no_product() -> None:
    matrix = np.outer(np.arange(1.0, 10), np.arange(2.0, 12))
    assert kinds(sweep_game((Dense(matrix),), Dense(matrix), False), 0) == {layout.RANK_ONE}
    matrix[4, 5] += 1e-9
    assert kinds(sweep_game((Dense(matrix),), Dense(matrix), False), 0) == {layout.FLOATS}
    matrix[0, 0] = 0.0
    game = sweep_game((Dense(matrix),), Dense(matrix), False)
    assert kinds(game, 1) == {layout.FLOATS}
    assert_sweeps(game, seed=1)


def test_players_without_decisions() -> None:
    """Either player may have nothing to decide, or both."""
    op = Dense(np.random.default_rng(0).normal(size=(2, 3)))
    hands, weights = (("x", "y"), ("u", "v", "w")), (np.ones(2), np.ones(3))
    one = Decision(0, {"a": Terminal(0, 1.0), "b": Terminal(0, -2.0)})
    two = Decision(1, {"a": Terminal(0, 1.0), "b": Terminal(0, -2.0)})
    for root in (one, two, Terminal(0, 1.5), Chance([("c", 1.0, Terminal(0, 1.0))])):
        game = Game("idle", PublicTree.build(root), (op,), op, hands, weights, "points")
        solver = CFR(game, Rule.named("pcfr-plus"))
        solver.run(50)
        profile, evaluator = solver.average(), Evaluator(game)
        assert evaluator.value(profile) == pytest.approx(walk.value(game, profile), abs=1e-14)
        best = sum(game.weights[p] @ walk.best_response_values(game, profile, p)[0] for p in (0, 1))
        assert evaluator.nash_conv(profile) == pytest.approx(best, abs=1e-14)


def test_the_least_int8_has_no_negative_of_its_type() -> None:
    matrix = np.full((10, 10), -128, np.int8)
    matrix[0, 0], matrix[1] = 3, 7
    assert_sweeps(sweep_game((Dense(matrix),), Dense(np.ones((10, 10))), False), 1)


def test_cards_are_counted_and_not_their_numbers() -> None:
    cards = np.array([(2 * i, 2 * i + 1) for i in range(20)], np.int8) + 40
    assert_sweeps(sweep_game((CardFold(cards),), CardFold(cards), False), 1)


def test_too_many_cards_are_refused_in_one_line() -> None:
    cards = np.array([(2 * i, 2 * i + 1) for i in range(33)], np.int8)
    game = sweep_game((CardFold(cards),), CardFold(cards), False)
    with pytest.raises(CfrlabError, match="66 different cards, at most 64") as error:
        compile_game(game)
    assert "\n" not in str(error.value)
