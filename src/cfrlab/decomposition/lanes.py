"""Many small subgames of one shape, solved side by side: the lanes of a forest.

Where all subgames below a set of roots have the same public tree, as Leduc's five betting sequences
times three boards do, one treeplex serves all of them, and a *lane* is one more axis beside the
hands: every array is [rows, hands, lanes], lanes contiguous. The kernels that work number by number
do not notice (their hands are ``hands * lanes``); terminals multiply lane by lane, so nothing is
gathered or scattered. On Leduc this is twice as fast as the compiled forest (`entries`), which has
the same values and serves all other games.

Row 0 of the treeplex is the root, where every lane is by itself: values there are root values, own
reach is 1, and the opponent's reach is multiplied into the coefficients of the terminals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.games.graft import Grower, Piece
from cfrlab.games.tree import CHANCE, PublicTree
from cfrlab.solve import kernels
from cfrlab.solve.cfr import Rule
from cfrlab.solve.kernels import IDENTITY, Floats, Learner, PhiArrays, Scratch
from cfrlab.solve.side_by_side import State
from cfrlab.solve.treeplex import SMALL_HANDS, Ints, Plex, compile_game, own_row_above

VECTOR = 4
"""Lanes are padded to whole vectors of doubles."""


def lanes_below(tree: PublicTree, root: int) -> list[int]:
    """The root, or the nodes that chance leads to from it."""
    if tree.player[root] != CHANCE:
        return [root]
    return [lane for child in tree.children[root] for lane in lanes_below(tree, child)]


def of_one_shape(game: Game, roots: Sequence[int]) -> bool:
    """Whether the subgames can be lanes: few hands, and one public tree below all roots."""
    tree = game.tree
    if max(game.n) > SMALL_HANDS:
        return False
    shapes = {_shape(tree, lane) for root in roots for lane in lanes_below(tree, root)}
    return len(shapes) == 1


def _shape(tree: PublicTree, root: int) -> tuple[int, ...]:
    size = _size(tree, root)
    inside = slice(root, root + size)
    return (*tree.player[inside].tolist(), *(tree.parent[inside][1:] - root).tolist())


def _size(tree: PublicTree, root: int) -> int:
    """Number of nodes of a subtree, which are neighbours in preorder."""
    return 1 + sum(_size(tree, child) for child in tree.children[root])


class LaneSolver:
    """CFR in all lanes at once.

    Args:
        game: the whole game.
        roots: roots of subgames (see `of_one_shape`).
        rule: update rule.
    """

    def __init__(self, game: Game, roots: Sequence[int], rule: Rule) -> None:
        self._game, self._rule, self.iteration = game, rule, 0
        self._lanes = [lanes_below(game.tree, root) for root in roots]
        self._flat = [lane for lanes in self._lanes for lane in lanes]
        self._owner = np.repeat(np.arange(len(roots)), [len(lanes) for lanes in self._lanes])
        self._width = -(-len(self._flat) // VECTOR) * VECTOR
        grower = Grower(game)
        self._piece: Piece = grower.finish(grower.copy(self._flat[0]))
        compiled = compile_game(self._piece.game)
        plex = [p._replace(hands=p.hands * self._width) for p in compiled.plex]
        self._plex, self._row_of = (plex[0], plex[1]), compiled.row_of
        self._ends = self._terminals()
        plain = [self._coefficients(p) for p in (0, 1)]
        self._plain, self._used = (plain[0], plain[1]), (plain[0].copy(), plain[1].copy())
        self._learners = (_learner(plex[0]), _learner(plex[1]))
        self._scratch = (_scratch(plex[0]), _scratch(plex[1]))
        # Abstraction is none of the lanes' business; the kernels want to hear that.
        nothing = np.zeros(1)
        self._phi = PhiArrays(IDENTITY, 1, np.zeros(1, np.int64), nothing, nothing, nothing)

    def _terminals(self) -> Ints:
        """Compiled rows of both players above every terminal, int64 [terminals, 2]."""
        tree = self._piece.game.tree
        rows = [[own_row_above(tree, int(z), p) for p in (0, 1)] for z in tree.terminals]
        return np.array(
            [[self._row_of[p][r] if r >= 0 else 0 for p, r in enumerate(pair)] for pair in rows],
            np.int64,
        ).reshape(-1, 2)

    def _coefficients(self, player: int) -> Floats:
        """Payoffs [terminals, own hands, opponent's hands, lanes], chance and norm included."""
        game, tree = self._game, self._game.tree
        above = game.reach_of_chance()
        offsets = self._piece.origin[self._piece.game.tree.terminals] - self._flat[0]
        n = game.n
        out = np.zeros((len(offsets), n[player], n[1 - player], self._width))
        for i, offset in enumerate(offsets):
            for lane, root in enumerate(self._flat):
                z = root + int(offset)
                matrix = game.payoffs[tree.payoff[z]].dense() * (tree.scale[z] * above[z])
                out[i, :, :, lane] = (matrix if player == 0 else -matrix.T) * game.norm
        return out

    def enter(self, player: int, reach: Floats) -> None:
        """Let a player enter the subgames with this reach of their roots, float64 [roots, n]."""
        weights = np.zeros((self._game.n[player], self._width))
        weights[:, : len(self._flat)] = (self._game.weights[player] * reach)[self._owner].T
        np.multiply(self._plain[1 - player], weights, out=self._used[1 - player])

    def reset(self, regrets: bool) -> None:
        """Forget averages, and regrets too if asked to."""
        for p, me in enumerate(self._learners):
            me.average[:] = 0.0
            if regrets:
                self.iteration = 0
                me.regret[:] = 0.0
                for actions, lanes, first in self._plex[p].groups[:, :3]:
                    n = self._plex[p].hands
                    me.strategy[first * n : (first + actions * lanes) * n] = 1.0 / actions
                kernels.reaches(self._plex[p], me.sigma, me.reach)

    def release(self) -> None:
        """Keep everything: lanes are for small games."""

    def run(self, iterations: int) -> None:
        """Run more iterations in every lane."""
        _iterate(
            *self._plex, self._ends, *self._used, *self._shape, self._phi, *self._learners,
            *self._scratch, self._rule.table(self.iteration + 1, iterations),
            self._rule.alternating,
        )  # fmt: skip
        self.iteration += iterations

    def state(self) -> State:
        """Everything needed to go on exactly, as arrays for an artifact."""
        arrays = {name: array.copy() for name, array in self._arrays().items()}
        return {"iteration": np.array(self.iteration), **arrays}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state of the same subgames."""
        for name, array in self._arrays().items():
            array[:] = state[name]
        for plex, me in zip(self._plex, self._learners, strict=True):
            kernels.reaches(plex, me.sigma, me.reach)
        self.iteration = int(state["iteration"])

    def _arrays(self) -> dict[str, Floats]:
        return {
            f"{name}_{p}": getattr(me, name)
            for p, me in enumerate(self._learners)
            for name in ("regret", "strategy", "average")
        }

    @property
    def _shape(self) -> tuple[int, int, int]:
        return (*self._game.n, self._width)

    def root_values(self, best: bool) -> tuple[Floats, Floats]:
        """Both players' root values against the other's average, float64 [roots, n_p].

        Args:
            best: of a counterfactual best response; else of the own average strategy.
        """
        sigma = [self._average(p) for p in (0, 1)]
        one, two = (self._root_values(p, sigma, best) for p in (0, 1))
        return one, two

    def _root_values(self, player: int, sigma: Sequence[Floats], best: bool) -> Floats:
        plex, opp, scratch = self._plex, 1 - player, self._scratch[player]
        v, reach = np.empty_like(sigma[player]), np.empty_like(sigma[opp])
        kernels.reaches(plex[opp], sigma[opp], reach)
        n, lanes = self._game.n, self._width
        _values(self._ends, player, self._used[player], n[player], n[opp], lanes, reach, v)
        if best:
            kernels.best_values(plex[player], v, scratch.value)
        else:
            kernels.mixed_values(plex[player], sigma[player], v, scratch.value)
        by_lane = v[: n[player] * lanes].reshape(n[player], lanes).T
        out = np.zeros((len(self._lanes), n[player]))
        np.add.at(out, self._owner, by_lane[: len(self._flat)])
        return out

    def _average(self, player: int) -> Floats:
        me, sigma = self._learners[player], np.ones_like(self._learners[player].average)
        kernels.averaged(self._plex[player], me.average, self._scratch[player].value, sigma)
        return sigma

    def put(self, into: Profile) -> None:
        """Write the average strategies into a profile of the whole game."""
        tree = self._game.tree
        for p in (0, 1):
            here, there = self._piece.rows(tree, p)
            rows = self._average(p).reshape(-1, self._game.n[p], self._width)
            nodes = np.array([self._node_of_row(p)[r] for r in there.tolist()], np.int64)
            for lane, root in enumerate(self._flat):
                target = tree.row[nodes - self._flat[0] + root]
                into[p][target] = rows[self._row_of[p][here], :, lane]

    def _node_of_row(self, player: int) -> dict[int, int]:
        tree = self._game.tree
        inside = range(self._flat[0] + 1, self._flat[0] + len(self._piece.game.tree))
        return {int(tree.row[n]): n for n in inside if tree.player[tree.parent[n]] == player}


def _learner(plex: Plex) -> Learner:
    size = plex.rows * plex.hands
    strategy = np.ones(size)
    for actions, lanes, first in plex.groups[:, :3]:
        strategy[first * plex.hands : (first + actions * lanes) * plex.hands] = 1.0 / actions
    reach = np.ones(size)
    kernels.reaches(plex, strategy, reach)
    return Learner(np.zeros(size), strategy, strategy, reach, np.zeros(size), np.zeros(size))


def _scratch(plex: Plex) -> Scratch:
    nothing = np.zeros(1)
    width = max(plex.widest * plex.hands, kernels.CHUNK)
    return Scratch(np.zeros(width), np.zeros(width), *([nothing] * 5))


_u = np.uint64


@kernels.kernel
def _values(
    ends: Ints, player: int, payoffs: Floats, n: int, m: int, lanes: int, reach: Floats, v: Floats
) -> None:
    """Set every own row of ``v`` to the value of its terminals, lane by lane."""
    v[:] = 0.0
    flat = payoffs.reshape(payoffs.size)
    at = 0
    for z in range(ends.shape[0]):
        own, opp = ends[z, player] * n * lanes, ends[z, 1 - player] * m * lanes
        for h in range(n):
            p = own + h * lanes
            for j in range(m):
                q = opp + j * lanes
                for i in range(lanes):
                    v[_u(p + i)] += flat[_u(at + i)] * reach[_u(q + i)]
                at += lanes


@kernels.kernel
def _iterate(
    plex0: Plex, plex1: Plex, ends: Ints, payoffs0: Floats, payoffs1: Floats, n0: int, n1: int,
    lanes: int, phi: PhiArrays, one: Learner, two: Learner, space0: Scratch, space1: Scratch,
    rules: Floats, alternating: bool,
) -> None:  # fmt: skip
    """As `kernels.iterate`, in every lane."""
    for t in range(rules.shape[0]):
        _values(ends, 0, payoffs0, n0, n1, lanes, two.reach, one.v)
        if not alternating:
            _values(ends, 1, payoffs1, n1, n0, lanes, one.reach, two.v)
        kernels.step(plex0, phi, one, space0, rules[t])
        if alternating:
            _values(ends, 1, payoffs1, n1, n0, lanes, one.reach, two.v)
        kernels.step(plex1, phi, two, space1, rules[t])
