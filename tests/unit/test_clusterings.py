"""Clusterings of rounds against distances and histograms computed from raw cards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from cfrlab import plugins
from cfrlab.abstraction import components, emd, kmeans, outcomes, recall
from cfrlab.abstraction.clusterings import ehs, ev, krwemd, paemd
from cfrlab.abstraction.quality import quality
from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.games.zoo import numeral211
from cfrlab.solve.phi import BucketMap

PACKAGE = "cfrlab.abstraction.clusterings"
METHODS = [ehs, paemd, krwemd, ev]

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


def game_of(ranks: str, suits: str) -> RoundGame:
    return numeral211.rounds(numeral211.Params(ranks=ranks, suits=suits))


@pytest.fixture(scope="module")
def game() -> RoundGame:
    return game_of("2345", "cdh")


@pytest.fixture(scope="module")
def full() -> RoundGame:
    return game_of("23456789TA", "cdhs")


def made_up_values(game: RoundGame, columns: int = 6) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(9)
    return [rng.normal(size=(len(c), columns)).astype(np.float32) for c in game.classes]


def run(
    module: ModuleType, game: RoundGame, budgets: Sequence[int], seed: int = 0, **options: Any
) -> tuple[Labels, ...]:
    values = made_up_values(game) if module.NEEDS_VALUES else None
    rng = np.random.default_rng(seed)
    labels: tuple[Labels, ...] = module.buckets(
        game, budgets, module.Params(**options), rng, values
    )
    return labels


# ---------------------------------------------------------------- all of them


def test_every_clustering_is_found_by_name_and_follows_the_interface(game: RoundGame) -> None:
    names = plugins.names(PACKAGE)
    assert set(names) >= {"ehs", "paemd", "krwemd", "ev"}
    for name in names:
        module = plugins.load(PACKAGE, name, "clustering")
        labels = run(module, game, (8, 12))
        assert [len(found) for found in labels] == [len(c) for c in game.classes[1:]]
        assert [BucketMap(found).rows for found in labels] == [8, 12]
        assert all(found.dtype == np.int32 for found in labels)
        with pytest.raises(ValidationError):
            module.Params(no_such_option=1)


@pytest.mark.parametrize("module", METHODS)
def test_same_seed_same_buckets(module: ModuleType, game: RoundGame) -> None:
    first, again, other = (run(module, game, (8, 12), seed) for seed in (1, 1, 2))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any((a != b).any() for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("module", METHODS)
def test_one_bucket_each(module: ModuleType, game: RoundGame) -> None:
    for found in run(module, game, (1, 1)):
        assert not found.any()


@pytest.mark.parametrize("module", METHODS)
@pytest.mark.parametrize(
    ("budgets", "says"),
    [
        ((10, 100_000), r"100000 buckets for the \d+ classes of hands in round 3 of game numeral"),
        ((0, 10), r"0 buckets for the \d+ classes of hands in round 2 .* choose from 1 to \d+$"),
        ((100, 10, 10), "has 3 rounds, so 2 budgets are needed, one for each round after"),
        ((10,), "so 2 budgets are needed"),
    ],
)
def test_budgets_out_of_range_are_one_line(
    module: ModuleType, game: RoundGame, budgets: tuple[int, ...], says: str
) -> None:
    with pytest.raises(CfrlabError, match=says) as error:
        run(module, game, budgets)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("module", "partition"), [(ehs, "strength"), (paemd, "strength"), (krwemd, "recall")]
)
def test_fewer_distinct_points_than_buckets_give_one_each(
    module: ModuleType, partition: str, game: RoundGame
) -> None:
    """On the turn: classes of equal strength, or of equal outcomes in all rounds."""
    last = game.classes[2]
    triples = outcomes.triples(game.classes)
    got = run(module, game, [len(c) for c in game.classes[1:]])[1]
    if partition == "strength":
        expected = 2 * triples[2][:, outcomes.WIN] + triples[2][:, outcomes.TIE]
    else:
        expected = outcomes.with_recall(outcomes.winrate_classes(triples), game.classes, 2, 2)
    assert len(np.unique(expected)) < len(last)
    np.testing.assert_array_equal(got[:, None] == got, expected[:, None] == expected)


@pytest.mark.parametrize("module", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_last_bits_change_no_bucket(
    module: ModuleType, seed: int, game: RoundGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strengths, points in the space of earth mover's distances and values are 1e-13 off."""
    rng = np.random.default_rng(seed)

    def noisy(x: Floats) -> Floats:
        return x * (1 + 1e-13 * rng.normal(size=x.shape))

    def labels(values: list[Floats]) -> tuple[Labels, ...]:
        used = values if module.NEEDS_VALUES else None
        made: tuple[Labels, ...] = module.buckets(
            game, (20, 60), module.Params(), np.random.default_rng(seed), used
        )
        return made

    values = [v.astype(np.float64) for v in made_up_values(game)]
    strength, embed, plain = outcomes.strength, emd.embed, labels(values)
    monkeypatch.setattr(outcomes, "strength", lambda outcome: noisy(strength(outcome)))
    monkeypatch.setattr(emd, "embed", lambda *args: noisy(embed(*args)))
    for a, b in zip(plain, labels([noisy(v) for v in values]), strict=True):
        np.testing.assert_array_equal(a, b)


