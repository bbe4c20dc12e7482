"""Public chance sampling: an iteration sees one outcome of every sampled chance node.

Johanson, Bard, Lanctot, Gibson and Bowling, *Efficient Nash equilibrium approximation through Monte
Carlo counterfactual regret minimization*, AAMAS 2012. Outcomes are drawn uniformly, and the payoffs
below the sampled one are divided by its probability of being drawn: regrets are right on average.
All sampled nodes get the same outcome (the same board after every betting sequence): their subtrees
share no infosets. Chance below them is not sampled.

For each outcome the game is cut to it and compiled; the rows above the sampled nodes are shared and
handed over from one of these games to the next.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.graft import Grower, Piece
from cfrlab.games.tree import CHANCE, PublicTree
from cfrlab.solve import kernels
from cfrlab.solve.cfr import CFR, STATE
from cfrlab.solve.iterative import Iterative
from cfrlab.solve.jit import kernel
from cfrlab.solve.kernels import Learner, PhiArrays, Scratch
from cfrlab.solve.layout import Compiled, Plex, Sweeps
from cfrlab.solve.rule import Floats, Rule
from cfrlab.solve.side_by_side import State, joined, restore
from cfrlab.solve.treeplex import compile_game

Ints = NDArray[np.int64]


def first_chance(tree: PublicTree, among: NDArray[np.bool_] | None = None) -> list[int]:
    """The first chance nodes on every path, among some nodes or all."""
    drawn = (tree.player == CHANCE) & (True if among is None else among)
    return [int(n) for n in np.flatnonzero(drawn) if not drawn[list(tree.path(int(n)))[1:]].any()]


class SampledCFR(Iterative):
    """A solver in progress; the interface is that of `CFR`.

    Args:
        game: the game to solve.
        rule: how regrets are updated, at visited infosets.
        nodes: chance nodes to sample, none below another, with the same outcomes.
        rng: draws the outcomes.
        like: a fresh solver of the same game, whose weights and strategies to start from.

    Raises CfrlabError if there is nothing to sample, or outcomes differ between nodes.
    """

    def __init__(
        self,
        game: Game,
        rule: Rule,
        nodes: Sequence[int],
        rng: np.random.Generator,
        like: CFR | None = None,
    ) -> None:
        self.game, self.rule, self.iteration, self._rng = game, rule, 0, rng
        labels = {tuple(game.tree.label[c] for c in game.tree.children[n]) for n in nodes}
        if len(labels) != 1:
            raise CfrlabError(
                f"public chance sampling in {game.name}: {len(nodes)} chance nodes with "
                f"{len(labels)} sets of outcomes; it needs nodes that share one set"
            )
        outcomes = len(labels.pop())
        like = like or CFR(game, rule)
        self._pieces = [_cut(game, nodes, b, outcomes) for b in range(outcomes)]
        self._solvers = [
            CFR(piece.game, rule, compiled=_with_weights(game, like.compiled, piece))
            for piece in self._pieces
        ]
        for piece, solver in zip(self._pieces, self._solvers, strict=True):
            _start_like(like, piece, solver)
        self._shared = [
            [_shared(game.tree, *pair, p) for pair in zip(self._pieces, self._solvers, strict=True)]
            for p in (0, 1)
        ]
        self._held = np.zeros(1, np.int64)

    def run(self, iterations: int) -> None:
        """Run more iterations. Raises CfrlabError for a negative number."""
        if iterations < 0:
            raise CfrlabError(f"solver {self.rule.name}: cannot run {iterations} iterations")
        if not iterations:
            return
        solvers = self._solvers
        _iterate(
            tuple(s.compiled.plex[0] for s in solvers),
            tuple(s.compiled.plex[1] for s in solvers),
            tuple(s.compiled.sweeps[0] for s in solvers),
            tuple(s.compiled.sweeps[1] for s in solvers),
            *solvers[0].phi,
            tuple(s.learners[0] for s in solvers),
            tuple(s.learners[1] for s in solvers),
            tuple(s.scratch[0] for s in solvers),
            tuple(s.scratch[1] for s in solvers),
            tuple(self._shared[0]),
            tuple(self._shared[1]),
            self._held,
            self._rng.integers(len(solvers), size=iterations),
            self.rule.table(self.iteration + 1, iterations),
            self.rule.alternating,
        )
        self.iteration += iterations

    def average(self) -> Profile:
        """The average strategy of every hand; uniform where it has no reach."""
        out = self.game.uniform()
        held = int(self._held[0])
        # The last written holds the shared rows as they are now.
        for b in (*(b for b in range(len(self._solvers)) if b != held), held):
            average = self._solvers[b].average()
            for p in (0, 1):
                self._pieces[b].put(self.game.tree, average, out, p)
        return out

    def state(self) -> State:
        """Everything needed to go on exactly, as arrays for an artifact."""
        drawn = json.dumps(self._rng.bit_generator.state).encode()
        return {
            "iteration": np.array(self.iteration),
            "held": self._held.copy(),
            "rng": np.frombuffer(drawn, np.uint8),
            **joined(self._solvers),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state. Raises CfrlabError for that of another game."""
        restore(self._solvers, state)
        self._held[:] = state["held"]
        self._rng.bit_generator.state = json.loads(state["rng"].tobytes())
        self.iteration = int(state["iteration"])


