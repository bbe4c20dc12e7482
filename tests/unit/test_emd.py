"""Earth mover's distance against SciPy's and against the linear program that defines it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from cfrlab.abstraction import emd
from cfrlab.errors import CfrlabError

Floats = NDArray[np.float64]


def transport(a: Floats, b: Floats, ground: Floats) -> float:
    """Least cost of moving masses a [m] to b [k], with a ground distance [m, k], as a program."""
    m, k = ground.shape
    leave = np.kron(np.eye(m), np.ones(k))
    arrive = np.kron(np.ones(m), np.eye(k))
    plan = linprog(ground.ravel(), A_eq=np.vstack([leave, arrive]), b_eq=np.concatenate([a, b]))
    assert plan.success
    return float(plan.fun)


def histogram(rng: np.random.Generator, bins: int) -> Floats:
    """A random distribution, some of whose bins are empty."""
    mass: Floats = rng.random(bins) * (rng.random(bins) < 0.7)
    mass[rng.integers(bins)] += 0.1
    mass /= mass.sum()
    return mass


@given(st.integers(0, 2**16), st.integers(1, 30), st.booleans())
def test_agrees_with_scipy_on_random_histograms(seed: int, bins: int, equal: bool) -> None:
    rng = np.random.default_rng(seed)
    a, b = histogram(rng, bins), histogram(rng, bins)
    gaps = None if equal else rng.random(bins - 1) * (rng.random(bins - 1) < 0.8)
    position = np.concatenate([[0.0], np.cumsum(np.ones(bins - 1) if gaps is None else gaps)])
    expected = wasserstein_distance(position, position, a, b)
    assert emd.distance(a, b, gaps) == pytest.approx(expected, abs=1e-12)
    assert emd.distance(b, a, gaps) == emd.distance(a, b, gaps)


@given(st.integers(0, 2**16), st.integers(2, 8))
def test_agrees_with_the_transport_program(seed: int, bins: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = histogram(rng, bins), histogram(rng, bins)
    position = np.sort(rng.random(bins))
    ground = np.abs(position[:, None] - position)
    expected = transport(a, b, ground)
    assert emd.distance(a, b, np.diff(position)) == pytest.approx(expected, abs=1e-9)


def test_moving_all_mass_costs_the_way() -> None:
    assert emd.distance([1, 0, 0], [0, 0, 1]) == 2
    assert emd.distance([5, 0, 0], [0, 0, 5], [0.5, 3.0]) == 17.5
    assert emd.distance([2, 1, 3], [2, 1, 3]) == 0
    assert emd.distance([1.0], [1.0]) == 0


def test_embedding_keeps_all_pairs_and_means() -> None:
    rng = np.random.default_rng(0)
    many = np.stack([histogram(rng, 6) for _ in range(10)])
    gaps = rng.random(5)
    points = emd.embed(many, gaps)
    assert points.shape == (10, 5)
    assert points.dtype == np.float64
    got = np.abs(points[:, None] - points).sum(2)
    np.testing.assert_array_equal(got, emd.distance(many[:, None], many, gaps))
    # The mean histogram is embedded at the mean point, which is what Lloyd's iterations use.
    np.testing.assert_allclose(emd.embed(many.mean(0), gaps), points.mean(0), atol=1e-15)


@pytest.mark.parametrize("gaps", [[1.0], [1.0, 1.0, 1.0], [1.0, -0.1], [1.0, np.nan]])
def test_wrong_gaps_are_one_line(gaps: list[float]) -> None:
    with pytest.raises(CfrlabError, match="3 bins on a line need 2 gaps, none negative") as error:
        emd.distance([1, 0, 0], [0, 1, 0], gaps)
    assert "\n" not in str(error.value)


def test_unequal_masses_are_refused() -> None:
    with pytest.raises(CfrlabError, match="differ in total mass; scale both to one"):
        emd.distance([1, 0], [0, 2])
