"""The gadget: as a game, in its compiled form, and on the paper's rock-paper-scissors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfrlab.decomposition.gadget import GadgetSolver, gadget_game, joint_values, root_infosets
from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition, best_response_values, profile_values
from cfrlab.solve import lp, walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from leduc_cut import CFR_RULE, boards, dice, kuhn, leduc, rock_paper_scissors
from openspiel_bridge import export
from random_cuts import cuts
from small_games import random_profile
from solver_games import sparse_profile, stake

CUTS = {
    "leduc": leduc(),
    "kuhn": kuhn(),
    "boards": boards(leduc()),
    "checks": leduc(max_raises=0),
    "dice": dice(),
}


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("player", [0, 1])
def test_the_opponents_values_in_the_gadget_are_those_of_the_whole_game(
    name: str, player: int
) -> None:
    """A best response follows for its value in the subgame or terminates for what was stored."""
    cut = CUTS[name]
    game, opponent = cut.game, 1 - player
    profile = random_profile(game, 5)
    reach, best = cut.reaches(profile), best_response_values(cut, profile)
    rng = np.random.default_rng(1)
    stored = best[opponent] + rng.normal(size=best[opponent].shape) * 0.05
    piece = gadget_game(cut, player, reach[player], stored)
    one, two = profile
    hands = [one, two]
    hands[player] = np.concatenate([hands[player], hands[player][:, :1]], axis=1)
    here = piece.take(game.tree, (hands[0], hands[1]))
    value = walk.best_response_values(piece.game, here, opponent)[0]
    follow, paid = joint_values(cut, opponent, best[opponent]), joint_values(cut, opponent, stored)
    expected = sum(np.maximum(f, t) for f, t in zip(follow, paid, strict=True))
    np.testing.assert_allclose(value, expected, atol=1e-12)
    assert export(piece.game).value(here) == pytest.approx(walk.value(piece.game, here), abs=1e-10)


def test_roots_that_look_alike_share_one_choice() -> None:
    cut = boards(leduc())
    # After check/check player 0 acts next and knows the board; player 1 has seen no board.
    assert [0] in root_infosets(cut, 0)
    assert [0, 1, 2] in root_infosets(cut, 1)
    assert len(root_infosets(cut, 0)) == 15
    assert len(root_infosets(cut, 1)) == 5


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("rule", ["cfr", "cfr-plus", "dcfr"])
@pytest.mark.parametrize("player", [0, 1])
def test_the_compiled_form_runs_as_the_game_does(name: str, rule: str, player: int) -> None:
    cut = CUTS[name]
    game = cut.game
    profile = random_profile(game, 7)
    reach, values = cut.reaches(profile), profile_values(cut, profile)
    named = Rule.named(rule)
    fast = GadgetSolver(cut, player, reach[player], values[1 - player], named)
    piece = gadget_game(cut, player, reach[player], values[1 - player])
    slow = CFR(piece.game, named)
    # Clipping rules amplify the last digit, in which the two forms differ.
    tolerance = 1e-9 if rule == "cfr" else 1e-5
    for _ in range(3):
        fast.cfr.run(10)
        slow.run(10)
        found, expected = game.uniform(), game.uniform()
        fast.piece.put(game.tree, fast.cfr.average(), found, player)
        piece.put(game.tree, slow.average(), expected, player)
        np.testing.assert_allclose(found[player], expected[player], atol=tolerance)


@settings(max_examples=60)
@given(cuts(), st.integers(0, 99), st.sampled_from([0, 1]))
def test_random_gadgets_have_the_value_of_the_linear_program(
    cut: Decomposition, seed: int, player: int
) -> None:
    profile, opponent = sparse_profile(cut.game, seed), 1 - player
    reach, stored = cut.reaches(profile)[player], best_response_values(cut, profile)[opponent]
    solver = GadgetSolver(cut, player, reach, stored, Rule.named("cfr-plus"))
    solver.cfr.run(400)
    piece, average = gadget_game(cut, player, reach, stored), list(solver.cfr.average())
    average[player] = np.concatenate([average[player], average[player][:, :1]], axis=1)
    found, evaluator = (average[0], average[1]), Evaluator(piece.game)
    piece.game.check_profile(found)
    gap, rounding = evaluator.exploitability(found), 1e-8 * stake(cut.game)
    assert gap <= 0.02 * evaluator.exploitability(piece.game.uniform()) + rounding
    assert abs(evaluator.value(found) - lp.solve(piece.game)[0]) <= 2 * gap + rounding


def rps() -> Decomposition:
    return Decomposition.at(rock_paper_scissors(), [1])


def test_rock_paper_scissors_safe() -> None:
    """Always-rock concedes 0 to rock, 1 to paper and -1 to scissors; safe re-solving finds it."""
    cut = rps()
    rock = (np.array([[1.0], [0], [0]]), cut.game.uniform()[1])
    values = best_response_values(cut, rock)
    np.testing.assert_allclose(values[1][0] / cut.game.norm, [0, 1, -1])
    evaluator = Evaluator(cut.game)
    exact = resolve_exactly(cut, rock, "safe", players=[0])
    np.testing.assert_allclose(exact[0][:, 0], [1, 0, 0], atol=1e-12)
    # From the equilibrium's values, (0, 0, 0), nothing can be exploited.
    safe = Resolver(cut, rock, "safe", CFR_RULE, (values[0], np.zeros((1, 3))), players=[0])
    safe.run(20_000)
    conceded = evaluator.best_response(safe.profile(), 1) / cut.game.norm
    assert conceded.max() < 0.01


@pytest.mark.parametrize("seed", range(4))
def test_rock_paper_scissors_unsafe(seed: int) -> None:
    """Against uniform moves every reply is as good, so the start decides what comes out."""
    cut = rps()
    profile = cut.game.uniform()
    start = np.random.default_rng(seed)
    unsafe = Resolver(cut, profile, "unsafe", CFR_RULE, players=[0], start=start)
    unsafe.run(20_000)
    conceded = Evaluator(cut.game).best_response(unsafe.profile(), 1) / cut.game.norm
    assert conceded.max() > 0.1


def test_zero_reach_roots_need_no_special_case() -> None:
    """Roots that a player never reaches: finite strategies, and the rest as if they were not."""
    cut = leduc()
    game = cut.game
    profile = random_profile(game, 3)
    first = game.tree.children[0]
    profile[0][game.tree.row[first[1]]] = 0.0  # player 0 never bets first
    profile[0][game.tree.row[first[0]]] = 1.0
    reach = cut.reaches(profile)
    assert (reach[0][3:] == 0).all()
    before = Evaluator(game).exploitability(profile)
    exact = resolve_exactly(cut, profile, "safe")
    game.check_profile(exact)
    assert Evaluator(game).exploitability(exact) <= before + 1e-10
    resolver = Resolver(cut, profile, "safe", CFR_RULE)
    resolver.run(50)
    game.check_profile(resolver.profile())
    values = best_response_values(cut, profile)
    alone = Decomposition(game, cut.subgames[:1])
    one = Resolver(alone, profile, "safe", CFR_RULE, (values[0][:1], values[1][:1]))
    one.run(50)
    inside = alone.game.uniform()
    for p in (0, 1):
        mask = one.profile()[p] != profile[p]
        inside[p][:] = resolver.profile()[p]
        np.testing.assert_array_equal(one.profile()[p][mask], inside[p][mask])


def test_lp_value_of_the_gadget_is_what_was_stored_at_an_equilibrium() -> None:
    cut = leduc()
    _, profile = lp.solve(cut.game)
    reach, values = cut.reaches(profile), best_response_values(cut, profile)
    for p in (0, 1):
        value, _ = lp.solve(gadget_game(cut, p, reach[p], values[1 - p]).game)
        sign = 1 if p == 1 else -1
        assert value == pytest.approx(sign * values[1 - p].sum(), abs=1e-10)
