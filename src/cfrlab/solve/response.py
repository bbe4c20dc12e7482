"""Exact best response, value and exploitability in the full game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import SUM_TOLERANCE, Game, Profile
from cfrlab.solve import kernels
from cfrlab.solve.layout import Compiled
from cfrlab.solve.treeplex import compile_game

Floats = NDArray[np.float64]


class Evaluator:
    """Evaluates many profiles of one game.

    Every figure is in the game's unit: divide by ``game.pot`` for a fraction of the pot. Every
    method raises CfrlabError for a profile that is not a strategy of the game, for either player.
    """

    def __init__(self, game: Game, compiled: Compiled | None = None) -> None:
        self.game = game
        self.compiled = compiled or compile_game(game)
        self._scratch = [
            kernels.make_scratch(self.compiled.plex[p], self.compiled.sweeps[p], 1) for p in (0, 1)
        ]

    def value(self, profile: Profile) -> float:
        """Player 0's expected payoff."""
        rows = self._rows(profile)
        v, plex = self._against(rows, 0), self.compiled.plex[0]
        kernels.mixed_values(plex, rows[0], v, self._scratch[0].value)
        return float(self.game.weights[0] @ v[: plex.hands])

    def best_response(self, profile: Profile, player: int) -> Floats:
        """Counterfactual best-response value of each of the player's hands, float64 [n].

        The sum over hands, each times its weight, is the value of the best response.
        """
        return self._best(self._rows(profile), player)

    def nash_conv(self, profile: Profile) -> float:
        """What both players' best responses win, b0 + b1; 0 at equilibrium."""
        rows = self._rows(profile)
        return float(sum(self.game.weights[p] @ self._best(rows, p) for p in (0, 1)))

    def exploitability(self, profile: Profile) -> float:
        """The half-sum (b0 + b1) / 2."""
        return self.nash_conv(profile) / 2

    def _rows(self, profile: Profile) -> tuple[Floats, Floats]:
        """Both players' strategies in compiled order, flat.

        Raises CfrlabError unless they are strategies. ``Game.check_profile`` says so too, but
        takes as long as two best responses in a small game, so it is left to word the refusal.
        """
        rows, fair = [], len(profile) == 2
        for plex, row_of, given, scratch in zip(
            self.compiled.plex, self.compiled.row_of, profile, self._scratch, strict=False
        ):
            flat = np.zeros((plex.rows, plex.hands))
            fair = fair and np.shape(given) == (len(row_of), plex.hands)
            if fair:
                flat[row_of] = given
                fair = kernels.fair(plex, flat.ravel(), scratch.value, SUM_TOLERANCE)
            rows.append(flat.ravel())
        if not fair:
            self.game.check_profile(profile)
        return rows[0], rows[1]

    def _best(self, rows: tuple[Floats, Floats], player: int) -> Floats:
        v, plex = self._against(rows, player), self.compiled.plex[player]
        kernels.best_values(plex, v, self._scratch[player].value)
        return v[: plex.hands].copy()

    def _against(self, rows: tuple[Floats, Floats], player: int) -> Floats:
        """Terminal values of the player's rows against the opponent's strategy, flat."""
        plex, opp = self.compiled.plex, 1 - player
        reach = np.zeros(plex[opp].rows * plex[opp].hands)
        kernels.reaches(plex[opp], rows[opp], reach)
        v = np.zeros(plex[player].rows * plex[player].hands)
        kernels.terminal_values(self.compiled.sweeps[player], reach, v, self._scratch[player])
        return v


def exploitability(game: Game, profile: Profile) -> float:
    """Half-sum exploitability of one profile, in the game's unit.

    Raises CfrlabError if the profile is not a strategy of this game.
    """
    return Evaluator(game).exploitability(profile)
