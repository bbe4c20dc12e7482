"""How a player learns from the values of terminals: regrets, next strategies, averages.

An iteration for player p, as in vector-form CFR (Johanson et al. 2011; Zinkevich et al. 2007):

1. ``terminal_values``: every own row gets the values of its terminals against the opponent's reach;
2. ``step``: groups from the leaves up -- value of each decision, instantaneous regrets, regret
   update, next strategy -- and the value is added to the row above; then groups from the root down,
   the next strategy's own reach.

The average strategy gains ``weight * reach`` before step 2, so it is weighted by own reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.kernels.alternation import SETTLE, STEP
from cfrlab.solve.kernels.arrays import CHUNK, Learner, Scratch
from cfrlab.solve.kernels.passes import add_up, reaches
from cfrlab.solve.kernels.phi import IDENTITY, PhiArrays, merge, spread
from cfrlab.solve.kernels.primitives import add, add_product, add_scaled, clear
from cfrlab.solve.kernels.terminals import terminal_values
from cfrlab.solve.layout import ACTIONS, FIRST_ROW, LANES, Plex, Sweeps
from cfrlab.solve.regret import share, updated

Floats = NDArray[np.float64]
_u = np.uint64


@kernel
def gain(me: Learner, weight: float) -> None:
    """Add an iteration's reach to the average: ``me.average`` is IN and OUT, ``me.reach`` IN."""
    add_scaled(me.average, 0, weight, me.reach, 0, me.average.size)


@kernel
def instant(
    v: Floats, sigma: Floats, at: int, stride: int, actions: int, value: Floats, p: int, n: int
) -> None:
    """Values and instantaneous regrets of n neighbouring infosets.

    Args:
        v: IN and OUT; values of actions, which become their regrets. Action a of infoset i is
            number ``at + a * stride + i``.
        sigma: IN; probabilities of actions, laid out alike.
        value: OUT; the infosets' values from ``p`` on.
    """
    clear(value, p, n)
    for a in range(actions):
        add_product(value, p, sigma, at + a * stride, v, at + a * stride, n)
    for a in range(actions):
        add_scaled(v, at + a * stride, -1.0, value, p, n)


@kernel
def match(
    r: Floats, r_at: int, regret: Floats, strategy: Floats, at: int, stride: int, actions: int,
    total: Floats, n: int, rule: Floats,
) -> None:  # fmt: skip
    """Regret update and (predictive) regret matching for n neighbouring infosets.

    Plays uniformly where no sum is positive.

    Args:
        r: IN; instantaneous regrets from ``r_at`` on, actions ``stride`` apart.
        regret: IN and OUT; regret sums from ``at`` on.
        strategy: OUT; the next strategy, laid out alike.
        total: working space.
        rule: IN; (factor of positive sums, factor of the others, weight of the prediction), see
            ``cfrlab.solve.rules``.
    """
    pos, neg, predict = rule[0], rule[1], rule[2]
    clear(total, 0, n)
    for a in range(actions):
        p, q = at + a * stride, r_at + a * stride
        for i in range(n):
            summed, ahead = updated(regret[_u(p + i)], r[_u(q + i)], pos, neg, predict)
            regret[_u(p + i)] = summed
            strategy[_u(p + i)] = ahead
            total[_u(i)] += ahead
    uniform = 1.0 / actions
    for a in range(actions):
        p = at + a * stride
        for i in range(n):
            strategy[_u(p + i)] = share(strategy[_u(p + i)], total[_u(i)], uniform)


@kernel
def _learn_group(plex: Plex, me: Learner, space: Scratch, g: int, rule: Floats) -> None:
    """Values, regrets and next strategies of one group in which every hand has its own row."""
    actions, size = plex.groups[g, ACTIONS], plex.groups[g, LANES] * plex.hands
    for c in range(0, size, CHUNK):
        at, n = plex.groups[g, FIRST_ROW] * plex.hands + c, min(CHUNK, size - c)
        instant(me.v, me.sigma, at, size, actions, space.value, c, n)
        match(me.v, at, me.regret, me.strategy, at, size, actions, space.total, n, rule)


@kernel
def _learn_abstract(
    plex: Plex, phi: PhiArrays, me: Learner, space: Scratch, g: int, rule: Floats
) -> None:
    """Regrets of one group's hands to rows, regret update there, strategies back to hands."""
    n, m = plex.hands, phi.rows
    actions, lanes, first = (
        plex.groups[g, ACTIONS], plex.groups[g, LANES], plex.groups[g, FIRST_ROW],
    )  # fmt: skip
    instant(me.v, me.sigma, first * n, lanes * n, actions, space.value, 0, lanes * n)
    for row in range(actions * lanes):
        merge(phi, me.v, (first + row) * n, space.merged, row * m)
    match(
        space.merged, 0, me.regret, me.strategy, first * m, lanes * m, actions,
        space.total, lanes * m, rule,
    )  # fmt: skip
    for row in range(first, first + actions * lanes):
        spread(phi, me.strategy, row * m, me.sigma, row * n)


@kernel
def plain_step(plex: Plex, nothing: None, me: Learner, space: Scratch, rule: Floats) -> None:
    """As ``step``, where every hand has its own row."""
    gain(me, rule[3])
    for g in range(plex.groups.shape[0] - 1, -1, -1):
        _learn_group(plex, me, space, g, rule)
        add_up(plex, g, space.value, me.v)
    reaches(plex, me.sigma, me.reach)


@kernel
def step(plex: Plex, phi: PhiArrays, me: Learner, space: Scratch, rule: Floats) -> None:
    """Add this iteration's reach to the average, then learn from the values of terminals.

    Args:
        plex, phi: IN.
        me: IN and OUT; ``v`` holds the values of terminals, and regrets afterwards.
        space: working space; ``value`` holds the root's values afterwards.
        rule: IN; (pos, neg, predict, weight).
    """
    gain(me, rule[3])
    for g in range(plex.groups.shape[0] - 1, -1, -1):
        if phi.kind == IDENTITY:
            _learn_group(plex, me, space, g, rule)
        else:
            _learn_abstract(plex, phi, me, space, g, rule)
        add_up(plex, g, space.value, me.v)
    reaches(plex, me.sigma, me.reach)


SETTLE[Sweeps] = terminal_values
STEP[PhiArrays] = step
STEP[type(None)] = plain_step


@kernel
def averaged(plex: Plex, average: Floats, total: Floats, sigma: Floats) -> None:
    """Average reach of rows to probabilities of actions; uniform where there is no reach.

    Args:
        plex, average: IN.
        total: working space.
        sigma: OUT; row 0 and rows of no group stay as they are.
    """
    groups = plex.groups
    for g in range(groups.shape[0]):
        at, size = groups[g, FIRST_ROW] * plex.hands, groups[g, LANES] * plex.hands
        actions = groups[g, ACTIONS]
        clear(total, 0, size)
        for a in range(actions):
            add(total, 0, average, at + a * size, size)
        for a in range(actions):
            for i in range(size):
                part = average[_u(at + a * size + i)]
                sigma[_u(at + a * size + i)] = share(part, total[_u(i)], 1.0 / actions)
