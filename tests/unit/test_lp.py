"""The linear program: known values, closed forms, and equilibria that OpenSpiel cannot exploit."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cfrlab.errors import CfrlabError
from cfrlab.games.export import Buckets
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Decision, PublicTree, Terminal
from cfrlab.games.zoo import akq, double_board, hunl_river, kuhn, leduc, random_game
from cfrlab.solve import lp, walk
from openspiel_bridge import export
from small_games import liars_dice
from solver_games import games


def make(module: ModuleType, seed: int = 0, **params: Any) -> Game:
    game = module.build(module.Params.model_validate(params), np.random.default_rng(seed))
    assert isinstance(game, Game)
    return game


def test_kuhn() -> None:
    value, _ = lp.solve(make(kuhn))
    assert value == pytest.approx(-1 / 18, abs=1e-12)


@pytest.mark.parametrize("merge", [True, False])
def test_leduc(merge: bool) -> None:
    value, _ = lp.solve(make(leduc, merge_suits=merge))
    assert value == pytest.approx(-0.0856064240780, abs=1e-9)


@pytest.mark.parametrize("bet", [0.1, 0.25, 0.5, 0.75, 1.0, 2.0])
def test_half_street_game_in_closed_form(bet: float) -> None:
    value, profile = lp.solve(make(akq, bet=bet))
    assert value == pytest.approx(max(0.0, bet / (1 + bet) * (1 - bet) / 6), abs=1e-12)
    if bet < 1:
        bets = profile[0][1]
        assert bets[0] == pytest.approx(bet / (1 + bet))  # bluffs with the queen
        assert bets[2] == pytest.approx(1.0)
        assert profile[1][1].tolist() == pytest.approx([0, (1 - bet) / (1 + bet), 1])


def test_half_street_game_of_the_book() -> None:
    value, _ = lp.solve(make(akq))
    assert value == pytest.approx(1 / 36, abs=1e-14)


GAMES = {
    "kuhn": make(kuhn, ranks=5),
    "leduc": make(leduc),
    "large leduc": make(leduc, ranks=4, suits=3, max_raises=3),
    "river": make(hunl_river, 1, ranks="9TJQKA", suits="cd"),
    "double": make(double_board, 1, ranks="TJQK", suits="cdhs"),
    "random": make(random_game, 2, hands=8),
    "random folds": make(random_game, 2, hands=8, folds="random", antisymmetric=False),
    "dice": liars_dice(4).game,
}


@pytest.mark.parametrize("name", GAMES)
def test_openspiel_finds_nothing_to_exploit(name: str) -> None:
    game = GAMES[name]
    value, profile = lp.solve(game)
    game.check_profile(profile)
    spiel = export(game)
    assert spiel.nash_conv(profile) == pytest.approx(0, abs=1e-10)
    assert spiel.value(profile) == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(2))
def test_bucketed_equilibrium_in_openspiel(name: str, seed: int) -> None:
    game = GAMES[name]
    rng = np.random.default_rng(seed)
    maps = [rng.permutation(np.arange(n) % (1 + (n - 1) // 2)) for n in game.n]
    buckets: Buckets = (maps[0], maps[1])
    value, profile = lp.solve(game, buckets)
    game.check_profile(profile)
    for p in (0, 1):
        for b in range(maps[p].max() + 1):
            inside = profile[p][:, maps[p] == b]
            assert (inside == inside[:, :1]).all()
    spiel = export(game, buckets)
    assert spiel.nash_conv(profile) == pytest.approx(0, abs=1e-10)
    assert spiel.value(profile) == pytest.approx(value, abs=1e-10)
    # In the full game the coarse strategies can be exploited.
    assert export(game).nash_conv(profile) > 1e-3


def test_one_bucket_for_each_hand_is_the_game_itself() -> None:
    game = GAMES["leduc"]
    order = np.array([2, 0, 1])
    assert lp.solve(game, (order, order))[0] == pytest.approx(lp.solve(game)[0], abs=1e-12)


def test_unreached_decisions_are_uniform() -> None:
    """Player 0 stops at once, so what it does later is free; so is player 1's reply."""
    later = Decision(0, {"a": Terminal(0, -3.0), "b": Terminal(0, -4.0)})
    tree = PublicTree.build(
        Decision(0, {"stop": Terminal(0, 1.0), "go": Decision(1, {"on": later})})
    )
    one = Dense(np.ones((1, 1)))
    game = Game("stop", tree, (one,), one, (("-",), ("-",)), (np.ones(1), np.ones(1)), "points")
    value, profile = lp.solve(game)
    assert value == pytest.approx(1.0)
    assert profile[0][:, 0].tolist() == [1, 0, 0.5, 0.5]
    assert profile[1][:, 0].tolist() == [1]


def resolving_gadget(stored: list[float], follow_only: bool = False) -> Game:
    """Rock-paper-scissors in which player 1 has moved unseen and player 0 is to be re-solved.

    Player 1's hands are the moves made. For each one it chooses to follow (play goes on) or to
    terminate for the stored value (Burch, Johanson and Bowling, 2014, without normalisation).
    What termination pays does not depend on player 0's reach, so it hangs on a hand of player 0
    of its own, of weight 1, which plays no part when play goes on.
    """
    rock_paper_scissors = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    replies = [Dense(np.vstack([row, np.zeros(3)])) for row in rock_paper_scissors]
    terminate = Dense(np.vstack([np.zeros(3), -np.array(stored)]))
    moves = ("rock", "paper", "scissors")
    follow = Decision(0, {move: Terminal(i) for i, move in enumerate(moves)})
    choice = {"follow": follow} | ({} if follow_only else {"terminate": Terminal(3)})
    return Game(
        "rock-paper-scissors gadget",
        PublicTree.build(Decision(1, choice)),
        (*replies, terminate),
        Dense(np.ones((2, 3))),
        (("player 0", "terminate"), moves),
        (np.ones(2), np.ones(3)),
        "points",
    )


