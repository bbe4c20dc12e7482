"""Numeral211 on small decks: over raw cards and over hand classes, and what joins the two.

``Reference`` is Embedding CFR a second time, in plain NumPy over raw cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.betting import Close, Fold, limit
from cfrlab.games.game import Game, Profile
from cfrlab.games.rounds import Betting, RoundGame
from cfrlab.games.tree import CHANCE, Decision, Node
from cfrlab.games.zoo import numeral211
from cfrlab.games.zoo.numeral211 import Params
from cfrlab.solve import walk
from cfrlab.solve.phi import BucketMap, Phi, Soft
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.profile import RoundProfile, blocks
from cfrlab.solve.rounds.rows import link
from cfrlab.solve.rounds.traversal import Board, Traversal
from reference_cfr import matched

Floats = NDArray[np.float64]

OTHER = {"first": (1, 0, 1), "bets": (2, 3, 7), "ante": 0.5}
"""Other seats first, other stakes."""

SMALL: dict[str, dict[str, Any]] = {
    "3x2": {"ranks": "234", "suits": "cd", "max_raises": 2},
    "3x2 other": {"ranks": "234", "suits": "cd", "max_raises": 3, **OTHER},
    "3x2 checks": {"ranks": "234", "suits": "cd", "max_raises": 0},
    "3x2 one bet": {"ranks": "234", "suits": "cd", "max_raises": 1},
    "3x2 forced": {"ranks": "234", "suits": "cd", "max_raises": 1},
    "3x2 exchanged": {"ranks": "234", "suits": "cd", "max_raises": 1, "first": (1, 0, 0)},
    "4x2": {"ranks": "9TJA", "suits": "ds", "max_raises": 2, **OTHER},
    "3x3": {"ranks": "8TA", "suits": "cdh", "max_raises": 2, "first": (0, 1, 0)},
    "3x4": {"ranks": "234", "suits": "cdhs", "max_raises": 1, "first": (1, 0, 0)},
    "2x4": {"ranks": "9T", "suits": "cdhs", "max_raises": 2},
}


@dataclass(frozen=True)
class Place:
    """Where a public node of the raw game lies.

    ``board`` is a raw board number of ``HandClasses``, ``node`` one of the street's tree.
    """

    round: int
    board: int
    node: int
    lane: int


@dataclass(frozen=True, eq=False)
class Both:
    """One game over raw cards and over hand classes."""

    raw: Game
    game: RoundGame

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The place of every public node, found by the names of actions and cards."""
        tree, game = self.raw.tree, self.game
        cards = [game.deck.label(c) for c in range(len(game.deck))]
        found = [Place(0, 0, 0, 0)]
        for node in range(1, len(tree)):
            up, label = found[tree.parent[node]], tree.label[node]
            street = game.streets[up.round]
            if tree.player[tree.parent[node]] == CHANCE:
                closings = street.closings.tolist()
                lane = up.lane * len(closings) + closings.index(up.node)
                board = up.board * len(cards) + cards.index(label)
                found.append(Place(up.round + 1, board, 0, lane))
            else:
                [below] = [
                    c for c in street.tree.children[up.node] if street.tree.label[c] == label
                ]
                found.append(replace(up, node=below))
        return tuple(found)

    def classes(self, node: int) -> NDArray[np.int32]:
        """Class of every raw hand at a public node, -1 where it holds a public card."""
        place = self.places[node]
        found: NDArray[np.int32] = self.game.classes[place.round].lookup[place.board]
        return found

    @cached_property
    def source(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each player, which number of the tables [classes, edges, lanes] of all rounds, laid
        end to end, belongs to each row and raw hand of a strategy; -1 where it holds a public card.
        """
        tree, shapes = self.raw.tree, []
        for n, street in zip(self.game.hands, self.game.streets, strict=True):
            shapes.append((n, sum(street.tree.rows), street.lanes))
        start = np.cumsum([0] + [int(np.prod(shape)) for shape in shapes])
        out = tuple(np.full((tree.rows[p], self.raw.n[p]), -1) for p in (0, 1))
        for node in np.flatnonzero(tree.player >= 0).tolist():
            place, classes = self.places[node], self.classes(node)
            _, edges, lanes = shapes[place.round]
            for child in tree.children[node]:
                edge = self.places[child].node - 1
                found = start[place.round] + (classes * edges + edge) * lanes + place.lane
                out[tree.player[node]][tree.row[child]] = np.where(classes >= 0, found, -1)
        return out[0], out[1]

    def raw_rows(self, tables: Sequence[Floats], dead: Profile) -> Profile:
        """Numbers of classes [classes, edges, lanes] for every raw hand at every raw node.

        Hands that hold a public card get those of ``dead``.
        """
        flat = np.concatenate([table.ravel() for table in tables])
        one, two = (np.where(at >= 0, flat[at], dead[p]) for p, at in enumerate(self.source))
        return one, two

    def raw_profile(self, profile: RoundProfile) -> Profile:
        """What every raw hand plays; uniform where it holds a public card."""
        return self.raw_rows(strategies(profile), self.raw.uniform())

    @property
    def stake(self) -> float:
        """The most that can be won."""
        return max(float(np.abs(street.stake).max()) for street in self.game.streets)


@cache
def both(name: str) -> Both:
    """A game of ``SMALL``; in "3x2 forced" there are decisions with one action in every round."""
    params = Params.model_validate(SMALL[name])
    betting = numeral211._betting
    with patch.object(numeral211, "_betting", _forced if name == "3x2 forced" else betting):
        raw = numeral211.build(params, np.random.default_rng(0))
        return Both(raw, numeral211.rounds(params))


def _forced(params: Params, number: int) -> Betting:
    """A round's betting with forced moves: first, before a fold, and last, by either player."""

    def start(paid: float, fold: Fold, close: Close) -> Node:
        def folded(winner: int, lost: float) -> Node:
            end = fold(winner, lost)
            return Decision(winner, {"win": end}) if number == 1 else end

        def closed(called: float) -> Node:
            end = close(called)
            return Decision(number % 2, {"show": end}) if number else end

        first = params.first[number]
        betting = limit(params.bets[number], params.max_raises, paid, folded, closed, first)
        return betting if number == 1 else Decision(1, {"post": Decision(0, {"post": betting})})

    return start


def strategies(profile: RoundProfile) -> tuple[Floats, ...]:
    """What the hand classes of every round play, [classes, edges, lanes]."""
    play = profile.play()

    def table(board: Board, number: int) -> Floats:
        rows, row = play(board, number)  # valid until the next board's
        return rows[row].astype(np.float64)

    return tuple(
        np.concatenate([table(board, number) for number, board in enumerate(boards)])
        for boards in profile.traversal.boards
    )


def tables(solver: RoundCFR, name: str) -> list[Floats]:
    """An array of a solver's state for every round: [rows, edges, lanes]."""
    state = solver.state()
    return [
        state[f"{name}_{r}"].reshape(-1, plan.edges, plan.lanes).astype(np.float64)
        for r, plan in enumerate(solver.walk.plans)
    ]


def random_profile(
    game: RoundGame,
    seed: int,
    dtype: Any = np.float64,
    abstraction: RoundAbstraction | None = None,
    zeros: float = 0.3,
) -> RoundProfile:
    """Random strategies of every row. The share ``zeros`` of the actions is not taken, which
    leaves infosets out of reach and, where it is all of them, rows without a preference."""
    phis = (abstraction or RoundAbstraction.identity(game)).phis
    walk, rng = Traversal(game, dtype), np.random.default_rng(seed)
    links = tuple(link(phi, walk.boards[r], walk.dtype, None) for r, phi in enumerate(phis))
    sums = blocks(walk, links)
    for block in (block for group in sums for block in group):
        block[:] = (rng.random(block.shape) + 1e-3) * (rng.random(block.shape) >= zeros)
    return RoundProfile.of_sums(walk, links, sums)


def random_phis(
    game: RoundGame, kind: str, seed: int, rows: Sequence[int] = (4, 7, 9)
) -> RoundAbstraction:
    """``identity``, ``buckets``, ``soft`` (dense), ``sharp`` (mostly one row each), or ``sparse``
    (two rows each, out of so many that products are sums of rows)."""
    rng = np.random.default_rng(seed)
    if kind == "identity":
        return RoundAbstraction.identity(game)
    phis: list[Phi] = []
    for n, m in zip(game.hands, rows, strict=True):
        if kind == "buckets":
            phis.append(BucketMap(rng.permutation(np.arange(n) % m).astype(np.int32)))
        elif kind == "sparse":
            matrix = np.zeros((5 * m, n))
            for column in matrix.T:
                column[rng.choice(5 * m, 2, replace=False)] = rng.random(2) + 0.1
            phis.append(Soft(_columns(matrix)))
        else:
            alpha = 1.0 if kind == "soft" else 0.05
            phis.append(Soft(_columns(rng.dirichlet(np.full(m, alpha), n).T)))
    return RoundAbstraction(tuple(phis))


def _columns(matrix: Floats) -> Floats:
    return np.asarray(matrix / matrix.sum(0))


Block = tuple[int, int, int]
"""A betting sequence: round, node of the street, lane."""


class Reference:
    """Embedding CFR (Fu et al. 2026, Section 4) over raw cards, one public node after another.

    In an info-block, all infosets J with one betting sequence, advisors E play
    ``sigma(J) = Phi^T sigma(E)``, collect the counterfactual regrets ``r(E) = Phi r(J)`` and match
    them. Here J are raw hands on raw boards, so nothing is weighted by the size of a class.

    Args:
        given: the game.
        abstraction: a Phi for each round, over hand classes.
        rule: "cfr" or "cfr-plus".
        alternating, power: as in ``cfrlab.solve.cfr.Rule``.
        baseline: whether regrets of an advisor are relative to the advisor's own strategy.
    """

    def __init__(
        self,
        given: Both,
        abstraction: RoundAbstraction,
        rule: str = "cfr",
        alternating: bool = False,
        power: float = 0.0,
        baseline: bool = False,
    ) -> None:
        self.given, self.rule, self.alternating = given, rule, alternating
        self.power, self.baseline, self.t = power, baseline, 0
        self.phi = [phi.dense() for phi in abstraction.phis]
        self.blocks: dict[Block, list[int]] = {}
        tree = given.raw.tree
        for node in np.flatnonzero(tree.player >= 0).tolist():
            place = given.places[node]
            self.blocks.setdefault((place.round, place.node, place.lane), []).append(node)
        self.sigma: dict[Block, Floats] = {}
        for block, nodes in self.blocks.items():
            shape = (len(tree.children[nodes[0]]), len(self.phi[block[0]]))
            self.sigma[block] = np.full(shape, 1 / shape[0])
        self.regret = {block: np.zeros_like(sigma) for block, sigma in self.sigma.items()}
        self.sums = {
            name: {block: np.zeros_like(sigma) for block, sigma in self.sigma.items()}
            for name in ("uniform", "advisor")
        }
        self.infoset = tuple(np.zeros_like(rows) for rows in given.raw.uniform())

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.t += 1
            if self.alternating:
                self._learn((0,))
                self._learn((1,))
            else:
                self._learn((0, 1))

    def adopt(self, solver: RoundCFR) -> None:
        """Take regrets and strategies from another solver, whose regrets count raw deals."""
        regret, sigma = tables(solver, "regret"), tables(solver, "sigma")
        pairs = self.given.game.pairs
        for r, node, lane in self.blocks:
            children = list(self.given.game.streets[r].tree.children[node])
            edges = np.array(children) - 1
            self.regret[r, node, lane] = regret[r][:, edges, lane].T / pairs
            self.sigma[r, node, lane] = sigma[r][:, edges, lane].T

    def average(self, name: str) -> Profile:
        """Raw strategies by the averaging rules of ``cfrlab.solve.rounds.cfr``."""
        if name == "infoset":
            out, tree = self.given.raw.uniform(), self.given.raw.tree
            for nodes in self.blocks.values():
                for node in nodes:
                    p, rows = int(tree.player[node]), self._rows(node)
                    live = self.given.classes(node) >= 0
                    out[p][np.ix_(rows, live)] = matched(self.infoset[p][np.ix_(rows, live)])
            return out
        return self._spread({block: matched(sums) for block, sums in self.sums[name].items()})

    def current(self) -> Profile:
        return self._spread(self.sigma)

    def _rows(self, node: int) -> NDArray[np.int32]:
        tree = self.given.raw.tree
        return tree.row[list(tree.children[node])]

    def _mixtures(self, node: int) -> tuple[NDArray[np.bool_], Floats]:
        """Raw hands that can be there, and their columns of Phi."""
        classes = self.given.classes(node)
        live = classes >= 0
        return live, self.phi[self.given.places[node].round][:, classes[live]]

    def _spread(self, sigma: dict[Block, Floats]) -> Profile:
        """sigma(J) = Phi^T sigma(E)"""
        out, tree = self.given.raw.uniform(), self.given.raw.tree
        for block, nodes in self.blocks.items():
            for node in nodes:
                live, phi = self._mixtures(node)
                out[tree.player[node]][np.ix_(self._rows(node), live)] = sigma[block] @ phi
        return out

    def _learn(self, players: Sequence[int]) -> None:
        raw, weight = self.given.raw, float(self.t) ** self.power
        profile = self.current()
        values, reach = walk.node_values(raw, profile), walk.reaches(raw, profile)
        for block, nodes in self.blocks.items():
            p = int(raw.tree.player[nodes[0]])
            if p not in players:
                continue
            trust = np.zeros(self.sigma[block].shape[1])
            instant = np.zeros_like(self.sigma[block])
            for node in nodes:
                (live, phi), rows = self._mixtures(node), self._rows(node)
                at = np.ix_(rows, live)
                won = values[p][list(raw.tree.children[node])][:, live]
                instant += (won - (profile[p][at] * won).sum(0)) @ phi.T
                trust += phi @ reach[p][node, live]
                self.infoset[p][at] += weight * reach[p][node, live] * profile[p][at]
            self.sums["uniform"][block] += weight * self.sigma[block]
            self.sums["advisor"][block] += weight * trust * self.sigma[block]
            self._match(block, instant)

    def _match(self, block: Block, instant: Floats) -> None:
        if self.baseline:
            instant = instant - (self.sigma[block] * instant).sum(0)
        regret = self.regret[block] + instant
        self.regret[block] = np.maximum(regret, 0) if self.rule == "cfr-plus" else regret
        self.sigma[block] = matched(regret)
