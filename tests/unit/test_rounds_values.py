"""Best responses, payoffs and expected values in hand classes against those over raw cards."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Profile
from cfrlab.games.isomorphism import HandClasses
from cfrlab.games.rounds import RoundGame
from cfrlab.games.zoo import numeral211
from cfrlab.games.zoo.numeral211 import Params
from cfrlab.solve import walk
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rounds.response import best_responses, expected_payoffs
from cfrlab.solve.rounds.traversal import Traversal
from cfrlab.solve.rounds.values import expected_values
from round_games import SMALL, Both, both, random_phis, random_profile, strategies

GAMES = pytest.mark.parametrize("name", SMALL)
EXACT = 1e-12
"""Relative to the largest stake."""


def raw_best_responses(given: Both, raw: Profile) -> list[float]:
    """By the shared engine."""
    evaluator = Evaluator(given.raw)
    return [float(given.raw.weights[p] @ evaluator.best_response(raw, p)) for p in (0, 1)]


@pytest.mark.parametrize("zeros", [0.0, 0.5])
@GAMES
def test_best_responses_and_payoffs_over_raw_cards(name: str, zeros: float) -> None:
    given = both(name)
    profile = random_profile(given.game, 1, zeros=zeros)
    raw = given.raw_profile(profile)
    given.raw.check_profile(raw)
    close = EXACT * given.stake
    assert best_responses(profile) == pytest.approx(raw_best_responses(given, raw), abs=close)
    value = walk.value(given.raw, raw)
    assert expected_payoffs(profile) == pytest.approx((value, -value), abs=close)
    assert Evaluator(given.raw).value(raw) == pytest.approx(value, abs=close)


@pytest.mark.parametrize("kind", ["buckets", "soft", "sharp"])
@pytest.mark.parametrize("name", ["3x2", "3x4"])
def test_best_responses_live_in_the_lossless_game(name: str, kind: str) -> None:
    given = both(name)
    profile = random_profile(given.game, 2, abstraction=random_phis(given.game, kind, 3))
    raw = given.raw_profile(profile)
    close = EXACT * given.stake
    assert best_responses(profile) == pytest.approx(raw_best_responses(given, raw), abs=close)
    value = walk.value(given.raw, raw)
    assert expected_payoffs(profile) == pytest.approx((value, -value), abs=close)


def in_classes(given: Both, features: tuple[Any, ...], player: int, node: int) -> Any:
    """What ``expected_values`` says of the raw hands that can be at a raw decision."""
    place, classes = given.places[node], given.classes(node)
    street = given.game.streets[place.round]
    decisions = np.flatnonzero(street.tree.player >= 0).tolist()
    values = features[place.round].reshape(-1, 2, len(decisions), street.lanes)
    return values[classes[classes >= 0], player, decisions.index(place.node), place.lane]


@pytest.mark.parametrize(
    ("dtype", "decay", "zeros"),
    [
        (np.float64, 0.5, 0.0),
        (np.float64, 1.0, 0.5),
        (np.float32, 1.0, 0.3),
    ],
)
# Without bets nobody folds, and over raw cards the pairs of a street are known from its folds.
@pytest.mark.parametrize("name", [n for n in SMALL if n != "3x2 checks"])
def test_expected_values_over_raw_cards(name: str, dtype: Any, decay: float, zeros: float) -> None:
    """A quotient of what is left of sums: as exact as the weight of the hands that can be met is
    large beside that of all hands. Where none can be met nothing is left, not even noise."""
    given = both(name)
    profile = random_profile(given.game, 4, dtype, zeros=zeros)
    raw = given.raw_profile(profile)
    found = expected_values(given.game, profile, decay)
    assert all(values.dtype == dtype for values in found)
    assert [v.shape[0] for v in found] == list(given.game.hands)
    expected, met = walk.expected_values(given.raw, raw), walk.compatible_reach(given.raw, raw)
    reach, tree = walk.reaches(given.raw, raw), given.raw.tree
    chance = given.raw.norm * given.raw.reach_of_chance()
    hands, unreached = len(given.raw.hands[0]), 0
    for node in np.flatnonzero(tree.player >= 0).tolist():
        live = given.classes(node) >= 0
        for p in (0, 1):
            mine = in_classes(given, found, p, node)
            theirs = expected[p][node, live] * decay ** float(tree.depth[node])
            weight = met[p][node, live]
            total = reach[1 - p][node, live].sum() * chance[node]
            ratio = np.divide(total, weight, out=np.zeros_like(weight), where=weight > 0)
            close = hands * np.finfo(dtype).eps * given.stake * ratio
            assert (np.abs(mine - theirs) <= close).all()
            assert (np.abs(mine) <= given.stake * (1 + 1e-4)).all()
            unreached += int((weight == 0).sum())
    assert (unreached > 0) == (zeros > 0)


def test_expected_values_cover_every_decision_of_both_seats() -> None:
    given = both("3x4")
    found = expected_values(given.game, random_profile(given.game, 4, zeros=0.0))
    # 4 decisions a round with one bet; 3 ways to close it; 2 seats.
    assert [v.shape[1] for v in found] == [2 * 4 * 1, 2 * 4 * 3, 2 * 4 * 9]
    assert all((v != 0).any(0).all() for v in found)


def test_expected_values_of_another_game_are_refused() -> None:
    profile = random_profile(both("3x2").game, 0)
    with pytest.raises(CfrlabError, match="the profile is of a game with other hands"):
        expected_values(both("3x4").game, profile)


@GAMES
def test_renaming_suits_changes_no_value(name: str) -> None:
    """Values of raw hands at raw nodes, strategies of classes: the same under all renamings."""
    given = both(name)
    deck, tree = given.game.deck, given.raw.tree
    raw = given.raw_profile(random_profile(given.game, 5))
    values = walk.node_values(given.raw, raw)
    nodes = {tree.describe(i): i for i in range(len(tree))}
    hands = {frozenset((h[:2], h[2:])): i for i, h in enumerate(given.raw.hands[0])}
    for image in list(permutations(deck.suits))[1:3]:
        other = dict(zip(deck.suits, image, strict=True))

        def renamed(card: str, other: dict[str, str] = other) -> str:
            return card[0] + other[card[1]] if len(card) == 2 else card

        node_of = [
            nodes["/".join(map(renamed, tree.describe(i).split("/")))] for i in range(len(tree))
        ]
        hand_of = [hands[frozenset(map(renamed, hand))] for hand in hands]
        for p in (0, 1):
            np.testing.assert_allclose(
                values[p][node_of][:, hand_of], values[p], rtol=0, atol=EXACT * given.stake
            )


def shuffled(game: RoundGame, seed: int) -> tuple[RoundGame, list[NDArray[np.int64]]]:
    """The game with boards, orbits of cards and classes of equal strength in random order.

    Returns it with the old class of each new one, round by round.
    """
    rng, rounds = np.random.default_rng(seed), []
    orders: list[NDArray[np.int64]] = []
    boards = new_board = np.zeros(1, np.int64)
    for r, old in enumerate(game.classes):
        above = new_board
        boards = rng.permutation(len(old.copies))
        new_board = np.argsort(boards)
        order = np.lexsort((rng.random(len(old)), old.strength, new_board[old.board]))
        new_class = np.argsort(order)
        names = [rng.permutation(k) for k in old.orbits]
        orbit = np.array([names[b][pair] for b, pair in zip(old.board, old.orbit, strict=True)])
        rounds.append(
            HandClasses(
                boards=old.boards[boards],
                copies=old.copies[boards],
                parent_board=above[old.parent_board[boards]].astype(np.int32)
                if r
                else np.array([-1]),
                first=np.concatenate([[0], np.cumsum(np.diff(old.first)[boards])]),
                hands=old.hands[order],
                size=old.size[order],
                orbit=orbit[order].astype(np.int32),
                share=old.share[order],
                orbits=old.orbits[boards],
                parent=(np.argsort(orders[-1])[old.parent[order]] if r else old.parent).astype(
                    np.int32
                ),
                strength=old.strength[order],
                lookup=np.where(old.lookup >= 0, new_class[old.lookup], -1).astype(np.int32),
            )
        )
        orders.append(order)
    return replace(game, classes=tuple(rounds)), orders


@GAMES
def test_order_of_boards_orbits_and_equal_classes_changes_no_value(name: str) -> None:
    game = both(name).game
    profile = random_profile(game, 5)
    other, orders = shuffled(game, 0)
    assert any((order != np.arange(len(order))).any() for order in orders)
    moved = random_profile(other, 5)
    for r, table in enumerate(strategies(profile)):
        for block, board in zip(moved.blocks[r], moved.traversal.boards[r], strict=True):
            block[:] = table[orders[r]][board.span]
    close = EXACT * both(name).stake
    assert best_responses(moved) == pytest.approx(best_responses(profile), abs=close)
    assert expected_payoffs(moved) == pytest.approx(expected_payoffs(profile), abs=close)


@pytest.mark.parametrize("name", ["3x2", "3x3", "3x4"])
def test_weights_count_raw_deals(name: str) -> None:
    """In sums over a round, chance's weight of a class is its number of raw hands on raw boards
    times the chance of one board, and what a parent has is what its children have."""
    game = both(name).game
    cards = len(game.deck)
    for r, classes in enumerate(game.classes):
        weights = game.weights(r)
        raw = np.bincount(classes.lookup[classes.lookup >= 0], minlength=len(classes))
        left = np.arange(cards - 4, cards - 4 - r, -1)
        np.testing.assert_allclose(weights, raw / np.prod(left), rtol=1e-15)
        if r:
            # A hand meets every card but its own and those on the board.
            ways = (cards - 2 - (r - 1)) / game.next_cards(r)
            parents = np.bincount(classes.parent, weights)
            np.testing.assert_allclose(parents, game.weights(r - 1) * ways, rtol=1e-14)
    assert game.pairs == cards * (cards - 1) / 2 * (cards - 2) * (cards - 3) / 2
    assert game.pairs == both(name).raw.pairs


def test_ways_to_deal_the_published_game() -> None:
    game = numeral211.rounds(Params())
    assert [int(c.copies.sum()) for c in game.classes] == [1, 40, 1560]
    assert [len(c.boards) for c in game.classes] == [1, 10, 190]
    assert sorted(np.unique(game.classes[2].copies, return_counts=True)[1].tolist()) == [90, 100]
    assert game.pairs == 780 * 703
    assert [game.next_cards(r) for r in (1, 2)] == [36, 35]
    # Each hand meets 38 * 37 ordered boards, the opponent's takes 4 of its cards away.
    assert game.weights(2).sum() == pytest.approx(780 * 38 * 37 / (36 * 35), rel=1e-14)


@pytest.mark.parametrize("name", ["3x2", "3x3", "3x4"])
def test_single_precision(name: str) -> None:
    """Strategies are rounded in each of up to n edges of a path, sums over h hands in each step:
    relative errors of at most (n + h) * 2^-24, and far less as most of them cancel."""
    given = both(name)
    exact = random_profile(given.game, 6, zeros=0.1)
    single = random_profile(given.game, 6, np.float32, zeros=0.1)
    hands = max(board.hands for board in single.traversal.boards[-1])
    close = (12 + hands) * 2**-24 * given.stake
    assert best_responses(single) == pytest.approx(best_responses(exact), abs=close)
    found = expected_payoffs(single)
    assert found == pytest.approx(expected_payoffs(exact), abs=close)
    assert abs(sum(found)) < 3e-5  # the residual of the published game, in chips
    assert best_responses(single) != best_responses(exact)


def test_other_types_of_numbers_are_refused() -> None:
    with pytest.raises(CfrlabError, match="must be float32 or float64, not float16"):
        Traversal(both("3x2").game, np.float16)
