"""Compile a game into the flat arrays that the kernels sweep.

Each player's decisions form a *treeplex* over public nodes: a decision hangs below the player's
own last (decision, action), whatever chance and the opponent did in between. Reaches, strategies
and values are arrays of shape [rows, hands] with one row for every own (decision, action) and row
0 for the empty sequence.

**Lanes.** Public subtrees of one shape are stacked: their decisions form one *group* whose rows lie
side by side, so that an update is one loop over ``lanes x hands`` contiguous numbers. Groups are
the classes of public decisions under equality of shape, found here from the tree alone. In Leduc
the second betting round becomes 15 lanes; on a river all facing-an-all-in decisions share a group.

**Terminals** that share a payoff operator form one *sweep*: the opponent's scaled reaches are added
up by own row (each own row is a lane of the sweep), and the operator is applied to all lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Atom, CardFold, CardShowdown, Dense, atoms
from cfrlab.games.tree import PublicTree
from cfrlab.solve.kernels.small import Term, lay_out
from cfrlab.solve.layout import (
    FLOATS,
    FOLD,
    MAX_DECK,
    RANK_ONE,
    SHOWDOWN,
    SIGNS,
    SMALL,
    Compiled,
    Plex,
    Sweeps,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SMALL_HANDS = 8
"""Up to this many hands a side, all dense terminals are settled together, one lane each."""


def compile_game(game: Game) -> Compiled:
    """Compile a game for the kernels; the same game always gives the same arrays."""
    shapes, sizes = _shapes(game.tree)
    built = [_plex(game, p, shapes, sizes) for p in (0, 1)]
    rows = (built[0][1], built[1][1])
    sweeps = tuple(_sweeps(game, p, rows) for p in (0, 1))
    return Compiled((built[0][0], built[1][0]), (sweeps[0], sweeps[1]), rows)


def _shapes(tree: PublicTree) -> tuple[list[int], list[int]]:
    """Shape class and number of nodes of the public subtree below every node."""
    known: dict[tuple[int, ...], int] = {}
    shape, size = [0] * len(tree), [1] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        children = tree.children[node]
        key = (int(tree.player[node]), *(shape[c] for c in children))
        shape[node] = known.setdefault(key, len(known))
        size[node] += sum(size[c] for c in children)
    return shape, size


def own_row_above(tree: PublicTree, node: int, player: int) -> int:
    """Strategy row of the player's last own action above or into a node, -1 if there is none."""
    for i in tree.path(node):
        if i and tree.player[tree.parent[i]] == player:
            return int(tree.row[i])
    return -1


def _plex(game: Game, player: int, shapes: list[int], sizes: list[int]) -> tuple[Plex, Ints]:
    tree = game.tree
    groups: dict[int, list[int]] = {}
    for node in tree.decisions(player):
        groups.setdefault(shapes[node], []).append(int(node))
    # A subtree strictly contains its descendants', so larger groups come first.
    ordered = sorted(groups.values(), key=lambda nodes: (-sizes[nodes[0]], nodes[0]))

    row_of = np.zeros(tree.rows[player] + 1, np.int64)  # entry -1, the last, is the root row 0
    table: list[tuple[int, int, int, int, int]] = []
    segments: list[tuple[int, int, int]] = []
    used = 1
    for nodes in ordered:
        above = {n: int(row_of[own_row_above(tree, n, player)]) for n in nodes}
        nodes.sort(key=lambda n: (above[n], n))
        actions, lanes = len(tree.children[nodes[0]]), len(nodes)
        for lane, node in enumerate(nodes):
            for a, child in enumerate(tree.children[node]):
                row_of[tree.row[child]] = used + a * lanes + lane
        runs = _runs([above[n] for n in nodes])
        table.append((actions, lanes, used, len(segments), len(segments) + len(runs)))
        segments += runs
        used += actions * lanes
    plex = Plex(game.n[player], used, _table(table, 5), _table(segments, 3))
    return plex, row_of[:-1].copy()


def _runs(above: list[int]) -> list[tuple[int, int, int]]:
    """Runs of consecutive source rows as (first lane, first row, length)."""
    runs: list[tuple[int, int, int]] = []
    for lane, row in enumerate(above):
        if runs and row == runs[-1][1] + runs[-1][2]:
            start, src, length = runs[-1]
            runs[-1] = (start, src, length + 1)
        else:
            runs.append((lane, row, 1))
    return runs


def _table(rows: Sequence[tuple[int, ...]], columns: int) -> Ints:
    return np.array(rows, np.int64).reshape(-1, columns)


@dataclass
class _Entry:
    """One terminal under one operator, seen from a player: own row, opponent's row, factor."""

    own: int
    opp: int
    scale: float


