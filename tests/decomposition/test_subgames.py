"""Trunk and forest: their values are those of the whole game."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfrlab.decomposition.entries import Entries
from cfrlab.decomposition.subgames import (
    Decomposition,
    best_response_values,
    forest,
    profile_values,
)
from cfrlab.errors import CfrlabError
from cfrlab.solve import kernels, walk
from leduc_cut import CFR_RULE, boards, dice, kuhn, leduc
from random_cuts import cuts
from small_games import random_profile
from solver_games import small_zoo, sparse_profile, stake, uneven_weights


def fixed_cuts() -> dict[str, Decomposition]:
    games = small_zoo()
    river = uneven_weights(games["river"], 3, zeros=True)
    return {
        "leduc": leduc(),
        "boards": boards(leduc()),
        "cards": leduc(merge_suits=False),
        "large": leduc(ranks=4, suits=3, max_raises=3),
        "kuhn": kuhn(),
        "checks": leduc(max_raises=0),
        "dice": dice(),
        "river": Decomposition.at(river, river.tree.children[0]),
    }


CUTS = fixed_cuts()


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("seed", range(3))
def test_values_of_entry_rows_are_those_of_the_roots(name: str, seed: int) -> None:
    assert_values_of_entry_rows(CUTS[name], seed)


@settings(max_examples=100)
@given(cuts(), st.integers(0, 99))
def test_values_of_entry_rows_of_random_games(cut: Decomposition, seed: int) -> None:
    assert_values_of_entry_rows(cut, seed)


def assert_values_of_entry_rows(cut: Decomposition, seed: int) -> None:
    game = cut.game
    profile = sparse_profile(game, seed)
    piece = forest(game, cut.roots)
    entries = Entries(piece, len(cut.roots))
    reach = cut.reaches(profile)
    for p in (0, 1):
        entries.enter(p, reach[p])
    solver = entries.solver(piece.game, CFR_RULE)
    here = piece.take(game.tree, profile)
    expected = profile_values(cut, profile)
    best = best_response_values(cut, profile)
    for p in (0, 1):
        plex, scratch = solver.compiled.plex, solver.scratch[p]
        flat = [np.zeros((plex[q].rows, game.n[q])) for q in (0, 1)]
        for q in (0, 1):
            flat[q][solver.compiled.row_of[q]] = here[q]
        own, opp = flat[p].ravel(), flat[1 - p].ravel()
        other, v = np.ones_like(opp), np.zeros_like(own)
        kernels.reaches(plex[1 - p], opp, other)
        for complete, target in ((True, expected[p]), (False, best[p])):
            kernels.terminal_values(solver.compiled.sweeps[p], other, v, scratch)
            if complete:
                kernels.mixed_values(plex[p], own, v, scratch.value)
            else:
                kernels.best_values(plex[p], v, scratch.value)
            found = v.reshape(-1, game.n[p])[entries.rows[p]]
            np.testing.assert_allclose(found, target, atol=1e-12 * stake(cut.game))


@pytest.mark.parametrize("name", CUTS)
def test_pieces_take_and_put_every_row_once(name: str) -> None:
    assert_every_row_once(CUTS[name])


@settings(max_examples=50)
@given(cuts())
def test_pieces_of_random_games_take_and_put_every_row_once(cut: Decomposition) -> None:
    assert_every_row_once(cut)


def assert_every_row_once(cut: Decomposition) -> None:
    game = cut.game
    profile, out = random_profile(game, 1), game.uniform()
    counts = [np.zeros(game.tree.rows[p]) for p in (0, 1)]
    for piece in (cut.trunk, forest(game, cut.roots)):
        part = piece.take(game.tree, profile)
        piece.game.check_profile(part)
        for p in (0, 1):
            piece.put(game.tree, part, out, p)
            counts[p][piece.rows(game.tree, p)[1]] += 1
    for p in (0, 1):
        np.testing.assert_array_equal(out[p], profile[p])
        np.testing.assert_array_equal(counts[p], 1)


@settings(max_examples=50)
@given(st.just(leduc()) | cuts(), st.integers(0, 99))
def test_trunk_value_and_root_values_make_the_value(cut: Decomposition, seed: int) -> None:
    """Trunk folds plus own reach times root values: the value of the game."""
    profile = sparse_profile(cut.game, seed)
    values, reach = profile_values(cut, profile), cut.reaches(profile)
    folds = walk.value(cut.trunk.game, cut.trunk.take(cut.game.tree, profile))
    for p, sign in ((0, 1), (1, -1)):
        total = folds * sign + (cut.game.weights[p] * reach[p] * values[p]).sum()
        value = sign * walk.value(cut.game, profile)
        assert total == pytest.approx(value, abs=1e-12 * stake(cut.game))


def test_bad_root_values_and_profiles() -> None:
    cut = leduc()
    good = best_response_values(cut, cut.game.uniform())
    assert cut.check_values(good) == good
    with pytest.raises(CfrlabError, match="missing"):
        cut.check_values(None)
    with pytest.raises(CfrlabError, match=r"player 1's root values have shape \(4, 3\)"):
        cut.check_values((good[0], good[1][:4]))
    for bad in (np.nan, np.inf):
        broken = good[0].copy()
        broken[3, 2] = bad
        with pytest.raises(CfrlabError, match="player 0's value with K at 'bet/call'"):
            cut.check_values((broken, good[1]))
    with pytest.raises(CfrlabError, match="made for another game"):
        best_response_values(cut, kuhn().game.uniform())
