"""The solver's path, iteration by iteration, against OpenSpiel and against plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr as spiel_cfr
from open_spiel.python.algorithms import discounted_cfr

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Dense
from cfrlab.solve import kernels, lp, walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator, exploitability
from cfrlab.solve.rule import Rule
from cfrlab.solve.rules import Update
from openspiel_bridge import Exported, export
from reference_cfr import Reference, histories
from small_games import liars_dice
from solver_games import small_zoo, standard_river, uneven_weights, zoo

RULES = ("cfr", "cfr-plus", "linear-cfr", "dcfr", "pcfr-plus")
CHECKPOINTS = (1, 2, 3, 5, 10, 20, 40, 100)


@cache
def game_of(name: str) -> Game:
    return small_zoo()[name]


@cache
def exported(name: str) -> Exported:
    """The game in OpenSpiel; card games in a form without ties (``reference_cfr`` on ties).

    Uneven weights keep actions from being worth the same, and dense payoffs give an exact 0 where
    nobody is left to play against, as OpenSpiel does.
    """
    game = game_of(name)
    if name in ("river", "double board", "dice"):
        game = uneven_weights(game, seed=5)
        known = {id(op): Dense(op.dense()) for op in (*game.payoffs, game.deal)}
        payoffs = tuple(known[id(op)] for op in game.payoffs)
        game = replace(game, payoffs=payoffs, deal=known[id(game.deal)])
    return export(game)


def close(first: Profile, second: Profile, atol: float) -> None:
    for p in (0, 1):
        np.testing.assert_allclose(first[p], second[p], rtol=0, atol=atol)


# OpenSpiel's solvers, with the options of ours that do the same. All of them alternate, player 0
# first, and add a strategy to the average before they replace it. Weights of iteration t in the
# average: CFR 1, CFR+ t, LCFR t, DCFR t^2. LCFR and DCFR discount regrets, the new ones included,
# at the end of iteration t by t^a / (t^a + 1).
CPP = {
    "CFRSolver": (pyspiel.CFRSolver, "cfr", 0),
    "CFRPlusSolver": (pyspiel.CFRPlusSolver, "cfr-plus", 1),
}
PYTHON = {
    "LCFRSolver": (discounted_cfr.LCFRSolver, "linear-cfr", 1),
    "DCFRSolver": (discounted_cfr.DCFRSolver, "dcfr", 2),
}


@pytest.mark.parametrize("solver", CPP)
@pytest.mark.parametrize(("ours", "theirs"), [("kuhn", "kuhn_poker"), ("leduc", "leduc_poker")])
def test_exploitability_on_openspiels_own_games(ours: str, theirs: str, solver: str) -> None:
    """OpenSpiel's Leduc deals suits; ours by default does not, which must make no difference."""
    game, spiel = game_of(ours), pyspiel.load_game(theirs)
    make, rule, averaging = CPP[solver]
    mine, other = CFR(game, Rule.named(rule, True, averaging)), make(spiel)
    evaluator, done = Evaluator(game, mine.compiled), 0
    for t in mine.checkpoints(CHECKPOINTS):
        for _ in range(t - done):
            other.evaluate_and_update_policy()
        done = t
        expected = pyspiel.nash_conv(spiel, other.average_policy(), True)
        assert evaluator.nash_conv(mine.average()) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("solver", [*CPP, *PYTHON])
