"""Runs that are cut, saved and taken up again are the same run, to the last bit."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import CFR
from cfrlab.solve.phi import Abstraction
from cfrlab.solve.rule import Rule
from solver_games import random_abstraction, uneven_weights, zoo

RULES = ("cfr", "cfr-plus", "linear-cfr", "dcfr", "pcfr-plus")
ORDERS = pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
KINDS = pytest.mark.parametrize("kind", ["identity", "buckets", "soft"])
NAMES = pytest.mark.parametrize("name", ["leduc", "river", "random"])
HALF = 37


@cache
def game_of(name: str) -> Game:
    return {
        "leduc": zoo("leduc", merge_suits=False),
        "river": uneven_weights(zoo("hunl-river", 1, ranks="9TJQKA", suits="cd"), seed=3),
        "random": zoo("random-game", 2, hands=100),
    }[name]


@cache
def phi_of(name: str, kind: str) -> Abstraction | None:
    return random_abstraction(game_of(name), kind, seed=1)


def fresh(name: str, rule: str, alternating: bool, kind: str) -> CFR:
    # The power is no whole number: the average's weights are rounded.
    return CFR(game_of(name), Rule.named(rule, alternating, 1.7), phi_of(name, kind))


def assert_same(first: CFR, second: CFR) -> None:
    assert first.iteration == second.iteration
    one, two = first.state(), second.state()
    assert one.keys() == two.keys()
    for key in one:
        assert one[key].tobytes() == two[key].tobytes(), key
    for mine, theirs in (
        (first.average(), second.average()),
        (first.current(), second.current()),
    ):
        for p in (0, 1):
            assert mine[p].tobytes() == theirs[p].tobytes()


@KINDS
@ORDERS
@pytest.mark.parametrize("rule", RULES)
@NAMES
def test_run_2n_is_run_save_load_run(
    tmp_path: Path, name: str, rule: str, alternating: bool, kind: str
) -> None:
    whole = fresh(name, rule, alternating, kind)
    whole.run(2 * HALF)

    first = fresh(name, rule, alternating, kind)
    first.run(HALF)
    path, provenance = tmp_path / "state.npz", Provenance({"game": name}, 1, "code")
    store.save(path, "state", first.state(), {}, provenance)
    first.run(1)  # a state is a copy: running on must not change what was saved

    second = fresh(name, rule, alternating, kind)
    second.run(5)  # nothing of an earlier life may stay
    second.restore(store.load(path, "state").arrays)
    assert second.iteration == HALF
    second.run(HALF)
    assert_same(whole, second)


@KINDS
@ORDERS
@pytest.mark.parametrize("rule", RULES)
@NAMES
def test_chunks_and_twins(name: str, rule: str, alternating: bool, kind: str) -> None:
    """Two solvers agree bitwise; so does one that runs in chunks and is looked at in between."""
    first, second, pieces = (fresh(name, rule, alternating, kind) for _ in range(3))
    first.run(2 * HALF)
    second.run(2 * HALF)
    for t in pieces.checkpoints([1, 2, 9, HALF, HALF + 8, 2 * HALF]):
        assert pieces.iteration == t
        pieces.average()
        pieces.current()
    assert_same(first, second)
    assert_same(first, pieces)


def test_solvers_that_share_a_compiled_game_do_not_meet() -> None:
    alone, one = fresh("leduc", "dcfr", True, "identity"), fresh("leduc", "dcfr", True, "identity")
    other = CFR(one.game, Rule.named("cfr"), compiled=one.compiled)
    alone.run(20)
    for _ in range(20):
        one.run(1)
        other.run(1)
    assert_same(alone, one)


def test_what_is_handed_out_is_a_copy() -> None:
    solver, untouched = (fresh("leduc", "pcfr-plus", True, "identity") for _ in range(2))
    for _ in range(3):
        solver.run(2)
        untouched.run(2)
        for array in (*solver.average(), *solver.current(), *solver.state().values()):
            array[...] = 7
    assert_same(solver, untouched)


def test_states_of_others_are_refused_and_change_nothing() -> None:
    solver, untouched = (fresh("leduc", "cfr", True, "identity") for _ in range(2))
    solver.run(3)
    untouched.run(3)
    other = fresh("river", "cfr", True, "identity")
    states: list[dict[str, NDArray[Any]]] = [
        other.state(),
        fresh("leduc", "cfr", True, "buckets").state(),
        # Only the second player's is wrong.
        {**fresh("leduc", "cfr", True, "identity").state(), "average_1": np.zeros(3)},
        {k: v for k, v in solver.state().items() if k != "regret_1"},
    ]
    for state in states:
        with pytest.raises(CfrlabError, match=r"the saved (\w+_[01] has \d+ numbers|state lacks)"):
            solver.restore(state)
        assert_same(solver, untouched)
