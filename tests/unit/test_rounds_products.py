"""Products with a dense Phi, and numbers that stay away from denormals."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.solve.phi import Soft
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.products import Blas, Products, Sparse, Torch, products
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rounds.traversal import Board
from cfrlab.solve.rule import Rule
from round_games import both, random_phis

Reals = NDArray[Any]
SIZES = (7, 1, 12)
ROWS, WIDTH = 9, 22


def matrices(dtype: Any, zeros: float = 0.0) -> list[Reals]:
    rng = np.random.default_rng(0)
    return [(rng.random((ROWS, n)) * (rng.random((ROWS, n)) >= zeros)).astype(dtype) for n in SIZES]


MAKERS: dict[str, Callable[[list[Reals]], Products]] = {
    "blas": Blas,
    "sparse": Sparse,
    "torch": lambda given: Torch(given, "cpu"),
}


@pytest.mark.parametrize("zeros", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("maker", MAKERS)
def test_products_are_those_of_numpy(maker: str, dtype: Any, zeros: float) -> None:
    given, rng = matrices(dtype, zeros), np.random.default_rng(1)
    found = MAKERS[maker](given)
    close = 16 * ROWS * np.finfo(dtype).eps
    for _ in range(2):  # loaded again, the rows are others
        rows = rng.normal(size=(ROWS, WIDTH)).astype(dtype)
        loaded = found.load(rows)
        sums = rng.normal(size=(ROWS, WIDTH)).astype(dtype)
        expected = sums.astype(np.float64)
        for board, matrix in enumerate(given):
            out = np.full((SIZES[board], WIDTH), np.nan, dtype)
            found.spread(loaded, board, out)
            np.testing.assert_allclose(out, matrix.T.astype(float) @ rows, rtol=0, atol=close)
            values = rng.normal(size=(SIZES[board], WIDTH)).astype(dtype)
            found.merge(board, values, sums)
            expected += matrix.astype(float) @ values
        np.testing.assert_allclose(sums, expected, rtol=0, atol=close)


def test_the_fastest_product_is_chosen() -> None:
    assert isinstance(products(matrices(np.float32), None), Blas)
    assert isinstance(products(matrices(np.float32, 0.95), None), Sparse)
    assert isinstance(products(matrices(np.float32, 0.95), "cpu"), Torch)


@pytest.mark.parametrize("rule", ["cfr", "pcfr-plus"])
def test_torch_gives_the_same_curve(rule: str) -> None:
    """Sums in another order: equal up to rounding as long as no tie is decided by it."""
    game = both("3x4").game
    phis = random_phis(game, "soft", 3)
    solvers = [
        RoundCFR(game, Rule.named(rule), phis, averages=AVERAGES, device=device)
        for device in (None, "cpu")
    ]
    for t in solvers[0].checkpoints([1, 2, 5, 10]):
        solvers[1].run(t - solvers[1].iteration)
        for name in AVERAGES:
            one, two = (best_responses(solver.average(name)) for solver in solvers)
            assert one == pytest.approx(two, abs=1e-3)


def test_torch_gives_the_same_iteration_in_double_precision() -> None:
    game = both("3x4").game
    phis = random_phis(game, "soft", 3)
    one, two = (
        RoundCFR(game, Rule.named("dcfr"), phis, dtype=np.float64, device=device)
        for device in (None, "cpu")
    )
    one.run(10)
    two.run(10)
    assert best_responses(one.average()) == pytest.approx(best_responses(two.average()), abs=1e-9)


@pytest.mark.parametrize("device", ["cudo", "cuda:99", "gpu 1", "hpu"])
def test_devices_that_cannot_be_used(device: str) -> None:
    game = both("3x2").game
    with pytest.raises(CfrlabError, match=f"device '{device}' cannot be used: ") as error:
        RoundCFR(game, Rule.named("cfr"), random_phis(game, "soft", 0), device=device)
    assert "\n" not in str(error.value)


def test_torch_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a device needs it, and only for mixtures."""

    monkeypatch.setitem(sys.modules, "torch", None)
    game = both("3x2").game
    rule, phis = Rule.named("cfr"), random_phis(game, "soft", 0)
    with pytest.raises(CfrlabError) as error:
        RoundCFR(game, rule, phis, device="cuda")
    message = str(error.value)
    assert message == "device 'cuda' needs torch: pip install -r envs/requirements-torch.txt"
    RoundCFR(game, rule, phis).run(1)
    RoundCFR(game, rule, random_phis(game, "buckets", 0), device="cuda").run(1)


def tiny(rows: int, hands: int, rng: np.random.Generator) -> Soft:
    """Columns like those of a softmax: mostly one row, and all others tiny."""
    matrix = 10.0 ** rng.uniform(-12, -4, (rows, hands))
    matrix[rng.integers(rows, size=hands), np.arange(hands)] = 1.0
    return Soft((matrix / matrix.sum(0)).astype(np.float32))


def reaches(solver: RoundCFR) -> dict[int, Reals]:
    """All reaches of the current strategy, by round."""
    profile, walk = solver.current(), solver.walk
    found: dict[int, list[Reals]] = {r: [] for r in range(solver.game.rounds)}

    def arrive(board: Board, number: int, reach: Reals) -> None:
        found[board.round].append(reach.copy().ravel())

    walk.walk(profile.play(), lambda board, number, played, value: None, arrive=arrive)
    return {r: np.concatenate(parts) for r, parts in found.items()}


def denormal(values: Reals) -> int:
    size = np.abs(values)
    return int(((size > 0) & (size < np.finfo(values.dtype).tiny)).sum())


def test_reaches_stay_out_of_denormals() -> None:
    game, rng = both("3x2 other").game, np.random.default_rng(0)
    phis = RoundAbstraction(
        tuple(tiny(m, n, rng) for m, n in zip((5, 8, 9), game.hands, strict=True))
    )
    solver = RoundCFR(game, Rule.named("cfr-plus"), phis)
    solver.run(30)
    for found in reaches(solver).values():
        assert not ((found != 0) & (np.abs(found) < np.float32(1e-18))).any()
    solver.walk.small[0] = 0.0  # as if they were not flushed
    assert any(denormal(found) for found in reaches(solver).values())


def test_flushing_changes_nothing_that_can_be_measured() -> None:
    game, rng = both("3x2 other").game, np.random.default_rng(0)
    phis = RoundAbstraction(
        tuple(tiny(m, n, rng) for m, n in zip((5, 8, 9), game.hands, strict=True))
    )
    flushed, kept = (RoundCFR(game, Rule.named("cfr-plus"), phis) for _ in range(2))
    flushed.run(5)
    kept.walk.small[0] = 0.0
    kept.run(5)
    assert best_responses(flushed.average()) == pytest.approx(
        best_responses(kept.average()), abs=1e-4
    )