@pytest.mark.parametrize("name", list(small_zoo()))
def test_average_strategies_are_openspiels(name: str, solver: str) -> None:
    """Every probability of the average strategy, on the exported game; NashConv beside it."""
    spiel, done = exported(name), 0
    make, rule, averaging = (CPP | PYTHON)[solver]
    mine, other = CFR(spiel.game, Rule.named(rule, True, averaging)), make(spiel.spiel)
    # Negative sums that are discounted stay near 0, where a rounding error is large beside them: it
    # grows about tenfold in ten iterations, so that two correct programs part in the end.
    last = 100 if solver in CPP or name in ("kuhn", "akq") else 20
    for t in mine.checkpoints([t for t in CHECKPOINTS if t <= last]):
        for _ in range(t - done):
            other.evaluate_and_update_policy()
        done = t
        theirs = spiel.profile(other.average_policy())
        close(mine.average(), theirs, 1e-8)
        found = exploitability(spiel.game, mine.average())
        assert 2 * found == pytest.approx(spiel.nash_conv(theirs), abs=1e-10)


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        ("cfr", {"linear_averaging": False, "regret_matching_plus": False}),
        ("cfr", {"linear_averaging": True, "regret_matching_plus": False}),
        ("cfr-plus", {"linear_averaging": True, "regret_matching_plus": True}),
    ],
)
@pytest.mark.parametrize("name", ["kuhn", "akq", "dice"])
def test_simultaneous_updates_are_openspiels(name: str, rule: str, options: Any) -> None:
    spiel = exported(name)
    mine = CFR(spiel.game, Rule.named(rule, False, float(options["linear_averaging"])))
    other = spiel_cfr._CFRSolver(spiel.spiel, alternating_updates=False, **options)
    for _ in range(30):
        mine.run(1)
        other.evaluate_and_update_policy()
        close(mine.average(), spiel.profile(other.average_policy()), 1e-10)


def test_published_exploitability_of_leduc() -> None:
    """OpenSpiel's CFR after 101 updates, on Leduc over cards and over ranks."""
    for merge in (True, False):
        game = zoo("leduc", merge_suits=merge)
        solver = CFR(game, Rule.named("cfr", alternating=True))
        solver.run(101)
        assert exploitability(game, solver.average()) == pytest.approx(0.0939492727, abs=1e-10)


SMALL = {
    "kuhn": game_of("kuhn"),
    "weighted kuhn": uneven_weights(zoo("kuhn", ranks=4), seed=1),
    "leduc": zoo("leduc", ranks=2, max_raises=1),
    "river": zoo("hunl-river", 4, ranks="TJQKA", suits="cd", betting={"stack": 1.0, "bets": [0.7]}),
    "random": zoo("random-game", 3, hands=4, antisymmetric=False, folds="random"),
    "dice": uneven_weights(liars_dice(2).game, seed=1),
}


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SMALL)
def test_strategies_are_those_of_plain_numpy(name: str, rule: str, alternating: bool) -> None:
    """Current and average strategy, against a solver that walks every history."""
    game = SMALL[name]
    mine = CFR(game, Rule.named(rule, alternating, 1.5))
    other = Reference(game, rule, alternating, 1.5, histories(game))
    for _ in range(12):
        mine.run(1)
        other.run(1, ties=mine.current())
        close(mine.current(), other.current, 1e-12)
        close(mine.average(), other.average(), 1e-12)
        other.current = mine.current()  # or rounding errors would grow from here on


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", ["dcfr", "pcfr-plus"])
@pytest.mark.parametrize(
    ("build", "most"),
    [(standard_river, 1081), (lambda: zoo("random-game", 4, hands=301), 301)],
    ids=["river", "random"],
)
def test_large_games_against_plain_numpy(
    build: Callable[[], Game], most: int, rule: str, alternating: bool
) -> None:
    """Updates run in chunks of hands and lanes; games of few hands have one chunk."""
    game = uneven_weights(build(), seed=1)
    assert game.n == (most, most)
    mine = CFR(game, Rule.named(rule, alternating, 1.0))
    assert most * mine.compiled.plex[0].widest > 2 * kernels.CHUNK
    other = Reference(game, rule, alternating, 1.0, lambda x: walk.node_values(game, x))
    for _ in range(3):
        mine.run(1)
        other.run(1, ties=mine.current())
        close(mine.current(), other.current, 1e-11)
        close(mine.average(), other.average(), 1e-11)
        other.current = mine.current()


