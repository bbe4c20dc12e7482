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

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cfrlab.solve.treeplex import (
    ACTIONS,
    DATA,
    END_ENTRIES,
    END_LANES,
    END_SEGMENTS,
    FIRST_ENTRY,
    FIRST_LANE,
    FIRST_ROW,
    FIRST_SEGMENT,
    FOLD,
    IN_LANE,
    INTS,
    KIND,
    LANE,
    LANES,
    LENGTH,
    MAX_DECK,
    OPP_ROW,
    RANK_ONE,
    SHOWDOWN,
    SIGNS,
    SMALL,
    SOURCE,
    Plex,
    Sweeps,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kernel = TypeVar("Kernel", bound=Callable[..., None])

# The kernels allocate nothing, so they are compiled without numba's memory management: counting
# references to the arrays they pass around cost more than the arithmetic of a small game. Under
# numpy's error model a division by zero gives inf or nan instead of leaving the loop.
_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}


def kernel(function: Kernel) -> Kernel:
    """Compile a kernel; see ``_OPTIONS``."""
    return cast(Kernel, njit(**_OPTIONS)(function))


LANE_PAD = 8  # lanes of a showdown sweep are padded to whole vectors
CHUNK = 512  # numbers of a group updated at a time, so that they stay in the first-level cache
IDENTITY, BUCKETS, MATRIX = range(3)


class PhiArrays(NamedTuple):
    """An abstraction matrix for the kernels: ``rows`` strategies for the weighted hands.

    ``bucket`` is for a bucket map, the flat ``matrix`` [rows * hands] and its transpose for others.
    """

    kind: int
    rows: int
    bucket: Ints
    matrix: Floats
    transposed: Floats
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


# The primitives below take an array and where to start in it. Slices would read better, but numba
# counts references to every slice, which costs more than a short loop; and an index that is known
# to be unsigned cannot wrap around, without which the compiler would not vectorise.
_u = np.uint64


@kernel
def _clear(y: Floats, p: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] = 0.0


@kernel
def _add(y: Floats, p: int, x: Floats, q: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] += x[_u(q + i)]


@kernel
def _add_scaled(y: Floats, p: int, scale: float, x: Floats, q: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] += scale * x[_u(q + i)]


@kernel
def _add_product(y: Floats, p: int, a: Floats, q: int, b: Floats, r: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] += a[_u(q + i)] * b[_u(r + i)]


@kernel
def _set_product(y: Floats, p: int, a: Floats, q: int, b: Floats, r: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] = a[_u(q + i)] * b[_u(r + i)]


@kernel
def reaches(plex: Plex, sigma: Floats, reach: Floats) -> None:
    """Own reach of every row, given the strategy of every row; 1 at the root."""
    n, groups, segments = plex.hands, plex.groups, plex.segments
    for i in range(n):
        reach[i] = 1.0
    for g in range(groups.shape[0]):
        for s in range(groups[g, FIRST_SEGMENT], groups[g, END_SEGMENTS]):
            src, size = segments[s, SOURCE] * n, segments[s, LENGTH] * n
            for a in range(groups[g, ACTIONS]):
                row = groups[g, FIRST_ROW] + a * groups[g, LANES] + segments[s, LANE]
                _set_product(reach, row * n, reach, src, sigma, row * n, size)


@kernel
def add_up(plex: Plex, g: int, value: Floats, v: Floats) -> None:
    """Add the values of a group's decisions to the rows they hang below."""
    n, segments = plex.hands, plex.segments
    for s in range(plex.groups[g, FIRST_SEGMENT], plex.groups[g, END_SEGMENTS]):
        _add(v, segments[s, SOURCE] * n, value, segments[s, LANE] * n, segments[s, LENGTH] * n)


@kernel
def _small(sw: Sweeps, c: int, reach: Floats, v: Floats, gather: Floats, swept: Floats) -> None:
    """All terminals of a game of few hands at once, own rows as the vector axis."""
    n, m, ints, first = sw.hands, sw.opp_hands, sw.ints, sw.table[c, FIRST_LANE]
    lanes = sw.table[c, END_LANES] - first
    _clear(swept, 0, n * lanes)
    at, k = sw.table[c, DATA], sw.table[c, INTS] + 1
    for _ in range(ints[k - 1]):
        width = ints[k]
        for q in range(m * width):
            gather[_u(q)] = reach[_u(ints[_u(k + 1 + q)])]
        k += 1 + m * width
        for i in range(n):
            for j in range(m):
                _add_product(swept, i * lanes, sw.floats, at, gather, j * width, width)
                at += width
    for z in range(lanes):
        row = sw.own_row[first + z] * n
        for i in range(n):
            v[_u(row + i)] += swept[_u(i * lanes + z)]