@pytest.mark.parametrize(
    ("stored", "strategy"),
    [
        ([0, 0, 0], [1 / 3, 1 / 3, 1 / 3]),
        ([0, 1, -1], [1, 0, 0]),  # values against always-rock
        ([1, -1, 0], [0, 0, 1]),  # against always-scissors
        ([0, 0.25, -0.25], [0.5, 0.25, 0.25]),
    ],
)
def test_resolving_gadget_recovers_the_strategy_behind_the_values(
    stored: list[float], strategy: list[float]
) -> None:
    """Stored values that sum to zero leave one strategy that gives no move more than its value."""
    game = resolving_gadget(stored)
    value, profile = lp.solve(game)
    assert value == pytest.approx(-sum(stored) * game.norm, abs=1e-12)
    np.testing.assert_allclose(profile[0][:, 0], strategy, atol=1e-9)
    assert export(game).nash_conv(profile) == pytest.approx(0, abs=1e-12)


def test_gadget_pays_more_where_the_values_cannot_be_kept() -> None:
    """Values below what any strategy concedes: the gap is shared, and terminating is no use."""
    game = resolving_gadget([-1, -1, -1])
    value, _ = lp.solve(game)
    assert value == pytest.approx(0, abs=1e-12)


def test_without_the_gadget_any_strategy_will_do() -> None:
    """Unsafe re-solving against uniform moves: even always-rock is optimal."""
    game = resolving_gadget([0, 0, 0], follow_only=True)
    value, profile = lp.solve(game)
    assert value == pytest.approx(0, abs=1e-12)
    rock = np.zeros((3, 2))
    rock[0] = 1
    assert export(game).value((rock, profile[1])) == pytest.approx(0, abs=1e-12)


def in_unit(game: Game, unit: float) -> Game:
    """The game with all payoffs in another unit."""
    return replace(game, tree=replace(game.tree, scale=game.tree.scale * unit))


def won_by_best_responses(game: Game, profile: tuple[np.ndarray, np.ndarray]) -> float:
    """The sum over both players, by NumPy's walker."""
    best = (walk.best_response_values(game, profile, p)[0] for p in (0, 1))
    return float(sum(game.weights[p] @ values for p, values in enumerate(best)))


def stakes(game: Game) -> float:
    """The largest payoff of each pair of hands, on average, if chance did no more than it may."""
    largest = np.zeros(game.n)
    for z in game.tree.terminals:
        size = np.abs(game.tree.scale[z] * game.payoffs[game.tree.payoff[z]].dense())
        largest = np.maximum(largest, size)
    return float(game.norm * game.weights[0] @ largest @ game.weights[1])


@pytest.mark.parametrize("exponent", range(-12, 13, 3))
def test_leduc_in_any_unit(exponent: int) -> None:
    unit = 10.0**exponent
    game = in_unit(GAMES["leduc"], unit)
    value, profile = lp.solve(game)
    assert value / unit == pytest.approx(-0.0856064240780, abs=1e-9)
    assert won_by_best_responses(game, profile) / unit == pytest.approx(0, abs=1e-9)
    other = lp.random_equilibrium(game, np.random.default_rng(0))
    assert won_by_best_responses(game, other) / unit == pytest.approx(0, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(games(most_hands=13), st.floats(-12, 12))
@example(GAMES["random folds"], -9.0)
@example(make(kuhn), 12.0)
def test_random_games_in_any_unit(game: Game, exponent: float) -> None:
    """Games of any shape, also with one hand, one action and hands of weight 0."""
    game = in_unit(game, 10.0**exponent)
    value, profile = lp.solve(game)
    game.check_profile(profile)
    tiny = 1e-9 * stakes(game)
    assert abs(won_by_best_responses(game, profile)) <= tiny
    assert abs(walk.value(game, profile) - value) <= tiny


def test_a_game_about_nothing() -> None:
    for unit in (0.0, -0.0):
        game = in_unit(GAMES["leduc"], unit)
        value, profile = lp.solve(game)
        assert value == 0
        game.check_profile(profile)
        game.check_profile(lp.random_equilibrium(game, np.random.default_rng(0)))


def test_one_hand_one_action() -> None:
    tree = PublicTree.build(Decision(0, {"on": Decision(1, {"on": Terminal(0, 3e-10)})}))
    one = Dense(np.ones((1, 1)))
    game = Game("forced", tree, (one,), one, (("-",), ("-",)), (np.ones(1), np.ones(1)), "points")
    value, profile = lp.solve(game)
    assert value == pytest.approx(3e-10, rel=1e-12)
    assert [rows.tolist() for rows in profile] == [[[1.0]], [[1.0]]]


def test_payoffs_beyond_numbers_are_refused() -> None:
    huge = in_unit(GAMES["leduc"], 1e200)
    huge = replace(huge, payoffs=tuple(Dense(1e200 * op.dense()) for op in huge.payoffs))
    with pytest.raises(CfrlabError, match="not a finite number; choose a larger unit"):
        lp.solve(huge)


@pytest.mark.parametrize("wrong", ["value", "strategies"])
def test_a_wrong_solution_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever HiGHS says, nothing that best responses beat is returned."""
    solve = lp._solve

    def off(*args: Any) -> Any:
        value, plan, reply = solve(*args)
        if wrong == "value":
            return value + 1e-6, plan, reply
        return value, np.ones_like(plan), reply

    monkeypatch.setattr(lp, "_solve", off)
    with pytest.raises(CfrlabError, match=r"leduc: HiGHS's solution is off by .* of the stakes"):
        lp.solve(GAMES["leduc"])
