"""Abstractions in the solver: identity buckets, compression, soft Phi, OpenSpiel with buckets."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.solve import walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.compress import compress, lift
from cfrlab.solve.phi import Abstraction, BucketMap, Identity, Soft
from cfrlab.solve.response import Evaluator, exploitability
from cfrlab.solve.rule import Rule
from openspiel_bridge import export
from reference_cfr import Reference
from solver_games import random_abstraction, random_buckets, small_zoo, uneven_weights, zoo

RULES = ("cfr", "cfr-plus", "linear-cfr", "dcfr", "pcfr-plus")
ORDERS = pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
Maps = tuple[NDArray[np.int32], NDArray[np.int32]]


@cache
def game_of(name: str) -> Game:
    return {
        **small_zoo(),
        "leduc cards": zoo("leduc", merge_suits=False),
        "weighted leduc": uneven_weights(zoo("leduc", ranks=5), seed=4),
        "weighted river": uneven_weights(small_zoo()["river"], seed=7),
        "weighted random": uneven_weights(zoo("random-game", 3, hands=30), seed=2),
    }[name]


def maps_of(game: Game, seed: int, share: int = 2) -> Maps:
    first, second = random_buckets(game, seed, share)
    return first, second


def solve(
    game: Game, rule: str, alternating: bool, phi: Abstraction | None, iterations: int
) -> CFR:
    solver = CFR(game, Rule.named(rule, alternating, 1.0), phi)
    solver.run(iterations)
    return solver


def close(first: Profile, second: Profile, atol: float) -> None:
    for p in (0, 1):
        np.testing.assert_allclose(first[p], second[p], rtol=0, atol=atol)


@ORDERS
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["leduc", "river", "double board", "random"])
def test_a_bucket_for_each_hand_is_the_full_game(name: str, rule: str, alternating: bool) -> None:
    """Bitwise, prior weights being 1."""
    game = game_of(name)
    every = [np.arange(n, dtype=np.int32) for n in game.n]
    full = solve(game, rule, alternating, None, 60)
    for phi in (
        Abstraction(BucketMap(every[0]), BucketMap(every[1])),
        Abstraction(Identity(game.n[0]), BucketMap(every[1])),
    ):
        bucketed = solve(game, rule, alternating, phi, 60)
        close(full.average(), bucketed.average(), 0)
        close(full.current(), bucketed.current(), 0)


@pytest.mark.parametrize("name", ["weighted leduc", "weighted random"])
def test_weights_cancel_where_each_hand_is_a_row(name: str) -> None:
    """Regrets of a row are weighted, which regret matching does not see if it has one hand."""
    game = game_of(name)
    order = [np.random.default_rng(p).permutation(n).astype(np.int32) for p, n in enumerate(game.n)]
    full = solve(game, "dcfr", True, None, 6)
    buckets = Abstraction(BucketMap(order[0]), BucketMap(order[1]))
    close(full.average(), solve(game, "dcfr", True, buckets, 6).average(), 1e-12)


@ORDERS
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["leduc cards", "weighted river", "double board", "random"])
def test_compressed_and_uncompressed_solves_are_equal(
    name: str, rule: str, alternating: bool
) -> None:
    game = game_of(name)
    maps = maps_of(game, seed=3, share=3)
    phi = Abstraction(BucketMap(maps[0]), BucketMap(maps[1]))
    small = compress(game, maps)
    full, bucketed = (
        CFR(g, Rule.named(rule, alternating, 1.0), f) for g, f in ((game, phi), (small, None))
    )
    for _ in range(30):
        full.run(1)
        bucketed.run(1)
        close(full.average(), lift(bucketed.average(), maps), 1e-10)
        close(full.current(), lift(bucketed.current(), maps), 1e-10)


@ORDERS
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["buckets", "soft"])
@pytest.mark.parametrize("name", ["leduc cards", "weighted river", "weighted random"])
def test_abstract_solves_are_those_of_plain_numpy(
    name: str, kind: str, rule: str, alternating: bool
) -> None:
    game = game_of(name)
    phi = random_abstraction(game, kind, seed=5)
    mine = CFR(game, Rule.named(rule, alternating, 2.0), phi)
    other = Reference(game, rule, alternating, 2.0, lambda x: walk.node_values(game, x), phi)
    for _ in range(10):
        mine.run(1)
        other.run(1, ties=mine.current())
        close(mine.current(), other.current, 1e-12)
        close(mine.average(), other.average(), 1e-12)
        other.current = mine.current()
    game.check_profile(mine.average())
    game.check_profile(mine.current())


@ORDERS
@pytest.mark.parametrize("rule", RULES)
def test_a_soft_matrix_of_zeros_and_ones_is_a_bucket_map(rule: str, alternating: bool) -> None:
    game = game_of("weighted random")
    buckets = [BucketMap(m) for m in maps_of(game, seed=1, share=4)]
    hard = Abstraction(buckets[0], buckets[1])
    soft = Abstraction(Soft(buckets[0].dense()), Soft(buckets[1].dense()))
    mixed = Abstraction(buckets[0], soft[1])
    expected = solve(game, rule, alternating, hard, 15)
    for phi in (soft, mixed):
        found = solve(game, rule, alternating, phi, 15)
        close(found.average(), expected.average(), 1e-11)
        close(found.current(), expected.current(), 1e-11)


def test_soft_columns_mix_the_strategies_of_their_rows() -> None:
    """Hands that are half of each of two rows play the mean; the rows' own hands play theirs."""
    game = game_of("weighted random")
    matrix = np.zeros((2, game.n[0]))
    matrix[:, ::3], matrix[0, 1::3], matrix[1, 2::3] = 0.5, 1, 1
    solver = solve(game, "pcfr-plus", True, Abstraction(Soft(matrix), Identity(game.n[1])), 25)
    sigma = solver.current()[0]
    assert np.ptp(sigma[:, 1::3], axis=1).max() == 0
    assert np.abs(sigma[:, 1] - sigma[:, 2]).max() > 0.1
    np.testing.assert_allclose(sigma[:, 0], (sigma[:, 1] + sigma[:, 2]) / 2, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrices_of_any_dtype_and_order(dtype: Any, order: Any) -> None:
    game = game_of("random")
    dense = [BucketMap(m).dense() for m in maps_of(game, seed=1)]
    given = [Soft(np.asarray(d, dtype=dtype, order=order)) for d in dense]
    for soft in given:
        soft.matrix.flags.writeable = False
    plain = solve(game, "cfr", True, Abstraction(Soft(dense[0]), Soft(dense[1])), 10)
    other = solve(game, "cfr", True, Abstraction(given[0], given[1]), 10)
    close(plain.average(), other.average(), 0)


# OpenSpiel plays the game in which a player sees a bucket instead of a hand.
@pytest.mark.parametrize(
    ("theirs", "rule", "averaging"),
    [(pyspiel.CFRSolver, "cfr", 0.0), (pyspiel.CFRPlusSolver, "cfr-plus", 1.0)],
)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["leduc cards", "weighted river", "double board", "random"])
def test_openspiel_solves_the_bucketed_game_alike(
    name: str, seed: int, theirs: Any, rule: str, averaging: float
) -> None:
    game = game_of(name)
    maps = maps_of(game, seed, share=3)
    spiel = export(game, maps)
    mine = CFR(
        game, Rule.named(rule, True, averaging), Abstraction(BucketMap(maps[0]), BucketMap(maps[1]))
    )
    other, done = theirs(spiel.spiel), 0
    for t in mine.checkpoints([1, 2, 5, 10, 50]):
        for _ in range(t - done):
            other.evaluate_and_update_policy()
        done = t
        close(mine.average(), spiel.profile(other.average_policy()), 1e-8)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["leduc cards", "weighted river", "double board", "random"])
def test_bucketed_solves_judged_by_openspiel(name: str, rule: str) -> None:
    """Nearly unexploitable by a player who sees buckets; fully evaluated by one who sees hands."""
    game = game_of(name)
    maps = maps_of(game, seed=9)
    small = compress(game, maps)
    solver = solve(small, rule, True, None, 2000)
    lifted = lift(solver.average(), maps)
    game.check_profile(lifted)
    inside, outside = export(game, maps).nash_conv(lifted), export(game).nash_conv(lifted)
    assert Evaluator(small).nash_conv(solver.average()) == pytest.approx(inside, abs=1e-10)
    assert 2 * exploitability(game, lifted) == pytest.approx(outside, abs=1e-10)
    assert inside < 0.02 * game.pot < outside


def test_an_abstraction_of_another_game_is_refused() -> None:
    with pytest.raises(CfrlabError, match="player 0 has 3 hands, the abstraction is for 4"):
        CFR(game_of("kuhn"), Rule.named("cfr"), Abstraction(Identity(4), Identity(3)))
