"""The compiled inner loops: reaches down, terminal values, values and regrets up.

Everything works on flat float64 arrays of ``rows x hands`` numbers (see ``treeplex``). An iteration
for player p, as in vector-form CFR (Johanson et al. 2011; Zinkevich et al. 2007):

1. ``terminal_values``: every own row gets the values of its terminals against the opponent's reach;
2. ``_learn``: groups from the leaves up -- value of each decision, instantaneous regrets, regret
   update, next strategy -- and the value is added to the row above;
3. ``reaches``: groups from the root down -- the next strategy's own reach.

The average strategy gains ``weight * reach`` before step 2, so it is weighted by own reach. Sums
run in a fixed order: results do not depend on the number of cores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cfrlab.solve.treeplex import (
    BLAS,
    FLOATS,
    FOLD,
    SHOWDOWN,
    SIGNS,
    SMALL,
    Plex,
    Sweeps,
)

Floats = NDArray[np.float64]

LANE_PAD = 8  # lanes of a showdown sweep are padded to whole vectors
CHUNK = 512  # numbers of a group updated at a time, so that they stay in the first-level cache
MAX_DECK = 64
IDENTITY, BUCKETS, MATRIX = range(3)


class PhiArrays(NamedTuple):
    """An abstraction matrix for the kernels: ``rows`` strategies for ``hands`` hands."""

    kind: int
    rows: int
    bucket: NDArray[np.int64]
    matrix: Floats
    weights: Floats


class Scratch(NamedTuple):
    """Working space of one player, allocated once (``cfr.make_scratch``)."""

    value: Floats
    total: Floats
    merged: Floats
    gather: Floats
    swept: Floats
    held: Floats
    scaled: Floats


class Learner(NamedTuple):
    """One player's numbers. Sizes: R rows of the treeplex, n hands, m abstraction rows.

    ``regret`` and ``strategy`` are flat [R * m]; ``sigma``, ``reach``, ``average`` and ``v`` are
    flat [R * n]. Under the identity ``strategy`` and ``sigma`` are one array.
    """

    regret: Floats
    strategy: Floats
    sigma: Floats
    reach: Floats
    average: Floats
    v: Floats


# Loops below run over slices rather than over offsets into the flat arrays: from ``x[i]`` with i
# counted from 0 the compiler sees that no index wraps around, and vectorises.


@njit(cache=True)
def _add(y: Floats, x: Floats) -> None:
    for i in range(y.size):
        y[i] += x[i]


@njit(cache=True)
def _add_scaled(y: Floats, scale: float, x: Floats) -> None:
    for i in range(y.size):
        y[i] += scale * x[i]


@njit(cache=True)
def _add_product(y: Floats, a: Floats, b: Floats) -> None:
    for i in range(y.size):
        y[i] += a[i] * b[i]


@njit(cache=True)
def _set_product(y: Floats, a: Floats, b: Floats) -> None:
    for i in range(y.size):
        y[i] = a[i] * b[i]


@njit(cache=True)
def reaches(plex: Plex, sigma: Floats, reach: Floats) -> None:
    """Own reach of every row, given the strategy of every row; 1 at the root."""
    n = plex.hands
    reach[:n] = 1.0
    for g in range(plex.groups.shape[0]):
        actions, lanes, first = plex.groups[g, 0], plex.groups[g, 1], plex.groups[g, 2]
        for s in range(plex.groups[g, 3], plex.groups[g, 4]):
            lane, src, length = plex.segments[s, 0], plex.segments[s, 1], plex.segments[s, 2]
            above = reach[src * n : (src + length) * n]
            for a in range(actions):
                at, to = (first + a * lanes + lane) * n, (first + a * lanes + lane + length) * n
                _set_product(reach[at:to], above, sigma[at:to])


@njit(cache=True)
def _add_up(plex: Plex, g: int, value: Floats, v: Floats) -> None:
    """Add the values of a group's decisions to the rows they hang below."""
    n = plex.hands
    for s in range(plex.groups[g, 3], plex.groups[g, 4]):
        lane, src, length = plex.segments[s, 0], plex.segments[s, 1], plex.segments[s, 2]
        _add(v[src * n : (src + length) * n], value[lane * n : (lane + length) * n])


