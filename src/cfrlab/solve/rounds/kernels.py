"""The compiled inner loops on one board: reaches down, terminal values, values and regrets up.

Numbers of a hand class are contiguous: reaches [class, slot, lane], values [class, player, node,
lane], strategies and regrets [row, edge, lane], so that a class passes through the betting of a
round inside the first-level cache. Sweeps over terminals run along the classes of a board, which
are sorted by showdown strength, and vectorise over lanes. Sums run in a fixed order.

A hand that holds cards x and y faces the opponent's hands that hold neither. With P the sum of all
reaches and S[x] that of the hands holding x, these weigh P - S[x] - S[y], plus the hand itself
where it is part of the sums. S is the same for all cards of one orbit, so it is kept by orbit.

All arrays are of one floating type, float32 or float64; scalars come in it too, since a literal
would turn float32 arithmetic into float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.kernels import kernel
from cfrlab.solve.rounds.layout import FOLDS, PLAYER, SHOWS, SLOT, Cards, Plan

Reals = NDArray[Any]
Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]


@kernel
def enter(parent: Ranks, closing_slots: Ints, above: Reals, below: Reals) -> None:
    """Reaches on entering a board, from those at the closings of the round above.

    Args:
        parent: [n]; class of the round above, counted on its board.
        closing_slots: [2, J]; slots of both players' reaches at the closings.
        above: [n above, slots above, lanes above].
        below: [n, slots, lanes above * J]; slots 0 and 1 are filled.
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
        sigma: [rows, edges, lanes].
        row: [n]; the strategy row that each class plays.
        small: [2].
        reach: [n, slots, lanes].
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
def terminals(
    plan: Plan,
    small: Reals,
    stake: Reals,
    cards: Cards,
    reach: Reals,
    sums: Reals,
    value: Reals,
) -> None:
    """Values of folds and showdowns for every class, against the opponent's reach.

    The sums behind a weight leave rounding errors even where no hand is left to face. What is below
    ``small[1]`` of the whole sum is taken for zero, so that infosets which the opponent never
    reaches get no regrets from noise.

    Args:
        small: [2].
        stake: [nodes, lanes].
        reach: [n, slots, lanes].
        sums: [orbits + 1, lanes] scratch.
        value: [n, 2, nodes, lanes].
    """
    for k in range(len(plan.sweeps)):
        _sweep(plan.sweeps[k], small, stake, cards, reach, sums, value)


@kernel
def _sweep(
    what: Ints,
    small: Reals,
    stake: Reals,
    cards: Cards,
    reach: Reals,
    sums: Reals,
    value: Reals,
) -> None:
    """One of ``Plan.sweeps``: with A the weight of weaker hands, B that of weaker and equal ones
    and F that of all, a showdown pays A - (F - B)."""
    size, share, orbit, strength = cards
    n, lanes = len(size), reach.shape[2]
    player, slot, fold, show = what[PLAYER], what[SLOT], what[FOLDS], what[SHOWS]
    # Values meet here before the stake, at the showdown if there is one.
    node = show if show >= 0 else fold
    total = sums[sums.shape[0] - 1]
    cut = small[1]
    zero = cut - cut
    for i in range(sums.shape[0]):
        for lane in range(lanes):
            sums[i, lane] = zero
    start = 0
    while start < n:
        end = start + 1
        if show >= 0:
            while end < n and strength[end] == strength[start]:
                end += 1
            for c in range(start, end):
                out, one, two = value[c, player, node], sums[orbit[c, 0]], sums[orbit[c, 1]]
                for lane in range(lanes):
                    x = total[lane] - one[lane] - two[lane]
                    out[lane] = x if x > cut * total[lane] else zero
        for c in range(start, end):
            _add(size[c], share[c], orbit[c], reach[c, slot], sums, total)
        if show >= 0:
            for c in range(start, end):
                out, one, two = value[c, player, node], sums[orbit[c, 0]], sums[orbit[c, 1]]
                mine = reach[c, slot]
                for lane in range(lanes):
                    x = total[lane] - one[lane] - two[lane] + mine[lane]
                    out[lane] += x if x > cut * total[lane] else zero
        start = end
    for c in range(n):
        _stake(player, fold, show, small, stake, reach[c, slot], sums, orbit[c], value[c, player])


@kernel
def _add(size: Any, share: Reals, orbit: Ranks, mine: Reals, sums: Reals, total: Reals) -> None:
    one, two = sums[orbit[0]], sums[orbit[1]]
    first, second = share[0], share[1]
    for lane in range(len(total)):
        total[lane] += size * mine[lane]
        one[lane] += first * mine[lane]
    for lane in range(len(total)):
        two[lane] += second * mine[lane]


@kernel
def _stake(
    player: int,
    fold: int,
    show: int,
    small: Reals,
    stake: Reals,
    mine: Reals,
    sums: Reals,
    orbit: Ranks,
    value: Reals,
) -> None:
    """Subtract F from a showdown, set a fold to F, and multiply by what is at stake."""
    lanes = len(mine)
    cut = small[1]
    zero = cut - cut
    total, one, two = sums[sums.shape[0] - 1], sums[orbit[0]], sums[orbit[1]]
    if show >= 0:
        out, stakes = value[show], stake[show]
        for lane in range(lanes):
            x = total[lane] - one[lane] - two[lane] + mine[lane]
            out[lane] -= x if x > cut * total[lane] else zero
        for lane in range(lanes):
            out[lane] *= stakes[lane]
    if fold >= 0:
        out, stakes = value[fold], stake[fold]
        for lane in range(lanes):
            x = total[lane] - one[lane] - two[lane] + mine[lane]
            out[lane] = x if x > cut * total[lane] else zero
        if player == 0:
            for lane in range(lanes):
                out[lane] *= stakes[lane]
        else:
            for lane in range(lanes):
                out[lane] *= -stakes[lane]


