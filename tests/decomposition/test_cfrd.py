"""CFR-D: the prototype's numbers, the memory-saving mode, Theorem 2, and counterfactual values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.forests import ForestSolver, SubgameSolver
from cfrlab.decomposition.lanes import LaneSolver, of_one_shape
from cfrlab.decomposition.resolving import Resolver, unsafe_game
from cfrlab.decomposition.subgames import (
    Decomposition,
    best_response_values,
    profile_values,
)
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Profile
from cfrlab.solve import lp, walk
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from leduc_cut import CFR_RULE, dice, kuhn, leduc
from random_cuts import cuts
from solver_games import sparse_profile, stake


def resolved(run: CFRD, iterations: int = 20_000) -> float:
    """Exploitability after safe re-solving."""
    cut = run.decomposition
    resolver = Resolver(cut, run.trunk_average(), "safe", CFR_RULE, run.root_values())
    resolver.run(iterations)
    return Evaluator(cut.game).exploitability(resolver.profile())


def test_the_grid_of_a_separate_prototype() -> None:
    """.0253 and .0183 for 100 subgame iterations, .0187 and .0104 for 400."""
    for subgame, expected in ((100, (0.0253, 0.0183)), (400, (0.0187, 0.0104))):
        run = CFRD(leduc(), CFR_RULE, Variant(subgame, CFR_RULE))
        found = [resolved(run, 50_000) for _ in run.checkpoints([500, 2000])]
        assert found == pytest.approx(expected, rel=0.15)


CUTS = {"leduc": leduc(), "kuhn": kuhn(), "checks": leduc(max_raises=0), "dice": dice()}


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("rule", ["cfr", "cfr-plus"])
@pytest.mark.parametrize("start", ["cold", "warm"])
@pytest.mark.parametrize("values", ["average", "best-response"])
def test_one_subgame_at_a_time_gives_the_same_numbers(
    name: str, rule: str, start: str, values: str
) -> None:
    cut = CUTS[name]
    runs = [
        CFRD(cut, CFR_RULE, Variant(7, Rule.named(rule), start, values, together))  # type: ignore[arg-type]
        for together in (True, False)
    ]
    for run in runs:
        run.run(20)
    # Where subgames have several shapes, as in Kuhn, terminals add up in another order.
    tolerance = 0.0 if name in ("leduc", "checks") else 1e-12
    for p in (0, 1):
        for found in (CFRD.trunk_average, CFRD.root_values):
            one, two = (found(run)[p] for run in runs)
            np.testing.assert_allclose(one, two, rtol=0, atol=tolerance)


def test_a_run_in_parts_is_a_run() -> None:
    one, two = (CFRD(leduc(), Rule.named("linear-cfr"), Variant(10, CFR_RULE)) for _ in range(2))
    one.run(30)
    assert list(two.checkpoints([7, 30])) == [7, 30]
    for p in (0, 1):
        np.testing.assert_array_equal(one.trunk_average()[p], two.trunk_average()[p])
        np.testing.assert_array_equal(one.root_values()[p], two.root_values()[p])


def test_warm_starts_need_far_fewer_subgame_iterations() -> None:
    cold, warm = (
        CFRD(leduc(), CFR_RULE, Variant(20, CFR_RULE, start)) for start in ("cold", "warm")
    )
    for run in (cold, warm):
        run.run(1000)
    assert resolved(warm) < resolved(cold) / 2


def test_best_response_values_are_the_worse_choice() -> None:
    average, best = (
        CFRD(leduc(), CFR_RULE, Variant(100, CFR_RULE, values=values))
        for values in ("average", "best-response")
    )
    for run in (average, best):
        run.run(1000)
    assert resolved(best) > 2 * resolved(average)


def record(cut: Decomposition, iterations: int, subgame: int) -> tuple[CFRD, list[Profile]]:
    """A run and the whole-game profile of each of its iterations."""
    run, profiles = CFRD(cut, CFR_RULE, Variant(subgame, CFR_RULE)), []
    solver = run.solvers[0]
    for _ in range(iterations):
        profile, trunk = cut.game.uniform(), run._trunk.current()
        run.run(1)
        solver.put(profile)
        for p in (0, 1):
            cut.trunk.put(cut.game.tree, trunk, profile, p)
        profiles.append(profile)
    return run, profiles


def averaged(cut: Decomposition, profiles: list[Profile]) -> Profile:
    """Average strategy of a sequence of profiles, weighted by own reach."""
    tree, total = cut.game.tree, [np.zeros_like(cut.game.uniform()[p]) for p in (0, 1)]
    for profile in profiles:
        reach = walk.reaches(cut.game, profile)
        for node in range(1, len(tree)):
            p = int(tree.player[tree.parent[node]])
            if p >= 0:
                total[p][tree.row[node]] += reach[p][node]
    out = cut.game.uniform()
    for node in np.flatnonzero(tree.player >= 0):
        p, rows = int(tree.player[node]), tree.row[list(tree.children[node])]
        weight = total[p][rows].sum(0)
        played = weight > 0
        out[p][rows[:, None], np.flatnonzero(played)] = (
            total[p][rows] / np.maximum(weight, 1e-300)
        )[:, played]
    return out


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("subgame", [5, 50])
def test_regret_is_bounded_by_the_trunk_and_the_root_gaps(name: str, subgame: int) -> None:
    """Theorem 2: R_p / T <= sum of positive trunk regrets / T + sum of mean gaps at the roots."""
    assert_regret_is_bounded(CUTS[name], 60, subgame)


@settings(max_examples=40)
@given(cuts(), st.integers(1, 12), st.sampled_from([1, 5]))
def test_regret_is_bounded_in_random_games(
    cut: Decomposition, iterations: int, subgame: int
) -> None:
    assert_regret_is_bounded(cut, iterations, subgame)


def assert_regret_is_bounded(cut: Decomposition, iterations: int, subgame: int) -> None:
    rounding = 1e-12 * stake(cut.game)
    run, profiles = record(cut, iterations, subgame)
    average, evaluator = averaged(cut, profiles), Evaluator(cut.game)
    gaps = [np.zeros_like(v) for v in run.root_values()]
    mean = np.zeros(2)
    for profile in profiles:
        best, values = best_response_values(cut, profile), profile_values(cut, profile)
        for p in (0, 1):
            gaps[p] += (best[p] - values[p]) / iterations
        value = walk.value(cut.game, profile)
        mean += np.array([value, -value]) / iterations
    for p in (0, 1):
        regret = float(cut.game.weights[p] @ evaluator.best_response(average, p)) - mean[p]
        plex, flat = run._trunk.compiled.plex[p], run._trunk.learners[p].regret
        rows = flat.reshape(plex.rows, plex.hands)
        trunk = 0.0
        for actions, lanes, first in plex.groups[:, :3]:
            block = rows[first : first + actions * lanes].reshape(actions, lanes, plex.hands)
            trunk += (cut.game.weights[p] * np.maximum(block.max(0), 0)).sum()
        bound = trunk / iterations + (cut.game.weights[p] * gaps[p]).sum()
        assert -1e-9 <= regret <= bound + rounding
    # The root values that CFR-D stores are means of the profiles' values.
    for p in (0, 1):
        expected = np.mean([profile_values(cut, profile)[p] for profile in profiles], axis=0)
        np.testing.assert_allclose(run.root_values()[p], expected, atol=rounding)


def test_cfrd_with_a_forced_last_move_finds_an_equilibrium() -> None:
    run = CFRD(dice(), CFR_RULE, Variant(100, CFR_RULE))
    run.run(800)
    assert resolved(run, 5000) < 0.002


@settings(max_examples=60)
@given(cuts(), st.integers(0, 99), st.booleans())
def test_subgame_solvers_find_the_value_of_the_linear_program(
    cut: Decomposition, seed: int, lanes: bool
) -> None:
    """Started afresh, from old regrets, and afresh again; root values are those of its profile."""
    game, rule = cut.game, Rule.named("cfr-plus")
    profile = sparse_profile(game, seed)
    reach = cut.reaches(profile)
    whole = unsafe_game(cut, reach).game
    solver: SubgameSolver = ForestSolver(game, cut.roots, rule, {})
    if lanes and of_one_shape(game, cut.roots):
        solver = LaneSolver(game, cut.roots, rule)
    for regrets in (True, False, True):
        for p in (0, 1):
            solver.enter(p, reach[p])
        solver.reset(regrets)
        solver.run(300)
    solver.put(profile)
    game.check_profile(profile)
    rounding, value = 1e-8 * stake(cut.game), lp.solve(whole)[0]
    own, best = solver.root_values(best=False), solver.root_values(best=True)
    for found, expected in (
        (own, profile_values(cut, profile)),
        (best, best_response_values(cut, profile)),
    ):
        for p in (0, 1):
            np.testing.assert_allclose(found[p], expected[p], rtol=0, atol=rounding)
    most = [float((game.weights[p] * reach[p] * best[p]).sum()) for p in (0, 1)]
    assert -most[1] - rounding <= value <= most[0] + rounding
    assert sum(most) <= 0.03 * Evaluator(whole).nash_conv(whole.uniform()) + rounding


def test_subgames_are_solved_for_hands_that_do_not_come_there() -> None:
    """Own reach of zero: the value is that of good play, not of what is never updated."""
    cut = leduc()
    solver = CFRD(cut, CFR_RULE, Variant(2000, CFR_RULE)).solvers[0]
    absent = np.ones((len(cut.roots), 3))
    absent[:, 2] = 0.0
    for p, reach in enumerate((absent, np.ones_like(absent))):
        solver.enter(p, reach)
    solver.reset(regrets=True)
    solver.run(2000)
    values = solver.root_values(best=False)[0]
    # With a king player 0 still finds nearly the best reply to what player 1 does.
    assert (solver.root_values(best=True)[0] - values)[:, 2].max() < 0.02


@pytest.mark.parametrize("rule", ["cfr", "cfr-plus", "pcfr-plus", "dcfr"])
@pytest.mark.parametrize(
    "params", [{}, {"ranks": 5}, {"max_raises": 3, "ranks": 4}, {"max_raises": 0}]
)
def test_lanes_do_what_the_compiled_forest_does(rule: str, params: dict[str, Any]) -> None:
    cut, named = leduc(**params), Rule.named(rule)
    assert of_one_shape(cut.game, cut.roots)
    solvers: list[SubgameSolver] = [
        LaneSolver(cut.game, cut.roots, named),
        ForestSolver(cut.game, cut.roots, named, {}),
    ]
    rng = np.random.default_rng(2)
    for regrets in (True, False, True):
        reach = [rng.random((len(cut.roots), n)) * (rng.random(n) > 0.2) for n in cut.game.n]
        found = []
        for solver in solvers:
            solver.enter(0, reach[0])
            solver.enter(1, reach[1])
            solver.reset(regrets)
            solver.run(12)
            profile = cut.game.uniform()
            solver.put(profile)
            found.append((profile, solver.root_values(best=False), solver.root_values(best=True)))
        for one, two in zip(*found, strict=True):
            for p in (0, 1):
                np.testing.assert_allclose(one[p], two[p], atol=1e-6)


def test_subgames_of_several_shapes_are_no_lanes() -> None:
    assert not of_one_shape(kuhn().game, kuhn().roots)
    assert of_one_shape(kuhn().game, kuhn().roots[:1])


def test_mistakes() -> None:
    with pytest.raises(CfrlabError, match=r"unknown start 'cool' .*did you mean 'cold'"):
        Variant(1, CFR_RULE, start="cool")  # type: ignore[arg-type]
    with pytest.raises(CfrlabError, match="unknown values 'mean'"):
        Variant(1, CFR_RULE, values="mean")  # type: ignore[arg-type]
    with pytest.raises(CfrlabError, match="0 iterations in a subgame"):
        Variant(0, CFR_RULE)
    with pytest.raises(CfrlabError, match="cannot run -3"):
        CFRD(leduc(), CFR_RULE, Variant(1, CFR_RULE)).run(-3)
