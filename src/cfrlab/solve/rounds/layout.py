"""A street in flat arrays for the kernels.

Nodes of the betting tree are numbered in preorder; the edge into node i is edge i - 1. Reaches are
kept in *slots*: slot p is player p's reach on entering the round, slot 2 + e that of the player who
chose edge e, after it. A player's reach at a node is in the slot of the last edge they chose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.rounds import CLOSE, FOLD, RoundGame, Street

Ints = NDArray[np.int64]

PLAYER, SLOT, FOLDS, SHOWS = range(4)
"""Columns of ``Plan.sweeps``."""

NONE = -1


class Cards(NamedTuple):
    """What the kernels know of the hand classes of a board (n classes); see ``HandClasses``.

    Attributes:
        size: [n]; raw hands of a class.
        share: [n, 2]; orbit: int32 [n, 2].
        strength: int32 [n], ascending.
    """

    size: NDArray[Any]
    share: NDArray[Any]
    orbit: NDArray[np.int32]
    strength: NDArray[np.int32]


class Plan(NamedTuple):
    """One street (N nodes, E = N - 1 edges, D decisions).

    Attributes:
        actor: [N]; player who acts, -1 at terminals.
        slot: [2, N]; where each player's reach at a node is.
        child: [N, most actions]; children, -1 beyond them.
        actions: [N]; number of children.
        decisions: [D]; decision nodes, in preorder.
        decision_of: [E]; which decision chose an edge.
        sweeps: [sweeps, 4]; player, slot of the opponent's reach, a fold and a showdown node whose
            values for that player follow from it (-1 for none).
        closings: [J]; nodes that close the round.
        lanes: number of entries to the round.
    """

    actor: Ints
    slot: Ints
    child: Ints
    actions: Ints
    decisions: Ints
    decision_of: Ints
    sweeps: Ints
    closings: Ints
    lanes: int

    @property
    def nodes(self) -> int:
        """Number of nodes N."""
        return len(self.actor)

    @property
    def edges(self) -> int:
        """Number of edges E."""
        return len(self.actor) - 1


def plan(street: Street, last: bool) -> Plan:
    """Flatten a street; closings of the last round are showdowns."""
    tree = street.tree
    nodes = len(tree)
    slot = np.zeros((2, nodes), np.int64)
    slot[1, 0] = 1
    for node in range(1, nodes):
        parent = int(tree.parent[node])
        slot[:, node] = slot[:, parent]
        slot[tree.player[parent], node] = 1 + node
    child = np.full((nodes, max(map(len, tree.children))), NONE, np.int64)
    for node, children in enumerate(tree.children):
        child[node, : len(children)] = children
    decisions = np.flatnonzero(tree.player >= 0)
    return Plan(
        np.where(tree.player >= 0, tree.player, NONE).astype(np.int64),
        slot,
        child,
        np.array([len(c) for c in tree.children], np.int64),
        decisions,
        np.searchsorted(decisions, tree.parent[1:]).astype(np.int64),
        _sweeps(street, slot, last),
        street.closings.astype(np.int64),
        street.lanes,
    )


def _sweeps(street: Street, slot: Ints, last: bool) -> Ints:
    """Terminals that share the opponent's reach are valued in one sweep, a fold and a showdown."""
    rows: list[list[int]] = []
    for p in (0, 1):
        for source in np.unique(slot[1 - p]):
            at = slot[1 - p] == source
            folds = [int(n) for n in np.flatnonzero(at & (street.tree.payoff == FOLD))]
            shows = [int(n) for n in np.flatnonzero(at & (street.tree.payoff == CLOSE))]
            shows = shows if last else []
            for i in range(max(len(folds), len(shows))):
                fold = folds[i] if i < len(folds) else NONE
                show = shows[i] if i < len(shows) else NONE
                rows.append([p, int(source), fold, show])
    return np.array(rows, np.int64).reshape(-1, SHOWS + 1)  # two-dimensional without any


def plans(game: RoundGame) -> tuple[Plan, ...]:
    """The plans of all rounds."""
    last = game.rounds - 1
    return tuple(plan(s, r == last) for r, s in enumerate(game.streets))
