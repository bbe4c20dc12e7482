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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.entries import Pool
from cfrlab.decomposition.forests import solver_of
from cfrlab.decomposition.subgames import Decomposition, RootValues
from cfrlab.errors import CfrlabError, nearest
from cfrlab.games.game import Profile
from cfrlab.solve import kernels
from cfrlab.solve.cfr import CFR
from cfrlab.solve.rule import Rule
from cfrlab.solve.side_by_side import Restorable, State, joined, restore
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

    Attributes:
        solvers: solvers of subgames, one for all or one for each.
    """

    def __init__(self, decomposition: Decomposition, rule: Rule, variant: Variant) -> None:
        self.decomposition, self.rule, self.variant = decomposition, rule, variant
        trunk = decomposition.trunk
        self._trunk = CFR(trunk.game, rule)
        self._leaves = [self._leaf_rows(p) for p in (0, 1)]
        each = [decomposition.positions(i) for i in range(len(decomposition.subgames))]
        self._parts = [range(len(decomposition.roots))] if variant.together else each
        pool: Pool = {}
        self.solvers = [
            solver_of(
                decomposition.game, [decomposition.roots[i] for i in part], variant.rule, pool
            )
            for part in self._parts
        ]
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

    def state(self) -> State:
        """Everything needed to go on exactly, as arrays for an artifact.

        Subgames are part of it only if they keep their regrets.
        """
        sums = {f"sum_{p}": total.copy() for p, total in enumerate(self._sum)}
        return {"weight": np.array(self._weight), **sums, **joined(self._remembering())}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state. Raises CfrlabError for that of another game."""
        restore(self._remembering(), state)
        for p, total in enumerate(self._sum):
            total[:] = state[f"sum_{p}"]
        self._weight = float(state["weight"])

    def _remembering(self) -> list[Restorable]:
        """The solvers whose regrets the next iteration needs."""
        return [self._trunk, *(self.solvers if self.variant.start == "warm" else ())]

    def _solve_subgames(self) -> tuple[Floats, Floats]:
        """Values of all roots for the trunk's current strategies."""
        n = self.decomposition.game.n
        one, two = (
            self._trunk.learners[p].reach.reshape(-1, n[p])[self._leaves[p]] for p in (0, 1)
        )
        out = np.empty_like(one), np.empty_like(two)
        for part, solver in zip(self._parts, self.solvers, strict=True):
            solver.enter(0, one[part])
            solver.enter(1, two[part])
            solver.reset(regrets=self.variant.start == "cold")
            solver.run(self.variant.iterations)
            values = solver.root_values(best=self.variant.values == "best-response")
            out[0][part], out[1][part] = values
            if self.variant.start == "cold" and not self.variant.together:
                solver.release()
        return out

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