@kernel
def _gather_rows(sw: Sweeps, c: int, reach: Floats, out: Floats) -> None:
    """Scaled opponent reach of every lane of sweep c, [lanes, opponent hands]."""
    m, entries = sw.opp_hands, sw.entries
    _clear(out, 0, (sw.table[c, END_LANES] - sw.table[c, FIRST_LANE]) * m)
    for e in range(sw.table[c, FIRST_ENTRY], sw.table[c, END_ENTRIES]):
        lane, row = entries[e, IN_LANE], entries[e, OPP_ROW]
        _add_scaled(out, lane * m, sw.scales[e], reach, row * m, m)


@kernel
def _times_matrix(
    matrix: NDArray[Any], at: int, r: Floats, q: int, m: int, y: Floats, p: int, n: int
) -> None:
    """``y += r matrix`` for a row-major [m, n] matrix, four rows a pass."""
    whole = m // 4 * 4
    for j in range(0, whole, 4):
        a, b, c, d = r[_u(q + j)], r[_u(q + j + 1)], r[_u(q + j + 2)], r[_u(q + j + 3)]
        k = at + j * n
        for i in range(n):
            y[_u(p + i)] += (
                a * matrix[_u(k + i)]
                + b * matrix[_u(k + n + i)]
                + c * matrix[_u(k + 2 * n + i)]
                + d * matrix[_u(k + 3 * n + i)]
            )
    for j in range(whole, m):
        for i in range(n):
            y[_u(p + i)] += r[_u(q + j)] * matrix[_u(at + j * n + i)]


@kernel
def _four_lanes(matrix: NDArray[Any], at: int, r: Floats, m: int, y: Floats, n: int) -> None:
    """``y += r matrix`` for four lanes, r [4, m] and y [4, n]; four rows of the matrix a pass."""
    whole = m // 4 * 4
    y0, y1, y2, y3 = y[:n], y[n : 2 * n], y[2 * n : 3 * n], y[3 * n : 4 * n]
    for j in range(0, whole, 4):
        a, b, c, d = r[j:], r[m + j :], r[2 * m + j :], r[3 * m + j :]
        a0, a1, a2, a3 = a[0], a[1], a[2], a[3]
        b0, b1, b2, b3 = b[0], b[1], b[2], b[3]
        c0, c1, c2, c3 = c[0], c[1], c[2], c[3]
        d0, d1, d2, d3 = d[0], d[1], d[2], d[3]
        k = at + j * n
        for i in range(n):
            m0, m1 = matrix[_u(k + i)], matrix[_u(k + n + i)]
            m2, m3 = matrix[_u(k + 2 * n + i)], matrix[_u(k + 3 * n + i)]
            y0[i] += a0 * m0 + a1 * m1 + a2 * m2 + a3 * m3
            y1[i] += b0 * m0 + b1 * m1 + b2 * m2 + b3 * m3
            y2[i] += c0 * m0 + c1 * m1 + c2 * m2 + c3 * m3
            y3[i] += d0 * m0 + d1 * m1 + d2 * m2 + d3 * m3
    for lane in range(4):
        _times_matrix(matrix, at + whole * n, r, lane * m + whole, m - whole, y, lane * n, n)


@kernel
def _dense(
    sw: Sweeps, c: int, matrix: NDArray[Any], v: Floats, gather: Floats, swept: Floats
) -> None:
    """Lanes times a dense matrix; ``gather`` holds the lanes' scaled reaches.

    A single lane goes straight to ``v``; several go in fours, the last four filled up with zeros.
    """
    n, m, at, first = sw.hands, sw.opp_hands, sw.table[c, DATA], sw.table[c, FIRST_LANE]
    lanes = sw.table[c, END_LANES] - first
    if lanes == 1:
        _times_matrix(matrix, at, gather, 0, m, v, sw.own_row[first] * n, n)
        return
    padded = (lanes + 3) // 4 * 4
    gather[lanes * m : padded * m] = 0.0
    swept[: padded * n] = 0.0
    for lane in range(0, padded, 4):
        _four_lanes(matrix, at, gather[lane * m :], m, swept[lane * n :], n)
    for lane in range(lanes):
        _add(v, sw.own_row[first + lane] * n, swept, lane * n, n)


