"""Saved states: a fresh solver that goes back to one ends with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from cfrlab.decomposition import cfrd
from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.resolving import Resolver
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.errors import CfrlabError
from cfrlab.solve.side_by_side import Restorable, SideBySide
from leduc_cut import CFR_RULE, equilibrium, kuhn, leduc

ROUND = 7
"""No multiple of anything, so that the middle of a run is no special place."""


def assert_goes_on(fresh: Callable[[], Restorable], iterations: int = 3 * ROUND) -> None:
    """Run through, and again with a change of solver in between; all states must be equal."""
    whole, first, second = fresh(), fresh(), fresh()
    whole.run(iterations)
    first.run(ROUND)
    saved = first.state()
    # A state is a copy: what the solver does afterwards must not change it.
    first.run(1)
    second.run(2)
    second.restore(saved)
    assert second.iteration == ROUND
    second.run(iterations - ROUND)
    expected, reached = whole.state(), second.state()
    assert expected.keys() == reached.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(reached[name], array, name, strict=True)


@pytest.mark.parametrize("start", ["cold", "warm"])
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("cut", [leduc, kuhn])
def test_cfrd(cut: Callable[[], Decomposition], start: cfrd.Start, together: bool) -> None:
    variant = Variant(5, CFR_RULE, start, together=together)
    assert_goes_on(lambda: CFRD(cut(), CFR_RULE, variant))


@pytest.mark.parametrize("method", ["safe", "unsafe", "max-margin"])
def test_resolving(method: str) -> None:
    assert_goes_on(partial(Resolver, leduc(), equilibrium(), method, CFR_RULE))


@pytest.mark.parametrize("method", ["safe", "unsafe"])
def test_sampled_resolving_from_a_random_start(method: str) -> None:
    def fresh() -> Resolver:
        rng = np.random.default_rng(5)
        return Resolver(
            leduc(), equilibrium(), method, CFR_RULE, start=rng, sampling=np.random.default_rng(6)
        )

    assert_goes_on(fresh)


def test_solvers_side_by_side_are_each_by_itself() -> None:
    def fresh(method: str) -> Resolver:
        return Resolver(leduc(), equilibrium(), method, CFR_RULE)

    assert_goes_on(lambda: SideBySide([fresh("safe"), fresh("unsafe")]))
    both, alone = SideBySide([fresh("safe"), fresh("unsafe")]), fresh("unsafe")
    both.run(ROUND)
    alone.run(ROUND)
    assert isinstance(both.solvers[1], Resolver)
    for ours, theirs in zip(both.solvers[1].profile(), alone.profile(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_state_of_another_game_is_refused() -> None:
    state = CFRD(kuhn(), CFR_RULE, Variant(5, CFR_RULE)).state()
    with pytest.raises(CfrlabError, match="was it saved for others"):
        CFRD(leduc(), CFR_RULE, Variant(5, CFR_RULE)).restore(state)
