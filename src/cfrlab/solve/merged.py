"""Infosets that are played alike: abstraction across public nodes, and CFR under it.

Where a bucket map (`phi`) joins hands at one public node, *merging* joins one hand's decisions at
several public nodes, such as Leduc's decisions after different boards. All of them share one
strategy, and their instantaneous regrets are added up before the regret update, as they must be
where an update clips (CFR+, PCFR+).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.tree import PublicTree
from cfrlab.solve.cfr import CFR
from cfrlab.solve.jit import kernel
from cfrlab.solve.kernels import (
    STEP,
    Learner,
    Scratch,
    add_up,
    gain,
    instant,
    match,
    reaches,
)
from cfrlab.solve.layout import ACTIONS, FIRST_ROW, LANES, Compiled, Plex
from cfrlab.solve.rule import Rule

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Merged:
    """Which decisions of a hand are one infoset.

    Attributes:
        labels: for each player int64 [decisions, hands], decisions in tree order: a hand's
            decisions with equal labels are merged.
    """

    labels: tuple[Ints, Ints]

    @staticmethod
    def apart(game: Game) -> Merged:
        """Nothing merged: every decision its own label."""
        one, two = (
            np.repeat(np.arange(len(game.tree.decisions(p)))[:, None], game.n[p], axis=1)
            for p in (0, 1)
        )
        return Merged((one, two))

    def check(self, game: Game) -> None:
        """Raise CfrlabError unless the labels are for this game and keep perfect recall.

        Merged decisions need the same actions, and the hand's last own actions before them must be
        merged too.
        """
        tree = game.tree
        for p in (0, 1):
            decisions = tree.decisions(p)
            expected = (len(decisions), game.n[p])
            if self.labels[p].shape != expected:
                raise CfrlabError(
                    f"game {game.name}: player {p}'s labels of merged infosets have shape "
                    f"{self.labels[p].shape}, this game needs {expected}"
                )
            rows, above = self.representatives(tree, p), _rows_above(tree, p)
            for k, h in np.argwhere(self.first(p) != np.arange(len(decisions))[:, None]):
                node, twin = int(decisions[k]), int(decisions[self.first(p)[k, h]])
                before = [above[n] if above[n] < 0 else rows[above[n], h] for n in (node, twin)]
                actions = [[tree.label[c] for c in tree.children[n]] for n in (node, twin)]
                if before[0] != before[1] or actions[0] != actions[1]:
                    what = (
                        "have other actions"
                        if actions[0] != actions[1]
                        else ("follow other own actions, which the player would forget")
                    )
                    raise CfrlabError(
                        f"game {game.name}: player {p} with {game.hands[p][h]} cannot have "
                        f"'{tree.describe(twin)}' and '{tree.describe(node)}' merged: they {what}"
                    )

    def first(self, player: int) -> Ints:
        """The first decision with the same label, int64 [decisions, hands]."""
        labels = self.labels[player]
        out = np.empty_like(labels)
        for h in range(labels.shape[1]):
            _, index, inverse = np.unique(labels[:, h], return_index=True, return_inverse=True)
            out[:, h] = index[inverse.ravel()]
        return out

    def representatives(self, tree: PublicTree, player: int) -> Ints:
        """The row of the first merged decision for every row, int64 [rows, hands]."""
        decisions = tree.decisions(player)
        starts = np.array([tree.row[tree.children[n][0]] for n in decisions], np.int64)
        out = np.empty((tree.rows[player], self.labels[player].shape[1]), np.int64)
        for k, first in enumerate(self.first(player)):
            for a in range(len(tree.children[decisions[k]])):
                out[starts[k] + a] = starts[first] + a
        return out


def _rows_above(tree: PublicTree, player: int) -> Ints:
    last = np.full(len(tree), -1, np.int64)
    for node in range(1, len(tree)):
        up = tree.parent[node]
        last[node] = tree.row[node] if tree.player[up] == player else last[up]
    return last


class Ties(NamedTuple):
    """Flat positions [rows * hands] that share regrets.

    Tie i is ``members[starts[i] : starts[i + 1]]``; group g has ties ``groups[g]`` to
    ``groups[g + 1]``.
    """

    groups: Ints
    starts: Ints
    members: Ints


def tie(game: Game, compiled: Compiled, merged: Merged, player: int) -> Ties:
    """Merged infosets in the compiled game.

    Raises CfrlabError where merged decisions are followed by subtrees of different shapes.
    """
    rows = merged.representatives(game.tree, player)
    plex, row_of, n = compiled.plex[player], compiled.row_of[player], game.n[player]
    sets: dict[int, list[int]] = {}
    for row, hand in np.ndindex(rows.shape):
        sets.setdefault(int(row_of[rows[row, hand]] * n + hand), []).append(
            int(row_of[row] * n + hand)
        )
    ends = (plex.groups[:, FIRST_ROW] + plex.groups[:, ACTIONS] * plex.groups[:, LANES]) * n
    by_group: list[list[list[int]]] = [[] for _ in ends]
    for members in sets.values():
        where = np.searchsorted(ends, members, side="right")
        if len(members) > 1:
            if where.min() != where.max():
                raise CfrlabError(
                    f"game {game.name}: merged infosets of player {player} lead to games of "
                    "different shapes; merge only those that go on alike"
                )
            by_group[where[0]].append(sorted(members))
    ties = [members for group in by_group for members in group]
    starts = np.cumsum([0, *(len(members) for members in ties)])
    groups = np.cumsum([0, *(len(group) for group in by_group)])
    return Ties(groups, starts, np.array([m for members in ties for m in members], np.int64))


@kernel
def _share(ties: Ties, g: int, r: Floats) -> None:
    """Give every member of a tie of group g the sum of all: ``ties`` IN, ``r`` IN and OUT."""
    for i in range(ties.groups[g], ties.groups[g + 1]):
        total = 0.0
        for m in range(ties.starts[i], ties.starts[i + 1]):
            total += r[ties.members[m]]
        for m in range(ties.starts[i], ties.starts[i + 1]):
            r[ties.members[m]] = total


@kernel
def _step(plex: Plex, ties: Ties, me: Learner, space: Scratch, rule: Floats) -> None:
    """As ``kernels.step``, with shared regrets."""
    gain(me, rule[3])
    n, groups = plex.hands, plex.groups
    for g in range(groups.shape[0] - 1, -1, -1):
        actions, size = groups[g, ACTIONS], groups[g, LANES] * n
        at = groups[g, FIRST_ROW] * n
        instant(me.v, me.sigma, at, size, actions, space.value, 0, size)
        _share(ties, g, me.v)
        match(me.v, at, me.regret, me.strategy, at, size, actions, space.total, size, rule)
        add_up(plex, g, space.value, me.v)
    reaches(plex, me.sigma, me.reach)


STEP[Ties] = _step


class MergedCFR(CFR):
    """CFR in a game with merged infosets; otherwise as `CFR`.

    Raises CfrlabError for labels of another game, or that break perfect recall.
    """

    def __init__(
        self, game: Game, rule: Rule, merged: Merged, compiled: Compiled | None = None
    ) -> None:
        merged.check(game)
        super().__init__(game, rule, compiled=compiled)
        one, two = (tie(game, self.compiled, merged, p) for p in (0, 1))
        self._ties = (one, two)

    @property
    def _infosets(self) -> tuple[Ties, Ties]:
        return self._ties
