"""CFR-D: solving a game while holding its trunk and one subgame at a time.

Each iteration (Burch, Johanson and Bowling 2014, Section 4): (1) the trunk strategies give both
players' reach of every subgame root; (2) every subgame is solved for that reach; (3) the
counterfactual values of its roots serve as the values of the trunk's leaves in one iteration of
CFR there. What remains in the end is the trunk's average strategy and the average root values, from
which subgame strategies are recovered by safe re-solving (`resolving`).

In (2) own reach starts at 1 for every hand, so that a hand that the trunk never brings to a root is
played well nevertheless: the trunk needs its *counterfactual* value.

Named variants. ``start``: *cold* forgets a subgame's regrets after use (the paper's), *warm* keeps
them, which needs the memory of the whole game. ``values``: *average* takes the value of the
subgame's average profile (the paper's), *best-response* that of a counterfactual best response to
the opponent's average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.entries import Entries, Pool
from cfrlab.decomposition.subgames import Decomposition, RootValues, forest
from cfrlab.errors import CfrlabError, nearest
from cfrlab.games.game import Profile
from cfrlab.games.graft import Piece
from cfrlab.solve import kernels
from cfrlab.solve.cfr import CFR, Rule
from cfrlab.solve.treeplex import own_row_above

Floats = NDArray[np.float64]
Start = Literal["cold", "warm"]
Values = Literal["average", "best-response"]


@dataclass(frozen=True)
class Variant:
    """How subgames are solved.

    Attributes:
        iterations: iterations of CFR in a subgame, each time.
        rule: update rule in subgames.
        start: see the module.
        values: see the module.
        together: all subgames side by side, which is faster, or one after another in the memory
            of one; the numbers are the same.

    Raises CfrlabError for an unknown name or fewer than one iteration.
    """

    iterations: int
    rule: Rule
    start: Start = "cold"
    values: Values = "average"
    together: bool = True

    def __post_init__(self) -> None:
        for key, known in (("start", get_args(Start)), ("values", get_args(Values))):
            name = getattr(self, key)
            if name not in known:
                raise CfrlabError(
                    f"CFR-D: unknown {key} '{name}' (known: {', '.join(known)})"
                    f"{nearest(name, known)}"
                )
        if self.iterations < 1:
            raise CfrlabError(
                f"CFR-D: {self.iterations} iterations in a subgame; it needs at least 1"
            )


class CFRD:
    """A run in progress.

    >>> run = CFRD(decomposition, Rule.named("cfr"), Variant(400, Rule.named("cfr")))
    >>> run.run(2000)
    >>> trunk, values = run.trunk_average(), run.root_values()

    Args:
        decomposition: the game and its subgames.
        rule: update rule in the trunk; both players always answer the same old strategies.
        variant: how subgames are solved.
    """

    def __init__(self, decomposition: Decomposition, rule: Rule, variant: Variant) -> None:
        self.decomposition, self.rule, self.variant = decomposition, rule, variant
        trunk = decomposition.trunk
        self._trunk = CFR(trunk.game, rule)
        self._leaves = [self._leaf_rows(p) for p in (0, 1)]
        everything = range(len(decomposition.roots))
        parts = (
            [everything]
            if variant.together
            else [decomposition.positions(i) for i in range(len(decomposition.subgames))]
        )
        pool: Pool = {}
        self._subgames = [SubgameSolver(decomposition, part, variant, pool) for part in parts]
        self._sum = [np.zeros((len(decomposition.roots), n)) for n in decomposition.game.n]
        self._weight = 0.0

    def _leaf_rows(self, player: int) -> NDArray[np.int64]:
        """The trunk's compiled row that leads to every root, int64 [roots]."""
        tree, row_of = self._trunk.game.tree, self._trunk.compiled.row_of[player]
        at = {int(o): i for i, o in enumerate(self.decomposition.trunk.origin)}
        rows = [own_row_above(tree, at[root], player) for root in self.decomposition.roots]
        return np.array([row_of[row] if row >= 0 else 0 for row in rows], np.int64)

    @property
    def iteration(self) -> int:
        """Iterations of the trunk so far."""
        return self._trunk.iteration

    def run(self, iterations: int) -> None:
        """Run more iterations of the trunk. Raises CfrlabError for a negative number."""
        if iterations < 0:
            raise CfrlabError(f"CFR-D: cannot run {iterations} iterations")
        rules = self.rule.table(self.iteration + 1, iterations)
        for rule in rules:
            values = self._solve_subgames()
            self._update_trunk(values, rule)

    def checkpoints(self, at: Sequence[int]) -> Iterator[int]:
        """Run on to each iteration in turn and yield it there; earlier ones are left out."""
        for t in sorted(set(at)):
            if t > self.iteration:
                self.run(t - self.iteration)
                yield t

    def _solve_subgames(self) -> tuple[Floats, Floats]:
        """Values of all roots for the trunk's current strategies."""
        n = self.decomposition.game.n
        one, two = (
            self._trunk.learners[p].reach.reshape(-1, n[p])[self._leaves[p]] for p in (0, 1)
        )
        found = [s.solve((one[s.part], two[s.part])) for s in self._subgames]
        if len(found) == 1:
            return found[0]
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def _update_trunk(self, values: tuple[Floats, Floats], rule: Floats) -> None:
        trunk, (one, two) = self._trunk, self._trunk.learners
        for p, me, other in ((0, one, two), (1, two, one)):
            sweeps, scratch = trunk.compiled.sweeps[p], trunk.scratch[p]
            kernels.terminal_values(sweeps, other.reach, me.v, scratch)
            np.add.at(me.v.reshape(-1, sweeps.hands), self._leaves[p], values[p])
            self._sum[p] += rule[3] * values[p]
        for p, me in ((0, one), (1, two)):
            kernels.step(trunk.compiled.plex[p], trunk.phi[p], me, trunk.scratch[p], rule)
        self._weight += float(rule[3])
        trunk.iteration += 1

    def trunk_average(self) -> Profile:
        """The trunk's average strategy in the whole game, uniform inside subgames."""
        out = self.decomposition.game.uniform()
        average = self._trunk.average()
        for p in (0, 1):
            self.decomposition.trunk.put(self.decomposition.game.tree, average, out, p)
        return out

    def root_values(self) -> RootValues:
        """Average root values over the iterations so far, weighted like the average strategy."""
        weight = max(self._weight, 1e-300)
        return self._sum[0] / weight, self._sum[1] / weight


