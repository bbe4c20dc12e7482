"""Theorem 1 and its relatives: what re-solving guarantees, exactly and by CFR."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfrlab.decomposition.gadget import gadget_game, root_infosets
from cfrlab.decomposition.margin import gifts, margin_game
from cfrlab.decomposition.resolving import METHODS, Resolver, resolve_exactly
from cfrlab.decomposition.subgames import (
    Decomposition,
    best_response_values,
    profile_values,
)
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Profile
from cfrlab.games.payoffs import Floats
from cfrlab.solve import lp, walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from leduc_cut import CFR_RULE, boards, dice, equilibrium, kuhn, leduc
from openspiel_bridge import export
from random_cuts import cuts
from small_games import random_profile
from solver_games import small_zoo, sparse_profile, stake


def cut_named(name: str) -> Decomposition:
    if name == "river":
        game = small_zoo()["river"]
        return Decomposition.at(game, game.tree.children[0])
    return {
        "leduc": leduc(),
        "kuhn": kuhn(),
        "dice": dice(),
        "one suit": boards(leduc(suits=1, ranks=4)),
    }[name]


def least_margin(cut: Decomposition, before: Profile, after: Profile) -> float:
    old, new = best_response_values(cut, before), best_response_values(cut, after)
    return float(min((old[p] - new[p]).min() for p in (0, 1)))


@pytest.mark.parametrize("name", ["leduc", "kuhn", "river", "dice"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["safe", "reach", "max-margin"])
def test_exact_safe_methods_never_raise_exploitability(name: str, seed: int, method: str) -> None:
    cut = cut_named(name)
    profile = sparse_profile(cut.game, seed)
    after = assert_no_more_exploitable(cut, profile, method, 1e-9)
    if method != "reach":
        assert least_margin(cut, profile, after) >= -1e-9


@settings(max_examples=60)
@given(cuts(hands=5), st.integers(0, 99), st.sampled_from(["safe", "reach", "max-margin"]))
def test_exact_safe_methods_on_random_games(cut: Decomposition, seed: int, method: str) -> None:
    assert_no_more_exploitable(cut, sparse_profile(cut.game, seed), method, 1e-8 * stake(cut.game))


def assert_no_more_exploitable(
    cut: Decomposition, profile: Profile, method: str, tolerance: float
) -> Profile:
    """Re-solve exactly; the new profile."""
    evaluator = Evaluator(cut.game)
    after = resolve_exactly(cut, profile, method)
    cut.game.check_profile(after)
    for p in (0, 1):
        old, new = (cut.game.weights[p] @ evaluator.best_response(s, p) for s in (profile, after))
        assert new <= old + tolerance
    return after


@pytest.mark.parametrize("name", ["leduc", "dice"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("iterations", [10, 100, 1000])
def test_cfr_raises_it_at_most_by_what_the_roots_concede(
    name: str, seed: int, iterations: int
) -> None:
    cut = cut_named(name)
    assert_rise_is_conceded(cut, random_profile(cut.game, seed), iterations)


@settings(max_examples=50)
@given(cuts(), st.integers(0, 99), st.sampled_from([1, 10, 100]))
def test_random_games_concede_what_the_roots_concede(
    cut: Decomposition, seed: int, iterations: int
) -> None:
    assert_rise_is_conceded(cut, sparse_profile(cut.game, seed), iterations)


def assert_rise_is_conceded(cut: Decomposition, profile: Profile, iterations: int) -> None:
    game, evaluator = cut.game, Evaluator(cut.game)
    stored = best_response_values(cut, profile)
    resolver = Resolver(cut, profile, "safe", CFR_RULE)
    resolver.run(iterations)
    after = resolver.profile()
    game.check_profile(after)
    conceded = best_response_values(cut, after)
    for p in (0, 1):
        rise = game.weights[p] @ (
            evaluator.best_response(after, p) - evaluator.best_response(profile, p)
        )
        most = game.weights[p] * np.maximum(conceded[p] - stored[p], 0)
        assert rise <= most.sum() + 1e-12 * stake(cut.game)


@settings(max_examples=30)
@given(cuts(), st.integers(0, 99), st.sampled_from(METHODS))
def test_every_method_gives_strategies(cut: Decomposition, seed: int, method: str) -> None:
    resolver = Resolver(cut, sparse_profile(cut.game, seed), method, Rule.named("pcfr-plus"))
    for _ in resolver.checkpoints([1, 10]):
        cut.game.check_profile(resolver.profile())


@pytest.mark.parametrize("method", METHODS)
def test_where_nobody_has_a_choice_nothing_changes(method: str) -> None:
    cut = leduc(max_raises=0)
    resolver = Resolver(cut, cut.game.uniform(), method, CFR_RULE)
    resolver.run(10)
    for profile in (resolver.profile(), resolve_exactly(cut, cut.game.uniform(), method)):
        for p in (0, 1):
            np.testing.assert_array_equal(profile[p], 1.0)


@pytest.mark.parametrize("method", ["safe", "reach", "max-margin"])
def test_an_equilibrium_survives_exact_resolving(method: str) -> None:
    after = resolve_exactly(leduc(), equilibrium(), method)
    assert Evaluator(leduc().game).exploitability(after) < 1e-10
    assert export(leduc().game).nash_conv(after) < 1e-10


def test_unsafe_resolving_has_no_such_guarantee() -> None:
    evaluator = Evaluator(leduc().game)
    assert evaluator.exploitability(resolve_exactly(leduc(), equilibrium(), "unsafe")) > 0.01
    resolver = Resolver(leduc(), equilibrium(), "unsafe", CFR_RULE)
    resolver.run(25_600)
    assert evaluator.exploitability(resolver.profile()) > 0.02


def test_safe_resolving_falls_like_one_over_the_square_root() -> None:
    evaluator = Evaluator(leduc().game)
    resolver = Resolver(leduc(), equilibrium(), "safe", CFR_RULE)
    points = [100 * 4**k for k in range(6)]
    found = [evaluator.exploitability(resolver.profile()) for _ in resolver.checkpoints(points)]
    slope = np.polyfit(np.log(points), np.log(found), 1)[0]
    assert -0.7 < slope < -0.4


def test_openspiel_agrees_on_resolved_strategies() -> None:
    spiel, evaluator = export(leduc().game), Evaluator(leduc().game)
    for seed in range(3):
        resolver = Resolver(leduc(), random_profile(leduc().game, seed), "safe", CFR_RULE)
        resolver.run(30)
        profile = resolver.profile()
        assert spiel.nash_conv(profile) == pytest.approx(evaluator.nash_conv(profile), abs=1e-12)


@pytest.mark.parametrize("name", ["leduc", "kuhn", "dice", "one suit"])
@pytest.mark.parametrize("seed", range(3))
def test_max_margin_has_the_largest_least_margin(name: str, seed: int) -> None:
    """Among infosets that there are: in a deck of one suit nobody holds the public card."""
    cut = cut_named(name)
    profile = random_profile(cut.game, seed)
    stored, reach = best_response_values(cut, profile), cut.reaches(profile)
    margins = {}
    for method in ("safe", "max-margin"):
        conceded = best_response_values(cut, resolve_exactly(cut, profile, method))
        margins[method] = [stored[p] - conceded[p] for p in (0, 1)]
    for i in range(len(cut.subgames)):
        for p in (0, 1):
            piece, merged = margin_game(cut, i, p, reach[p], stored[1 - p])
            value = lp.solve(piece.game, merged=merged)[0] * (1 if p == 0 else -1)
            least = {m: joint_margins(cut, margins[m][1 - p], i, 1 - p).min() for m in margins}
            assert least["max-margin"] == pytest.approx(value, abs=1e-9)
            assert least["max-margin"] >= least["safe"] - 1e-9


def joint_margins(cut: Decomposition, margins: Floats, subgame: int, opponent: int) -> Floats:
    """Margins of the opponent's root infosets in a subgame that somebody is dealt."""
    game, own = cut.game, cut.positions(subgame)
    dealt = walk.compatible_reach(game, game.uniform())[opponent][list(cut.roots)] > 0
    dealt &= game.weights[opponent] > 0
    sets = [roots for roots in root_infosets(cut, opponent) if roots[0] in own]
    return np.concatenate([margins[roots].sum(0)[dealt[roots].any(0)] for roots in sets])


