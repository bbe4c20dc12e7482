"""Exact best response, value and exploitability in the full game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.solve import kernels
from cfrlab.solve.layout import Compiled
from cfrlab.solve.treeplex import compile_game

Floats = NDArray[np.float64]


class Evaluator:
    """Evaluates many profiles of one game.

    Every figure is in the game's unit: divide by ``game.pot`` for a fraction of the pot.
    """

    def __init__(self, game: Game, compiled: Compiled | None = None) -> None:
        self.game = game
        self.compiled = compiled or compile_game(game)
        self._scratch = [
            kernels.make_scratch(self.compiled.plex[p], self.compiled.sweeps[p], 1) for p in (0, 1)
        ]

    def value(self, profile: Profile) -> float:
        """Player 0's expected payoff."""
        v, sigma = self._against(profile, 0), self._rows(profile, 0)
        plex = self.compiled.plex[0]
        kernels.mixed_values(plex, sigma, v, self._scratch[0].value)
        return float(self.game.weights[0] @ v[: plex.hands])

    def best_response(self, profile: Profile, player: int) -> Floats:
        """Counterfactual best-response value of each of the player's hands, float64 [n].

        The sum over hands, each times its weight, is the value of the best response.
        """
        v, plex = self._against(profile, player), self.compiled.plex[player]
        kernels.best_values(plex, v, self._scratch[player].value)
        return v[: plex.hands].copy()

    def nash_conv(self, profile: Profile) -> float:
        """What both players' best responses win, b0 + b1; 0 at equilibrium."""
        return float(sum(self.game.weights[p] @ self.best_response(profile, p) for p in (0, 1)))

    def exploitability(self, profile: Profile) -> float:
        """The half-sum (b0 + b1) / 2."""
        return self.nash_conv(profile) / 2

    def _rows(self, profile: Profile, player: int) -> Floats:
        """A player's strategy in compiled order, flat."""
        plex = self.compiled.plex[player]
        rows = np.zeros((plex.rows, plex.hands))
        rows[self.compiled.row_of[player]] = profile[player]
        return rows.ravel()

    def _against(self, profile: Profile, player: int) -> Floats:
        """Terminal values of the player's rows against the opponent's strategy, flat."""
        plex, opp = self.compiled.plex, 1 - player
        reach = np.zeros(plex[opp].rows * plex[opp].hands)
        kernels.reaches(plex[opp], self._rows(profile, opp), reach)
        v = np.zeros(plex[player].rows * plex[player].hands)
        kernels.terminal_values(self.compiled.sweeps[player], reach, v, self._scratch[player])
        return v


def exploitability(game: Game, profile: Profile) -> float:
    """Half-sum exploitability of one profile, in the game's unit. Checks the profile's shape.

    Raises CfrlabError if the profile is not a strategy of this game.
    """
    game.check_profile(profile)
    return Evaluator(game).exploitability(profile)