# In pots after 3000 iterations. Simultaneous linear CFR is the slowest, as CFR is on Leduc.
BOUND = {"cfr": 2e-2, "linear-cfr": 2e-2, "cfr-plus": 2e-3, "dcfr": 2e-3, "pcfr-plus": 2e-3}


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", list(small_zoo()))
def test_every_rule_converges_to_the_value_of_the_linear_program(
    name: str, rule: str, alternating: bool
) -> None:
    game, (value, _) = game_of(name), linear_program(name)
    solver = CFR(game, Rule.named(rule, alternating))
    evaluator = Evaluator(game, solver.compiled)
    gaps = [
        evaluator.exploitability(solver.average()) / game.pot
        for _ in solver.checkpoints([30, 3000])
    ]
    assert gaps[1] < gaps[0] / 3
    assert 0 <= gaps[1] < BOUND[rule]
    # |value - game value| is at most the gain of either best response.
    assert abs(evaluator.value(solver.average()) - value) <= 2 * gaps[1] * game.pot + 1e-12


@cache
def linear_program(name: str) -> tuple[float, Profile]:
    return lp.solve(game_of(name))


def test_defaults_are_those_of_the_papers() -> None:
    found = {name: (Rule.named(name).alternating, Rule.named(name).averaging) for name in RULES}
    assert found == {
        "cfr": (False, 0.0),
        "cfr-plus": (True, 1.0),
        "linear-cfr": (True, 1.0),
        "dcfr": (True, 2.0),
        "pcfr-plus": (True, 2.0),
    }


def test_uniform_start_and_one_iteration() -> None:
    """The first average is the uniform strategy, whatever its weight."""
    game = game_of("leduc")
    solver = CFR(game, Rule.named("pcfr-plus", averaging=2.5))
    close(solver.current(), game.uniform(), 0)
    close(solver.average(), game.uniform(), 0)
    solver.run(1)
    close(solver.average(), game.uniform(), 1e-15)
    game.check_profile(solver.current())


def test_checkpoints_run_on_to_each_in_turn() -> None:
    solver = CFR(game_of("kuhn"), Rule.named("cfr"))
    assert [(t, solver.iteration) for t in solver.checkpoints([7, 2, 7, 5])] == [
        (2, 2),
        (5, 5),
        (7, 7),
    ]
    assert list(solver.checkpoints([3, 7, 8])) == [8]


def test_bad_requests_are_refused_in_one_line() -> None:
    game = game_of("kuhn")
    solver = CFR(game, Rule.named("cfr"))
    with pytest.raises(CfrlabError, match="cannot run -1 iterations"):
        solver.run(-1)
    with pytest.raises(CfrlabError, match=r"solver cfr: averaging .* not -1"):
        Rule.named("cfr", averaging=-1)
    with pytest.raises(CfrlabError, match="averaging"):
        Rule.named("cfr", averaging=float("nan"))
    with pytest.raises(CfrlabError, match="did you mean 'dcfr'"):
        Rule.named("dcfrr")


def test_a_rule_that_is_not_finite_is_refused_in_one_line() -> None:
    rule = replace(Rule.named("cfr"), update=lambda t: Update(pos=1 / (t - 1)))
    with pytest.raises(CfrlabError, match="solver cfr: pos is inf at iteration 1") as error:
        rule.table(1, 3)
    assert "\n" not in str(error.value)
    with pytest.raises(CfrlabError, match=r"averaging weight t \*\* 400 is inf at iteration"):
        replace(Rule.named("cfr"), averaging=400.0).table(1, 10)


def test_a_rule_may_leave_numbers_out() -> None:
    rule = replace(Rule.named("cfr"), update=lambda t: (1.0, 0.5))
    np.testing.assert_array_equal(rule.table(1, 2), [[1, 0.5, 0, 1], [1, 0.5, 0, 1]])
