"""Numeral211 hold'em: its rules a second time in plain Python, published counts, equilibria."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from cfrlab.errors import CfrlabError
from cfrlab.games.cards import Deck
from cfrlab.games.game import Game, Profile
from cfrlab.games.zoo import numeral211
from cfrlab.games.zoo.numeral211 import Params, strength
from cfrlab.solve import lp, walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from small_games import random_profile

ORDER = "high card", "pair", "flush", "straight", "three of a kind", "straight flush"


def params(**given: Any) -> Params:
    return Params.model_validate(given)


def build(**given: Any) -> Game:
    return numeral211.build(params(**given), np.random.default_rng(0))


def best_of(cards: list[str], ranks: str) -> tuple[int, list[int]]:
    """The best three of some cards: category, then ranks, those that occur more often first."""

    def value(three: tuple[str, ...]) -> tuple[int, list[int]]:
        counts = Counter(ranks.index(card[0]) for card in three)
        by_count = sorted(counts, key=lambda r: (counts[r], r), reverse=True)
        suited = len({card[1] for card in three}) == 1
        run = "".join(sorted((card[0] for card in three), key=ranks.index)) in ranks
        if suited and run:
            name = "straight flush"
        elif run:
            name = "straight"
        elif suited:
            name = "flush"
        else:
            name = {3: "high card", 2: "pair", 1: "three of a kind"}[len(counts)]
        return ORDER.index(name), by_count

    return max(value(three) for three in combinations(cards, 3))


def compare(a: list[str], b: list[str], ranks: str) -> int:
    """1, 0 or -1 as the first player's four cards beat, tie or lose to the second's."""
    mine, theirs = best_of(a, ranks), best_of(b, ranks)
    return (mine > theirs) - (mine < theirs)


def names(deck: Deck, cards: Any) -> list[str]:
    return [deck.label(int(card)) for card in cards]


def assert_same_order(deck: Deck, deals: Sequence[tuple[int, ...]]) -> None:
    """``strength`` ranks deals of hand and board as ``best_of`` does, ties included."""
    ours = [int(strength(deck, np.array([d[:2]]), np.array(d[2:]))[0]) for d in deals]
    theirs = [best_of(names(deck, d), deck.ranks) for d in deals]
    order = sorted(range(len(deals)), key=lambda i: ours[i])
    for i, j in pairwise(order):
        assert (ours[i] == ours[j]) == (theirs[i] == theirs[j]), (deals[i], deals[j])
        assert theirs[i] <= theirs[j], (deals[i], deals[j])


def test_strength_on_a_whole_small_deck() -> None:
    deck = Deck("679TA", "cdh")
    cards = range(len(deck))
    deals = [
        (*hand, *board)
        for hand in combinations(cards, 2)
        for board in combinations([c for c in cards if c not in hand], 2)
    ]
    assert_same_order(deck, deals)
    # All categories occur, so none can hide behind another.
    found = {best_of(names(deck, d), deck.ranks)[0] for d in deals}
    assert found == set(range(len(ORDER)))


def test_strength_on_samples_of_the_full_deck() -> None:
    deck, rng = params().deck, np.random.default_rng(0)
    assert_same_order(deck, [tuple(rng.permutation(40)[:4].tolist()) for _ in range(5000)])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("9cTc Ac2h", "AcAd Ah8s"),  # a straight flush beats three of a kind
        ("2c2d 2h9s", "9cTd Ah2s"),  # three of a kind beats a straight
        ("2c3d 4hAs", "8cTc 5cAh"),  # a straight beats a flush
        ("2c3c 5c7h", "AcAd 9h8s"),  # a flush beats a pair
        ("2c2d 3h5s", "AcTd 8h6s"),  # a pair beats a high card
        ("9cTd Ah2s", "8c9d Th2s"),  # the ace is next to the ten
        ("2c4d 3h7s", "Ac2d 3h8s"),  # and not to the two: no straight
        ("9c9d As2h", "9h9s Tc3d"),  # pairs by their ranks, then by the third card
        ("3c3d 2h5s", "2c2d AhTs"),
        ("2cAc 6c3d", "2dTd 9d7h"),  # flushes by their ranks, from the top
        ("AcTd 7h2s", "AhTs 6c5d"),  # high cards too, three of them
        ("9c9d 2h5s", "3c3d 9h9s"),  # two pairs are the higher one and a card of the other
    ],
)
def test_hands_worth_knowing(better: str, worse: str) -> None:
    deck = params().deck
    first, second = (
        int(strength(deck, np.array([cards[:2]]), np.array(cards[2:]))[0])
        for cards in (deck.parse(better), deck.parse(worse))
    )
    assert first > second


def test_the_fourth_card_never_breaks_a_tie() -> None:
    deck = params().deck
    cards = [deck.parse(text) for text in ("9cTdAh2s", "9dTcAs8h")]
    first, second = (strength(deck, np.array([c[:2]]), np.array(c[2:]))[0] for c in cards)
    assert first == second


def test_published_size_of_the_betting() -> None:
    game = numeral211.rounds(params())
    trees = [(street.tree, street.lanes) for street in game.streets]
    assert [int((t.player >= 0).sum()) * lanes for t, lanes in trees] == [10, 90, 810]
    assert sum(sum(t.rows) * lanes for t, lanes in trees) == 2366
    assert sum(t.label.count("fold") * lanes for t, lanes in trees) == 728
    assert len(game.streets[2].closings) * game.streets[2].lanes == 729
    assert [len(c) for c in game.classes] == [100, 2260, 62020]
    assert [int(t.player[0]) for t, _ in trees] == [0, 1, 1]
    # All four bets and raises in all three rounds.
    assert game.streets[2].stake.max() == 5 + 4 * 10 + 4 * 20 + 4 * 20
    assert (game.unit, game.ante) == ("chips", 5)


def test_streets_and_raw_tree_are_one_game() -> None:
    """Each terminal of the raw tree is found in the streets, by its actions, at its stake."""
    given = {"ranks": "234", "suits": "cd", "max_raises": 2, "bets": (2, 3, 7), "ante": 0.5}
    tree, game = build(**given).tree, numeral211.rounds(params(**given))
    nodes = [{s.tree.describe(i): i for i in range(len(s.tree))} for s in game.streets]
    for z in tree.terminals:
        streets: list[list[str]] = [[]]
        for step in tree.describe(int(z)).split("/"):
            if len(step) == 2:
                streets.append([])  # a card
            else:
                streets[-1].append(step)
        lane = 0
        for street, named, steps in zip(game.streets, nodes, streets, strict=False):
            node = named["/".join(steps)]
            stake, closings = street.stake[node, lane], street.closings.tolist()
            if node in closings:
                lane = lane * len(closings) + closings.index(node)
        assert stake == tree.scale[z]


@cache
def settled(a: tuple[str, ...], b: tuple[str, ...], board: frozenset[str], ranks: str) -> int:
    return compare([*a, *board], [*b, *board], ranks)


def test_payoffs_of_all_pairs_on_all_boards() -> None:
    game = build(ranks="89T", suits="cdh", max_raises=0)
    tree, dense = game.tree, [op.dense() for op in game.payoffs]
    hands = [(label[:2], label[2:]) for label in game.hands[0]]
    assert game.pairs == 36 * 21
    for z in tree.terminals:
        board = frozenset(step for step in tree.describe(int(z)).split("/") if len(step) == 2)
        for i, a in enumerate(hands):
            for j, b in enumerate(hands):
                possible = len({*a, *b, *board}) == 6
                wins = settled(a, b, board, "89T") if possible else 0
                assert dense[tree.payoff[z]][i, j] == wins


@dataclass
class Walk:
    """Every history of every deal by the rules of the game; knows of the tree only its names."""

    game: Game
    rules: Params
    profile: Profile

    def __post_init__(self) -> None:
        tree = self.game.tree
        self.nodes = {tree.describe(i): i for i in range(len(tree))}
        self.deck = names(self.rules.deck, range(len(self.rules.deck)))
        self.hand = {frozenset((h[:2], h[2:])): i for i, h in enumerate(self.game.hands[0])}

    def value(self) -> float:
        """Player 0's expected payoff, averaged over all deals."""
        pairs = [
            (set(a), set(b))
            for a in combinations(self.deck, 2)
            for b in combinations(self.deck, 2)
            if not set(a) & set(b)
        ]
        return float(np.mean([self.street(pair, [], [], [self.rules.ante] * 2) for pair in pairs]))

    def street(self, hands: Any, board: list[str], path: list[str], paid: list[float]) -> float:
        return self.act(hands, board, path, paid, self.rules.first[len(board)], 0, False)

    def act(
        self,
        hands: Any,
        board: list[str],
        path: list[str],
        paid: list[float],
        player: int,
        raised: int,
        waiting: bool,
    ) -> float:
        """``waiting``: whether the opponent has acted, so that calling or checking ends it."""
        legal = ["fold", "call"] if paid[1 - player] > paid[player] else ["check"]
        if raised < self.rules.max_raises:
            legal.append("raise" if raised else "bet")
        tree = self.game.tree
        node = self.nodes["/".join(path) or "root"]
        assert [tree.label[c] for c in tree.children[node]] == legal
        assert tree.player[node] == player
        total, hand = 0.0, self.hand[frozenset(hands[player])]
        for child, action in zip(tree.children[node], legal, strict=True):
            after = list(paid)
            if action == "fold":
                value = paid[player] if player == 1 else -paid[player]
            elif action in ("call", "check"):
                after[player] = paid[1 - player]
                if waiting:
                    value = self.close(hands, board, [*path, action], after)
                else:
                    value = self.act(hands, board, [*path, action], after, 1 - player, raised, True)
            else:
                after[player] = paid[1 - player] + self.rules.bets[len(board)]
                value = self.act(hands, board, [*path, action], after, 1 - player, raised + 1, True)
            total += float(self.profile[player][tree.row[child], hand]) * value
        return total

    def close(self, hands: Any, board: list[str], path: list[str], paid: list[float]) -> float:
        assert paid[0] == paid[1]
        if len(board) == 2:
            first, second = (tuple(sorted(hand)) for hand in hands)
            return paid[0] * settled(first, second, frozenset(board), self.rules.ranks)
        left = [c for c in self.deck if c not in hands[0] | hands[1] | set(board)]
        return float(np.mean([self.street(hands, [*board, c], [*path, c], paid) for c in left]))


