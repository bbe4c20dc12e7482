"""HandEbdNet: input, forward pass, training, determinism, refusals."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from cfrlab.abstraction.embedding import report, supervision, tensors, training
from cfrlab.abstraction.embedding.network import HandEbdNet
from cfrlab.abstraction.embedding.params import Params
from cfrlab.abstraction.embedding.weights import Architecture, Weights
from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.games.zoo import numeral211

SRC = Path(__file__).resolve().parents[2] / "src"
QUICK = Params(hidden=(64,), steps=600, batch=64, rate=5e-3)


@pytest.fixture(scope="module")
def game() -> RoundGame:
    return numeral211.rounds(numeral211.Params(ranks="89TA", suits="dhs"))


def inputs(game: RoundGame, r: int) -> tuple[NDArray[np.uint8], supervision.Targets]:
    hands = tensors.hand_tensor(game.deck, game.classes[r])
    return hands, supervision.targets("winrate", game.classes, r)


@pytest.fixture(scope="module")
def trained(game: RoundGame) -> training.Trained:
    hands, targets = inputs(game, 2)
    params = QUICK.model_copy(update={"steps": 1500})
    return training.fit(hands, targets.values, 40, params, 3, groups=targets.groups)


@pytest.mark.parametrize("r", [0, 1, 2])
def test_tensor_shows_the_cards_of_the_representative(game: RoundGame, r: int) -> None:
    deck, classes = game.deck, game.classes[r]
    hands = tensors.hand_tensor(deck, classes)
    assert hands.shape == (len(classes), 3, 4, r + 1)
    for index, hand in enumerate(hands):
        text = ""
        for plane in range(r + 1):
            cards = [
                deck.ranks[rank] + deck.suits[suit]
                for rank in range(4)
                for suit in range(3)
                if hand[suit, rank, plane]
            ]
            assert len(cards) == (2 if plane == 0 else 1)
            text += "".join(cards)
        assert text == report.label(deck, classes, index).replace(" ", "")


def renamed(text: str, suits: str, names: tuple[str, ...]) -> str:
    return text.translate(str.maketrans(suits, "".join(names)))


def test_isomorphic_hands_have_one_column(game: RoundGame, trained: training.Trained) -> None:
    # The network itself tells suits apart; it never sees any hand but the representative.
    deck, classes = game.deck, game.classes[2]
    hands = tensors.hand_tensor(deck, classes)
    network = HandEbdNet.of(trained.weights)
    differs = 0
    for text in report.well_known(deck, 2).values():
        index = report.class_of(deck, classes, text)
        column = trained.phi[:, index]
        for names in permutations(deck.suits):
            other = renamed(text, deck.suits, names)
            np.testing.assert_array_equal(
                trained.phi[:, report.class_of(deck, classes, other)], column
            )
            suit = [deck.suits.index(name) for name in names]
            moved = np.empty_like(hands[index])
            moved[suit] = hands[index]
            raw = network.phi(torch.from_numpy(moved[None]))[:, 0]
            differs += int(np.abs(raw - column).max() > 1e-3)
    assert differs > 0


def brute_force(game: RoundGame, hand: tuple[int, ...], board: tuple[int, ...]) -> list[float]:
    """Shares of (lose, tie, win) over opponent hands and future boards, by enumeration."""
    left = set(range(len(game.deck))) - {*hand, *board}
    count = np.zeros(3)
    for more in permutations(left, 2 - len(board)):
        table = np.array([*board, *more])
        rivals = np.array(list(combinations(sorted(left - set(more)), 2)))
        score = numeral211.strength(game.deck, rivals, table)
        own = numeral211.strength(game.deck, np.array([hand]), table)[0]
        count += [(score > own).sum(), (score == own).sum(), (score < own).sum()]
    return list(count / count.sum())


def test_winrate_targets_are_those_of_this_round_and_of_the_rounds_before(game: RoundGame) -> None:
    targets = supervision.targets("winrate", game.classes, 2)
    assert list(targets.groups) == ["round 3", "round 2", "round 1"]
    for text in report.well_known(game.deck, 2).values():
        index = report.class_of(game.deck, game.classes[2], text)
        cards = game.deck.parse(text)
        for back, columns in enumerate(targets.groups.values()):
            expected = brute_force(game, cards[:2], cards[2 : 4 - back])
            np.testing.assert_allclose(targets.values[index, columns], expected, atol=1e-12)


def test_other_supervisions(game: RoundGame) -> None:
    krw = supervision.targets("krw", game.classes, 1)
    winrate = supervision.targets("winrate", game.classes, 1).values
    # Cumulative shares of losing and of not winning; the own round counts four times.
    own, before = winrate[:, :3].cumsum(1)[:, :2], winrate[:, 3:].cumsum(1)[:, :2]
    np.testing.assert_allclose(krw.values, np.c_[4 * own, before], atol=1e-12)
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(len(c), 2)) @ rng.normal(size=(2, 30)) for c in game.classes]
    ev = supervision.targets("ev", game.classes, 2, values).values
    assert ev.shape == (len(game.classes[2]), 2)  # as many directions as there are
    pairs = np.random.default_rng(1).integers(len(ev), size=(2, 50))
    expected = np.linalg.norm(values[2][pairs[0]] - values[2][pairs[1]], axis=1)
    np.testing.assert_allclose(np.linalg.norm(ev[pairs[0]] - ev[pairs[1]], axis=1), expected)
    for name, given in (("ev", None), ("ev", values[:2]), ("strength", None)):
        with pytest.raises(CfrlabError, match="supervision"):
            supervision.targets(name, game.classes, 1, given)


def test_forward_pass_agrees_with_numpy(game: RoundGame, trained: training.Trained) -> None:
    w = {name: array.astype(np.float64) for name, array in trained.weights.arrays.items()}
    hands = tensors.hand_tensor(game.deck, game.classes[2])
    x: Any = hands.reshape(len(hands), -1)
    x = np.maximum(x @ w["encoder.0.weight"].T + w["encoder.0.bias"], 0) @ w["encoder.1.weight"].T
    # Statistics are those of all hands, not what was left of the last batches.
    np.testing.assert_allclose(w["norm.running_mean"], x.mean(0), atol=1e-4)
    np.testing.assert_allclose(w["norm.running_var"], x.var(0), rtol=1e-3)
    x = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) * w["norm.weight"] + w["norm.bias"]
    phi = np.exp(x - x.max(1, keepdims=True))
    phi /= phi.sum(1, keepdims=True)
    np.testing.assert_allclose(trained.phi.T, phi, atol=1e-4)
    some = torch.from_numpy(hands[:5])
    predicted = HandEbdNet.of(trained.weights)(some).detach().numpy()
    np.testing.assert_allclose(predicted, phi[:5] @ w["head.weight"].T, atol=1e-4)


def test_network_predicts_and_uses_many_advisors(
    game: RoundGame, trained: training.Trained
) -> None:
    hands, targets = inputs(game, 2)
    found = trained.report
    assert found.r2 > 0.95
    assert list(found.r2_by_group) == list(targets.groups)
    assert found.traits.in_use > 20
    assert 1.0 < found.traits.effective < found.traits.in_use
    assert trained.phi.dtype == np.float32
    assert trained.phi.shape == (40, len(hands))
    np.testing.assert_allclose(trained.phi.sum(0, dtype=np.float64), 1.0, atol=1e-7)
    # Restored weights answer alike.
    np.testing.assert_array_equal(training.coordinates(trained.weights, hands), trained.phi)


def test_gradients_reach_every_tensor_and_are_those_of_the_loss() -> None:
    torch.manual_seed(0)
    network = HandEbdNet(Architecture(2, 3, 2, (5,), 4, 3, 0.7)).double()
    hands = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (12, 2, 3, 2), np.uint8))
    targets = torch.randn(12, 3, dtype=torch.float64)

    def loss() -> Any:
        return ((network(hands) - targets) ** 2).mean()

    loss().backward()
    for name, tensor in network.named_parameters():
        assert tensor.grad is not None
        assert tensor.grad.abs().max() > 1e-6, name
        with torch.no_grad():
            at, step = tensor.grad.abs().argmax(), 1e-6
            flat = tensor.view(-1)
            flat[at] += step
            up = loss()
            flat[at] -= 2 * step
            slope = (up - loss()) / (2 * step)
            flat[at] += step
        assert float(slope) == pytest.approx(float(tensor.grad.view(-1)[at]), rel=1e-5), name


def test_low_temperature_makes_hands_trust_fewer_advisors(game: RoundGame) -> None:
    hands, targets = inputs(game, 1)
    effective = [
        training.fit(
            hands, targets.values, 20, QUICK.model_copy(update={"temperature": t}), 0
        ).report.traits.effective
        for t in (0.25, 1.0, 2.0)
    ]
    assert effective == sorted(effective)
    assert effective[0] < 0.5 * effective[2]


def test_units_of_the_targets_do_not_matter(game: RoundGame) -> None:
    hands, targets = inputs(game, 1)
    one = training.fit(hands, targets.values, 20, QUICK, 0)
    other = training.fit(hands, 1024.0 * targets.values + 512.0, 20, QUICK, 0)
    np.testing.assert_allclose(other.phi, one.phi, atol=0.02)
    np.testing.assert_allclose(
        other.weights.arrays["head.weight"],
        1024.0 * one.weights.arrays["head.weight"] + 512.0,
        rtol=0.02,
        atol=10.0,
    )


FRESH = """
import hashlib
from cfrlab.abstraction.embedding import supervision, tensors, training
from cfrlab.abstraction.embedding.params import Params
from cfrlab.games.zoo import numeral211

