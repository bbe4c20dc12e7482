"""A state that is not one of the solver's is refused in one line, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.decomposition.lanes import LaneSolver
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.errors import CfrlabError
from cfrlab.solve.cfr import CFR
from cfrlab.solve.iterative import Solver
from cfrlab.solve.merged import Merged, MergedCFR
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rule import Rule
from round_games import both, random_phis
from solver_games import random_abstraction, zoo

State = dict[str, NDArray[Any]]
NAMED = Rule.named("dcfr", True, 1.7)


def lanes() -> LaneSolver:
    game = zoo("leduc")
    solver = LaneSolver(game, Decomposition.at(game).roots, NAMED)
    for p in (0, 1):
        solver.enter(p, np.full((5, game.n[p]), 0.5))
    return solver


def rounds(kind: str, dtype: Any) -> RoundCFR:
    game = both("3x2").game
    return RoundCFR(game, NAMED, random_phis(game, kind, 1), averages=AVERAGES, dtype=dtype)


ENGINES: dict[str, Callable[[], Solver]] = {
    "CFR": lambda: CFR(zoo("leduc"), NAMED),
    "CFR in buckets": lambda: CFR(
        zoo("leduc"), NAMED, random_abstraction(zoo("leduc"), "buckets", 1)
    ),
    "MergedCFR": lambda: MergedCFR(zoo("leduc"), NAMED, Merged.apart(zoo("leduc"))),
    "LaneSolver": lanes,
    "RoundCFR": lambda: rounds("identity", np.float32),
    "RoundCFR in mixtures": lambda: rounds("soft", np.float64),
}
ENGINE = pytest.mark.parametrize("engine", list(ENGINES))


def fingerprint(solver: Solver) -> bytes:
    state = solver.state()
    return b"".join(name.encode() + state[name].tobytes() for name in sorted(state))


def last(state: State) -> str:
    """The array that would be written last."""
    return list(state)[-1]


def damaged(state: State, value: float) -> State:
    array = state[last(state)].copy()
    array[-1] = value
    return {**state, last(state): array}


def without(state: State, key: str) -> State:
    return {k: v for k, v in state.items() if k != key}


FAULTS: dict[str, tuple[Callable[[State], State], str]] = {
    "no iteration": (lambda s: without(s, "iteration"), "lacks iteration"),
    "no array": (lambda s: without(s, last(s)), r"lacks \w+"),
    "one too many": (lambda s: {**s, "regrets_0": s["regret_0"]}, "holds the unknown regrets_0"),
    "wrong size": (lambda s: {**s, last(s): s[last(s)][:-1]}, r"has \d+ numbers"),
    "wrong type": (lambda s: {**s, last(s): s[last(s)].astype(np.float16)}, "of float16"),
    "not a number": (lambda s: damaged(s, np.nan), "not finite"),
    "infinite": (lambda s: damaged(s, np.inf), "not finite"),
    "negative": (lambda s: {**s, "iteration": np.array(-1)}, r"iteration must .*, not -1"),
    "fraction": (lambda s: {**s, "iteration": np.array(2.0)}, r"iteration must .*, not 2\."),
    "two iterations": (lambda s: {**s, "iteration": np.array([1, 2])}, "iteration must"),
}


@ENGINE
@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_bad_state_is_refused_and_changes_nothing(engine: str, fault: str) -> None:
    solver, untouched, other = (ENGINES[engine]() for _ in range(3))
    for one in (solver, untouched):
        one.run(3)
    other.run(5)
    spoil, message = FAULTS[fault]
    with pytest.raises(CfrlabError, match=f"solver dcfr: the saved .*{message}") as refused:
        solver.restore(spoil(other.state()))
    assert "\n" not in str(refused.value)
    assert fingerprint(solver) == fingerprint(untouched)
    # What follows from the state, such as reaches, is as before too.
    for one in (solver, untouched):
        one.run(2)
    assert fingerprint(solver) == fingerprint(untouched)


@ENGINE
def test_a_good_state_is_gone_back_to(engine: str) -> None:
    solver, whole = ENGINES[engine](), ENGINES[engine]()
    whole.run(3)
    state = whole.state()
    whole.run(4)
    solver.run(5)
    solver.restore(state)
    assert solver.iteration == 3
    solver.run(4)
    assert fingerprint(solver) == fingerprint(whole)


@ENGINE
def test_runs_that_cannot_be_are_refused_and_change_nothing(engine: str) -> None:
    solver, untouched = ENGINES[engine](), ENGINES[engine]()
    with pytest.raises(CfrlabError, match="solver dcfr: cannot run -2 iterations"):
        solver.run(-2)
    solver.rule = Rule.named("dcfr", averaging=700.0)
    with pytest.raises(CfrlabError, match=r"solver dcfr: .*t \*\* 700") as refused:
        solver.run(3)
    assert "\n" not in str(refused.value)
    assert solver.iteration == 0
    assert fingerprint(solver) == fingerprint(untouched)