SMALL = [
    {"ranks": "234", "suits": "cd", "max_raises": 2},
    {"ranks": "234", "suits": "cd", "max_raises": 2, "first": (1, 0, 1), "bets": (2, 3, 7)},
    {"ranks": "89TA", "suits": "cd", "max_raises": 1, "ante": 0.5, "first": (0, 1, 0)},
]


@pytest.mark.parametrize("given", SMALL)
def test_expected_payoffs_by_walking_histories(given: dict[str, Any]) -> None:
    game = build(**given)
    for profile in (game.uniform(), random_profile(game, 3)):
        expected = Walk(game, params(**given), profile).value()
        assert Evaluator(game).value(profile) == pytest.approx(expected, abs=1e-12)
        assert walk.value(game, profile) == pytest.approx(expected, abs=1e-12)


def test_cfr_finds_the_value_of_the_linear_program() -> None:
    game = build(ranks="234", suits="cd", max_raises=1)
    value, equilibrium = lp.solve(game)
    exact = Evaluator(game)
    assert exact.nash_conv(equilibrium) == pytest.approx(0, abs=1e-9)
    solver = CFR(game, Rule.named("pcfr-plus"))
    solver.run(300)
    average = solver.average()
    gap = exact.nash_conv(average)
    assert gap < 0.02
    assert abs(exact.value(average) - value) <= gap