@njit(cache=True)
def _small(sw: Sweeps, c: int, reach: Floats, v: Floats, gather: Floats, swept: Floats) -> None:
    """All terminals of a game of few hands at once, terminals as the vector axis."""
    n, m = sw.hands, sw.opp_hands
    data, first, entry = sw.table[c, 1], sw.table[c, 2], sw.table[c, 4]
    lanes = sw.table[c, 3] - first
    for j in range(m):
        out = gather[j * lanes : (j + 1) * lanes]
        for z in range(lanes):
            out[z] = reach[sw.entries[entry + z, 1] * m + j]
    swept[: n * lanes] = 0.0
    for i in range(n):
        y = swept[i * lanes : (i + 1) * lanes]
        for j in range(m):
            at = data + (i * m + j) * lanes
            _add_product(y, sw.floats[at : at + lanes], gather[j * lanes : (j + 1) * lanes])
        for z in range(lanes):
            v[sw.own_row[first + z] * n + i] += y[z]


@njit(cache=True)
def _gather_rows(sw: Sweeps, c: int, reach: Floats, out: Floats) -> None:
    """Scaled opponent reach of every lane of sweep c, [lanes, opponent hands]."""
    m = sw.opp_hands
    out[: (sw.table[c, 3] - sw.table[c, 2]) * m] = 0.0
    for e in range(sw.table[c, 4], sw.table[c, 5]):
        lane, row = sw.entries[e, 0], sw.entries[e, 1]
        _add_scaled(out[lane * m : (lane + 1) * m], sw.scales[e], reach[row * m : (row + 1) * m])


@njit(cache=True)
def _times_matrix(matrix: NDArray[np.float64], r: Floats, y: Floats) -> None:
    """``y += r matrix`` for a row-major [r.size, y.size] matrix, four rows a pass."""
    n, whole = y.size, r.size // 4 * 4
    for j in range(0, whole, 4):
        a, b, c, d = r[j], r[j + 1], r[j + 2], r[j + 3]
        row_a, row_b = matrix[j * n : (j + 1) * n], matrix[(j + 1) * n : (j + 2) * n]
        row_c, row_d = matrix[(j + 2) * n : (j + 3) * n], matrix[(j + 3) * n : (j + 4) * n]
        for i in range(n):
            y[i] += a * row_a[i] + b * row_b[i] + c * row_c[i] + d * row_d[i]
    for j in range(whole, r.size):
        row = matrix[j * n : (j + 1) * n]
        for i in range(n):
            y[i] += r[j] * row[i]


@njit(cache=True)
def _matrix_product(a: Floats, b: Floats, out: Floats, rows: int, inner: int, columns: int) -> None:
    """``out = a b`` through BLAS, all flat and row-major."""
    np.dot(
        a[: rows * inner].reshape(rows, inner),
        b.reshape(inner, columns),
        out[: rows * columns].reshape(rows, columns),
    )


@njit(cache=True)
def _dense(sw: Sweeps, c: int, v: Floats, gather: Floats, swept: Floats) -> None:
    """Lanes times a dense matrix; ``gather`` holds the lanes' scaled reaches."""
    n, m = sw.hands, sw.opp_hands
    kind, at, first, end = sw.table[c, 0], sw.table[c, 1], sw.table[c, 2], sw.table[c, 3]
    lanes = end - first
    if kind == BLAS:
        _matrix_product(gather, sw.floats[at : at + m * n], swept, lanes, m, n)
    for lane in range(lanes):
        row = sw.own_row[first + lane]
        r, y = gather[lane * m : (lane + 1) * m], v[row * n : (row + 1) * n]
        if kind == BLAS:
            _add(y, swept[lane * n : (lane + 1) * n])
        elif kind == FLOATS:
            _times_matrix(sw.floats[at : at + m * n], r, y)
        elif kind == SIGNS:
            _times_matrix(sw.signs[at : at + m * n], r, y)
        else:
            total = 0.0
            for j in range(m):
                total += sw.floats[at + j] * r[j]
            _add_scaled(y, total, sw.floats[at + m : at + m + n])


