"""Value, best response and exploitability: OpenSpiel, brute force, the walker, closed forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest

from cfrlab.games.game import Game, Profile
from cfrlab.solve import lp, walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator, exploitability
from cfrlab.solve.rule import Rule
from openspiel_bridge import Exported, export
from reference_cfr import histories
from small_games import (
    Case,
    brute_force,
    liars_dice,
    one_card_poker,
    pure_strategies,
    random_matrices,
    river,
)
from solver_games import small_zoo, sparse_profile, standard_river, uneven_weights, zoo


@cache
def games() -> dict[str, Game]:
    return {
        **small_zoo(),
        "leduc cards": zoo("leduc", merge_suits=False),
        "large leduc": zoo("leduc", ranks=4, suits=3, max_raises=3),
        "weighted river": uneven_weights(small_zoo()["river"], seed=2, zeros=True),
        "weighted double board": uneven_weights(small_zoo()["double board"], seed=3, zeros=True),
        "random folds": zoo("random-game", 4, hands=8, folds="random", antisymmetric=False),
        "more hands than lanes": zoo("random-game", 5, hands=12, antisymmetric=False),
    }


@cache
def exported(name: str) -> Exported:
    return export(games()[name])


@pytest.mark.parametrize("zeros", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", list(games()))
def test_value_and_nash_conv_are_openspiels(name: str, seed: int, zeros: float) -> None:
    game, spiel = games()[name], exported(name)
    profile = sparse_profile(game, seed, zeros)
    evaluator = Evaluator(game)
    assert evaluator.value(profile) == pytest.approx(spiel.value(profile), abs=1e-10)
    assert evaluator.nash_conv(profile) == pytest.approx(spiel.nash_conv(profile), abs=1e-10)


@pytest.mark.parametrize("name", list(games()))
def test_half_sum_and_nash_conv(name: str) -> None:
    game = games()[name]
    profile = sparse_profile(game, 7)
    evaluator = Evaluator(game)
    best = [float(game.weights[p] @ evaluator.best_response(profile, p)) for p in (0, 1)]
    assert evaluator.nash_conv(profile) == pytest.approx(best[0] + best[1], abs=1e-15)
    assert evaluator.exploitability(profile) == pytest.approx((best[0] + best[1]) / 2, abs=1e-15)
    assert exploitability(game, profile) == evaluator.exploitability(profile)
    assert best[0] >= evaluator.value(profile) >= -best[1]


@pytest.mark.parametrize(
    "case",
    [
        river(),
        river(weighted=True),
        river(boards=2, seed=5),
        random_matrices((5, 4)),
        random_matrices((23, 17)),
        liars_dice(2),
    ],
    ids=["river", "weighted river", "double board", "random 5x4", "random 23x17", "dice"],
)
@pytest.mark.parametrize("player", [0, 1])
def test_best_response_is_the_best_pure_strategy_of_every_hand(case: Case, player: int) -> None:
    """All pure strategies of a player, each valued history by history with the rules in Python."""
    game, values = case.game, histories(case.game)
    profile = sparse_profile(game, 3, zeros=0.3)
    plans = []
    for sigma in pure_strategies(game, player):
        both = (sigma, profile[1]) if player == 0 else (profile[0], sigma)
        plans.append(values(both)[player][0])
    best = Evaluator(game).best_response(profile, player)
    np.testing.assert_allclose(best, np.max(plans, 0), rtol=0, atol=1e-13)


def test_best_response_over_whole_strategies_of_kuhn() -> None:
    """All 64 pure strategies of either player: here an action for every hand separately."""
    game = games()["kuhn"]
    profile = sparse_profile(game, 1)
    for player in (0, 1):
        shared = pure_strategies(game, player)
        top = -np.inf
        for plan in product(shared, repeat=game.n[player]):
            sigma = np.stack([plan[h][:, h] for h in range(game.n[player])], axis=1)
            both = (sigma, profile[1]) if player == 0 else (profile[0], sigma)
            worth = walk.value(game, both)
            top = max(top, worth if player == 0 else -worth)
        best = game.weights[player] @ Evaluator(game).best_response(profile, player)
        assert best == pytest.approx(top, abs=1e-14)


def test_public_chance_by_brute_force() -> None:
    case = one_card_poker()
    profile = sparse_profile(case.game, 2)
    value = case.game.weights[0] @ brute_force(case, profile).values[0][0]
    assert Evaluator(case.game).value(profile) == pytest.approx(value, abs=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "build",
    [standard_river, lambda: zoo("double-board", 2), lambda: zoo("random-game", 2)],
    ids=["river of 1081 hands", "double board of 861", "random game of 500"],
)
def test_full_games_against_the_walker(build: Callable[[], Game], weighted: bool) -> None:
    game = build()
    if weighted:
        game = uneven_weights(game, seed=1, zeros=True)
    profile = sparse_profile(game, 1)
    evaluator = Evaluator(game)
    assert evaluator.value(profile) == pytest.approx(walk.value(game, profile), abs=1e-11)
    for p in (0, 1):
        expected = walk.best_response_values(game, profile, p)[0]
        np.testing.assert_allclose(
            evaluator.best_response(profile, p), expected, rtol=1e-11, atol=1e-13
        )


@pytest.mark.parametrize(
    ("name", "conv"),
    [("kuhn", 11 / 12), ("leduc", 2 * 2.3736111111), ("leduc cards", 4.7472222222)],
)
def test_uniform_strategies_of_kuhn_and_leduc(name: str, conv: float) -> None:
    game = games()[name]
    assert Evaluator(game).nash_conv(game.uniform()) == pytest.approx(conv, abs=1e-10)


@pytest.mark.parametrize("name", list(games()))
def test_equilibria_of_the_linear_program_cannot_be_exploited(name: str) -> None:
    game = games()[name]
    value, profile = lp.solve(game)
    assert 0 <= exploitability(game, profile) + 1e-13 < 1e-9
    assert Evaluator(game).value(profile) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", ["river", "weighted river", "weighted double board", "leduc"])
def test_hands_that_nobody_can_meet_are_worth_nothing(name: str) -> None:
    """An opponent who never gets somewhere, and hands without prior weight, give finite numbers."""
    game = games()[name]
    profile = sparse_profile(game, 5, zeros=0.0)
    for p in (0, 1):  # both always take the first action: most of the tree is never reached
        for node in game.tree.decisions(p):
            rows = game.tree.row[list(game.tree.children[node])]
            profile[p][rows] = 0
            profile[p][rows[0]] = 1
    evaluator = Evaluator(game)
    for p in (0, 1):
        best = evaluator.best_response(profile, p)
        assert np.isfinite(best).all()
        expected = walk.best_response_values(game, profile, p)[0]
        np.testing.assert_allclose(best, expected, rtol=0, atol=1e-14)
    solver = CFR(game, Rule.named("pcfr-plus"))
    solver.run(300)
    game.check_profile(solver.average())
    assert evaluator.exploitability(solver.average()) < 0.02 * game.pot


def test_one_evaluator_for_many_profiles() -> None:
    """Nothing of one evaluation stays behind for the next."""
    game = games()["weighted river"]
    profiles = [sparse_profile(game, seed, zeros=0.4) for seed in range(4)]
    shared = Evaluator(game)
    for profile in (*profiles, *reversed(profiles)):
        fresh = Evaluator(game)
        assert shared.value(profile) == fresh.value(profile)
        assert shared.nash_conv(profile) == fresh.nash_conv(profile)
        for p in (0, 1):
            first = shared.best_response(profile, p)
            kept = first.copy()
            shared.best_response(profiles[0], p)
            np.testing.assert_array_equal(first, kept)


def test_profiles_of_any_layout() -> None:
    game = games()["leduc"]
    profile = sparse_profile(game, 1)
    expected = exploitability(game, profile)
    fortran: Profile = (np.asfortranarray(profile[0]), np.asfortranarray(profile[1]))
    wide = np.repeat(profile[0], 2, axis=1)
    assert exploitability(game, fortran) == expected
    assert exploitability(game, (wide[:, ::2], profile[1])) == expected
