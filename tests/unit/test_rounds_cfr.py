"""CFR in hand classes against the shared engine over raw cards, step by step and to the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Profile
from cfrlab.solve import lp
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses, expected_payoffs
from cfrlab.solve.rule import Rule
from round_games import SMALL, Both, both, tables

Floats = NDArray[np.float64]
RULES = ("cfr", "cfr-plus", "linear-cfr", "dcfr", "pcfr-plus")
ORDERS = pytest.mark.parametrize("alternating", [False, True], ids=["simultaneous", "alternating"])


def lossless(given: Both, rule: Rule, **options: Any) -> RoundCFR:
    return RoundCFR(given.game, rule, dtype=np.float64, averages=("infoset",), **options)


def raw_state(given: Both, solver: RoundCFR) -> Mapping[str, Profile]:
    """Regrets, strategies and averages of every raw hand, from those of its class.

    Regrets of a class count all its raw deals: every raw board and hand, every opponent.
    """
    count = [c.copies[c.board] * c.size * given.game.pairs for c in given.game.classes]
    regrets = [
        table / n[:, None, None] for table, n in zip(tables(solver, "regret"), count, strict=True)
    ]
    nothing = given.raw.uniform()
    nothing[0][:] = nothing[1][:] = 0.0
    return {
        "regret": given.raw_rows(regrets, nothing),
        "sigma": given.raw_rows(tables(solver, "sigma"), given.raw.uniform()),
        "average": given.raw_rows(tables(solver, "average_infoset"), nothing),
    }


class Authority:
    """One iteration of the shared engine, both players at once, from anywhere."""

    def __init__(self, given: Both, rule: str, averaging: float) -> None:
        self.given = given
        self.solver = CFR(given.raw, Rule.named(rule, False, averaging))

    def step(
        self, iteration: int, state: Mapping[str, Profile], sigma: Profile
    ) -> Mapping[str, Profile]:
        """What becomes of a state in the given iteration, if ``sigma`` is played in it."""
        arrays: dict[str, Any] = {"iteration": np.array(iteration - 1)}
        for p in (0, 1):
            values = {k: state[k][p] for k in ("regret", "average")}
            values |= {"sigma": sigma[p], "strategy": sigma[p]}
            for name, rows in values.items():
                arrays[f"{name}_{p}"] = self._compiled(p, rows)
        self.solver.restore(arrays)
        self.solver.run(1)
        after = self.solver.state()
        return {name: self._raw(after, name) for name in ("regret", "sigma", "average")}

    def _compiled(self, p: int, rows: Floats) -> Floats:
        out = np.zeros((self.solver.compiled.plex[p].rows, rows.shape[1]))
        out[self.solver.compiled.row_of[p]] = rows
        return out.ravel()

    def _raw(self, state: Mapping[str, Floats], name: str) -> Profile:
        one, two = (
            state[f"{name}_{p}"].reshape(-1, self.given.raw.n[p])[self.solver.compiled.row_of[p]]
            for p in (0, 1)
        )
        return one, two


def assert_close(found: Floats, expected: Floats, what: str) -> None:
    error = np.abs(found - expected).max() / np.abs(expected).max()
    assert error <= 1e-12, f"{what}: {error}"


def assert_same_strategy(given: Both, p: int, found: Floats, expected: Floats, q: Floats) -> None:
    """Equal where the regrets ``q`` tell one: regret matching jumps where all are zero or less,
    and rounding decides there."""
    first = [given.raw.tree.row[given.raw.tree.children[d][0]] for d in given.raw.tree.decisions(p)]
    largest = np.maximum.reduceat(np.abs(q), first)
    clear = np.abs(np.maximum.reduceat(q, first)) > 1e-3 * largest
    clear &= largest > 1e-10 * np.abs(q).max()
    error = np.maximum.reduceat(np.abs(found - expected), first)
    assert error[clear].max() <= 1e-8


def games_and_rules() -> list[tuple[str, str]]:
    """All rules on two games, with two suits and with four; one rule on further games."""
    pairs = [(name, rule) for name in ("4x2", "3x4") for rule in RULES]
    return [*pairs, ("3x2 other", "dcfr"), ("3x3", "dcfr"), ("3x2 forced", "dcfr")]


@ORDERS
@pytest.mark.parametrize(("name", "rule"), games_and_rules())
def test_every_iteration_is_one_of_the_shared_engine(
    name: str, rule: str, alternating: bool
) -> None:
    """From the state reached so far, so that ties, where rounding decides on a strategy, cannot
    lead the two apart. The player who is second to learn in an alternating iteration does so like
    one who learns at once with the other, but against the other's new strategy."""
    given = both(name)
    solver = lossless(given, Rule.named(rule, alternating, 1.5))
    authority = Authority(given, rule, 1.5)
    for t in range(1, 5):
        before = raw_state(given, solver)
        solver.run(1)
        after = raw_state(given, solver)
        played = before["sigma"]
        for p in (0, 1):
            if p == 1 and alternating:
                played = (after["sigma"][0], played[1])
            expected = authority.step(t, before, played)
            for what in ("regret", "average"):
                mine, theirs = (x[what][p][given.source[p] >= 0] for x in (after, expected))
                assert_close(mine, theirs, f"{what} {p} in iteration {t}")
            if rule != "pcfr-plus":  # it matches predicted regrets, which are not kept
                args = after["sigma"][p], expected["sigma"][p], expected["regret"][p]
                assert_same_strategy(given, p, *args)


