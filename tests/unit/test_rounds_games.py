"""Games of rounds: betting that has one shape, layouts that kernels follow, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.betting import Close, Fold, limit
from cfrlab.games.cards import Deck
from cfrlab.games.game import Game
from cfrlab.games.isomorphism import hand_classes
from cfrlab.games.payoffs import CardFold, CardShowdown
from cfrlab.games.rounds import CLOSE, FOLD, Betting, RoundGame, streets
from cfrlab.games.tree import Chance, Decision, Node, PublicTree, Terminal
from cfrlab.games.zoo import numeral211
from cfrlab.games.zoo.numeral211 import Params
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve import lp
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.layout import NONE, plans
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rule import Rule
from round_games import SMALL, Both, both, random_profile


def once(action: str = "call", more: bool = False, folds: bool = True) -> Betting:
    """Player 0 bets 1, player 1 folds or calls."""

    def betting(paid: float, fold: Fold, close: Close) -> Node:
        answers: dict[str, Node] = {"fold": fold(0, paid)} if folds else {}
        answers[action] = close(paid + 1)
        first: dict[str, Node] = {"bet": Decision(1, answers)}
        if more:
            first["check"] = close(paid)
        return Decision(0, first)

    return betting


def by_pot(few: Betting, many: Betting) -> Betting:
    """Another betting where the pot is larger."""

    def betting(paid: float, fold: Fold, close: Close) -> Node:
        return (few if paid < 2 else many)(paid, fold, close)

    return betting


def test_lanes_are_the_ways_to_enter_a_round() -> None:
    built = streets([once(more=True), once(more=True), once()], 1.0)
    # Two ways to close a round: called (2 chips) or checked (1 chip).
    assert [street.lanes for street in built] == [1, 2, 4]
    assert [len(street.closings) for street in built] == [2, 2, 1]
    assert built[1].stake[built[1].closings].tolist() == [[3.0, 2.0], [2.0, 1.0]]
    # Lane l of one round and its closing j make lane 2 l + j of the next.
    [call] = built[2].closings
    assert built[2].stake[call].tolist() == [4.0, 3.0, 3.0, 2.0]
    [fold] = np.flatnonzero(built[2].tree.payoff == FOLD)
    assert built[2].stake[fold].tolist() == [3.0, 2.0, 2.0, 1.0]
    assert (built[2].tree.payoff == CLOSE).sum() == 1


def one_action(paid: float, fold: Fold, close: Close) -> Node:
    """The same labels and players in the same order as ``two_actions``, another tree."""
    return Decision(0, {"a": Decision(1, {"b": close(paid)}), "c": close(paid)})


def two_actions(paid: float, fold: Fold, close: Close) -> Node:
    return Decision(0, {"a": Decision(1, {"b": close(paid), "c": close(paid)})})


def folding(paid: float, fold: Fold, close: Close) -> Node:
    """As ``two_actions``, but one action ends the game."""
    return Decision(0, {"a": Decision(1, {"b": close(paid), "c": fold(0, paid)})})


@pytest.mark.parametrize(
    ("few", "many"),
    [
        (once(), once(more=True)),
        (once(), once(folds=False)),
        (once(), once("raise")),
        (one_action, two_actions),
        (two_actions, folding),
    ],
)
def test_betting_that_depends_on_its_entry_is_refused(few: Betting, many: Betting) -> None:
    streets([once(more=True), few], 1.0)
    with pytest.raises(CfrlabError, match="betting of round 1: its tree depends on what was bet"):
        streets([once(more=True), by_pot(few, many)], 1.0)


def test_chance_inside_a_betting_round_is_refused() -> None:
    def betting(paid: float, fold: Fold, close: Close) -> Node:
        return Decision(0, {"deal": Chance([("x", 1.0, close(paid))])})

    with pytest.raises(CfrlabError, match="betting of round 0"):
        streets([betting], 1.0)


def games() -> list[RoundGame]:
    return [*(both(name).game for name in SMALL), numeral211.rounds(Params(ranks="234"))]


@pytest.mark.parametrize("game", games(), ids=[*SMALL, "four bets"])
def test_sweeps_cover_each_terminal_of_each_player_once(game: RoundGame) -> None:
    for r, plan in enumerate(plans(game)):
        tree = game.streets[r].tree
        folds = np.flatnonzero(tree.payoff == FOLD)
        last = r == game.rounds - 1
        shows = np.flatnonzero((tree.payoff == CLOSE) & last)
        for player in (0, 1):
            mine = plan.sweeps[plan.sweeps[:, 0] == player]
            assert sorted(n for n in mine[:, 2] if n != NONE) == list(folds)
            assert sorted(n for n in mine[:, 3] if n != NONE) == list(shows)
            for _, slot, *nodes in mine:
                for node in nodes:
                    if node != NONE:  # the opponent's reach there is in that slot
                        assert slot == plan.slot[1 - player, node]


@pytest.mark.parametrize("game", games(), ids=[*SMALL, "four bets"])
def test_slots_hold_the_last_edge_of_a_player(game: RoundGame) -> None:
    for r, plan in enumerate(plans(game)):
        tree = game.streets[r].tree
        assert plan.nodes == len(tree)
        assert plan.edges == sum(tree.rows)
        for node in range(len(tree)):
            for player in (0, 1):
                path = [n for n in tree.path(node) if n and tree.player[tree.parent[n]] == player]
                assert plan.slot[player, node] == (1 + path[0] if path else player)
            assert [c for c in plan.child[node] if c != NONE] == list(tree.children[node])
            assert plan.actions[node] == len(tree.children[node])
        for edge in range(plan.edges):
            assert plan.decisions[plan.decision_of[edge]] == tree.parent[edge + 1]


@pytest.mark.parametrize("name", ["3x2 other", "3x4", "3x2 checks"])
def test_files_hold_the_whole_game(tmp_path: Path, name: str) -> None:
    game = both(name).game
    path, provenance = tmp_path / "game.npz", Provenance({}, 1, "code")
    store.save(path, "game", *game.to_arrays(), provenance)
    found = store.load(path, "game")
    again = RoundGame.from_arrays(found.arrays, found.meta)
    assert (again.name, again.unit, again.ante, again.deck) == (
        game.name,
        game.unit,
        game.ante,
        game.deck,
    )
    arrays, meta = again.to_arrays()
    before, meta_before = game.to_arrays()
    assert meta == meta_before
    assert arrays.keys() == before.keys()
    for key in arrays:
        assert arrays[key].dtype == before[key].dtype
        np.testing.assert_array_equal(arrays[key], before[key])
    for one, two in zip(again.streets, game.streets, strict=True):
        assert one.tree.label == two.tree.label
        np.testing.assert_array_equal(one.tree.scale, two.tree.scale)
        np.testing.assert_array_equal(one.closings, two.closings)
    curves = []
    for each in (game, again):
        solver = RoundCFR(each, Rule.named("pcfr-plus"))
        solver.run(5)
        curves.append(best_responses(solver.average()))
    assert curves[0] == curves[1]


def test_a_game_of_one_round() -> None:
    """Nothing in the engine counts on three rounds."""
    deck = Deck("234", "cd")
    labels, cards = deck.hands()

    def by_ranks(hands: NDArray[np.int32], board: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.asarray((hands // 2).sum(1), np.int32)

    def betting(paid: float, fold: Fold, close: Close) -> Node:
        return limit(2.0, 2, paid, fold, close)

    classes = hand_classes(deck, 1, by_ranks)
    game = RoundGame("one round", "chips", 1.0, deck, classes, streets([betting], 1.0))

    fold = CardFold(cards)
    raw = Game(
        "one round",
        PublicTree.build(
            betting(
                1.0,
                lambda winner, paid: Terminal(0, paid if winner == 0 else -paid),
                lambda paid: Terminal(1, paid),
            )
        ),
        (fold, CardShowdown(cards, by_ranks(cards.astype(np.int32), np.empty(0, np.int32)))),
        fold,
        (labels, labels),
        (np.ones(len(cards)), np.ones(len(cards))),
        "chips",
    )
    given = Both(raw, game)
    profile = random_profile(game, 0)
    sigma = given.raw_profile(profile)
    responses = [raw.weights[p] @ Evaluator(raw).best_response(sigma, p) for p in (0, 1)]
    assert best_responses(profile) == pytest.approx(responses, abs=1e-12)
    solver = RoundCFR(game, Rule.named("cfr-plus"), dtype=np.float64)
    solver.run(1000)
    b0, b1 = best_responses(solver.average())
    value, _ = lp.solve(raw)
    assert -b1 - 1e-9 <= value <= b0 + 1e-9
    assert b0 + b1 < 1e-3
