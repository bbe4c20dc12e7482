"""The NumPy walker against plain enumeration of histories, identities and closed forms."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from cfrlab.games.game import Game
from cfrlab.games.payoffs import CardFold
from cfrlab.games.tree import Decision, PublicTree, Terminal
from cfrlab.solve import walk
from small_games import (
    Case,
    brute_force,
    liars_dice,
    one_card_poker,
    pure_strategies,
    random_matrices,
    random_profile,
    river,
)

CASES = {
    "river": river(),
    "weighted river": river(weighted=True),
    "double board": river(boards=2, seed=5),
    "random": random_matrices(),
    "public chance": one_card_poker(),
    "dice": liars_dice(2),
}


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.mark.parametrize("zeros", [False, True])
def test_values_and_compatible_reach_equal_brute_force(case: Case, zeros: bool) -> None:
    profile = random_profile(case.game, seed=3, zeros=zeros)
    expected = brute_force(case, profile)
    for p in (0, 1):
        np.testing.assert_allclose(
            walk.node_values(case.game, profile)[p], expected.values[p], atol=1e-14
        )
        np.testing.assert_allclose(
            walk.compatible_reach(case.game, profile)[p], expected.reach[p], atol=1e-15
        )


def test_expected_values_are_averages_of_payoffs_and_zero_where_nobody_is(case: Case) -> None:
    profile = random_profile(case.game, seed=4, zeros=True)
    brute = brute_force(case, profile)
    most = max(abs(case.game.tree.scale))
    for p in (0, 1):
        ev = walk.expected_values(case.game, profile)[p]
        empty = brute.reach[p] == 0
        assert np.isfinite(ev).all()
        assert (ev[empty] == 0).all()
        np.testing.assert_allclose(
            ev[~empty], (brute.values[p] / np.where(empty, 1, brute.reach[p]))[~empty], atol=1e-12
        )
        assert abs(ev).max() <= most + 1e-12


def test_both_players_see_one_zero_sum_value_at_every_node(case: Case) -> None:
    game, profile = case.game, random_profile(case.game, seed=5)
    r0, r1 = walk.reaches(game, profile)
    v0, v1 = walk.node_values(game, profile)
    at_0, at_1 = (v0 * r0) @ game.weights[0], (v1 * r1) @ game.weights[1]
    np.testing.assert_allclose(at_0, -at_1, atol=1e-14)
    assert walk.value(game, profile) == pytest.approx(at_0[0], abs=1e-14)


def test_reaches_are_products_of_own_actions_only(case: Case) -> None:
    game, profile = case.game, random_profile(case.game, seed=6)
    got = walk.reaches(game, profile)
    for node in range(len(game.tree)):
        for p in (0, 1):
            expected = np.ones(game.n[p])
            for step in game.tree.path(node):
                if step and game.tree.player[game.tree.parent[step]] == p:
                    expected *= profile[p][game.tree.row[step]]
            np.testing.assert_allclose(got[p][node], expected, rtol=1e-15)


@pytest.mark.parametrize("name", ["weighted river", "double board", "random", "dice"])
@pytest.mark.parametrize("player", [0, 1])
def test_best_response_is_the_best_plan_of_each_hand(name: str, player: int) -> None:
    game = CASES[name].game
    profile = random_profile(game, seed=7)
    plans = []
    for sigma in pure_strategies(game, player):
        both = (sigma, profile[1]) if player == 0 else (profile[0], sigma)
        plans.append(brute_force(CASES[name], both).values[player][0])
    best = walk.best_response_values(game, profile, player)[0]
    np.testing.assert_allclose(best, np.max(plans, 0), atol=1e-14)


@pytest.mark.parametrize("player", [0, 1])
def test_best_response_dominates_under_public_chance(player: int) -> None:
    game = one_card_poker().game
    profile = random_profile(game, seed=8)
    best = walk.best_response_values(game, profile, player)
    assert (best >= walk.node_values(game, profile)[player] - 1e-15).all()
    # Own actions do not enter: another own strategy leaves the best response where it was.
    own = random_profile(game, seed=9)
    mixed = (own[0], profile[1]) if player == 0 else (profile[0], own[1])
    np.testing.assert_array_equal(best, walk.best_response_values(game, mixed, player))


def test_full_river_is_normalised_by_compatible_pairs() -> None:
    """C(47,2) hands meet C(45,2) = 990 opponents each; root reach sums to 1 over the pairs."""
    cards = np.array(list(combinations(range(47), 2)), np.int8)
    fold = CardFold(cards)
    hands = tuple(map(str, range(1081)))
    ones = np.ones(1081)
    root = Decision(0, {"fold": Terminal(0, -1.0), "win": Terminal(0, 1.0)})
    game = Game("river", PublicTree.build(root), (fold,), fold, (hands, hands), (ones, ones), "pot")
    reach = walk.compatible_reach(game, game.uniform())
    assert game.pairs == 1081 * 990
    for p in (0, 1):
        np.testing.assert_allclose(reach[p][0], 1 / 1081, rtol=1e-12)
    # Player 0 gives up a unit with every hand at one node, wins it at the other.
    ev0, ev1 = walk.expected_values(game, game.uniform())
    np.testing.assert_allclose(ev0[:, 0], [0.0, -1.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(ev1[:, 0], [0.0, 1.0, -1.0], atol=1e-12)
