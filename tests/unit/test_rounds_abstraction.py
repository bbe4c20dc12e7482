"""CFR under abstractions of rounds against Embedding CFR over raw cards, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.solve.phi import BucketMap, Identity, Soft
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rule import Rule
from round_games import Both, Reference, both, random_phis, tables

Floats = NDArray[np.float64]
BASELINES = pytest.mark.parametrize("baseline", [False, True], ids=["published", "baseline"])
ORDERS = pytest.mark.parametrize("alternating", [False, True], ids=["simultaneous", "alternating"])


def solver_of(
    given: Both, abstraction: RoundAbstraction | None, rule: Rule | None = None, **options: Any
) -> RoundCFR:
    return RoundCFR(
        given.game,
        rule or Rule.named("cfr"),
        abstraction,
        averages=AVERAGES,
        dtype=np.float64,
        **options,
    )


def assert_same_profiles(given: Both, solver: RoundCFR, reference: Reference) -> None:
    for name in AVERAGES:
        mine = given.raw_profile(solver.average(name))
        for p, theirs in enumerate(reference.average(name)):
            np.testing.assert_allclose(mine[p], theirs, rtol=0, atol=1e-9, err_msg=name)


@BASELINES
@ORDERS
@pytest.mark.parametrize(("rule", "power"), [("cfr", 0.0), ("cfr-plus", 1.0)])
@pytest.mark.parametrize(("name", "kind"), [("3x2 forced", "soft"), ("3x2 exchanged", "sharp")])
def test_embedding_cfr_by_the_formulas_of_its_paper(
    name: str, kind: str, rule: str, power: float, alternating: bool, baseline: bool
) -> None:
    """Dense matrices mix all infosets of a block, so no exact ties arise and the two programs stay
    together for as long as rounding lets them."""
    given = both(name)
    phis = random_phis(given.game, kind, 7)
    solver = solver_of(given, phis, Rule.named(rule, alternating, power), baseline=baseline)
    reference = Reference(given, phis, rule, alternating, power, baseline)
    for iterations in (1, 2, 5):
        solver.run(iterations)
        reference.run(iterations)
        assert_same_profiles(given, solver, reference)
    mine, theirs = given.raw_profile(solver.current()), reference.current()
    for p in (0, 1):
        np.testing.assert_allclose(mine[p], theirs[p], rtol=0, atol=1e-9)
    # What the paper's reports is the exploitability of Eq. 7's average, in the game over all hands.
    found = sum(best_responses(solver.average("uniform")))
    exact = Evaluator(given.raw).nash_conv(reference.average("uniform"))
    assert found == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(
    ("name", "kind"), [("3x2", "soft"), ("4x2", "sparse"), ("3x4", "soft"), ("3x4", "sparse")]
)
def test_mixtures_in_other_games(name: str, kind: str) -> None:
    given = both(name)
    phis = random_phis(given.game, kind, 8)
    solver, reference = solver_of(given, phis), Reference(given, phis)
    solver.run(3)
    reference.run(3)
    assert_same_profiles(given, solver, reference)


@BASELINES
@pytest.mark.parametrize("kind", ["identity", "buckets", "mixed"])
@pytest.mark.parametrize("name", ["3x2 one bet", "3x4"])
def test_rows_collect_the_regrets_of_their_raw_deals(name: str, kind: str, baseline: bool) -> None:
    """That is, of classes times copies of the board times raw hands of the class. Step by step:
    each iteration starts from the solver's regrets, since bucket games have exact ties."""
    given = both(name)
    if kind == "mixed":
        first = Identity(given.game.hands[0])
        second, third = (
            random_phis(given.game, k, 3).phis[r] for r, k in ((1, "buckets"), (2, "soft"))
        )
        phis = RoundAbstraction((first, second, third))
    else:
        phis = random_phis(given.game, kind, 3)
    solver = solver_of(given, phis, baseline=baseline)
    reference, followed = Reference(given, phis, baseline=baseline), solver_of(given, phis)
    for _ in range(4):
        reference.adopt(solver)
        solver.run(1)
        reference.run(1)
        followed.restore(solver.state())
        expected = {block: regret.copy() for block, regret in reference.regret.items()}
        reference.adopt(followed)
        top = max(np.abs(regret).max() for regret in expected.values())
        for block, regret in reference.regret.items():
            np.testing.assert_allclose(regret, expected[block], rtol=0, atol=1e-12 * top)
    # Averages of all iterations, although their strategies were the solver's.
    assert_same_profiles(given, solver, reference)


def one_hot(phis: RoundAbstraction) -> RoundAbstraction:
    return RoundAbstraction(tuple(Soft(phi.dense()) for phi in phis.phis))