class SubgameSolver:
    """Solves some subgames again and again, for one reach after another.

    Attributes:
        part: positions of its roots among all roots.
    """

    def __init__(
        self, decomposition: Decomposition, part: range, variant: Variant, pool: Pool
    ) -> None:
        self.part, self._variant, self._decomposition = part, variant, decomposition
        roots = [decomposition.roots[i] for i in part]
        self._entries = Entries(forest(decomposition.game, roots), len(roots), pool)
        self._cfr: CFR | None = None
        self._fresh: dict[str, NDArray[Any]] = {}

    def _solver(self) -> CFR:
        """A fresh solver, or the one of before."""
        forget = self._variant.start == "cold"
        if self._cfr is not None:
            if forget:
                self._cfr.restore(self._fresh)
            else:
                for me in self._cfr.learners:
                    me.average[:] = 0.0
            return self._cfr
        # The hands are all that it takes from the game; the forest's tree may be forgotten.
        cfr = self._entries.solver(self._decomposition.game, self._variant.rule)
        if self._variant.together or not forget:
            self._cfr = cfr
            self._fresh = cfr.state() if forget else {}
        return cfr

    def solve(self, reach: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Solve for both players' reach of the roots; return both players' root values.

        Both are float64 [roots, n_p].
        """
        for p in (0, 1):
            self._entries.enter(p, reach[p])
        cfr = self._solver()
        cfr.run(self._variant.iterations)
        sigma = [cfr.average_rows(p) for p in (0, 1)]
        return self._values(cfr, 0, sigma), self._values(cfr, 1, sigma)

    def average(self) -> tuple[Piece, Profile]:
        """The forest and its average strategy since it was last solved.

        Raises CfrlabError where subgames are forgotten after use.
        """
        if self._cfr is None:
            raise CfrlabError("CFR-D: this subgame's strategy was forgotten after use")
        roots = [self._decomposition.roots[i] for i in self.part]
        piece = forest(self._decomposition.game, roots)
        row_of = self._entries.compiled.row_of
        one, two = (
            self._cfr.average_rows(p).reshape(-1, piece.game.n[p])[row_of[p]] for p in (0, 1)
        )
        return piece, (one, two)

    def _values(self, cfr: CFR, player: int, sigma: Sequence[Floats]) -> Floats:
        plex, opp, scratch = cfr.compiled.plex, 1 - player, cfr.scratch[player]
        v, reach = np.empty_like(sigma[player]), np.ones_like(sigma[opp])
        kernels.reaches(plex[opp], sigma[opp], reach)
        kernels.terminal_values(cfr.compiled.sweeps[player], reach, v, scratch)
        if self._variant.values == "average":
            kernels.mixed_values(plex[player], sigma[player], v, scratch.value)
        else:
            kernels.best_values(plex[player], v, scratch.value)
        return v.reshape(-1, plex[player].hands)[self._entries.rows[player]]