# ---------------------------------------------------------------- ehs


def test_ehs_buckets_are_intervals_of_strength(full: RoundGame) -> None:
    triples = outcomes.triples(full.classes)
    for r, found in enumerate(run(ehs, full, (225, 396)), start=1):
        assert found.max() + 1 == (0, 225, 396)[r]
        strength = (triples[r][:, 2] + triples[r][:, 1] / 2) / triples[r].sum(1)
        in_order = found[np.argsort(strength, kind="stable")]
        assert np.count_nonzero(np.diff(in_order)) == found.max()


def test_ehs_clusters_classes_unweighted(game: RoundGame) -> None:
    """The same buckets as those of the list of strengths, one entry a class."""
    strength = outcomes.strength(outcomes.triples(game.classes)[1])
    rng = np.random.default_rng(0)
    expected = kmeans.buckets(strength[:, None], 8, int(rng.integers(2**31)))
    np.testing.assert_array_equal(run(ehs, game, (8, 12))[0], expected.labels)


# ---------------------------------------------------------------- paemd


def raw_histogram(game: RoundGame, flop: int, turn: Labels) -> Floats:
    """Share of next cards that lead to each turn bucket, counted card by card."""
    cards, (before, now) = len(game.deck), game.classes[1:]
    hand, board = before.hands[flop].tolist(), int(before.boards[before.board[flop], 0])
    raw = list(combinations(range(cards), 2)).index(tuple(hand))
    left = [c for c in range(cards) if c not in (*hand, board)]
    found = [turn[now.lookup[board * cards + c, raw]] for c in left]
    return np.bincount(found, minlength=turn.max() + 1) / len(left)


def transport(a: Floats, b: Floats, ground: Floats) -> float:
    """The earth mover's distance as a linear program."""
    m = len(a)
    moves = np.vstack([np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))])
    plan = linprog(ground.ravel(), A_eq=moves, b_eq=np.concatenate([a, b]))
    assert plan.success
    return float(plan.fun)


def test_paemd_distances_are_exact(game: RoundGame) -> None:
    """Histograms by plain counting, ground distances between mean strengths, a program for each."""
    turn = run(paemd, game, (8, 10))[1]
    strength = outcomes.strength(outcomes.triples(game.classes)[2])
    points = paemd.histograms(outcomes.next_cards(game.classes, 2), turn, strength)
    mean = np.array([strength[turn == c].mean() for c in range(10)])
    ground = np.abs(mean[:, None] - mean)
    rng = np.random.default_rng(0)
    for a, b in rng.integers(0, len(points), (25, 2)):
        expected = transport(raw_histogram(game, a, turn), raw_histogram(game, b, turn), ground)
        assert np.abs(points[a] - points[b]).sum() == pytest.approx(expected, abs=1e-9)


def test_paemd_tells_potential_apart_where_ehs_does_not(game: RoundGame) -> None:
    """Among flop classes of one strength, those of unequal histograms get buckets of their own."""
    flop, turn = run(paemd, game, [len(c) for c in game.classes[1:]])
    histogram = np.stack([raw_histogram(game, d, turn) for d in range(len(flop))])
    kinds = np.unique(histogram, axis=0, return_inverse=True)[1].ravel()
    np.testing.assert_array_equal(flop[:, None] == flop, kinds[:, None] == kinds)
    assert flop.max() > run(ehs, game, [len(c) for c in game.classes[1:]])[0].max()


def test_paemd_turn_buckets_are_those_of_ehs(game: RoundGame) -> None:
    """The last round is drawn first: in EHS it follows the flop, so one draw is thrown away."""
    rng = np.random.default_rng(3)
    rng.integers(2**31)
    paemd_turn = paemd.buckets(game, (8, 12), paemd.Params(), rng, None)[1]
    np.testing.assert_array_equal(paemd_turn, run(ehs, game, (8, 12), seed=3)[1])


# ---------------------------------------------------------------- krwemd