class _Builder:
    """Collects sweeps and lays their operators out in flat arrays."""

    def __init__(self, game: Game, player: int) -> None:
        self.game, self.player = game, player
        self.opp_rows = game.tree.rows[1 - player] + 1
        self.table: list[tuple[int, ...]] = []
        self.own_row: list[int] = []
        self.entries: list[tuple[int, int, float]] = []
        self.floats: list[NDArray[Any]] = []
        self.signs: list[NDArray[Any]] = []
        self.ints: list[NDArray[Any]] = []

    def add(
        self,
        kind: int,
        data: int,
        ints: int,
        lanes: list[int],
        entries: list[tuple[int, int, float]],
    ) -> None:
        lane, entry = len(self.own_row), len(self.entries)
        self.own_row += lanes
        self.entries += entries
        self.table.append((kind, data, ints, lane, len(self.own_row), entry, len(self.entries)))

    def place(self, parts: list[NDArray[Any]], block: NDArray[Any]) -> int:
        start = sum(p.size for p in parts)
        parts.append(np.ascontiguousarray(block).ravel())
        return start

    def by_own_row(self, entries: list[_Entry]) -> tuple[list[int], list[tuple[int, int, float]]]:
        lanes = sorted({e.own for e in entries})
        at = {row: i for i, row in enumerate(lanes)}
        return lanes, [(at[e.own], e.opp, e.scale) for e in entries]

    def matrix(self, op: Atom) -> Floats:
        """Values of own hands (columns) against the opponent's hands (rows)."""
        dense = op.dense()
        return dense.T if self.player == 0 else -dense

    def dense(self, op: Dense, entries: list[_Entry]) -> None:
        lanes, flat = self.by_own_row(entries)
        matrix = self.matrix(op)
        pivot = matrix[0, 0]
        if pivot != 0 and np.array_equal(matrix * pivot, np.outer(matrix[:, 0], matrix[0])):
            data = self.place(self.floats, np.concatenate([matrix[:, 0] / pivot, matrix[0]]))
            self.add(RANK_ONE, data, 0, lanes, flat)
        elif op.matrix.dtype == np.int8 and op.matrix.min() > -128:  # -(-128) is no int8
            self.add(SIGNS, self.place(self.signs, matrix.astype(np.int8)), 0, lanes, flat)
        else:
            self.add(FLOATS, self.place(self.floats, matrix), 0, lanes, flat)

    def small(self, entries: list[tuple[Atom, _Entry]]) -> None:
        """All terminals of few hands in one sweep, a lane for every own row (`kernels.small`)."""
        by_row: dict[int, list[Term]] = {}
        for op, e in entries:
            by_row.setdefault(e.own, []).append((e.opp, self.matrix(op).T * e.scale))
        lanes = sorted(by_row, key=lambda row: (-len(by_row[row]), row))
        floats, ints = lay_out([by_row[row] for row in lanes])
        self.add(SMALL, self.place(self.floats, floats), self.place(self.ints, ints), lanes, [])

    def card_sweep(self, op: CardFold | CardShowdown, entries: list[_Entry]) -> None:
        lanes, flat = self.by_own_row(entries)
        names, cards = np.unique(op.cards, return_inverse=True)
        if len(names) > MAX_DECK:
            raise CfrlabError(
                f"game {self.game.name}: its hands hold {len(names)} different cards, at most "
                f"{MAX_DECK} are supported; use dense payoffs"
            )
        cards = cards.reshape(op.cards.shape)
        if isinstance(op, CardShowdown):
            ends = op.group_ends
            block = [[len(ends)], op.order, *cards[op.order].T, [0], ends]
            self.add(SHOWDOWN, 0, self.place(self.ints, _join(block)), lanes, flat)
        else:
            sign = 1.0 if self.player == 0 else -1.0
            flat = [(lane, row, sign * scale) for lane, row, scale in flat]
            self.add(FOLD, 0, self.place(self.ints, _join([*cards.T])), lanes, flat)

    def finish(self) -> Sweeps:
        opp = 1 - self.player

        def flat(parts: Sequence[NDArray[Any]], dtype: type) -> NDArray[Any]:
            return np.concatenate(parts).astype(dtype) if parts else np.zeros(1, dtype)

        return Sweeps(
            self.game.n[self.player],
            self.game.n[opp],
            np.tile(self.game.weights[opp], self.opp_rows),
            bool(np.any(self.game.weights[opp] != 1.0)),
            _table(self.table, 7),
            np.array(self.own_row, np.int64),
            _table([e[:2] for e in self.entries], 2),
            np.array([e[2] for e in self.entries], np.float64),
            flat(self.floats, np.float64),
            flat(self.signs, np.int8),
            flat(self.ints, np.int64),
        )


def _join(parts: list[object]) -> Ints:
    return np.concatenate([np.asarray(p, np.int64) for p in parts])


def _sweeps(game: Game, player: int, row_of: tuple[Ints, Ints]) -> Sweeps:
    tree = game.tree
    above = game.reach_of_chance()
    found: dict[int, tuple[Atom, list[_Entry]]] = {}
    for z in tree.terminals:
        rows = [own_row_above(tree, int(z), p) for p in (0, 1)]
        own, opp = ((int(row_of[p][rows[p]]) if rows[p] >= 0 else 0) for p in (player, 1 - player))
        for weight, op in atoms(game.payoffs[tree.payoff[z]]):
            scale = float(weight * tree.scale[z] * above[z] * game.norm)
            found.setdefault(id(op), (op, []))[1].append(_Entry(own, opp, scale))
    build = _Builder(game, player)
    small = [
        (op, e) for op, entries in found.values() for e in entries if max(op.shape) <= SMALL_HANDS
    ]
    if small:
        build.small(small)
    for op, entries in found.values():
        if max(op.shape) <= SMALL_HANDS:
            continue
        if isinstance(op, Dense):
            build.dense(op, entries)
        else:
            build.card_sweep(op, entries)
    return build.finish()
