"""Random public trees, hands, weights and payoffs: the compiled engine against plain NumPy.

Shapes of subtrees repeat, so decisions stack into lanes in ways that no poker tree shows.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfrlab.games.game import Game
from cfrlab.games.tree import PublicTree
from cfrlab.solve import walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from cfrlab.solve.treeplex import compile_game
from reference_cfr import Reference
from solver_games import (
    games,
    random_abstraction,
    small_zoo,
    sparse_profile,
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