@pytest.mark.parametrize(
    ("kind", "turn", "flop"),
    [
        ("exponential", [16, 4, 1], [4, 1]),
        ("linear", [7, 5, 3], [5, 3]),
        ("constant", [1, 1, 1], [1, 1]),
        ("increasing", [3, 5, 7], [3, 5]),
    ],
)
def test_krwemd_distance_is_a_weighted_sum_over_rounds(
    full: RoundGame, kind: recall.Weighting, turn: list[int], flop: list[int]
) -> None:
    triples = outcomes.triples(full.classes)
    rng = np.random.default_rng(1)
    for r, weights in ((1, flop), (2, turn)):
        points = recall.features(full.classes, triples, r, kind)
        for a, b in rng.integers(0, len(points), (20, 2)):
            expected, x, y = 0.0, a, b
            for back, weight in enumerate(weights):
                rows = triples[r - back]
                expected += weight * wasserstein_distance([0, 1, 2], [0, 1, 2], rows[x], rows[y])
                x, y = full.classes[r - back].parent[[x, y]]
            assert np.abs(points[a] - points[b]).sum() == pytest.approx(expected, abs=1e-12)


def test_krwemd_remembers_more_as_earlier_rounds_weigh_more(full: RoundGame) -> None:
    kinds = ("exponential", "linear", "constant", "increasing")
    made = [run(krwemd, full, (225, 30), weights=k, iterations=8) for k in kinds]
    apart = np.array([quality(full, labels)[1]["winrate"] for labels in made])
    assert (np.diff(apart[:, 0]) > 0).all()  # of the turn itself
    assert (np.diff(apart[:, 2]) < 0).all()  # of the round before the flop


# ---------------------------------------------------------------- ev


def test_ev_finds_groups_of_alike_values(game: RoundGame) -> None:
    """Values near one of five profiles along a hundred decisions."""
    rng = np.random.default_rng(4)
    truth = [rng.integers(0, 5, len(c)) for c in game.classes]
    values = [
        (rng.normal(size=(5, 100))[t] + 1e-3 * rng.normal(size=(len(t), 100))).astype(np.float32)
        for t in truth
    ]
    found = ev.buckets(game, (5, 5), ev.Params(n_init=10), np.random.default_rng(0), values)
    for labels, t in zip(found, truth[1:], strict=True):
        np.testing.assert_array_equal(labels[:, None] == labels, t[:, None] == t)


def test_ev_components_keep_distances() -> None:
    rng = np.random.default_rng(5)
    rows = (rng.normal(size=(300, 8)) @ rng.normal(size=(8, 200)) + 7.0).astype(np.float32)
    points = components.principal(rows, 0.999999)
    assert points.shape == (300, 8)
    plain = np.linalg.norm(rows[:, None].astype(np.float64) - rows, axis=2)
    got = np.linalg.norm(points[:, None] - points, axis=2)
    np.testing.assert_allclose(got, plain, atol=1e-3 * plain.max())
    assert components.principal(rows, 0.5).shape[1] < 8
    np.testing.assert_array_equal(components.principal(np.full((4, 3), 2.5), 0.9), np.zeros((4, 1)))


def test_ev_values_must_be_there_and_fit(game: RoundGame) -> None:
    def refused(values: Any, says: str) -> None:
        with pytest.raises(CfrlabError, match=says) as error:
            ev.buckets(game, (8, 12), ev.Params(), np.random.default_rng(0), values)
        assert "\n" not in str(error.value)

    refused(None, "needs the expected values of a warm-up")
    refused(made_up_values(game_of("234", "cd")), r"classes in the rounds of game numeral211")
    broken = made_up_values(game)
    broken[1][3, 2] = np.nan
    refused(broken, "values of round 2 are not finite")


# ---------------------------------------------------------------- quality


def test_quality_by_plain_sums(game: RoundGame) -> None:
    labels = run(ehs, game, (4, 6))
    triples = outcomes.triples(game.classes)
    for r, (found, got) in enumerate(zip(labels, quality(game, labels), strict=True), start=1):
        size = np.bincount(found)
        assert got["round"] == r
        assert (got["classes"], got["buckets"]) == (len(found), len(size))
        assert got["largest"] == size.max()
        at, apart = np.arange(len(found), dtype=np.int32), []
        for back in range(r + 1):
            share = triples[r - back][at] / triples[r - back][at].sum(1, keepdims=True)
            mean = np.stack([share[found == c].mean(0) for c in range(len(size))])
            apart.append(
                np.mean(
                    [
                        wasserstein_distance([0, 1, 2], [0, 1, 2], s, mean[c])
                        for s, c in zip(share, found, strict=True)
                    ]
                )
            )
            if back == 0:
                off = np.abs((share - mean[found]) @ [0, 0.5, 1])
                assert got["strength"] == pytest.approx(off.mean())
            at = game.classes[r - back].parent[at]
        np.testing.assert_allclose(got["winrate"], apart, atol=1e-12)


def test_quality_of_lossless_buckets_is_perfect(game: RoundGame) -> None:
    labels = [np.arange(len(c), dtype=np.int32) for c in game.classes[1:]]
    for r, row in enumerate(quality(game, labels), start=1):
        assert (row["largest"], row["strength"], row["winrate"]) == (1, 0.0, [0.0] * (r + 1))