@settings(max_examples=30)
@given(cuts(hands=3), st.integers(0, 99), st.sampled_from([0, 1]))
def test_margins_of_random_games(cut: Decomposition, seed: int, player: int) -> None:
    """Linear programming finds the margin that the game of margins has; CFR comes near it."""
    profile, opponent = sparse_profile(cut.game, seed), 1 - player
    stored, reach = best_response_values(cut, profile)[opponent], cut.reaches(profile)[player]
    resolver = Resolver(cut, profile, "max-margin", Rule.named("cfr-plus"), players=[player])
    resolver.run(1000)
    exact = resolve_exactly(cut, profile, "max-margin", players=[player])
    least, near = (
        stored - best_response_values(cut, after)[opponent] for after in (exact, resolver.profile())
    )
    for i in range(len(cut.subgames)):
        piece, merged = margin_game(cut, i, player, reach, stored)
        value = lp.solve(piece.game, merged=merged)[0] * (1 if player == 0 else -1)
        rounding = 1e-8 * stake(cut.game)
        assert joint_margins(cut, least, i, opponent).min() == pytest.approx(value, abs=rounding)
        assert joint_margins(cut, near, i, opponent).min() >= value - 0.02 * stake(cut.game)


def test_max_margin_by_cfr_approaches_the_exact_margin() -> None:
    cut, profile = leduc(), random_profile(leduc().game, 2)
    exact = least_margin(cut, profile, resolve_exactly(cut, profile, "max-margin"))
    resolver = Resolver(cut, profile, "max-margin", CFR_RULE)
    resolver.run(20_000)
    assert least_margin(cut, profile, resolver.profile()) == pytest.approx(exact, abs=5e-3)