@pytest.mark.parametrize("rule", RULES)
@ORDERS
def test_curves_of_the_shared_engine(rule: str, alternating: bool) -> None:
    """Without restarts, in a game whose first iterations have no ties."""
    given = both("3x2 one bet")
    named = Rule.named(rule, alternating)
    solver, other = lossless(given, named), CFR(given.raw, named)
    evaluator = Evaluator(given.raw)
    for t in solver.checkpoints([1, 2, 3, 5, 8]):
        other.run(t - other.iteration)
        average, authority = solver.average("infoset"), other.average()
        assert sum(best_responses(average)) == pytest.approx(
            evaluator.nash_conv(authority), abs=1e-10
        )
        current, authority = given.raw_profile(solver.current()), other.current()
        assert evaluator.nash_conv(current) == pytest.approx(
            evaluator.nash_conv(authority), abs=1e-10
        )


@pytest.mark.parametrize("name", ["3x2 one bet", "3x2 exchanged", "3x2 forced"])
def test_cfr_plus_finds_the_value_of_the_linear_program(name: str) -> None:
    """From both sides: what each player can win holds the value between."""
    given = both(name)
    value, _ = lp.solve(given.raw)
    solver = RoundCFR(given.game, Rule.named("cfr-plus"), averages=AVERAGES, dtype=np.float64)
    gaps = []
    for _ in solver.checkpoints([50, 400]):
        for kind in ("advisor", "infoset"):  # without abstraction they are the same
            b0, b1 = best_responses(solver.average(kind))
            assert -b1 <= value + 1e-9
            assert value <= b0 + 1e-9
            gaps.append(b0 + b1)
        assert gaps[-1] == pytest.approx(gaps[-2], abs=1e-9)
        assert -b1 <= expected_payoffs(solver.average("infoset"))[0] <= b0
    assert gaps[-1] < 0.02 < gaps[0]
    assert gaps[-1] < gaps[0] / 10


def test_single_precision_finds_the_same_value() -> None:
    """Trajectories part, since rounding decides on ties; where they lead to does not."""
    given = both("3x2 one bet")
    value, _ = lp.solve(given.raw)
    solver = RoundCFR(given.game, Rule.named("cfr-plus"))
    solver.run(400)
    b0, b1 = best_responses(solver.average())
    assert -b1 - 1e-5 <= value <= b0 + 1e-5
    assert b0 + b1 < 0.02


@pytest.mark.parametrize("name", SMALL)
def test_payoffs_sum_to_zero(name: str) -> None:
    """Each player's is computed from the other's reach, so that only rounding is left."""
    given = both(name)
    for dtype, close in ((np.float64, 1e-12), (np.float32, 3e-5)):
        solver = RoundCFR(given.game, Rule.named("cfr"), dtype=dtype)
        solver.run(10)
        for profile in (solver.average(), solver.current()):
            assert sum(expected_payoffs(profile)) == pytest.approx(0, abs=close)


def test_players_exchange_seats() -> None:
    """Seats 0 and 1 differ in who acts first only: exchange that, and the values swap."""
    one, other = both("3x2 one bet"), both("3x2 exchanged")
    first, second = (lossless(g, Rule.named("cfr")) for g in (one, other))
    first.run(4)
    second.run(4)
    b0, b1 = best_responses(first.average("infoset"))
    assert best_responses(second.average("infoset")) == pytest.approx((b1, b0), abs=1e-10)
    assert abs(b0 - b1) > 0.01


def test_averages_weigh_iterations() -> None:
    """Rules with an averaging power of 0 and 2, followed by hand over five iterations."""
    given = both("3x4")
    for power in (0.0, 2.0):
        solver = RoundCFR(
            given.game, Rule.named("cfr", False, power), averages=AVERAGES, dtype=np.float64
        )
        total = [np.zeros_like(t) for t in tables(solver, "sigma")]
        for t in range(1, 6):
            for r, sigma in enumerate(tables(solver, "sigma")):
                total[r] += t**power * sigma
            solver.run(1)
        for mine, theirs in zip(tables(solver, "average_uniform"), total, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-13)


def test_checkpoints_skip_what_is_past() -> None:
    solver = lossless(both("3x2 one bet"), Rule.named("cfr"))
    solver.run(2)
    assert list(solver.checkpoints([5, 1, 3, 3])) == [3, 5]
    assert solver.iteration == 5


def test_bad_calls_give_one_line() -> None:
    given = both("3x2 one bet")
    solver = lossless(given, Rule.named("cfr"))
    with pytest.raises(CfrlabError, match="cannot run -1 iterations"):
        solver.run(-1)
    with pytest.raises(CfrlabError, match=r"does not keep the average 'uniform' \(kept: infoset\)"):
        solver.average("uniform")
    with pytest.raises(CfrlabError, match=r"unknown average 'uniforme' .*did you mean 'uniform'"):
        RoundCFR(given.game, Rule.named("cfr"), averages=("uniforme",))


def test_weights_that_overflow_are_refused_before_they_do() -> None:
    solver = RoundCFR(both("3x2").game, Rule.named("cfr", averaging=20.0))
    with pytest.raises(CfrlabError, match=r"t \*\* 20 at iteration 40 overflow float32"):
        solver.run(40)
    assert solver.iteration == 0
    solver.run(1)
    assert all(np.isfinite(array).all() for array in solver.state().values())
