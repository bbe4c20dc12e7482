"""Exported games and strategies in OpenSpiel, an authority independent of this package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyspiel

from cfrlab.games.export import Buckets, to_efg
from cfrlab.games.game import Game, Profile


@dataclass(frozen=True)
class Exported:
    """A game as OpenSpiel sees it."""

    game: Game
    spiel: Any
    buckets: Buckets | None

    def policy(self, profile: Profile) -> Any:
        """OpenSpiel's table for a strategy over hands, constant inside buckets if there are any."""
        tree = self.game.tree
        nodes = {tree.describe(i): i for i in range(len(tree)) if tree.player[i] >= 0}
        columns = []
        for p in (0, 1):
            if self.buckets is None:
                columns.append({name: h for h, name in enumerate(self.game.hands[p])})
            else:
                columns.append({str(b): h for h, b in enumerate(self.buckets[p].tolist())})
        table: dict[str, list[tuple[int, float]]] = {}

        def visit(state: Any) -> None:
            if not state.is_terminal() and not state.is_chance_node():
                key, p = state.information_state_string(), state.current_player()
                if key not in table:
                    path, name = key.split("-", 3)[3].rsplit("|", 1)
                    sigma = profile[p][:, columns[p][name]]
                    row = {
                        tree.label[c]: float(sigma[tree.row[c]]) for c in tree.children[nodes[path]]
                    }
                    table[key] = [
                        (a, row[state.action_to_string(p, a)]) for a in state.legal_actions()
                    ]
            for action in [] if state.is_terminal() else state.legal_actions():
                visit(state.child(action))

        visit(self.spiel.new_initial_state())
        return pyspiel.TabularPolicy(table)

    def value(self, profile: Profile) -> float:
        """Player 0's expected payoff."""
        policy, state = self.policy(profile), self.spiel.new_initial_state()
        return float(pyspiel.expected_returns(state, policy, -1, True)[0])

    def nash_conv(self, profile: Profile) -> float:
        """The sum of what both best responses win, b0 + b1."""
        return float(pyspiel.nash_conv(self.spiel, self.policy(profile)))


def export(game: Game, buckets: Buckets | None = None) -> Exported:
    """Load a game into OpenSpiel through the Gambit format."""
    return Exported(game, pyspiel.load_efg_game(to_efg(game, buckets)), buckets)
