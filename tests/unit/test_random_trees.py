"""Random public trees, hands, weights and payoffs: the compiled engine against plain NumPy.

Shapes of subtrees repeat, so decisions stack into lanes in ways that no poker tree shows.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cfrlab.games.game import Game
from cfrlab.games.tree import PublicTree
from cfrlab.solve import lp, walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.compress import compress
from cfrlab.solve.merged import Merged, MergedCFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from cfrlab.solve.treeplex import compile_game
from reference_cfr import Reference, histories
from solver_games import (
    games,
    random_abstraction,
    random_buckets,
    small_zoo,
    sparse_profile,
    stake,
    standard_river,
    zoo,
)

RULES = ("cfr", "cfr-plus", "linear-cfr", "dcfr", "pcfr-plus")


def shape(tree: PublicTree, node: int) -> tuple[object, ...]:
    """Players and arities of the subtree, nested."""
    return (int(tree.player[node]), *(shape(tree, c) for c in tree.children[node]))


def own_parent(tree: PublicTree, node: int, player: int) -> int:
    """The node that the player's last action above led to, -1 if it has not acted."""
    path = [i for i in tree.path(node) if i and tree.player[tree.parent[i]] == player]
    return path[0] if path else -1


@settings(max_examples=150)
@given(games(most_hands=2))
def test_structure(game: Game) -> None:
    assert_structure(game)


@pytest.mark.parametrize("name", [*small_zoo(), "standard river", "large leduc"])
def test_structure_of_the_zoo(name: str) -> None:
    others = {"standard river": standard_river(), "large leduc": zoo("leduc", ranks=5)}
    assert_structure((small_zoo() | others)[name])


def assert_structure(game: Game) -> None:
    """Rows are a bijection, one group is one shape, and segments say what hangs below what."""
    tree, compiled = game.tree, compile_game(game)
    for p in (0, 1):
        plex, row_of = compiled.plex[p], compiled.row_of[p]
        assert sorted(row_of) == list(range(1, plex.rows))
        seen: dict[tuple[object, ...], int] = {}
        placed = 0
        for node in tree.decisions(p):
            rows = [int(row_of[tree.row[c]]) for c in tree.children[node]]
            group = int(np.searchsorted(plex.groups[:, 2], rows[0], side="right")) - 1
            actions, lanes, first, start, end = (int(x) for x in plex.groups[group])
            lane = rows[0] - first
            assert 0 <= lane < lanes
            assert rows == [first + a * lanes + lane for a in range(actions)]
            assert seen.setdefault(shape(tree, int(node)), group) == group
            above = own_parent(tree, int(node), p)
            source = int(row_of[tree.row[above]]) if above >= 0 else 0
            hits = [
                int(src) + lane - int(at)
                for at, src, length in plex.segments[start:end]
                if at <= lane < at + length
            ]
            assert hits == [source]
            assert source < first  # ancestors first
            placed += len(rows)
        assert placed == plex.rows - 1
        assert len(set(seen.values())) == len(seen) == len(plex.groups)
        assert plex.widest == max([1, *plex.groups[:, 1].tolist()])


@settings(max_examples=200)
@given(games(), st.sampled_from([0.0, 0.4]), st.integers(0, 99))
def test_values_and_best_responses_equal_the_walkers(game: Game, zeros: float, seed: int) -> None:
    profile = sparse_profile(game, seed, zeros)
    evaluator = Evaluator(game)
    v = walk.node_values(game, profile)
    scale = 1.0 + max(np.abs(v[p]).max() for p in (0, 1))
    assert abs(evaluator.value(profile) - walk.value(game, profile)) < 1e-12 * scale
    total = 0.0
    for p in (0, 1):
        best = walk.best_response_values(game, profile, p)[0]
        found = evaluator.best_response(profile, p)
        np.testing.assert_allclose(found, best, rtol=0, atol=1e-12 * scale)
        total += float(game.weights[p] @ best)
    assert abs(evaluator.nash_conv(profile) - total) < 1e-12 * scale
    assert abs(evaluator.exploitability(profile) - total / 2) < 1e-12 * scale


@settings(max_examples=60)
@given(games(most_hands=3, most_cards=3), st.integers(0, 99))
def test_values_of_the_walker_are_those_of_histories(game: Game, seed: int) -> None:
    dealt = game.deal.dense() != 0
    used = {int(i) for i in game.tree.payoff[game.tree.terminals]}
    assume(not any(game.payoffs[i].dense()[~dealt].any() for i in used))
    profile = sparse_profile(game, seed)
    found, expected = walk.node_values(game, profile), histories(game)(profile)
    for p in (0, 1):
        np.testing.assert_allclose(found[p], expected[p], rtol=0, atol=1e-12 * stake(game))


@settings(max_examples=80)
@given(games(most_hands=5, most_cards=6), st.sampled_from(RULES), st.integers(0, 99))
def test_linear_program_cfr_and_best_responses_agree(game: Game, rule: str, seed: int) -> None:
    value, profile = lp.solve(game)
    evaluator, rounding = Evaluator(game), 1e-8 * stake(game)
    other = lp.random_equilibrium(game, np.random.default_rng(seed))
    for equilibrium in (profile, other):
        game.check_profile(equilibrium)
        assert evaluator.exploitability(equilibrium) <= 100 * rounding
        assert evaluator.value(equilibrium) == pytest.approx(value, abs=100 * rounding)
    solver = CFR(game, Rule.named(rule))
    start = evaluator.exploitability(solver.average())
    solver.run(1000)
    game.check_profile(solver.average())
    gap = evaluator.exploitability(solver.average())
    assert gap <= 0.05 * start + rounding
    assert abs(evaluator.value(solver.average()) - value) <= 2 * gap + rounding


@settings(max_examples=40)
@given(games(most_hands=5, most_cards=6), st.integers(0, 99))
def test_buckets_in_the_linear_program_are_the_compressed_game(game: Game, seed: int) -> None:
    first, second = random_buckets(game, seed)
    small = compress(game, (first, second))
    value = lp.solve(game, (first, second))[0]
    assert lp.solve(small)[0] == pytest.approx(value, abs=1e-8 * stake(game))


@settings(max_examples=30)
@given(games(most_hands=5, most_cards=6), st.sampled_from(RULES))
def test_nothing_merged_is_plain_cfr(game: Game, rule: str) -> None:
    named, apart = Rule.named(rule), Merged.apart(game)
    plain, merged = CFR(game, named), MergedCFR(game, named, apart)
    for solver in (plain, merged):
        solver.run(10)
    for p in (0, 1):
        np.testing.assert_array_equal(plain.average()[p], merged.average()[p])


@settings(max_examples=200)
@given(
    games(most_hands=13),
    st.sampled_from(RULES),
    st.booleans(),
    st.sampled_from(["identity", "buckets", "soft"]),
    st.integers(0, 99),
)
def test_cfr_equals_numpy(game: Game, rule: str, alternating: bool, kind: str, seed: int) -> None:
    abstraction = random_abstraction(game, kind, seed)
    solver = CFR(game, Rule.named(rule, alternating, 1.0), abstraction)
    reference = Reference(
        game, rule, alternating, 1.0, lambda x: walk.node_values(game, x), abstraction
    )
    for _ in range(4):
        solver.run(1)
        reference.run(1, ties=solver.current())
        for p in (0, 1):
            np.testing.assert_allclose(solver.current()[p], reference.current[p], atol=1e-12)
            np.testing.assert_allclose(solver.average()[p], reference.average()[p], atol=1e-12)