def _cut(game: Game, nodes: Sequence[int], outcome: int, outcomes: int) -> Piece:
    """The game with one outcome of every sampled node, of probability one over ``outcomes``."""
    grower = Grower(game)
    kept = dict.fromkeys(nodes, (outcome, float(outcomes)))
    return grower.finish(grower.copy(0, outcomes=kept))


def _with_weights(game: Game, whole: Compiled, piece: Piece) -> Compiled:
    """The compiled piece with the weights of the whole's rows."""
    made = compile_game(piece.game)
    sweeps = []
    for p in (0, 1):
        opp, old, new = 1 - p, whole.sweeps[p], made.sweeps[p]
        n = game.n[opp]
        here, there = piece.rows(game.tree, opp)
        weights = new.opp_weights.copy().reshape(-1, n)
        theirs = old.opp_weights.reshape(-1, n)
        weights[0] = theirs[0]
        weights[made.row_of[opp][here]] = theirs[whole.row_of[opp][there]]
        weighted = bool(np.any(weights != 1.0))
        sweeps.append(new._replace(opp_weights=weights.ravel(), weighted=weighted))
    return replace(made, sweeps=(sweeps[0], sweeps[1]))


def _start_like(like: CFR, piece: Piece, solver: CFR) -> None:
    """Copy regrets and strategies of the piece's rows."""
    for p in (0, 1):
        here, there = piece.rows(like.game.tree, p)
        n = like.game.n[p]
        for name in STATE:
            theirs, mine = (getattr(s.learners[p], name).reshape(-1, n) for s in (like, solver))
            mine[solver.compiled.row_of[p][here]] = theirs[like.compiled.row_of[p][there]]
        kernels.reaches(solver.compiled.plex[p], solver.learners[p].sigma, solver.learners[p].reach)


def _shared(whole: PublicTree, piece: Piece, solver: CFR, player: int) -> Ints:
    """Flat positions of the rows above the sampled nodes, in an order that all pieces share."""
    tree, plex = piece.game.tree, solver.compiled.plex[player]
    sampled = {
        int(n)
        for n in np.flatnonzero(tree.player == CHANCE)
        if len(tree.children[n]) < len(whole.children[piece.origin[n]])
    }
    rows = [
        int(solver.compiled.row_of[player][tree.row[n]])
        for n in range(1, len(tree))
        if tree.player[tree.parent[n]] == player
        and not sampled & set(tree.path(int(tree.parent[n])))
    ]
    flat = np.array(rows, np.int64)[:, None] * plex.hands + np.arange(plex.hands)
    return flat.ravel().astype(np.int64)


@kernel
def _hand_over(rows: Ints, old: Learner, places: Ints, new: Learner) -> None:
    for i in range(rows.size):
        at, to = rows[i], places[i]
        new.regret[to] = old.regret[at]
        new.strategy[to] = old.strategy[at]
        new.sigma[to] = old.sigma[at]
        new.average[to] = old.average[at]


@kernel
def _iterate(
    plex0: tuple[Plex, ...], plex1: tuple[Plex, ...],
    sweeps0: tuple[Sweeps, ...], sweeps1: tuple[Sweeps, ...], phi0: PhiArrays, phi1: PhiArrays,
    one: tuple[Learner, ...], two: tuple[Learner, ...],
    space0: tuple[Scratch, ...], space1: tuple[Scratch, ...],
    shared0: tuple[Ints, ...], shared1: tuple[Ints, ...],
    held: Ints, draws: Ints, rules: Floats, alternating: bool,
) -> None:  # fmt: skip
    """One iteration of `kernels.iterate` for every draw; ``held`` has the outcome of the last."""
    for t in range(draws.size):
        b, old = draws[t], held[0]
        if b != old:
            _hand_over(shared0[old], one[old], shared0[b], one[b])
            _hand_over(shared1[old], two[old], shared1[b], two[b])
            kernels.reaches(plex0[b], one[b].sigma, one[b].reach)
            kernels.reaches(plex1[b], two[b].sigma, two[b].reach)
            held[0] = b
        kernels.iterate(
            plex0[b], plex1[b], sweeps0[b], sweeps1[b], phi0, phi1, one[b], two[b],
            space0[b], space1[b], rules[t : t + 1], alternating,
        )  # fmt: skip
