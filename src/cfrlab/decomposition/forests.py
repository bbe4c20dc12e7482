"""Solvers of subgames for a reach that changes: lanes where they can be, a compiled forest else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.entries import Entries, Pool
from cfrlab.decomposition.lanes import LaneSolver, of_one_shape
from cfrlab.decomposition.subgames import forest
from cfrlab.games.game import Game, Profile
from cfrlab.solve import kernels
from cfrlab.solve.cfr import CFR
from cfrlab.solve.rule import Floats, Rule
from cfrlab.solve.side_by_side import Restorable, State


class SubgameSolver(Restorable, Protocol):
    """Solves subgames again and again."""

    def enter(self, player: int, reach: Floats) -> None:
        """Let a player enter the subgames with this reach of their roots, float64 [roots, n]."""

    def reset(self, regrets: bool) -> None:
        """Forget averages, and regrets too if asked to."""

    def root_values(self, best: bool) -> tuple[Floats, Floats]:
        """Both players' root values against the other's average, float64 [roots, n_p].

        Args:
            best: of a counterfactual best response; else of the own average strategy.
        """

    def put(self, into: Profile) -> None:
        """Write the average strategies into a profile of the whole game."""

    def release(self) -> None:
        """Give back the memory of regrets and strategies."""


def solver_of(game: Game, roots: Sequence[int], rule: Rule, pool: Pool) -> SubgameSolver:
    """The fastest solver for these roots; ``pool`` is that of `entries.Entries`."""
    if of_one_shape(game, roots):
        return LaneSolver(game, roots, rule)
    return ForestSolver(game, roots, rule, pool)


class ForestSolver:
    """CFR on the compiled forest, for games of any kind.

    Args:
        game: the whole game.
        roots: roots of subgames.
        rule: update rule.
        pool: arrays shared with other solvers, which run at other times.
    """

    def __init__(self, game: Game, roots: Sequence[int], rule: Rule, pool: Pool) -> None:
        self._game, self._roots, self._rule = game, roots, rule
        # The piece is not kept: its tree would need more memory than the rest.
        self._entries = Entries(forest(game, roots), len(roots), pool)
        self._made: CFR | None = None
        self._fresh: dict[str, NDArray[Any]] = {}

    @property
    def _cfr(self) -> CFR:
        if self._made is None:
            self._made = self._entries.solver(self._game, self._rule)
        return self._made

    def enter(self, player: int, reach: Floats) -> None:
        """See `SubgameSolver`."""
        self._entries.enter(player, reach)

    def reset(self, regrets: bool) -> None:
        """See `SubgameSolver`."""
        if self._made is None:
            return
        if regrets:
            self._fresh = self._fresh or self._entries.solver(self._game, self._rule).state()
            self._made.restore(self._fresh)
        for me in self._made.learners:
            me.average[:] = 0.0

    @property
    def iteration(self) -> int:
        """Iterations since regrets were forgotten."""
        return self._cfr.iteration

    def run(self, iterations: int) -> None:
        """See `SubgameSolver`."""
        self._cfr.run(iterations)

    def state(self) -> State:
        """See `SubgameSolver`."""
        return self._cfr.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See `SubgameSolver`."""
        self._cfr.restore(state)

    def release(self) -> None:
        """See `SubgameSolver`."""
        self._made, self._fresh = None, {}

    def put(self, into: Profile) -> None:
        """See `SubgameSolver`."""
        piece = forest(self._game, self._roots)
        average = [
            self._cfr.average_rows(p).reshape(-1, self._game.n[p])[self._entries.compiled.row_of[p]]
            for p in (0, 1)
        ]
        for p in (0, 1):
            piece.put(self._game.tree, (average[0], average[1]), into, p)

    def root_values(self, best: bool) -> tuple[Floats, Floats]:
        """See `SubgameSolver`."""
        sigma = [self._cfr.average_rows(p) for p in (0, 1)]
        return self._values(0, sigma, best), self._values(1, sigma, best)

    def _values(self, player: int, sigma: Sequence[Floats], best: bool) -> Floats:
        plex, opp, scratch = self._cfr.compiled.plex, 1 - player, self._cfr.scratch[player]
        v, reach = np.empty_like(sigma[player]), np.ones_like(sigma[opp])
        kernels.reaches(plex[opp], sigma[opp], reach)
        kernels.terminal_values(self._cfr.compiled.sweeps[player], reach, v, scratch)
        if best:
            kernels.best_values(plex[player], v, scratch.value)
        else:
            kernels.mixed_values(plex[player], sigma[player], v, scratch.value)
        return v.reshape(-1, plex[player].hands)[self._entries.rows[player]]