game = numeral211.rounds(numeral211.Params(ranks="89TA", suits="dhs"))
hands = tensors.hand_tensor(game.deck, game.classes[1])
targets = supervision.targets("winrate", game.classes, 1).values
params = Params(hidden=(32,), steps=100, batch=32, min_r2=-9.0)
phi = training.fit(hands, targets, 20, params, {seed}).phi
print(hashlib.sha256(phi.tobytes()).hexdigest())
"""


def test_a_seed_gives_the_same_phi_here_and_in_a_fresh_process(game: RoundGame) -> None:
    hands, targets = inputs(game, 1)
    params = Params(hidden=(32,), steps=100, batch=32, min_r2=-9.0)
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    first = training.fit(hands, targets.values, 20, params, 5).phi
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)
    assert not torch.are_deterministic_algorithms_enabled()
    torch.rand(3)  # another state of the global generator
    torch.set_num_threads(2)
    second = training.fit(hands, targets.values, 20, params, 5).phi
    assert torch.get_num_threads() == 2
    torch.set_num_threads(threads)
    assert second.tobytes() == first.tobytes()
    other = training.fit(hands, targets.values, 20, params, 6).phi
    assert np.abs(other - first).max() > 0.01
    fresh = subprocess.check_output(
        [sys.executable, "-c", FRESH.replace("{seed}", "5")],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        text=True,
    )
    assert fresh.strip() == hashlib.sha256(first.tobytes()).hexdigest()


def test_progress_counts_every_step(game: RoundGame) -> None:
    hands, targets = inputs(game, 1)
    told: list[int] = []
    params = Params(hidden=(8,), steps=250, batch=16, min_r2=-9.0)
    training.fit(hands, targets.values, 5, params, 0, told.append)
    assert told == [100, 100, 50]


def test_more_hands_a_batch_than_there_are(game: RoundGame) -> None:
    hands, targets = inputs(game, 1)
    params = Params(hidden=(32,), steps=300, batch=10_000, rate=1e-2)
    assert training.fit(hands, targets.values, 20, params, 0).report.r2 > 0.95


def test_collapsed_network_is_refused_with_its_numbers(game: RoundGame) -> None:
    hands, targets = inputs(game, 2)
    still = Params(steps=10, rate=1e-9)
    numbers = (
        r"^embedding network of round 3 collapsed: R\^2 is -?0\.\d{4} \(at least 0\.5 needed\)"
    )
    with pytest.raises(CfrlabError, match=numbers) as caught:
        training.fit(hands, targets.values, 40, still, 0)
    assert "of 40 advisors are in use" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_network_of_one_advisor_is_refused() -> None:
    phi = np.full((20, 30), 1e-6, np.float32)
    phi[7] = 1 - 19e-6
    traits = report.traits(phi)
    found = report.Learned(traits, 0.97, {})
    with pytest.raises(CfrlabError, match=r"1\.0 of 20 advisors are in use \(at least 2\.0\)"):
        report.check_not_collapsed(found, 0.9, 0.1, "network")
    report.check_not_collapsed(found, 0.9, 0.05, "network")
    for r2 in (0.89, float("nan")):
        with pytest.raises(CfrlabError, match="collapsed"):
            report.check_not_collapsed(report.Learned(traits, r2, {}), 0.9, 0.05, "network")


def bad_targets(game: RoundGame) -> list[tuple[Any, int, str]]:
    hands, targets = inputs(game, 1)
    n, values = len(hands), targets.values
    nan = np.where(np.arange(n)[:, None] == 3, np.nan, values)
    return [
        (values, n + 1, f"round 2: cannot have {n + 1} advisors for {n} hands"),
        (values, 0, "cannot have 0 advisors"),
        (values[:-1], 5, "same hands"),
        (nan, 5, "not finite"),
        (np.ones((n, 2)), 5, "same for all hands"),
    ]


def test_bad_input_has_one_line_each(game: RoundGame) -> None:
    hands, _ = inputs(game, 1)
    for values, advisors, message in bad_targets(game):
        with pytest.raises(CfrlabError, match=message):
            training.fit(hands, values, advisors, QUICK, 0)


def test_coordinates_need_hands_of_the_same_deck_and_round(
    game: RoundGame, trained: training.Trained
) -> None:
    with pytest.raises(CfrlabError, match=r"3 suits, 4 ranks, 3 planes, got \[3, 4, 2\]"):
        training.coordinates(trained.weights, inputs(game, 1)[0])


def test_weights_are_copies(trained: training.Trained, game: RoundGame) -> None:
    hands, _ = inputs(game, 2)
    mine = Weights(
        trained.weights.architecture,
        {name: array.copy() for name, array in trained.weights.arrays.items()},
    )
    network = HandEbdNet.of(mine)
    with torch.no_grad():
        network.head.weight.zero_()
    mine.arrays["encoder.0.weight"][:] = 0.0
    np.testing.assert_array_equal(network.phi(torch.from_numpy(hands)), trained.phi)
    assert np.abs(mine.arrays["head.weight"]).max() > 0
