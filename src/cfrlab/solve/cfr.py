"""Vector-form CFR over a compiled game: any update rule, any abstraction, exact resume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.solve import kernels
from cfrlab.solve.iterative import Solver
from cfrlab.solve.kernels import Learner, make_scratch, phi_arrays
from cfrlab.solve.layout import Compiled
from cfrlab.solve.phi import Abstraction
from cfrlab.solve.rule import Rule
from cfrlab.solve.treeplex import compile_game

Floats = NDArray[np.float64]

STATE = ("regret", "strategy", "sigma", "average")
"""Arrays of each player that a state must hold; everything else follows from them."""


class CFR(Solver):
    """A solver in progress.

    >>> solver = CFR(game, Rule.named("pcfr-plus"))
    >>> solver.run(1000)
    >>> profile = solver.average()

    Args:
        game: the game to solve.
        rule: how regrets are updated.
        abstraction: a Phi for each player; by default every hand keeps its own strategy. Regrets
            of an abstraction row are ``Phi (w * r)`` with w the prior weights of the hands; the
            average is kept for every hand, weighted by its own reach.
        compiled: the compiled game, where several solvers share one.

    Attributes ``phi``, ``learners`` and ``scratch``, a pair each, are what the kernels work on.

    Raises CfrlabError for an abstraction of another game.
    """

    def __init__(
        self,
        game: Game,
        rule: Rule,
        abstraction: Abstraction | None = None,
        compiled: Compiled | None = None,
    ) -> None:
        super().__init__(rule)
        self.game = game
        self.abstraction = abstraction or Abstraction.identity(game)
        self.abstraction.check(game)
        self.compiled = compiled or compile_game(game)
        one, two = (phi_arrays(self.abstraction[p], game.weights[p]) for p in (0, 1))
        self.phi = (one, two)
        self.learners = (self._fresh(0), self._fresh(1))
        first, second = (
            make_scratch(self.compiled.plex[p], self.compiled.sweeps[p], self.phi[p].rows)
            for p in (0, 1)
        )
        self.scratch = (first, second)

    def _fresh(self, player: int) -> Learner:
        """Zero regrets, uniform strategy."""
        plex, phi = self.compiled.plex[player], self.phi[player]
        strategy = np.zeros(plex.rows * phi.rows)
        for actions, lanes, first in plex.groups[:, :3]:
            end = first + actions * lanes
            strategy[first * phi.rows : end * phi.rows] = 1.0 / actions
        size = plex.rows * plex.hands
        sigma = strategy
        if phi.kind != kernels.IDENTITY:
            rows = strategy.reshape(plex.rows, phi.rows)
            sigma = np.ascontiguousarray(self.abstraction[player].spread(rows)).ravel()
        learner = Learner(
            np.zeros_like(strategy),
            strategy,
            sigma,
            np.zeros(size),
            np.zeros(size),
            np.zeros(size),
        )
        kernels.reaches(plex, learner.sigma, learner.reach)
        return learner

    @property
    def _infosets(self) -> tuple[Any, Any]:
        """What decisions of each player are one infoset (``kernels.STEP``)."""
        return self.phi

    def _iterate(self, rules: Floats) -> None:
        kernels.iterate(
            *self.compiled.plex,
            *self.compiled.sweeps,
            *self._infosets,
            *self.learners,
            *self.scratch,
            rules,
            self.rule.alternating,
        )

    def average(self) -> Profile:
        """The average strategy of every hand; uniform where it has no reach."""
        return self._profile([self.average_rows(p) for p in (0, 1)])

    def current(self) -> Profile:
        """The strategy to be played next."""
        return self._profile([me.sigma for me in self.learners])

    def average_rows(self, player: int) -> Floats:
        """The average strategy in compiled order, flat [rows * hands]; row 0 is unused."""
        plex, me = self.compiled.plex[player], self.learners[player]
        sigma = np.zeros_like(me.average)
        kernels.averaged(plex, me.average, self.scratch[player].value, sigma)
        return sigma

    def _profile(self, flat: Sequence[Floats]) -> Profile:
        one, two = (flat[p].reshape(-1, self.game.n[p])[self.compiled.row_of[p]] for p in (0, 1))
        return one, two

    def _arrays(self) -> dict[str, tuple[Floats]]:
        return {
            f"{name}_{p}": (getattr(me, name),)
            for p, me in enumerate(self.learners)
            for name in STATE
        }

    def _follow(self) -> None:
        for plex, me in zip(self.compiled.plex, self.learners, strict=True):
            kernels.reaches(plex, me.sigma, me.reach)