@kernel
def sampled_terminals(
    plan: Plan,
    stake: Reals,
    strength: Ranks,
    deals: Ranks,
    scale: Reals,
    reach: Reals,
    value: Reals,
) -> None:
    """Values of folds and showdowns estimated from sampled deals; see ``terminals``.

    Args:
        deals: [deals, 2]; classes of both players' hands.
        scale: [n]; what one deal counts for a class, against the weight of the whole deal.
    """
    lanes = reach.shape[2]
    for k in range(len(plan.sweeps)):
        for c in range(value.shape[0]):
            for node in plan.sweeps[k, FOLDS:]:
                if node >= 0:
                    out = value[c, plan.sweeps[k, PLAYER], node]
                    for lane in range(lanes):
                        out[lane] = 0.0
    for d in range(len(deals)):
        for k in range(len(plan.sweeps)):
            player, slot = plan.sweeps[k, PLAYER], plan.sweeps[k, SLOT]
            fold, show = plan.sweeps[k, FOLDS], plan.sweeps[k, SHOWS]
            mine, theirs = deals[d, player], deals[d, 1 - player]
            met, weight = reach[theirs, slot], scale[mine]
            if fold >= 0:
                won = weight if player == 0 else -weight
                _add_product(won, stake[fold], met, value[mine, player, fold])
            if show >= 0 and strength[mine] != strength[theirs]:
                won = weight if strength[mine] > strength[theirs] else -weight
                _add_product(won, stake[show], met, value[mine, player, show])


@kernel
def _add_product(scale: Any, one: Reals, two: Reals, out: Reals) -> None:
    for lane in range(len(out)):
        out[lane] += scale * one[lane] * two[lane]


@kernel
def leave(parent: Ranks, ways: Reals, closings: Ints, below: Reals, above: Reals) -> None:
    """Add the values on a board to those of the closings above.

    Args:
        parent: [n]; class of the round above, counted on its board.
        ways: [n]; probability of the class, given its parent and both hands.
        closings: [J]; nodes that close the round above.
        below: [n, 2, nodes, lanes above * J]; values at node 0 count.
        above: [n above, 2, nodes above, lanes above].
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
    """Values of decisions under a strategy, for both players."""
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
    """Values of decisions when each player answers the other's strategy best."""
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


@kernel
def regrets(plan: Plan, players: Ints, weight: Reals, row: Ints, value: Reals, out: Reals) -> None:
    """Add the weighted instantaneous regrets of some players' decisions to strategy rows.

    Args:
        players: [2]; 1 for each player who learns, else 0.
        weight: [n].
        row: [n].
        value: [n, 2, nodes, lanes].
        out: [rows, edges, lanes].
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
    """Add the weighted reach of every decision's actor to strategy rows, out [rows, D, lanes]."""
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
    """Add the reach after every edge of some players to out [n, edges, lanes]."""
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
    """Add strategies, weighted by the reach [rows, D, lanes] of their decisions, to ``out``."""
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
    """Add strategies, not weighted by reach, to ``out`` [rows, edges, lanes]."""
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
    """Make regrets relative to each row's own strategy: subtract <sigma(row), r(row)>."""
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
        rule: [3]; factors of positive and of other sums, and of the prediction.
        instant: [rows, edges, lanes]; instantaneous regrets.
        scratch: [lanes].
        regret, sigma: [rows, edges, lanes].
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
    """Regret sums after an iteration, and the positive part of the predicted ones."""
    pos, neg, predict = rule[0], rule[1], rule[2]
    zero = pos - pos
    for lane in range(len(regret)):
        r = instant[lane]
        x = regret[lane] + r
        x *= pos if x > zero else neg
        regret[lane] = x
        x += predict * r
        ahead[lane] = x if x > zero else zero
        instant[lane] = zero


@kernel
def _match(children: Ints, total: Reals, sigma: Reals) -> None:
    """Scale positive numbers [edges, lanes] of one decision to probabilities."""
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
            mine[lane] = mine[lane] / total[lane] if total[lane] > 0 else even


@kernel
def normalise(plan: Plan, scratch: Reals, sums: Reals) -> None:
    """Turn sums [rows, edges, lanes] into strategies; uniform where they are zero."""
    for c in range(sums.shape[0]):
        for k in range(len(plan.decisions)):
            node = plan.decisions[k]
            _match(plan.child[node][: plan.actions[node]], scratch, sums[c])


@kernel
def spread(first: Ints, row: Ints, entry: Reals, rows: Reals, out: Reals) -> None:
    """Mixtures of rows [m, k], out [n, k]; column c has the entries from ``first[c]`` on."""
    for c in range(out.shape[0]):
        target = out[c]
        for i in range(len(target)):
            target[i] = 0.0
        for j in range(first[c], first[c + 1]):
            source, share = rows[row[j]], entry[j]
            for i in range(len(target)):
                target[i] += share * source[i]


@kernel
def merge(first: Ints, row: Ints, entry: Reals, values: Reals, out: Reals) -> None:
    """Add values [n, k] to the rows [m, k] that a column mixes, in its shares."""
    for c in range(values.shape[0]):
        source = values[c]
        for j in range(first[c], first[c + 1]):
            target, share = out[row[j]], entry[j]
            for i in range(len(source)):
                target[i] += share * source[i]