def test_exchanging_the_seats_exchanges_the_players() -> None:
    given = {"ranks": "234", "suits": "cd", "max_raises": 1}
    one, _ = lp.solve(build(**given, first=(0, 1, 1)))
    other, _ = lp.solve(build(**given, first=(1, 0, 0)))
    assert one == pytest.approx(-other, abs=1e-9)
    assert one < -0.1  # the seat matters


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranks": "23", "suits": "cd"}, "4 cards are too few .*6 are needed"),
        ({"ranks": "A2", "suits": "cdhs"}, "in that order"),
        ({"bets": (10, 0, 20)}, "must be positive"),
        ({"first": (0, 1, 2)}, "seats are 0 and 1"),
        ({"ante": 0}, "greater than 0"),
        ({"max_raises": -1}, "greater than or equal to 0"),
        ({"max_raises": 51}, "less than or equal to 50"),
        ({"bet": (1, 2, 2)}, "not permitted"),
    ],
)
def test_bad_parameters_give_one_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message) as error:
        params(**given)
    [found] = error.value.errors()
    assert "\n" not in found["msg"]


@pytest.mark.parametrize("given", [{}, {"max_raises": 0}, {"max_raises": 1}])
def test_large_decks_have_no_raw_game(given: dict[str, Any]) -> None:
    with pytest.raises(CfrlabError, match="use a smaller deck") as error:
        build(**given)
    assert "\n" not in str(error.value)
