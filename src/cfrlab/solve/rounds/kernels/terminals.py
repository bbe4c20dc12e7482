"""Terminal values on a board, exact or estimated from sampled deals.

A hand that holds cards x and y faces the opponent's hands that hold neither. With P the sum of all
reaches and S[x] that of the hands holding x, these weigh P - S[x] - S[y], plus the hand itself
where it is part of the sums. S is the same for all cards of one orbit, so it is kept by orbit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.rounds.layout import FOLDS, PLAYER, SHOWS, SLOT, Cards, Plan

Reals = NDArray[Any]
Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]


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
        small: IN [2].
        stake: IN [nodes, lanes].
        cards: IN.
        reach: IN [n, slots, lanes].
        sums: working space [orbits + 1, lanes].
        value: OUT (terminals) [n, 2, nodes, lanes].
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
        strength: IN [n].
        deals: IN [deals, 2]; classes of both players' hands.
        scale: IN [n]; what one deal counts for a class, against the weight of the whole deal.
        reach: IN [n, slots, lanes].
        value: OUT (terminals) [n, 2, nodes, lanes].
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