def test_gifts_are_what_mistakes_give_away() -> None:
    cut = leduc()
    for p in (0, 1):
        given = gifts(cut, random_profile(cut.game, 1), p)
        assert (given >= 0).all()
        assert given.max() > 0.01
    # A best response makes no mistakes on paths that it plays: some root of every hand has no gift.
    given = gifts(cut, equilibrium(), 0)
    assert (given.min(0) < 1e-9).all()


@pytest.mark.parametrize("iterations", [10, 300])
@pytest.mark.parametrize("subgame", range(5))
@pytest.mark.parametrize("player", [0, 1])
def test_resolving_from_approximate_values(iterations: int, subgame: int, player: int) -> None:
    """Theorem 3: no root infoset concedes more than (|I_R| - 1) eps_S + eps_R beyond its value.

    eps_S is the largest counterfactual regret at a root infoset, eps_R what the gadget strategy
    concedes beyond the gadget's exact value.
    """
    game, opponent = leduc().game, 1 - player
    cut = Decomposition(game, leduc().subgames[subgame : subgame + 1])
    solver = CFR(game, CFR_RULE)
    solver.run(iterations)
    profile = solver.average()
    values, best = profile_values(cut, profile), best_response_values(cut, profile)
    resolver = Resolver(cut, profile, "safe", CFR_RULE, values, players=[player])
    resolver.run(50)
    conceded = best_response_values(cut, resolver.profile())[opponent]
    stored = values[opponent]
    piece = gadget_game(cut, player, cut.reaches(profile)[player], stored)
    exact = lp.solve(piece.game)[0] * (1 if opponent == 0 else -1)
    eps_r = np.maximum(stored, conceded).sum() - exact
    assert eps_r > -1e-9
    eps_s = (best[opponent] - stored).max()
    assert (conceded - stored).max() <= (stored.size - 1) * eps_s + eps_r + 1e-12
    # And in all: no more than the original conceded beyond the values, plus eps_R.
    total = np.maximum(conceded - stored, 0).sum()
    assert total <= np.maximum(best[opponent] - stored, 0).sum() + eps_r + 1e-9


def test_sampling_finds_the_same_and_takes_longer() -> None:
    evaluator = Evaluator(leduc().game)
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        resolver = Resolver(leduc(), equilibrium(), "safe", CFR_RULE, sampling=rng)
        resolver.run(20_000)
        found.append(evaluator.exploitability(resolver.profile()))
    assert max(found) < 0.05
    plain = Resolver(leduc(), equilibrium(), "safe", CFR_RULE)
    plain.run(20_000)
    assert min(found) > evaluator.exploitability(plain.profile())


def test_only_the_named_players_change_and_only_inside() -> None:
    cut, profile = leduc(), random_profile(leduc().game, 4)
    trunk = cut.trunk.rows(cut.game.tree, 0)[1], cut.trunk.rows(cut.game.tree, 1)[1]
    for method in METHODS:
        resolver = Resolver(cut, profile, method, CFR_RULE, players=[1])
        resolver.run(5)
        after = resolver.profile()
        np.testing.assert_array_equal(after[0], profile[0])
        np.testing.assert_array_equal(after[1][trunk[1]], profile[1][trunk[1]])
        assert not np.array_equal(after[1], profile[1])
        exact = resolve_exactly(cut, profile, method, players=[0])
        np.testing.assert_array_equal(exact[1], profile[1])
        np.testing.assert_array_equal(exact[0][trunk[0]], profile[0][trunk[0]])


def test_mistakes() -> None:
    cut, profile = leduc(), leduc().game.uniform()
    with pytest.raises(CfrlabError, match=r"unknown method 'saef' .*did you mean 'safe'"):
        Resolver(cut, profile, "saef", CFR_RULE)
    with pytest.raises(CfrlabError, match="made for another game"):
        Resolver(cut, kuhn().game.uniform(), "safe", CFR_RULE)
    rng = np.random.default_rng(0)
    with pytest.raises(CfrlabError, match="0 chance nodes"):
        Resolver(kuhn(), kuhn().game.uniform(), "safe", CFR_RULE, sampling=rng)
    with pytest.raises(CfrlabError, match="max-margin"):
        Resolver(cut, profile, "max-margin", CFR_RULE, start=np.random.default_rng(0))
    with pytest.raises(CfrlabError, match="cannot run -1"):
        Resolver(cut, profile, "safe", CFR_RULE).run(-1)