@njit(cache=True)
def _fold(sw: Sweeps, c: int, v: Floats, gather: Floats, held: Floats) -> None:
    """Compatible reach of every lane: all, less each card's, plus the hand itself.

    Neighbouring hands share a card, and adding to one number again and again waits for memory:
    four quarters of the hands are added up side by side.
    """
    n = sw.hands
    quarter = n // 4
    data, first, end = sw.table[c, 1], sw.table[c, 2], sw.table[c, 3]
    low, high = sw.cards[data : data + n], sw.cards[data + n : data + 2 * n]
    for lane in range(end - first):
        r = gather[lane * n : (lane + 1) * n]
        row = sw.own_row[first + lane]
        y = v[row * n : (row + 1) * n]
        held[: 4 * MAX_DECK] = 0.0
        for i in range(quarter):
            for part in range(4):
                h = part * quarter + i
                held[part * MAX_DECK + low[h]] += r[h]
                held[part * MAX_DECK + high[h]] += r[h]
        for h in range(4 * quarter, n):
            held[low[h]] += r[h]
            held[high[h]] += r[h]
        total = 0.0
        for card in range(MAX_DECK):
            for part in range(1, 4):
                held[card] += held[part * MAX_DECK + card]
            total += 0.5 * held[card]  # every hand was counted at both its cards
        for i in range(n):
            y[i] += total - held[low[i]] - held[high[i]] + r[i]


@njit(cache=True)
def _gather_lanes(sw: Sweeps, c: int, reach: Floats, out: Floats) -> None:
    """Scaled opponent reach in order of strength, lanes side by side: out [hands, lanes]."""
    n = sw.hands
    order = sw.cards[sw.table[c, 1] + 1 :]
    out[:] = 0.0
    for e in range(sw.table[c, 4], sw.table[c, 5]):
        lane, row = sw.entries[e, 0], sw.entries[e, 1]
        r, scale = reach[row * n : (row + 1) * n], sw.scales[e]
        for i in range(n):
            out[i, lane] += scale * r[order[i]]


@njit(cache=True)
def _take(r: Floats, i: int, low: int, high: int, held: Floats) -> None:
    """Add the lanes of hand i to the running total (last row of ``held``) and its two cards."""
    for w in range(r.shape[1]):
        held[MAX_DECK, w] += r[i, w]
    for w in range(r.shape[1]):
        held[low, w] += r[i, w]
    for w in range(r.shape[1]):
        held[high, w] += r[i, w]


@njit(cache=True)
def _showdown(sw: Sweeps, c: int, v: Floats, r: Floats, y: Floats, held: Floats) -> None:
    """Weaker minus stronger compatible reach: one pass upwards, one downwards.

    ``r`` and ``y`` are [hands, lanes], hands by strength. A group of tied hands first reads the
    running totals, then joins them, so a hand never meets itself and needs no correction.
    """
    n, data = sw.hands, sw.table[c, 1]
    groups, cards = sw.cards[data], sw.cards[data + 1 :]
    order, low, high, ends = cards[:n], cards[n : 2 * n], cards[2 * n : 3 * n], cards[3 * n :]
    held[:] = 0.0
    for k in range(groups):
        start, end = ends[k], ends[k + 1]
        for i in range(start, end):
            a, b = low[i], high[i]
            for w in range(y.shape[1]):
                y[i, w] = held[MAX_DECK, w] - held[a, w] - held[b, w]
        for i in range(start, end):
            _take(r, i, low[i], high[i], held)
    held[:] = 0.0
    for k in range(groups - 1, -1, -1):
        start, end = ends[k], ends[k + 1]
        for i in range(start, end):
            a, b = low[i], high[i]
            for w in range(y.shape[1]):
                y[i, w] -= held[MAX_DECK, w] - held[a, w] - held[b, w]
        for i in range(start, end):
            _take(r, i, low[i], high[i], held)
    first = sw.table[c, 2]
    for lane in range(sw.table[c, 3] - first):
        row = sw.own_row[first + lane]
        out = v[row * n : (row + 1) * n]
        for i in range(n):
            out[order[i]] += y[i, lane]


