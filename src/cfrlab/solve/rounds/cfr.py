"""CFR on a game of rounds under any abstraction, with exact resume.

An iteration, as in ``cfrlab.solve.cfr`` and, for matrices that are not 0/1, as in Embedding CFR (Fu
et al. 2026, Section 4): every hand class plays ``sigma(hands) = Phi^T sigma(rows)``, its regrets
come back as ``r(rows) = Phi w r(hands)`` with w chance's weight of a class, and the strategy of a
row matches its own regrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError, nearest
from cfrlab.games.rounds import RoundGame
from cfrlab.seeds import rng_for
from cfrlab.solve.iterative import Solver
from cfrlab.solve.rounds import kernels
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.averages import ADVISOR, AVERAGES, INFOSET, UNIFORM
from cfrlab.solve.rounds.profile import RoundProfile, blocks
from cfrlab.solve.rounds.rows import link
from cfrlab.solve.rounds.sampling import Sample, classes_of, draw
from cfrlab.solve.rounds.traversal import Board, Ends, Table, Traversal
from cfrlab.solve.rule import Rule

Reals = NDArray[Any]
Ints = NDArray[np.int64]


class RoundCFR(Solver):
    """A solver in progress.

    >>> solver = RoundCFR(game, Rule.named("cfr"), abstraction)
    >>> solver.run(100)
    >>> profile = solver.average("advisor")

    Args:
        game: the game to solve.
        rule: how regrets are updated.
        abstraction: a Phi for each round; by default every hand class has its own strategy.
        averages: names out of ``AVERAGES``, those to keep.
        baseline: subtract from a row's regrets what its own strategy gains, ``<sigma(row),
            r(row)>``. The regrets above are relative to the hands' mixtures; these are a row's own
            (Blackwell's condition). It makes no difference for buckets.
        deals: deals to sample for an iteration, in place of a full traversal; from ``seed`` and the
            number of the iteration.
        dtype: float32 or float64.
        device: torch device for products with a dense Phi; BLAS on the CPU unless given.
        traversal: the prepared game, where several solvers share one.

    Raises CfrlabError for an abstraction or a traversal of another game, an unknown average, or no
    deals.
    """

    def __init__(
        self,
        game: RoundGame,
        rule: Rule,
        abstraction: RoundAbstraction | None = None,
        *,
        averages: Sequence[str] = (ADVISOR,),
        baseline: bool = False,
        deals: int | None = None,
        seed: int = 0,
        dtype: Any = np.float32,
        device: str | None = None,
        traversal: Traversal | None = None,
    ) -> None:
        abstraction = abstraction or RoundAbstraction.identity(game)
        abstraction.check(game)
        _check(rule, averages, deals)
        if traversal and (traversal.game is not game or traversal.dtype != np.dtype(dtype)):
            raise CfrlabError(
                f"solver {rule.name}: the prepared game is another one, or of {traversal.dtype} "
                f"and not {np.dtype(dtype)}"
            )
        super().__init__(rule, dtype)
        self.game, self.baseline = game, baseline
        self.deals, self.seed = deals, seed
        self.walk = traversal or Traversal(game, dtype)
        boards, real = self.walk.boards, self.walk.dtype
        self._links = tuple(
            link(phi, boards[r], real, device) for r, phi in enumerate(abstraction.phis)
        )
        self._own = tuple(
            link(phi, boards[r], real, None)
            for r, phi in enumerate(RoundAbstraction.identity(game).phis)
        )
        self._regret = blocks(self.walk, self._links)
        self._sigma = RoundProfile.uniform(self.walk, self._links).blocks
        self._sums = {
            name: blocks(self.walk, self._own if name == INFOSET else self._links)
            for name in averages
        }
        self._instant = self._rooms([plan.edges for plan in self.walk.plans])
        self._reached = self._rooms([len(plan.decisions) for plan in self.walk.plans])

    def _rooms(self, widths: Sequence[int]) -> tuple[Reals, ...]:
        """Where boards add up numbers for the rows of every round, zeros [rows, width, lanes].

        Where every class has its own row, what a board brings is learnt on leaving it, so one room
        serves all boards.
        """
        return tuple(
            np.zeros((max(rows.sizes), width, plan.lanes), self.walk.dtype)
            for rows, plan, width in zip(self._links, self.walk.plans, widths, strict=True)
        )

    def _iterate(self, rules: Reals) -> None:
        for number, row in enumerate(rules.astype(self.dtype), self.iteration + 1):
            for players in ((1, 0), (0, 1)) if self.rule.alternating else ((1, 1),):
                self._traverse(number, np.array(players), row[:3], row[3:])

    def _traverse(self, iteration: int, players: Ints, rule: Reals, weight: Reals) -> None:
        """One walk over the game, from which the marked players learn."""

        def arrive(board: Board, number: int, reach: Reals) -> None:
            self._add_reach(board, number, reach, players, weight)

        def leave(board: Board, number: int, played: Table, value: Reals) -> None:
            self._add_regrets(board, number, played, value, players)
            if self._links[board.round].own:
                self._learn(board.round, number, players, rule, weight)

        play = RoundProfile(self.walk, self._links, self._sigma).play()
        self.walk.walk(play, leave, arrive=arrive, ends=self._ends(iteration, players))
        for r, rows in enumerate(self._links):
            if not rows.own:
                self._learn(r, 0, players, rule, weight)

    def _ends(self, iteration: int, players: Ints) -> Ends | None:
        """How terminals are valued in one walk."""
        if self.deals is None:
            return None
        rng = rng_for(self.seed, "deals", iteration, *map(int, players))
        deals = draw(self.game, self.deals, rng)
        return Sample.of(self.walk, classes_of(self.game, deals)).ends

    def _add_reach(
        self, board: Board, number: int, reach: Reals, players: Ints, weight: Reals
    ) -> None:
        """Add a board's reaches to the averages that are weighted by them."""
        plan, rows = self.walk.plans[board.round], self._links[board.round]
        if INFOSET in self._sums:
            kernels.infoset_average(
                plan, players, weight, reach, self._sums[INFOSET][board.round][number]
            )
        if ADVISOR in self._sums:
            room = self._room(self._reached, board.round, rows.block(number))
            target, row = rows.sink(board, number, room)
            kernels.own_reach(plan, board.weight, row, reach, target)
            rows.merge(number, target, room)

    def _add_regrets(
        self, board: Board, number: int, played: Table, value: Reals, players: Ints
    ) -> None:
        """Values of a board's decisions, and its regrets for the rows."""
        plan, rows = self.walk.plans[board.round], self._links[board.round]
        kernels.up(plan, *played, value)
        room = self._room(self._instant, board.round, rows.block(number))
        target, row = rows.sink(board, number, room)
        kernels.regrets(plan, players, board.weight, row, value, target)
        rows.merge(number, target, room)

    def _room(self, rooms: tuple[Reals, ...], number: int, block: int) -> Reals:
        return rooms[number][: self._links[number].sizes[block]]

    def _learn(self, number: int, block: int, players: Ints, rule: Reals, weight: Reals) -> None:
        """Averages and regret sums of a block of rows, and its next strategy."""
        plan = self.walk.plans[number]
        scratch = np.zeros(plan.lanes, self.walk.dtype)
        sigma, regret = self._sigma[number][block], self._regret[number][block]
        if UNIFORM in self._sums:
            out = self._sums[UNIFORM][number][block]
            kernels.uniform_average(plan, players, weight, sigma, out)
        if ADVISOR in self._sums:
            reached = self._room(self._reached, number, block)
            out = self._sums[ADVISOR][number][block]
            kernels.row_average(plan, players, weight, reached, sigma, out)
            reached[:] = 0.0
        instant = self._room(self._instant, number, block)
        if self.baseline:
            kernels.baseline(plan, sigma, scratch, instant)
        kernels.learn(plan, players, rule, instant, scratch, regret, sigma)

    def average(self, name: str = ADVISOR) -> RoundProfile:
        """A copy of the average strategies; uniform where they have no weight.

        Raises CfrlabError for an average that this solver does not keep.
        """
        if name not in self._sums:
            raise CfrlabError(
                f"solver {self.rule.name}: it does not keep the average '{name}' (kept: "
                f"{', '.join(self._sums) or 'none'})"
            )
        links = self._own if name == INFOSET else self._links
        return RoundProfile.of_sums(self.walk, links, self._sums[name])

    def current(self) -> RoundProfile:
        """A copy of the strategies to be played next."""
        return RoundProfile(
            self.walk, self._links, tuple([b.copy() for b in group] for group in self._sigma)
        )

    def _arrays(self) -> dict[str, Sequence[Reals]]:
        named = {"regret": self._regret, "sigma": self._sigma} | {
            f"average_{name}": sums for name, sums in self._sums.items()
        }
        return {
            f"{name}_{r}": group for name, kept in named.items() for r, group in enumerate(kept)
        }

    def _follow(self) -> None:
        """Nothing follows from the arrays."""


def _check(rule: Rule, averages: Sequence[str], deals: int | None) -> None:
    """Raise CfrlabError for an unknown average, or no deals."""
    for name in averages:
        if name not in AVERAGES:
            raise CfrlabError(
                f"unknown average '{name}' (known: {', '.join(AVERAGES)})" + nearest(name, AVERAGES)
            )
    if deals is not None and deals < 1:
        raise CfrlabError(f"solver {rule.name}: deals must be 1 or more, not {deals}")
