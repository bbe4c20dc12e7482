"""Sharpened Phi against closed forms; traits, R^2 and distances against scikit-learn and SciPy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cityblock
from scipy.special import softmax
from scipy.stats import entropy
from sklearn.metrics import r2_score

from cfrlab.abstraction.embedding import report
from cfrlab.abstraction.embedding.sharpen import CHUNK, sharpen
from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.games.zoo import numeral211
from cfrlab.solve.phi import Soft


@pytest.fixture(scope="module")
def logits() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(30, CHUNK + 50)) * 2


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0, 8.0])
def test_power_of_a_softmax_is_a_softmax_of_other_temperature(
    logits: np.ndarray, power: float
) -> None:
    got = sharpen(softmax(logits, axis=0), power=power)
    np.testing.assert_allclose(got.phi, softmax(power * logits, axis=0), rtol=1e-5, atol=1e-12)
    assert got.rows == 30


@pytest.mark.parametrize("options", [{}, {"power": 3.0}, {"top": 5}, {"power": 0.3, "cut": 1e-3}])
def test_columns_sum_to_one_to_half_a_unit_of_their_largest_entry(
    logits: np.ndarray, options: dict[str, float]
) -> None:
    phi = sharpen(softmax(logits, axis=0), **options).phi  # type: ignore[arg-type]
    error = np.abs(phi.sum(0, dtype=np.float64) - 1.0)
    assert (error <= np.spacing(phi.max(0)) / 2 + 1e-15).all()
    Soft(phi)  # which checks its columns


def test_extreme_power_gives_the_largest_entry_and_no_denormals(logits: np.ndarray) -> None:
    phi = sharpen(softmax(logits, axis=0), power=50.0).phi
    assert (phi.argmax(0) == logits.argmax(0)).all()
    positive = phi[phi > 0]
    assert (phi == 0).any()
    assert positive.min() >= np.finfo(np.float32).tiny
    hard = sharpen(softmax(logits, axis=0), power=1e6).phi
    np.testing.assert_array_equal(hard.argmax(0), logits.argmax(0))
    np.testing.assert_allclose(hard.max(0), 1.0)


def test_top_keeps_the_largest_and_ties_go_by_index() -> None:
    phi = np.array([[0.1, 0.25], [0.4, 0.25], [0.2, 0.25], [0.3, 0.25]])
    two = np.array([[0, 0.5], [4 / 7, 0.5], [0, 0], [3 / 7, 0]])
    np.testing.assert_allclose(sharpen(phi, top=2).phi, two, rtol=1e-6)
    one = sharpen(phi, top=1)
    np.testing.assert_array_equal(one.phi, [[0, 1], [1, 0], [0, 0], [0, 0]])
    assert one.rows == 2
    np.testing.assert_allclose(sharpen(phi, top=9).phi, phi, rtol=1e-6)


def test_cut_drops_small_entries_but_never_the_largest() -> None:
    phi = np.array([[0.05, 0.3], [0.35, 0.4], [0.6, 0.3]])
    got = sharpen(phi, cut=0.1)
    np.testing.assert_allclose(got.phi, [[0, 0.3], [35 / 95, 0.4], [60 / 95, 0.3]], rtol=1e-6)
    lonely = sharpen(phi, cut=0.5)
    np.testing.assert_array_equal(lonely.phi, [[0, 0], [0, 1], [1, 0]])
    assert lonely.rows == 2


def test_steps_come_in_order_power_top_cut() -> None:
    phi = np.array([[0.5], [0.25], [0.125], [0.125]])
    # Squares are in the ratio 16 : 4 : 1 : 1; of the two kept, 0.8 and 0.2, the second is cut.
    np.testing.assert_allclose(sharpen(phi, power=2.0, top=2).phi[:, 0], [0.8, 0.2, 0, 0])
    np.testing.assert_array_equal(sharpen(phi, 2.0, 2, 0.21).phi[:, 0], [1, 0, 0, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": 0.0}, "power is 0"),
        ({"power": float("nan")}, "power is nan"),
        ({"top": 0}, "top is 0"),
        ({"cut": 1.0}, "cut is 1"),
    ],
)
def test_options_out_of_range(options: dict[str, float], message: str) -> None:
    with pytest.raises(CfrlabError, match=message):
        sharpen(np.eye(3), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("entry", [-0.1, np.nan, np.inf])
def test_bad_phi_is_refused(entry: float) -> None:
    phi = np.eye(3)
    phi[0, 1] = entry
    with pytest.raises(CfrlabError, match="Phi must be finite and not negative"):
        sharpen(phi)
    with pytest.raises(CfrlabError, match="no column zero"):
        sharpen(np.diag([1.0, 0.0, 1.0]))
    with pytest.raises(CfrlabError, match="needs shape"):
        sharpen(np.ones(3))


def test_traits_of_hard_flat_and_random_columns(logits: np.ndarray) -> None:
    hard = report.traits(np.eye(5, dtype=np.float32)[:, [0, 0, 1, 3]])
    assert (hard.advisors, hard.hands, hard.rows, hard.dead) == (5, 4, 3, 2)
    assert (hard.effective, hard.largest) == (1.0, 1.0)
    assert hard.in_use == pytest.approx(np.exp(entropy([2, 1, 1])))
    flat = report.traits(np.full((5, 7), 0.2))
    assert flat.effective == pytest.approx(5)
    assert flat.in_use == pytest.approx(5)
    phi = softmax(logits, axis=0)
    soft = report.traits(phi.astype(np.float32))
    assert soft.effective == pytest.approx(np.exp(entropy(phi)).mean(), rel=1e-5)
    assert soft.largest == pytest.approx(phi.max(0).mean(), rel=1e-5)
    assert soft.in_use == pytest.approx(np.exp(entropy(phi.mean(1))), rel=1e-5)
    assert (soft.rows, soft.dead) == (30, 0)


def test_an_advisor_is_dead_below_a_hundredth_of_an_even_share() -> None:
    phi = np.full((4, 100), 0.0)
    phi[1], phi[2], phi[3] = 0.0024, 0.0026, 0.995  # of an even share of 0.25
    assert report.traits(phi).dead == 2
    assert report.traits(phi).rows == 3


def test_r_squared_is_that_of_scikit_learn(logits: np.ndarray) -> None:
    rng = np.random.default_rng(1)
    phi, head = softmax(logits, axis=0).astype(np.float32), rng.normal(size=(4, 30))
    targets = phi.T @ head.T + rng.normal(size=(phi.shape[1], 4)) * [0.1, 0.2, 0.3, 0.0]
    targets[:, 3] = 7.0
    groups = {"a": slice(0, 2), "b": slice(2, 3), "still": slice(3, 4)}
    found = report.learned(phi, head, targets, groups)
    predicted = phi.T @ head.T
    weighted = "variance_weighted"
    assert found.r2 == pytest.approx(
        r2_score(targets[:, :3], predicted[:, :3], multioutput=weighted)
        - ((predicted[:, 3] - 7) ** 2).sum() / ((targets - targets.mean(0)) ** 2).sum(),
        rel=1e-5,
    )
    assert set(found.r2_by_group) == {"a", "b"}
    assert found.r2_by_group["a"] == pytest.approx(
        r2_score(targets[:, :2], predicted[:, :2], multioutput=weighted), rel=1e-5
    )
    assert found.to_json()["r2"] == found.r2


def small(ranks: str, suits: str) -> RoundGame:
    return numeral211.rounds(numeral211.Params(ranks=ranks, suits=suits))


@pytest.mark.parametrize("deck", [("9TA", "hs"), ("89TA", "dhs")])
def test_text_of_hands_round_trips_over_all_classes(deck: tuple[str, str]) -> None:
    game = small(*deck)
    for classes in game.classes:
        for index in range(len(classes)):
            text = report.label(game.deck, classes, index)
            assert report.class_of(game.deck, classes, text) == index


def test_order_of_hole_cards_does_not_matter_and_that_of_the_board_does() -> None:
    game = small("89TA", "dhs")
    last = game.classes[2]
    assert report.class_of(game.deck, last, "TsAs 8h9d") == report.class_of(
        game.deck, last, "AhTh 8s9d"
    )
    assert report.class_of(game.deck, last, "TsAs 8h9d") != report.class_of(
        game.deck, last, "TsAs 9d8h"
    )
    with pytest.raises(CfrlabError, match="3 cards where 4 are needed"):
        report.class_of(game.deck, last, "TsAs 8h")


@pytest.mark.parametrize(
    ("ranks", "suits", "names"),
    [
        ("9TA", "hs", {"straight flush draw", "pocket pair", "low pair"}),
        ("89TA", "dhs", {"flush draw", "three of a kind"}),
        ("23456789TA", "cdhs", {"straight flush draw", "flush draw", "no pair"}),
    ],
)
def test_well_known_hands_are_what_their_names_say(ranks: str, suits: str, names: set[str]) -> None:
    deck = numeral211.Params(ranks=ranks, suits=suits).deck
    after_flop, last = report.well_known(deck, 1), report.well_known(deck, 2)
    assert names <= set(after_flop)

    def categories(text: str) -> set[int]:
        """Categories that the hand has, or can have after one more card."""
        cards = deck.parse(text)
        hand, more = np.array([cards[:2]]), [c for c in range(len(deck)) if c not in cards]
        boards = [cards[2:]] if len(cards) == 4 else [(cards[2], c) for c in more]
        scores = [int(numeral211.strength(deck, hand, np.array(b))[0]) for b in boards]
        return {score // len(ranks) ** 3 for score in scores}

    if "straight flush draw" in after_flop:
        assert numeral211.STRAIGHT_FLUSH in categories(after_flop["straight flush draw"])
    if "flush draw" in after_flop:
        found = categories(after_flop["flush draw"])
        assert numeral211.FLUSH in found
        assert numeral211.STRAIGHT_FLUSH not in found
    for name, category in (
        ("straight flush draw", numeral211.PAIR),
        ("flush draw", numeral211.PAIR),
        ("three of a kind", numeral211.TRIPS),
        ("low pair", numeral211.PAIR),
        ("no pair", numeral211.HIGH),
    ):
        if name in last and len(ranks) == 10:
            assert categories(last[name]) == {category}, name


def test_nearest_hands_and_distances(logits: np.ndarray) -> None:
    game = small("89TA", "dhs")
    deck, classes = game.deck, game.classes[1]
    phi = softmax(logits[:, : len(classes)], axis=0)
    hands = report.well_known(deck, 1)
    found = pd.DataFrame(report.nearest(phi, deck, classes, hands, 4))
    apart = pd.DataFrame(report.between(phi, deck, classes, hands))
    assert list(found["rank"][:4]) == [1, 2, 3, 4]
    for name, text in hands.items():
        index = report.class_of(deck, classes, text)
        by_hand = [cityblock(phi[:, index], column) / 2 for column in phi.T]
        rows = found[found["hand"] == name]
        order = [k for k in np.argsort(by_hand, kind="stable") if k != index]
        assert list(rows["neighbour"]) == [report.label(deck, classes, k) for k in order[:4]]
        np.testing.assert_allclose(rows["distance"], np.array(by_hand)[order[:4]])
        for second, distance, nearer in apart[apart["first"] == name][
            ["second", "distance", "nearer"]
        ].itertuples(index=False):
            other = report.class_of(deck, classes, hands[second])
            assert distance == pytest.approx(by_hand[other])
            assert nearer == pytest.approx(order.index(other) / (len(classes) - 1))