@njit(cache=True)
def terminal_values(sw: Sweeps, opp_reach: Floats, v: Floats, scratch: Scratch) -> None:
    """Set every own row of ``v`` to the value of its terminals against the opponent's reach.

    Values are counterfactual: they carry chance, the opponent's weights and reach, not the own
    reach. ``opp_reach`` is flat [opponent rows * opponent hands].
    """
    v[:] = 0.0
    gather, swept, reach = scratch.gather, scratch.swept, opp_reach
    if sw.weighted:
        reach, m = scratch.scaled, sw.opp_hands
        for at in range(0, opp_reach.size, m):
            _set_product(reach[at : at + m], opp_reach[at : at + m], sw.opp_weights)
    for c in range(sw.table.shape[0]):
        kind = sw.table[c, 0]
        if kind == SMALL:
            _small(sw, c, reach, v, gather, swept)
        elif kind == SHOWDOWN:
            lanes = (sw.table[c, 3] - sw.table[c, 2] + LANE_PAD - 1) // LANE_PAD * LANE_PAD
            r = gather[: sw.hands * lanes].reshape(sw.hands, lanes)
            y = swept[: sw.hands * lanes].reshape(sw.hands, lanes)
            held = scratch.held[: (MAX_DECK + 1) * lanes].reshape(MAX_DECK + 1, lanes)
            _gather_lanes(sw, c, reach, r)
            _showdown(sw, c, v, r, y, held)
        else:
            _gather_rows(sw, c, reach, gather)
            if kind == FOLD:
                _fold(sw, c, v, gather, scratch.held)
            else:
                _dense(sw, c, v, gather, swept)


@njit(cache=True)
def _instant(v: Floats, sigma: Floats, at: int, stride: int, actions: int, value: Floats) -> None:
    """Value of neighbouring infosets; their rows of v, from ``at`` on, become regrets."""
    n = value.size
    value[:] = 0.0
    for a in range(actions):
        p = at + a * stride
        _add_product(value, sigma[p : p + n], v[p : p + n])
    for a in range(actions):
        _add_scaled(v[at + a * stride : at + a * stride + n], -1.0, value)


@njit(cache=True)
def _discount_and_match(
    r: Floats, regret: Floats, play: Floats, total: Floats, rule: Floats
) -> None:
    """One action of neighbouring infosets: new regret sums and unnormalised strategy."""
    pos, neg, predict = rule[0], rule[1], rule[2]
    for i in range(r.size):
        summed = regret[i] + r[i]
        summed *= pos if summed > 0.0 else neg
        regret[i] = summed
        wish = summed + predict * r[i]
        wish = wish if wish > 0.0 else 0.0
        play[i] = wish
        total[i] += wish


@njit(cache=True)
def _normalise(play: Floats, total: Floats, uniform: float) -> None:
    for i in range(play.size):
        share = play[i] / (total[i] if total[i] > 0.0 else 1.0)
        play[i] = share if total[i] > 0.0 else uniform


@njit(cache=True)
def _match(
    r: Floats, r_at: int, regret: Floats, strategy: Floats, at: int, stride: int, actions: int,
    total: Floats, rule: Floats,
) -> None:  # fmt: skip
    """Regret update and (predictive) regret matching for neighbouring infosets.

    ``rule`` is (factor of positive sums, factor of negative sums, weight of the prediction): see
    ``cfrlab.solve.rules``. Plays uniformly where no sum is positive.
    """
    n = total.size
    total[:] = 0.0
    for a in range(actions):
        p, q = at + a * stride, r_at + a * stride
        _discount_and_match(r[q : q + n], regret[p : p + n], strategy[p : p + n], total, rule)
    for a in range(actions):
        p = at + a * stride
        _normalise(strategy[p : p + n], total, 1.0 / actions)


@njit(cache=True)
def _merge(phi: PhiArrays, r: Floats, out: Floats) -> None:
    """Regrets of one row's hands to its abstraction rows: ``Phi (w r)``."""
    if phi.kind == BUCKETS:
        out[:] = 0.0
        for h in range(r.size):
            out[phi.bucket[h]] += phi.weights[h] * r[h]
    else:
        out[:] = np.dot(phi.matrix, phi.weights * r)


@njit(cache=True)
def _spread(phi: PhiArrays, strategy: Floats, sigma: Floats) -> None:
    """Strategies of abstraction rows to hands: ``Phi^T strategy``."""
    if phi.kind == BUCKETS:
        for h in range(sigma.size):
            sigma[h] = strategy[phi.bucket[h]]
    else:
        sigma[:] = np.dot(strategy, phi.matrix)