@pytest.mark.parametrize("kind", ["identity", "buckets"])
@pytest.mark.parametrize("name", ["3x2", "3x3", "3x4"])
def test_one_hot_matrices_are_bucket_maps(name: str, kind: str) -> None:
    """And the identity matrix is no abstraction. Products add up in another order, so each
    iteration starts from the same numbers."""
    given, rule = both(name), Rule.named("dcfr", alternating=False)
    phis = random_phis(given.game, kind, 1)
    solver, dense = solver_of(given, phis, rule), solver_of(given, one_hot(phis), rule)
    for _ in range(5):
        dense.restore(solver.state())
        solver.run(1)
        dense.run(1)
        for what in ("regret", "average_uniform", "average_advisor"):
            for mine, theirs in zip(tables(dense, what), tables(solver, what), strict=True):
                close = 1e-12 * np.abs(theirs).max()
                np.testing.assert_allclose(mine, theirs, rtol=0, atol=close, err_msg=what)
        for name_ in AVERAGES:
            assert best_responses(dense.average(name_)) == pytest.approx(
                best_responses(solver.average(name_)), abs=1e-9
            )


@pytest.mark.parametrize("name", ["3x2", "3x4"])
def test_a_bucket_for_every_class_is_no_abstraction(name: str) -> None:
    given = both(name)
    alone = RoundAbstraction(
        tuple(BucketMap(np.arange(n, dtype=np.int32)) for n in given.game.hands)
    )
    solver, other = solver_of(given, None), solver_of(given, alone)
    for t in solver.checkpoints([1, 4, 10]):
        other.run(t - other.iteration)
        one, two = solver.state(), other.state()
        assert one.keys() == two.keys()
        for key in one:
            np.testing.assert_array_equal(one[key], two[key])


@pytest.mark.parametrize("name", ["3x2", "3x4"])
def test_the_baseline_makes_no_difference_for_buckets(name: str) -> None:
    """A bucket's hands all play its strategy, so its regrets are its own already."""
    given = both(name)
    for kind in ("identity", "buckets"):
        phis = random_phis(given.game, kind, 2)
        solver, other = solver_of(given, phis), solver_of(given, phis, baseline=True)
        for _ in range(6):
            other.restore(solver.state())
            solver.run(1)
            other.run(1)
            for mine, theirs in zip(tables(other, "regret"), tables(solver, "regret"), strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


def test_the_baseline_makes_a_difference_for_mixtures() -> None:
    given = both("3x2")
    phis = random_phis(given.game, "soft", 2)
    plain, other = solver_of(given, phis), solver_of(given, phis, baseline=True)
    plain.run(3)
    other.run(3)
    found = [best_responses(s.average("infoset")) for s in (plain, other)]
    assert abs(sum(found[0]) - sum(found[1])) > 1e-3


def test_averages_coincide_where_every_class_has_its_row() -> None:
    """Reach-weighted by advisor or by infoset is then the same; Eq. 7 is not."""
    given = both("3x4")
    solver = solver_of(given, None)
    solver.run(10)
    uniform, advisor, infoset = (best_responses(solver.average(name)) for name in AVERAGES)
    assert advisor == pytest.approx(infoset, abs=1e-10)
    assert abs(sum(uniform) - sum(infoset)) > 1e-3


def test_abstractions_of_other_games_are_refused() -> None:
    game, other = both("3x2").game, both("3x4").game
    rule = Rule.named("cfr")
    with pytest.raises(
        CfrlabError, match=r"round 2 has 30 hand classes, the abstraction is for 48"
    ):
        RoundCFR(game, rule, RoundAbstraction.identity(other))
    phis = random_phis(game, "soft", 0).phis
    with pytest.raises(
        CfrlabError, match=r"it has 3 rounds, the abstraction is for 2; was it made"
    ):
        RoundCFR(game, rule, RoundAbstraction(phis[:2]))
    with pytest.raises(CfrlabError, match=r"round 1 has 9 hand classes, the abstraction is for 30"):
        RoundCFR(game, rule, RoundAbstraction((phis[1], phis[0], phis[2])))


@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 1e-5), (np.float64, 1e-9)])
def test_columns_must_sum_to_one(dtype: Any, close: float) -> None:
    matrix = np.random.default_rng(0).dirichlet(np.ones(5), 90).T.astype(dtype)
    Soft(matrix)
    for factor, fine in ((1 + 0.5 * close, True), (1 + 3 * close, False), (1 - 3 * close, False)):
        scaled = matrix.copy()
        scaled[:, 41] *= factor
        if fine:
            Soft(scaled)
        else:
            with pytest.raises(CfrlabError, match="column 41 must be non-negative and sum to 1"):
                Soft(scaled)
    for bad in (np.nan, -0.25):
        broken = matrix.copy()
        broken[2, 7] = bad
        with pytest.raises(CfrlabError, match="column 7"):
            Soft(broken)
