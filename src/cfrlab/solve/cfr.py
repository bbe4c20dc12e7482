"""Vector-form CFR over a compiled game: any update rule, any abstraction, exact resume."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab import plugins
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.solve import kernels
from cfrlab.solve.iterative import Iterative
from cfrlab.solve.kernels import Learner, PhiArrays, Scratch
from cfrlab.solve.phi import Abstraction, BucketMap, Identity, Phi
from cfrlab.solve.rules import Update
from cfrlab.solve.treeplex import MAX_DECK, Compiled, Plex, Sweeps, compile_game

Floats = NDArray[np.float64]

STATE = ("regret", "strategy", "sigma", "average")
"""Arrays of each player that a checkpoint must hold; everything else follows from them."""


@dataclass(frozen=True)
class Rule:
    """An update rule with its schedule.

    Attributes:
        name: module name under ``cfrlab.solve.rules``.
        update: numbers of iterations (from 1) -> Update.
        alternating: player 1 answers player 0's new strategy; else both answer the old ones.
        averaging: iteration t weighs ``t ** averaging`` in the average strategy.
    """

    name: str
    update: Callable[[Floats], Update]
    alternating: bool
    averaging: float

    @staticmethod
    def named(name: str, alternating: bool | None = None, averaging: float | None = None) -> Rule:
        """Find a rule by name; ``None`` takes the default of its paper.

        Raises CfrlabError for an unknown name, or an averaging power that is not 0 or more.
        """
        module = plugins.load("cfrlab.solve.rules", name, "solver")
        power = module.AVERAGING if averaging is None else averaging
        if not 0 <= power < float("inf"):
            raise CfrlabError(
                f"solver {name}: averaging is a power of the iteration and must be 0 (uniform) or "
                f"more, not {power}"
            )
        return Rule(
            name,
            module.update,
            module.ALTERNATING if alternating is None else alternating,
            float(power),
        )

    def table(self, first: int, count: int) -> Floats:
        """Numbers of iterations from ``first`` on: [count, (pos, neg, predict, weight)].

        Raises CfrlabError if one of them is not finite: averages would become uniform unnoticed.
        """
        t = np.arange(first, first + count, dtype=np.float64)
        with np.errstate(all="ignore"):
            columns = (*Update(*self.update(t)), t**self.averaging)
        table = np.stack([np.broadcast_to(c, t.shape) for c in columns], axis=1)
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            row, column = bad[0]
            name = (*Update._fields, f"the averaging weight t ** {self.averaging:g}")[column]
            raise CfrlabError(
                f"solver {self.name}: {name} is {table[row, column]} at iteration {first + row}; "
                "it must be finite"
            )
        return table


class CFR(Iterative):
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
        self.game, self.rule = game, rule
        self.abstraction = abstraction or Abstraction.identity(game)
        self.abstraction.check(game)
        self.compiled = compiled or compile_game(game)
        self.iteration = 0
        one, two = (_phi_arrays(self.abstraction[p], game.weights[p]) for p in (0, 1))
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

    def run(self, iterations: int) -> None:
        """Run more iterations. Raises CfrlabError for a negative number."""
        if iterations < 0:
            raise CfrlabError(f"solver {self.rule.name}: cannot run {iterations} iterations")
        if iterations:
            self._iterate(self.rule.table(self.iteration + 1, iterations))
            self.iteration += iterations

    def _iterate(self, rules: Floats) -> None:
        """Run one iteration for every row of a rule's table."""
        kernels.iterate(
            *self.compiled.plex,
            *self.compiled.sweeps,
            *self.phi,
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

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything needed to go on exactly, as arrays for an artifact."""
        arrays: dict[str, NDArray[Any]] = {"iteration": np.array(self.iteration)}
        for p, me in enumerate(self.learners):
            arrays |= {f"{name}_{p}": getattr(me, name).copy() for name in STATE}
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state.

        Raises CfrlabError, and changes nothing, for a state of another game or abstraction.
        """
        pairs = [
            (f"{name}_{p}", getattr(me, name))
            for p, me in enumerate(self.learners)
            for name in STATE
        ]
        for name, mine in pairs:
            size = state[name].size if name in state else 0
            if size != mine.size:
                raise CfrlabError(
                    f"solver {self.rule.name}: the saved {name} has {size} numbers, this game and "
                    f"abstraction need {mine.size}; was it saved for others?"
                )
        for name, mine in pairs:
            mine[:] = state[name]
        for p, me in enumerate(self.learners):
            kernels.reaches(self.compiled.plex[p], me.sigma, me.reach)
        self.iteration = int(state["iteration"])


def make_scratch(plex: Plex, sweeps: Sweeps, phi_rows: int) -> Scratch:
    """Working space of one player for the kernels."""
    lanes = sweeps.width + kernels.LANE_PAD
    hands = max(plex.hands, sweeps.opp_hands)
    group = int((plex.groups[:, 0] * plex.groups[:, 1]).max(initial=1))
    return Scratch(
        np.zeros(plex.widest * plex.hands),
        np.zeros(max(plex.widest * phi_rows, kernels.CHUNK)),
        np.zeros(group * phi_rows),
        np.zeros(lanes * hands),
        np.zeros(lanes * hands),
        np.zeros((MAX_DECK + 1) * lanes),
        np.zeros(sweeps.opp_weights.size),
    )


def _phi_arrays(phi: Phi, weights: Floats) -> PhiArrays:
    bucket, matrix, kind = np.zeros(1, np.int64), np.zeros((1, 1)), kernels.MATRIX
    if isinstance(phi, Identity):
        kind = kernels.IDENTITY
    elif isinstance(phi, BucketMap):
        kind, bucket = kernels.BUCKETS, phi.labels.astype(np.int64)
    else:
        matrix = phi.dense()
    rows, columns = (np.ascontiguousarray(x, np.float64).ravel() for x in (matrix, matrix.T))
    return PhiArrays(kind, phi.rows, bucket, rows, columns, weights.astype(np.float64))
