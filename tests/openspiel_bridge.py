"""Exported games and strategies in OpenSpiel, an authority independent of this package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyspiel

from cfrlab.games.export import Buckets, names, paths, to_efg
from cfrlab.games.game import Game, Profile


@dataclass(frozen=True)
class Infoset:
    """An information state: a state in it, player, hands, and the strategy row of each action."""

    state: Any
    player: int
    hands: list[int]
    rows: dict[int, int]


@dataclass(frozen=True)
class Exported:
    """A game as OpenSpiel sees it."""

    game: Game
    spiel: Any
    buckets: Buckets | None

    def infosets(self) -> dict[str, Infoset]:
        """OpenSpiel's information states by name, with what they are in our game."""
        tree = self.game.tree
        nodes = {path: i for i, path in enumerate(paths(tree))}
        hands: tuple[dict[str, list[int]], ...] = ({}, {})
        for p in (0, 1):
            of = names(self.game.hands[p]) if self.buckets is None else self.buckets[p].tolist()
            for h, name in enumerate(of):
                hands[p].setdefault(str(name), []).append(h)
        found: dict[str, Infoset] = {}

        def visit(state: Any) -> None:
            if not state.is_terminal() and not state.is_chance_node():
                key, p = state.information_state_string(), state.current_player()
                if key not in found:
                    path, name = key.split("-", 3)[3].rsplit("|", 1)
                    children = tree.children[nodes[path]]
                    called = names(tree.label[c] for c in children)
                    row = {a: int(tree.row[c]) for a, c in zip(called, children, strict=True)}
                    actions = {a: row[state.action_to_string(p, a)] for a in state.legal_actions()}
                    found[key] = Infoset(state, p, hands[p][name], actions)
            for action in [] if state.is_terminal() else state.legal_actions():
                visit(state.child(action))

        visit(self.spiel.new_initial_state())
        return found

    def policy(self, profile: Profile) -> Any:
        """OpenSpiel's table for a strategy over hands, constant inside buckets if there are any."""
        return pyspiel.TabularPolicy(
            {
                key: [(a, float(profile[i.player][r, i.hands[0]])) for a, r in i.rows.items()]
                for key, i in self.infosets().items()
            }
        )

    def profile(self, policy: Any) -> Profile:
        """Strategy over hands of an OpenSpiel policy; uniform for hands that are never dealt."""
        profile = self.game.uniform()
        for infoset in self.infosets().values():
            chosen = policy.action_probabilities(infoset.state)
            for action, row in infoset.rows.items():
                profile[infoset.player][row, infoset.hands] = chosen[action]
        return profile

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
