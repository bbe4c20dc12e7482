"""The walker against OpenSpiel's policy value and NashConv, on Kuhn and Leduc."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import expected_game_score, exploitability

from cfrlab.games.game import Game, Profile
from cfrlab.games.tree import CHANCE
from cfrlab.games.zoo import kuhn, leduc
from cfrlab.solve import walk
from small_games import random_profile

PAIRS = {
    "kuhn_poker": kuhn.build(kuhn.Params(), np.random.default_rng(0)),
    "leduc_poker": leduc.build(leduc.Params(merge_suits=False), np.random.default_rng(0)),
}


def as_spiel(name: str, game: Game, profile: Profile) -> Any:
    """Our profile as OpenSpiel's tabular policy: both trees are walked side by side.

    OpenSpiel deals the cards one by one; its legal actions come in the order of our children.
    """
    table = spiel_policy.TabularPolicy(pyspiel.load_game(name))

    def visit(state: Any, node: int, hands: tuple[int, ...]) -> None:
        if state.is_terminal():
            assert not game.tree.children[node]
            return
        for i, action in enumerate(state.legal_actions()):
            if state.is_chance_node() and len(hands) < 2:
                visit(state.child(action), node, (*hands, action))
            elif state.is_chance_node():
                assert game.tree.player[node] == CHANCE
                visit(state.child(action), game.tree.children[node][action], hands)
            else:
                player = state.current_player()
                assert game.tree.player[node] == player
                child = game.tree.children[node][i]
                key = state.information_state_string(player)
                row = table.action_probability_array[table.state_lookup[key]]
                row[action] = profile[player][game.tree.row[child], hands[player]]
                visit(state.child(action), child, hands)

    visit(pyspiel.load_game(name).new_initial_state(), 0, ())
    return table


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("uniform", [True, False])
def test_value_and_nash_conv(name: str, uniform: bool) -> None:
    game = PAIRS[name]
    profile = game.uniform() if uniform else random_profile(game, seed=1)
    table = as_spiel(name, game, profile)
    spiel = pyspiel.load_game(name)
    score = expected_game_score.policy_value(spiel.new_initial_state(), [table, table])
    assert walk.value(game, profile) == pytest.approx(score[0], abs=1e-12)
    best = [walk.best_response_values(game, profile, p)[0] @ game.weights[p] for p in (0, 1)]
    assert sum(best) == pytest.approx(exploitability.nash_conv(spiel, table), abs=1e-12)


def test_uniform_nash_conv_of_kuhn_and_leduc() -> None:
    """11/12 and twice 2.3736111 (OpenSpiel), whether Leduc is played over cards or ranks."""
    merged = leduc.build(leduc.Params(), np.random.default_rng(0))
    for game, expected in ((PAIRS["kuhn_poker"], 11 / 12), (merged, 2 * 2.373611111111)):
        profile = game.uniform()
        best = [walk.best_response_values(game, profile, p)[0] @ game.weights[p] for p in (0, 1)]
        assert sum(best) == pytest.approx(expected, abs=1e-11)


def test_merged_suits_have_the_expected_values_of_cards() -> None:
    """Multiplicities and public chance: a rank's EV at a node is that of each of its cards."""
    cards = PAIRS["leduc_poker"]
    ranks = leduc.build(leduc.Params(), np.random.default_rng(0))
    by_card = dict(enumerate(walk.expected_values(cards, cards.uniform())[0][:, ::2]))
    by_rank = walk.expected_values(ranks, ranks.uniform())[0]
    names = {cards.tree.describe(n): n for n in range(len(cards.tree))}
    checked = 0
    for node in range(len(ranks.tree)):
        steps = ranks.tree.describe(node).split("/")
        # The board of the other suit than the hand's: labels of cards are rank and suit.
        other = [s + "h" if s in ranks.hands[0] else s for s in steps]
        match = names["/".join(other)]
        np.testing.assert_allclose(by_card[match], by_rank[node], atol=1e-12)
        checked += other != steps
    assert checked > 0
