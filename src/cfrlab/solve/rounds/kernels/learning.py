"""What strategy rows learn: regrets, averages, and the next strategy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.regret import share, updated
from cfrlab.solve.rounds.layout import Plan

Reals = NDArray[Any]
Ints = NDArray[np.int64]


@kernel
def regrets(plan: Plan, players: Ints, weight: Reals, row: Ints, value: Reals, out: Reals) -> None:
    """Add the weighted instantaneous regrets of some players' decisions to strategy rows.

    Args:
        players: IN [2]; 1 for each player who learns, else 0.
        weight: IN [n].
        row: IN [n].
        value: IN [n, 2, nodes, lanes].
        out: IN and OUT [rows, edges, lanes].
    """
    lanes = value.shape[3]
    for c in range(len(row)):
        scale = weight[c]
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            actor = plan.actor[node]
            if players[actor]:
                mine = value[c, actor, node]
                for a in range(plan.actions[node]):
                    child = plan.child[node, a]
                    won = value[c, actor, child]
                    target = out[row[c], child - 1]
                    for lane in range(lanes):
                        target[lane] += scale * (won[lane] - mine[lane])


@kernel
def own_reach(plan: Plan, weight: Reals, row: Ints, reach: Reals, out: Reals) -> None:
    """Add the weighted reach of every decision's actor to strategy rows.

    ``out`` [rows, D, lanes] is IN and OUT, the others are IN.
    """
    lanes = reach.shape[2]
    for c in range(len(row)):
        scale = weight[c]
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            mine = reach[c, plan.slot[plan.actor[node], node]]
            target = out[row[c], k]
            for lane in range(lanes):
                target[lane] += scale * mine[lane]


@kernel
def infoset_average(plan: Plan, players: Ints, weight: Reals, reach: Reals, out: Reals) -> None:
    """Add the reach after every edge of some players to ``out`` [n, edges, lanes] (IN and OUT)."""
    lanes = reach.shape[2]
    scale = weight[0]
    for c in range(reach.shape[0]):
        for edge in range(out.shape[1]):
            if players[plan.actor[plan.decisions[plan.decision_of[edge]]]]:
                mine = reach[c, 2 + edge]
                target = out[c, edge]
                for lane in range(lanes):
                    target[lane] += scale * mine[lane]


@kernel
def row_average(
    plan: Plan, players: Ints, weight: Reals, reach: Reals, sigma: Reals, out: Reals
) -> None:
    """Add strategies, weighted by the reach [rows, D, lanes] of their decisions.

    ``out`` [rows, edges, lanes] is IN and OUT, the others are IN.
    """
    lanes = sigma.shape[2]
    scale = weight[0]
    for c in range(sigma.shape[0]):
        for edge in range(sigma.shape[1]):
            k = plan.decision_of[edge]
            if players[plan.actor[plan.decisions[k]]]:
                mine, chosen, target = reach[c, k], sigma[c, edge], out[c, edge]
                for lane in range(lanes):
                    target[lane] += scale * mine[lane] * chosen[lane]


@kernel
def uniform_average(plan: Plan, players: Ints, weight: Reals, sigma: Reals, out: Reals) -> None:
    """Add strategies, not weighted by reach, to ``out`` [rows, edges, lanes] (IN and OUT)."""
    lanes = sigma.shape[2]
    scale = weight[0]
    for c in range(sigma.shape[0]):
        for edge in range(sigma.shape[1]):
            if players[plan.actor[plan.decisions[plan.decision_of[edge]]]]:
                chosen, target = sigma[c, edge], out[c, edge]
                for lane in range(lanes):
                    target[lane] += scale * chosen[lane]


@kernel
def baseline(plan: Plan, sigma: Reals, scratch: Reals, instant: Reals) -> None:
    """Make regrets relative to each row's own strategy: subtract <sigma(row), r(row)>.

    ``instant`` is IN and OUT, ``sigma`` IN, ``scratch`` [lanes] working space.
    """
    lanes = sigma.shape[2]
    for c in range(sigma.shape[0]):
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            for lane in range(lanes):
                scratch[lane] = 0.0
            for a in range(plan.actions[node]):
                edge = plan.child[node, a] - 1
                chosen, r = sigma[c, edge], instant[c, edge]
                for lane in range(lanes):
                    scratch[lane] += chosen[lane] * r[lane]
            for a in range(plan.actions[node]):
                r = instant[c, plan.child[node, a] - 1]
                for lane in range(lanes):
                    r[lane] -= scratch[lane]


@kernel
def learn(
    plan: Plan,
    players: Ints,
    rule: Reals,
    instant: Reals,
    scratch: Reals,
    regret: Reals,
    sigma: Reals,
) -> None:
    """Update regret sums and match the next strategy to them; ``instant`` is cleared.

    Args:
        rule: IN [3]; factors of positive and of other sums, and of the prediction.
        instant: IN [rows, edges, lanes]; instantaneous regrets, cleared.
        scratch: working space [lanes].
        regret: IN and OUT [rows, edges, lanes].
        sigma: OUT [rows, edges, lanes].
    """
    for c in range(sigma.shape[0]):
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            if players[plan.actor[node]]:
                first, count = plan.child[node], plan.actions[node]
                for a in range(count):
                    edge = first[a] - 1
                    _accumulate(rule, instant[c, edge], regret[c, edge], sigma[c, edge])
                _match(first[:count], scratch, sigma[c])


@kernel
def _accumulate(rule: Reals, instant: Reals, regret: Reals, ahead: Reals) -> None:
    """Regret sums after an iteration, and the positive part of the predicted ones.

    IN: rule. IN and OUT: instant, which is cleared, and regret. OUT: ahead.
    """
    pos, neg, predict = rule[0], rule[1], rule[2]
    zero = pos - pos
    for lane in range(len(regret)):
        regret[lane], ahead[lane] = updated(regret[lane], instant[lane], pos, neg, predict)
        instant[lane] = zero


@kernel
def _match(children: Ints, total: Reals, sigma: Reals) -> None:
    """Scale positive numbers ``sigma`` [edges, lanes] (IN and OUT) of a decision to probabilities.

    ``total`` [lanes] is working space.
    """
    lanes = len(total)
    for lane in range(lanes):
        total[lane] = 0.0
    for child in children:
        mine = sigma[child - 1]
        for lane in range(lanes):
            total[lane] += mine[lane]
    even = sigma.dtype.type(1) / sigma.dtype.type(len(children))
    for child in children:
        mine = sigma[child - 1]
        for lane in range(lanes):
            mine[lane] = share(mine[lane], total[lane], even)


@kernel
def normalise(plan: Plan, scratch: Reals, sums: Reals) -> None:
    """Turn ``sums`` [rows, edges, lanes] (IN and OUT) into strategies; uniform where they are zero.

    ``scratch`` [lanes] is working space.
    """
    for c in range(sums.shape[0]):
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            _match(plan.child[node][: plan.actions[node]], scratch, sums[c])


@kernel
def fair(plan: Plan, sigma: Reals, total: Reals, tolerance: float) -> bool:
    """Whether ``sigma`` [rows, edges, lanes] (IN) gives every decision probabilities.

    None is negative and sums miss 1 by no more than the tolerance; what is not a number is not
    fair. ``total`` [lanes] is working space.
    """
    good = True
    for c in range(sigma.shape[0]):
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            for lane in range(len(total)):
                total[lane] = 0.0
            for a in range(plan.actions[node]):
                mine = sigma[c, plan.child[node, a] - 1]
                for lane in range(len(total)):
                    total[lane] += mine[lane]
                    good &= mine[lane] >= 0
            for lane in range(len(total)):
                good &= abs(total[lane] - 1) <= tolerance
    return good