@kernel
def _rank_one(sw: Sweeps, c: int, v: Floats, gather: Floats) -> None:
    """A matrix that is a column [opponent hands] times a row [own hands]."""
    n, m, at, first = sw.hands, sw.opp_hands, sw.table[c, DATA], sw.table[c, FIRST_LANE]
    for lane in range(sw.table[c, END_LANES] - first):
        total = 0.0
        for j in range(m):
            total += sw.floats[_u(at + j)] * gather[_u(lane * m + j)]
        _add_scaled(v, sw.own_row[first + lane] * n, total, sw.floats, at + m, n)


@kernel
def _hold(held: Floats, table: int, cards: Ints, at: int, r: Floats, q: int, hand: int) -> None:
    """Add one hand's reach to its card in a table of card sums."""
    held[_u(table + cards[_u(at + hand)])] += r[_u(q + hand)]


@kernel
def _fold(sw: Sweeps, c: int, v: Floats, gather: Floats, held: Floats) -> None:
    """Compatible reach of every lane: all, less each card's, plus the hand itself.

    Neighbouring hands share a card, and adding to one number again and again waits for memory:
    four quarters of the hands are added up side by side.
    """
    n, cards, low, first = sw.hands, sw.ints, sw.table[c, INTS], sw.table[c, FIRST_LANE]
    high, quarter = low + n, n // 4
    for lane in range(sw.table[c, END_LANES] - first):
        r, y = lane * n, sw.own_row[first + lane] * n
        _clear(held, 0, 4 * MAX_DECK)
        for i in range(quarter):
            for part in range(4):
                _hold(held, part * MAX_DECK, cards, low, gather, r, part * quarter + i)
                _hold(held, part * MAX_DECK, cards, high, gather, r, part * quarter + i)
        for i in range(4 * quarter, n):
            _hold(held, 0, cards, low, gather, r, i)
            _hold(held, 0, cards, high, gather, r, i)
        total = 0.0
        for card in range(MAX_DECK):
            for part in range(1, 4):
                held[card] += held[part * MAX_DECK + card]
            total += 0.5 * held[card]  # every hand was counted at both its cards
        for i in range(n):
            clash = held[_u(cards[_u(low + i)])] + held[_u(cards[_u(high + i)])]
            v[_u(y + i)] += total - clash + gather[_u(r + i)]


@kernel
def _gather_lanes(sw: Sweeps, c: int, reach: Floats, out: Floats) -> None:
    """Scaled opponent reach in order of strength, lanes side by side: out [hands, lanes]."""
    n, entries, order = sw.hands, sw.entries, sw.table[c, INTS] + 1
    out[:] = 0.0
    for e in range(sw.table[c, FIRST_ENTRY], sw.table[c, END_ENTRIES]):
        lane, src, scale = entries[e, IN_LANE], entries[e, OPP_ROW] * n, sw.scales[e]
        for i in range(n):
            out[i, lane] += scale * reach[_u(src + sw.ints[_u(order + i)])]


@kernel
def _take(r: Floats, i: int, low: int, high: int, held: Floats) -> None:
    """Add the lanes of hand i to the running total (last row of ``held``) and to its cards."""
    for w in range(r.shape[1]):
        held[MAX_DECK, w] += r[i, w]
    for w in range(r.shape[1]):
        held[low, w] += r[i, w]
    for w in range(r.shape[1]):
        held[high, w] += r[i, w]


@kernel
def _showdown(sw: Sweeps, c: int, v: Floats, r: Floats, y: Floats, held: Floats) -> None:
    """Weaker minus stronger compatible reach: one pass upwards, one downwards.

    ``r`` and ``y`` are [hands, lanes], hands by strength, and ``held`` is [cards + 1, lanes]. A
    group of tied hands first reads the running totals, then joins them, so a hand never meets
    itself and needs no correction.
    """
    n, cards, order = sw.hands, sw.ints, sw.table[c, INTS] + 1
    low, high, ends, groups = order + n, order + 2 * n, order + 3 * n, cards[order - 1]
    held[:] = 0.0
    for k in range(groups):
        for i in range(cards[ends + k], cards[ends + k + 1]):
            a, b = cards[low + i], cards[high + i]
            for w in range(y.shape[1]):
                y[i, w] = held[MAX_DECK, w] - held[a, w] - held[b, w]
        for i in range(cards[ends + k], cards[ends + k + 1]):
            _take(r, i, cards[low + i], cards[high + i], held)
    held[:] = 0.0
    for k in range(groups - 1, -1, -1):
        for i in range(cards[ends + k], cards[ends + k + 1]):
            a, b = cards[low + i], cards[high + i]
            for w in range(y.shape[1]):
                y[i, w] -= held[MAX_DECK, w] - held[a, w] - held[b, w]
        for i in range(cards[ends + k], cards[ends + k + 1]):
            _take(r, i, cards[low + i], cards[high + i], held)
    first = sw.table[c, FIRST_LANE]
    for lane in range(sw.table[c, END_LANES] - first):
        dst = sw.own_row[first + lane] * n
        for i in range(n):
            v[_u(dst + cards[_u(order + i)])] += y[i, lane]


