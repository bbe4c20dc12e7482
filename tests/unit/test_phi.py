"""Abstraction matrices: every kind acts as its dense matrix, and malformed ones are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfrlab.errors import CfrlabError
from cfrlab.solve.phi import Abstraction, BucketMap, Identity, Phi, Soft
from small_games import random_profile, river


def soft(m: int, n: int, seed: int) -> Soft:
    matrix = np.random.default_rng(seed).random((m, n))
    return Soft(matrix / matrix.sum(0))


@st.composite
def phis(draw: st.DrawFn) -> Phi:
    n = draw(st.integers(1, 9))
    m = draw(st.integers(1, n))
    seed = draw(st.integers(0, 2**16))
    spare = np.random.default_rng(seed).integers(0, m, n - m)
    labels = np.random.default_rng(seed).permutation(np.concatenate([np.arange(m), spare]))
    kinds: list[Phi] = [Identity(n), BucketMap(labels.astype(np.int32)), soft(m, n, seed)]
    return draw(st.sampled_from(kinds))


@given(phis(), st.sampled_from([(), (3,), (2, 4)]))
def test_spread_and_merge_are_products_with_the_matrix(phi: Phi, lead: tuple[int, ...]) -> None:
    matrix = phi.dense()
    assert matrix.shape == (phi.rows, phi.hands)
    np.testing.assert_allclose(matrix.sum(0), 1, rtol=1e-14)
    rng = np.random.default_rng(0)
    rows, values = rng.random((*lead, phi.rows)), rng.random((*lead, phi.hands))
    spread = np.einsum("mn,...m->...n", matrix, rows)
    merged = np.einsum("mn,...n->...m", matrix, values)
    np.testing.assert_allclose(phi.spread(rows), spread, rtol=1e-13)
    np.testing.assert_allclose(phi.merge(values), merged, rtol=1e-13)
    # The two are adjoint: what rows earn is what the hands that play them earn.
    earned = (phi.spread(rows) * values).sum(-1)
    np.testing.assert_allclose(earned, (rows * phi.merge(values)).sum(-1), rtol=1e-13)


def test_lifted_strategies_are_strategies_whose_buckets_play_alike() -> None:
    game = river().game
    labels = np.arange(game.n[0], dtype=np.int32) % 4
    abstraction = Abstraction(BucketMap(labels), soft(3, game.n[1], seed=1))
    abstraction.check(game)
    tall = random_profile(game, seed=2)
    lifted = abstraction.lift((tall[0][:, :4], tall[1][:, :3]))
    game.check_profile(lifted)
    for bucket in range(4):
        members = lifted[0][:, labels == bucket]
        np.testing.assert_array_equal(members, np.repeat(tall[0][:, [bucket]], members.shape[1], 1))
    identity = Abstraction.identity(game)
    np.testing.assert_array_equal(identity.lift(tall)[1], tall[1])


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[0.5, 1.0], [0.5, 0.1]], "column 1 must be non-negative and sum to 1"),
        ([[1.5, 1.0], [-0.5, 0.0]], "column 0 must be non-negative"),
        ([[1.0, np.nan], [0.0, 1.0]], "column 1 "),
        (np.ones((0, 3)), "need shape"),
        (np.ones(3), "need shape"),
    ],
)
def test_a_matrix_that_is_no_abstraction_is_refused(matrix: object, says: str) -> None:
    with pytest.raises(CfrlabError, match=says) as error:
        Soft(np.asarray(matrix, np.float64))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (np.array([0, 2, 2], np.int32), "bucket 1 of 3 is empty"),
        (np.array([0, -1], np.int32), "hand 1 has label -1"),
        (np.array([0.0, 1.0]), "integer label"),
        (np.zeros((2, 2), np.int32), "shape"),
        (np.zeros(0, np.int32), "shape"),
    ],
)
def test_malformed_labels_are_refused(labels: np.ndarray, says: str) -> None:
    with pytest.raises(CfrlabError, match=says) as error:
        BucketMap(labels)
    assert "\n" not in str(error.value)


def test_an_abstraction_of_another_game_is_refused() -> None:
    game = river().game
    with pytest.raises(CfrlabError, match="player 1 has 21 hands, the abstraction is for 3"):
        Abstraction(Identity(21), soft(2, 3, seed=0)).check(game)
