"""Runs in hand classes that are cut, saved and taken up again are the same run, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rounds.traversal import Traversal
from cfrlab.solve.rule import Rule
from round_games import both, random_phis, strategies

KINDS = pytest.mark.parametrize("kind", ["identity", "buckets", "soft", "sparse"])
HALF = 5


def fresh(kind: str, name: str = "3x4", **options: Any) -> RoundCFR:
    # The power is no whole number: the averages' weights are rounded.
    rule = options.pop("rule", Rule.named("dcfr", options.pop("alternating", True), 1.7))
    given = {"averages": AVERAGES, "dtype": np.float32, **options}
    game = both(name).game
    return RoundCFR(game, rule, random_phis(game, kind, 1), **given)


def assert_same(first: RoundCFR, second: RoundCFR) -> None:
    assert first.iteration == second.iteration
    one, two = first.state(), second.state()
    assert one.keys() == two.keys()
    for key in one:
        assert one[key].tobytes() == two[key].tobytes(), key
    profiles = [(s.current(), *(s.average(name) for name in AVERAGES)) for s in (first, second)]
    for mine, theirs in zip(*profiles, strict=True):
        for a, b in zip(strategies(mine), strategies(theirs), strict=True):
            assert a.tobytes() == b.tobytes()
        assert best_responses(mine) == best_responses(theirs)


@KINDS
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alternating": False, "baseline": True},
        {"dtype": np.float64, "rule": Rule.named("pcfr-plus")},
        {"deals": 300, "seed": 4},
    ],
    ids=["single", "baseline", "double", "sampled"],
)
def test_run_2n_is_run_save_load_run(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    whole = fresh(kind, **options)
    whole.run(2 * HALF)

    first = fresh(kind, **options)
    first.run(HALF)
    path, provenance = tmp_path / "state.npz", Provenance({"game": "3x4"}, 1, "code")
    store.save(path, "state", first.state(), {}, provenance)
    first.run(1)  # a state is a copy: running on must not change what was saved

    second = fresh(kind, **options)
    second.run(3)  # nothing of an earlier life may stay
    best_responses(second.average("uniform"))
    second.restore(store.load(path, "state").arrays)
    assert second.iteration == HALF
    second.run(HALF)
    assert_same(whole, second)


@KINDS
def test_chunks_and_twins(kind: str) -> None:
    """Two solvers agree bitwise; so does one that runs in chunks and is looked at in between."""
    first, second, pieces = (fresh(kind) for _ in range(3))
    first.run(2 * HALF)
    second.run(2 * HALF)
    for t in pieces.checkpoints([1, 2, 4, HALF, 2 * HALF]):
        assert pieces.iteration == t
        for name in AVERAGES:
            best_responses(pieces.average(name))
        best_responses(pieces.current())
    assert_same(first, second)
    assert_same(first, pieces)


def test_solvers_that_share_a_prepared_game_do_not_meet() -> None:
    alone = fresh("soft")
    one = fresh("soft", traversal=alone.walk)
    other = fresh("buckets", traversal=alone.walk)
    alone.run(6)
    for _ in range(6):
        one.run(1)
        other.run(1)
        best_responses(other.average())
    assert_same(alone, one)


@KINDS
def test_what_is_handed_out_is_a_copy(kind: str) -> None:
    solver, untouched = fresh(kind), fresh(kind)
    for _ in range(3):
        solver.run(2)
        untouched.run(2)
        for profile in (*(solver.average(name) for name in AVERAGES), solver.current()):
            for group in profile.blocks:
                for block in group:
                    block[:] = 7
        for array in solver.state().values():
            array[...] = 7
    assert_same(solver, untouched)


def test_profiles_stay_while_the_solver_runs_on() -> None:
    """They share the solver's scratch, and must find it changed at every use."""
    for kind in ("identity", "soft"):
        solver = fresh(kind)
        solver.run(2)
        kept = [solver.current(), *(solver.average(name) for name in AVERAGES)]
        before = [best_responses(profile) for profile in kept]
        solver.run(2)
        assert [best_responses(profile) for profile in kept] == before


def test_states_of_others_are_refused_and_change_nothing() -> None:
    solver, untouched = fresh("soft"), fresh("soft")
    solver.run(3)
    untouched.run(3)
    mine = solver.state()
    states: list[dict[str, NDArray[Any]]] = [
        fresh("soft", "3x3").state(),
        fresh("buckets", "3x2").state(),
        fresh("identity").state(),
        fresh("sparse").state(),
        fresh("soft", dtype=np.float64).state(),
        fresh("soft", averages=("uniform",)).state(),
        # Only the last array is wrong or missing.
        {**mine, "average_infoset_2": np.zeros(3, np.float32)},
        {k: v for k, v in mine.items() if k != "regret_2"},
    ]
    for state in states:
        with pytest.raises(CfrlabError, match=r"the saved (\w+_[012] has \d+ numbers|state lacks)"):
            solver.restore(state)
        assert_same(solver, untouched)


def test_a_state_of_more_averages_is_refused() -> None:
    """Else one of them would be lost unnoticed."""
    solver = fresh("soft", averages=("uniform",))
    with pytest.raises(CfrlabError, match="average"):
        solver.restore(fresh("soft").state())


def test_a_state_without_its_iteration_is_refused() -> None:
    solver, untouched = fresh("soft"), fresh("soft")
    state = fresh("soft")
    state.run(1)
    without = {k: v for k, v in state.state().items() if k != "iteration"}
    with pytest.raises(CfrlabError, match="iteration"):
        solver.restore(without)
    assert_same(solver, untouched)


def test_a_prepared_game_of_another_kind_is_refused() -> None:
    walk = Traversal(both("3x3").game, np.float32)
    with pytest.raises(CfrlabError, match="prepared"):
        fresh("soft", traversal=walk)
    with pytest.raises(CfrlabError, match="prepared"):
        fresh("soft", traversal=Traversal(both("3x4").game, np.float64))
