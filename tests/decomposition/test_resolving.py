"""Theorem 1 and its relatives: what re-solving guarantees, exactly and by CFR."""

from __future__ import annotations

import numpy as np
import pytest

from cfrlab.decomposition.gadget import gadget_game
from cfrlab.decomposition.margin import gifts, margin_game
from cfrlab.decomposition.resolving import METHODS, Resolver, resolve_exactly
from cfrlab.decomposition.subgames import (
    Decomposition,
    best_response_values,
    profile_values,
)
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Profile
from cfrlab.solve import lp
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from leduc_cut import CFR_RULE, dice, equilibrium, kuhn, leduc
from openspiel_bridge import export
from small_games import random_profile
from solver_games import small_zoo, sparse_profile


def cut_named(name: str) -> Decomposition:
    if name == "river":
        game = small_zoo()["river"]
        return Decomposition.at(game, game.tree.children[0])
    return {
        "leduc": leduc(),
        "kuhn": kuhn(),
        "dice": dice(),
        "checks": leduc(max_raises=0),
    }[name]


def least_margin(cut: Decomposition, before: Profile, after: Profile) -> float:
    old, new = best_response_values(cut, before), best_response_values(cut, after)
    return float(min((old[p] - new[p]).min() for p in (0, 1)))


@pytest.mark.parametrize("name", ["leduc", "kuhn", "river", "dice"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["safe", "reach", "max-margin"])
def test_exact_safe_methods_never_raise_exploitability(name: str, seed: int, method: str) -> None:
    cut = cut_named(name)
    evaluator = Evaluator(cut.game)
    profile = sparse_profile(cut.game, seed)
    after = resolve_exactly(cut, profile, method)
    cut.game.check_profile(after)
    for p in (0, 1):
        old, new = (cut.game.weights[p] @ evaluator.best_response(s, p) for s in (profile, after))
        assert new <= old + 1e-9
    if method != "reach":
        assert least_margin(cut, profile, after) >= -1e-9


@pytest.mark.parametrize("name", ["leduc", "dice"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("iterations", [10, 100, 1000])
def test_cfr_raises_it_at_most_by_what_the_roots_concede(
    name: str, seed: int, iterations: int
) -> None:
    cut = cut_named(name)
    game, evaluator = cut.game, Evaluator(cut.game)
    profile = random_profile(game, seed)
    stored = best_response_values(cut, profile)
    resolver = Resolver(cut, profile, "safe", CFR_RULE)
    resolver.run(iterations)
    after = resolver.profile()
    conceded = best_response_values(cut, after)
    for p in (0, 1):
        rise = game.weights[p] @ (
            evaluator.best_response(after, p) - evaluator.best_response(profile, p)
        )
        assert rise <= np.maximum(conceded[p] - stored[p], 0).sum() + 1e-12


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


@pytest.mark.parametrize("name", ["leduc", "kuhn", "dice"])
@pytest.mark.parametrize("seed", range(3))
def test_max_margin_has_the_largest_least_margin(name: str, seed: int) -> None:
    cut = cut_named(name)
    profile = random_profile(cut.game, seed)
    stored, reach = best_response_values(cut, profile), cut.reaches(profile)
    margins = {}
    for method in ("safe", "max-margin"):
        conceded = best_response_values(cut, resolve_exactly(cut, profile, method))
        margins[method] = [stored[p] - conceded[p] for p in (0, 1)]
    for i in range(len(cut.subgames)):
        for p in (0, 1):
            own = list(cut.positions(i))
            piece, merged = margin_game(cut, i, p, reach[p], stored[1 - p])
            value = lp.solve(piece.game, merged=merged)[0] * (1 if p == 0 else -1)
            least = {m: margins[m][1 - p][own].min() for m in margins}
            assert least["max-margin"] == pytest.approx(value, abs=1e-9)
            assert least["max-margin"] >= least["safe"] - 1e-9


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