@njit(cache=True)
def _learn_abstract(
    plex: Plex, phi: PhiArrays, me: Learner, space: Scratch, g: int, rule: Floats
) -> None:
    """Regrets of one group's hands to rows, regret update there, strategies back to hands."""
    n, m = plex.hands, phi.rows
    actions, lanes, first = plex.groups[g, 0], plex.groups[g, 1], plex.groups[g, 2]
    _instant(me.v, me.sigma, first * n, lanes * n, actions, space.value[: lanes * n])
    for row in range(actions * lanes):
        at = (first + row) * n
        _merge(phi, me.v[at : at + n], space.merged[row * m : (row + 1) * m])
    _match(
        space.merged, 0, me.regret, me.strategy, first * m, lanes * m, actions,
        space.total[: lanes * m], rule,
    )  # fmt: skip
    for row in range(first, first + actions * lanes):
        _spread(phi, me.strategy[row * m : (row + 1) * m], me.sigma[row * n : (row + 1) * n])


@njit(cache=True)
def _learn(plex: Plex, phi: PhiArrays, me: Learner, space: Scratch, rule: Floats) -> None:
    """From the leaves up: values, instantaneous regrets, regret update, next strategy."""
    for g in range(plex.groups.shape[0] - 1, -1, -1):
        if phi.kind == IDENTITY:
            actions, lanes, first = plex.groups[g, 0], plex.groups[g, 1], plex.groups[g, 2]
            size, start = lanes * plex.hands, first * plex.hands
            for c in range(0, size, CHUNK):
                end = min(c + CHUNK, size)
                _instant(me.v, me.sigma, start + c, size, actions, space.value[c:end])
                _match(
                    me.v, start + c, me.regret, me.strategy, start + c, size, actions,
                    space.total[: end - c], rule,
                )  # fmt: skip
        else:
            _learn_abstract(plex, phi, me, space, g, rule)
        _add_up(plex, g, space.value, me.v)


@njit(cache=True)
def _step(plex: Plex, phi: PhiArrays, me: Learner, space: Scratch, rule: Floats) -> None:
    """Add this iteration's reach to the average, then learn from the terminal values in ``v``."""
    _add_scaled(me.average, rule[3], me.reach)
    _learn(plex, phi, me, space, rule)
    reaches(plex, me.sigma, me.reach)


@njit(cache=True)
def iterate(
    plex0: Plex, plex1: Plex, sweeps0: Sweeps, sweeps1: Sweeps, phi0: PhiArrays, phi1: PhiArrays,
    one: Learner, two: Learner, space0: Scratch, space1: Scratch, rules: Floats,
    alternating: bool,
) -> None:  # fmt: skip
    """Run one iteration for every row of ``rules``: [iterations, (pos, neg, predict, weight)].

    Simultaneous: both players answer the other's strategy of the iteration before. Alternating:
    player 0 first, and player 1 answers the strategy that player 0 has just moved to.
    """
    for t in range(rules.shape[0]):
        terminal_values(sweeps0, two.reach, one.v, space0)
        if alternating:
            _step(plex0, phi0, one, space0, rules[t])
            terminal_values(sweeps1, one.reach, two.v, space1)
        else:
            terminal_values(sweeps1, one.reach, two.v, space1)
            _step(plex0, phi0, one, space0, rules[t])
        _step(plex1, phi1, two, space1, rules[t])


@njit(cache=True)
def mixed_values(plex: Plex, sigma: Floats, v: Floats, value: Floats) -> None:
    """Complete terminal values to the values of playing ``sigma``; row 0 is the root's."""
    n = plex.hands
    for g in range(plex.groups.shape[0] - 1, -1, -1):
        actions, lanes, first = plex.groups[g, 0], plex.groups[g, 1], plex.groups[g, 2]
        mixed = value[: lanes * n]
        mixed[:] = 0.0
        for row in range(first, first + actions * lanes, lanes):
            at, to = row * n, (row + lanes) * n
            _add_product(mixed, sigma[at:to], v[at:to])
        _add_up(plex, g, value, v)


@njit(cache=True)
def best_values(plex: Plex, v: Floats, value: Floats) -> None:
    """Complete terminal values to those of a best response; row 0 is the root's."""
    n = plex.hands
    for g in range(plex.groups.shape[0] - 1, -1, -1):
        actions, lanes, first = plex.groups[g, 0], plex.groups[g, 1], plex.groups[g, 2]
        best = value[: lanes * n]
        best[:] = v[first * n : (first + lanes) * n]
        for row in range(first + lanes, first + actions * lanes, lanes):
            other = v[row * n : (row + lanes) * n]
            for i in range(best.size):
                best[i] = other[i] if other[i] > best[i] else best[i]
        _add_up(plex, g, value, v)