@kernel
def terminal_values(sw: Sweeps, opp_reach: Floats, v: Floats, scratch: Scratch) -> None:
    """Set every own row of ``v`` to the value of its terminals against the opponent's reach.

    Values are counterfactual: they carry chance, the opponent's weights and reach, not the own
    reach. ``opp_reach`` is flat [opponent rows * opponent hands].
    """
    _clear(v, 0, v.size)
    gather, swept, reach = scratch.gather, scratch.swept, opp_reach
    if sw.weighted:
        reach = scratch.scaled
        _set_product(reach, 0, opp_reach, 0, sw.opp_weights, 0, opp_reach.size)
    for c in range(sw.table.shape[0]):
        kind = sw.table[c, KIND]
        if kind == SMALL:
            _small(sw, c, reach, v, gather, swept)
        elif kind == SHOWDOWN:
            lanes = sw.table[c, END_LANES] - sw.table[c, FIRST_LANE]
            padded = (lanes + LANE_PAD - 1) // LANE_PAD * LANE_PAD
            r = gather[: sw.hands * padded].reshape(sw.hands, padded)
            y = swept[: sw.hands * padded].reshape(sw.hands, padded)
            held = scratch.held[: (MAX_DECK + 1) * padded].reshape(MAX_DECK + 1, padded)
            _gather_lanes(sw, c, reach, r)
            _showdown(sw, c, v, r, y, held)
        else:
            _gather_rows(sw, c, reach, gather)
            if kind == FOLD:
                _fold(sw, c, v, gather, scratch.held)
            elif kind == RANK_ONE:
                _rank_one(sw, c, v, gather)
            elif kind == SIGNS:
                _dense(sw, c, sw.signs, v, gather, swept)
            else:
                _dense(sw, c, sw.floats, v, gather, swept)


@kernel
def instant(
    v: Floats, sigma: Floats, at: int, stride: int, actions: int, value: Floats, p: int, n: int
) -> None:
    """Value of n neighbouring infosets; their rows of v, from ``at`` on, become regrets."""
    _clear(value, p, n)
    for a in range(actions):
        _add_product(value, p, sigma, at + a * stride, v, at + a * stride, n)
    for a in range(actions):
        _add_scaled(v, at + a * stride, -1.0, value, p, n)


@kernel
def match(
    r: Floats, r_at: int, regret: Floats, strategy: Floats, at: int, stride: int, actions: int,
    total: Floats, n: int, rule: Floats,
) -> None:  # fmt: skip
    """Regret update and (predictive) regret matching for n neighbouring infosets.

    ``rule`` is (factor of positive sums, factor of negative sums, weight of the prediction): see
    ``cfrlab.solve.rules``. Plays uniformly where no sum is positive.
    """
    pos, neg, predict = rule[0], rule[1], rule[2]
    _clear(total, 0, n)
    for a in range(actions):
        p, q = at + a * stride, r_at + a * stride
        for i in range(n):
            summed = regret[_u(p + i)] + r[_u(q + i)]
            summed *= pos if summed > 0.0 else neg
            regret[_u(p + i)] = summed
            wish = summed + predict * r[_u(q + i)]
            wish = wish if wish > 0.0 else 0.0
            strategy[_u(p + i)] = wish
            total[_u(i)] += wish
    uniform = 1.0 / actions
    for a in range(actions):
        p = at + a * stride
        for i in range(n):
            share = strategy[_u(p + i)] / total[_u(i)]
            strategy[_u(p + i)] = share if total[_u(i)] > 0.0 else uniform


@kernel
def _merge(phi: PhiArrays, r: Floats, at: int, out: Floats, p: int) -> None:
    """Regrets of one row's hands, left weighted, to its abstraction rows: ``Phi (w r)``."""
    n, m = phi.weights.size, phi.rows
    _set_product(r, at, r, at, phi.weights, 0, n)
    _clear(out, p, m)
    if phi.kind == BUCKETS:
        for h in range(n):
            out[_u(p + phi.bucket[h])] += r[_u(at + h)]
    else:
        _times_matrix(phi.transposed, 0, r, at, n, out, p, m)


