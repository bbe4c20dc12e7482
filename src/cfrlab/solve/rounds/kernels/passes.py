"""Passes over the betting of a board: reaches down, values up, and on to the next board."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.rounds.layout import Plan

Reals = NDArray[Any]
Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]


@kernel
def enter(parent: Ranks, closing_slots: Ints, above: Reals, below: Reals) -> None:
    """Reaches on entering a board, from those at the closings of the round above.

    Args:
        parent: IN [n]; class of the round above, counted on its board.
        closing_slots: IN [2, J]; slots of both players' reaches at the closings.
        above: IN [n above, slots above, lanes above].
        below: OUT [n, slots, lanes above * J]; slots 0 and 1 are filled.
    """
    lanes = above.shape[2]
    ways = closing_slots.shape[1]
    for c in range(len(parent)):
        for p in range(2):
            for j in range(ways):
                source = above[parent[c], closing_slots[p, j]]
                target = below[c, p]
                for lane in range(lanes):
                    target[lane * ways + j] = source[lane]


@kernel
def down(plan: Plan, sigma: Reals, row: Ints, small: Reals, reach: Reals) -> None:
    """Reaches after every edge, from those in slots 0 and 1.

    Reaches below ``small[0]`` become zero: products of many small probabilities would otherwise
    sink into denormal numbers, which are many times slower.

    Args:
        sigma: IN [rows, edges, lanes].
        row: IN [n]; the strategy row that each class plays.
        small: IN [2].
        reach: IN (slots 0 and 1) and OUT (the others) [n, slots, lanes].
    """
    lanes = sigma.shape[2]
    least = small[0]
    zero = least - least
    for c in range(len(row)):
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            source = reach[c, plan.slot[plan.actor[node], node]]
            for a in range(plan.actions[node]):
                edge = plan.child[node, a] - 1
                chosen = sigma[row[c], edge]
                target = reach[c, 2 + edge]
                for lane in range(lanes):
                    x = source[lane] * chosen[lane]
                    target[lane] = x if x >= least else zero


@kernel
def leave(parent: Ranks, ways: Reals, closings: Ints, below: Reals, above: Reals) -> None:
    """Add the values on a board to those of the closings above.

    Args:
        parent: IN [n]; class of the round above, counted on its board.
        ways: IN [n]; probability of the class, given its parent and both hands.
        closings: IN [J]; nodes that close the round above.
        below: IN [n, 2, nodes, lanes above * J]; values at node 0 count.
        above: IN and OUT [n above, 2, nodes above, lanes above].
    """
    lanes = above.shape[3]
    count = len(closings)
    for c in range(len(parent)):
        for p in range(2):
            source = below[c, p, 0]
            for j in range(count):
                target = above[parent[c], p, closings[j]]
                for lane in range(lanes):
                    target[lane] += ways[c] * source[lane * count + j]


@kernel
def up(plan: Plan, sigma: Reals, row: Ints, value: Reals) -> None:
    """Values of decisions under a strategy, for both players.

    Args:
        sigma: IN [rows, edges, lanes].
        row: IN [n]; the strategy row that each class plays.
        value: IN (terminals, closings) and OUT (decisions) [n, 2, nodes, lanes].
    """
    lanes = sigma.shape[2]
    for c in range(len(row)):
        for k in range(len(plan.decisions) - 1, -1, -1):
            node = plan.decisions[k]
            actor = plan.actor[node]
            mine, theirs = value[c, actor, node], value[c, 1 - actor, node]
            for a in range(plan.actions[node]):
                child = plan.child[node, a]
                chosen = sigma[row[c], child - 1]
                won, lost = value[c, actor, child], value[c, 1 - actor, child]
                if a == 0:
                    for lane in range(lanes):
                        mine[lane] = chosen[lane] * won[lane]
                    for lane in range(lanes):
                        theirs[lane] = lost[lane]
                else:
                    for lane in range(lanes):
                        mine[lane] += chosen[lane] * won[lane]
                    for lane in range(lanes):
                        theirs[lane] += lost[lane]


@kernel
def respond(plan: Plan, value: Reals) -> None:
    """Values of decisions when each player answers the other's strategy best.

    ``value`` is IN (terminals, closings) and OUT (decisions) [n, 2, nodes, lanes].
    """
    lanes = value.shape[3]
    for c in range(value.shape[0]):
        for k in range(len(plan.decisions) - 1, -1, -1):
            node = plan.decisions[k]
            actor = plan.actor[node]
            mine, theirs = value[c, actor, node], value[c, 1 - actor, node]
            for a in range(plan.actions[node]):
                child = plan.child[node, a]
                won, lost = value[c, actor, child], value[c, 1 - actor, child]
                if a == 0:
                    for lane in range(lanes):
                        mine[lane] = won[lane]
                    for lane in range(lanes):
                        theirs[lane] = lost[lane]
                else:
                    for lane in range(lanes):
                        mine[lane] = max(mine[lane], won[lane])
                    for lane in range(lanes):
                        theirs[lane] += lost[lane]
