"""A compressed game has the values of the original under the lifted strategy, exactly."""

from __future__ import annotations

import numpy as np
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.solve import walk
from cfrlab.solve.compress import Maps, compress, lift
from small_games import (
    Case,
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
    "random": random_matrices((23, 17)),
    "public chance": one_card_poker(),
    "dice": liars_dice(5),
}
BUCKETS = (5, 3)


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def random_maps(game: Game, seed: int = 0) -> Maps:
    rng = np.random.default_rng(seed)
    first, second = (
        rng.permutation(np.arange(n) % k).astype(np.int32)
        for n, k in zip(game.n, BUCKETS, strict=True)
    )
    return first, second


def test_values_of_the_lifted_strategy(case: Case) -> None:
    game, maps = case.game, random_maps(case.game)
    small = compress(game, maps)
    assert small.n == BUCKETS
    rows = random_profile(small, seed=1)
    lifted = lift(rows, maps)
    game.check_profile(lifted)
    assert small.pairs == pytest.approx(game.pairs, rel=1e-13)
    assert walk.value(small, rows) == pytest.approx(walk.value(game, lifted), abs=1e-12)
    for quantity in (walk.node_values, walk.compatible_reach):
        bucketed, full = quantity(small, rows), quantity(game, lifted)
        for p in (0, 1):
            weighted = full[p] * game.weights[p]
            for bucket in range(BUCKETS[p]):
                expected = weighted[:, maps[p] == bucket].sum(1)
                np.testing.assert_allclose(bucketed[p][:, bucket], expected, atol=1e-12)


@pytest.mark.parametrize("player", [0, 1])
def test_best_response_is_the_best_plan_of_each_bucket(player: int) -> None:
    """In the full game, a bucket's plan is worth the sum over the hands that share it."""
    game, maps = CASES["weighted river"].game, random_maps(CASES["weighted river"].game, seed=2)
    small = compress(game, maps)
    rows = random_profile(small, seed=3)
    lifted = lift(rows, maps)
    worth = []
    for plan in pure_strategies(game, player):
        both = (plan, lifted[1]) if player == 0 else (lifted[0], plan)
        hands = walk.node_values(game, both)[player][0] * game.weights[player]
        worth.append(np.bincount(maps[player], hands))
    best = walk.best_response_values(small, rows, player)[0]
    np.testing.assert_allclose(best, np.max(worth, 0), atol=1e-14)


def test_one_bucket_a_hand_is_the_same_game(case: Case) -> None:
    game = case.game
    maps = np.arange(game.n[0], dtype=np.int32), np.arange(game.n[1], dtype=np.int32)
    small = compress(game, maps)
    w0, w1 = game.weights
    for op, original in zip(small.payoffs, game.payoffs, strict=True):
        np.testing.assert_array_equal(op.dense(), w0[:, None] * original.dense() * w1)


def test_payoffs_of_a_bucket_pair_sum_over_its_pairs_of_hands() -> None:
    case = CASES["double board"]
    game, maps = case.game, random_maps(case.game, seed=4)
    small = compress(game, maps)
    expected = np.zeros((2, *BUCKETS))
    for a in range(game.n[0]):
        for b in range(game.n[1]):
            if case.possible(a, b, None):
                for i in (0, 1):
                    expected[i, maps[0][a], maps[1][b]] += case.settle(i, a, b)
    for i in (0, 1):
        np.testing.assert_allclose(small.payoffs[i].dense(), expected[i], atol=1e-12)


def test_shared_operators_stay_shared(case: Case) -> None:
    small = compress(case.game, random_maps(case.game))
    originals = (*case.game.payoffs, case.game.deal)
    copies = (*small.payoffs, small.deal)
    assert len({id(op) for op in originals}) == len({id(op) for op in copies})
    assert all(isinstance(op, Dense) for op in copies)
    assert small.tree is case.game.tree
    assert small.fold_payoffs == case.game.fold_payoffs


def test_bad_maps_are_refused() -> None:
    game = CASES["river"].game
    good = np.zeros(game.n[0], np.int32)
    with pytest.raises(CfrlabError, match="player 1 has 21 hands, the abstraction is for 20"):
        compress(game, (good, good[1:]))
    with pytest.raises(CfrlabError, match="bucket 0 of 2 is empty"):
        compress(game, (good + 1, good))