@kernel
def _spread(phi: PhiArrays, strategy: Floats, at: int, sigma: Floats, p: int) -> None:
    """Strategies of abstraction rows to hands: ``Phi^T strategy``."""
    n, m = phi.weights.size, phi.rows
    if phi.kind == BUCKETS:
        for h in range(n):
            sigma[_u(p + h)] = strategy[_u(at + phi.bucket[h])]
    else:
        _clear(sigma, p, n)
        _times_matrix(phi.matrix, 0, strategy, at, m, sigma, p, n)


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
        _merge(phi, me.v, (first + row) * n, space.merged, row * m)
    match(
        space.merged, 0, me.regret, me.strategy, first * m, lanes * m, actions,
        space.total, lanes * m, rule,
    )  # fmt: skip
    for row in range(first, first + actions * lanes):
        _spread(phi, me.strategy, row * m, me.sigma, row * n)


@kernel
def _learn(plex: Plex, phi: PhiArrays, me: Learner, space: Scratch, rule: Floats) -> None:
    """From the leaves up: values, instantaneous regrets, regret update, next strategy."""
    groups = plex.groups
    for g in range(groups.shape[0] - 1, -1, -1):
        if phi.kind == IDENTITY:
            actions, size = groups[g, ACTIONS], groups[g, LANES] * plex.hands
            for c in range(0, size, CHUNK):
                at, n = groups[g, FIRST_ROW] * plex.hands + c, min(CHUNK, size - c)
                instant(me.v, me.sigma, at, size, actions, space.value, c, n)
                match(me.v, at, me.regret, me.strategy, at, size, actions, space.total, n, rule)
        else:
            _learn_abstract(plex, phi, me, space, g, rule)
        add_up(plex, g, space.value, me.v)


@kernel
def step(plex: Plex, phi: PhiArrays, me: Learner, space: Scratch, rule: Floats) -> None:
    """Add this iteration's reach to the average, then learn from the values of leaves in ``v``."""
    _add_scaled(me.average, 0, rule[3], me.reach, 0, me.average.size)
    _learn(plex, phi, me, space, rule)
    reaches(plex, me.sigma, me.reach)


@kernel
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
            step(plex0, phi0, one, space0, rules[t])
            terminal_values(sweeps1, one.reach, two.v, space1)
        else:
            terminal_values(sweeps1, one.reach, two.v, space1)
            step(plex0, phi0, one, space0, rules[t])
        step(plex1, phi1, two, space1, rules[t])


@kernel
def averaged(plex: Plex, average: Floats, total: Floats, sigma: Floats) -> None:
    """Average reach of rows to probabilities of actions; uniform where there is no reach."""
    groups = plex.groups
    for g in range(groups.shape[0]):
        at, size = groups[g, FIRST_ROW] * plex.hands, groups[g, LANES] * plex.hands
        actions = groups[g, ACTIONS]
        _clear(total, 0, size)
        for a in range(actions):
            _add(total, 0, average, at + a * size, size)
        for a in range(actions):
            for i in range(size):
                share = average[_u(at + a * size + i)] / total[_u(i)]
                sigma[_u(at + a * size + i)] = share if total[_u(i)] > 0.0 else 1.0 / actions


@kernel
def mixed_values(plex: Plex, sigma: Floats, v: Floats, value: Floats) -> None:
    """Complete terminal values to the values of playing ``sigma``; row 0 is the root's."""
    groups = plex.groups
    for g in range(groups.shape[0] - 1, -1, -1):
        at, size = groups[g, FIRST_ROW] * plex.hands, groups[g, LANES] * plex.hands
        _clear(value, 0, size)
        for a in range(groups[g, ACTIONS]):
            _add_product(value, 0, sigma, at + a * size, v, at + a * size, size)
        add_up(plex, g, value, v)


@kernel
def best_values(plex: Plex, v: Floats, value: Floats) -> None:
    """Complete terminal values to those of a best response; row 0 is the root's."""
    groups = plex.groups
    for g in range(groups.shape[0] - 1, -1, -1):
        at, size = groups[g, FIRST_ROW] * plex.hands, groups[g, LANES] * plex.hands
        for i in range(size):
            best = v[_u(at + i)]
            for a in range(1, groups[g, ACTIONS]):
                other = v[_u(at + a * size + i)]
                best = other if other > best else best
            value[_u(i)] = best
        add_up(plex, g, value, v)
