"""Terminal values: payoff operators applied to the opponent's reach, one sweep for each operator.

Kernels of one sweep take ``sw`` and the number ``c`` of the sweep (IN) and add to the values ``v``
of own rows (OUT). ``gather``, ``swept`` and ``held`` are working space of `Scratch`; where one of
them is an input, a kernel says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.kernels.arrays import LANE_PAD, Scratch
from cfrlab.solve.kernels.primitives import add, add_scaled, clear, set_product, times_matrix
from cfrlab.solve.kernels.small import small_values
from cfrlab.solve.layout import (
    DATA,
    END_ENTRIES,
    END_LANES,
    FIRST_ENTRY,
    FIRST_LANE,
    FOLD,
    IN_LANE,
    INTS,
    KIND,
    MAX_DECK,
    OPP_ROW,
    RANK_ONE,
    SHOWDOWN,
    SIGNS,
    SMALL,
    Sweeps,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_u = np.uint64


@kernel
def terminal_values(sw: Sweeps, opp_reach: Floats, v: Floats, scratch: Scratch) -> None:
    """Set every own row of ``v`` to the value of its terminals against the opponent's reach.

    Values are counterfactual: they carry chance, the opponent's weights and reach, not the own
    reach. Sums run in a fixed order: results do not depend on the number of cores.

    Args:
        sw: IN.
        opp_reach: IN; flat [opponent rows * opponent hands].
        v: OUT; flat [own rows * own hands].
        scratch: working space.
    """
    clear(v, 0, v.size)
    gather, swept, reach = scratch.gather, scratch.swept, opp_reach
    if sw.weighted:
        reach = scratch.scaled
        set_product(reach, 0, opp_reach, 0, sw.opp_weights, 0, opp_reach.size)
    for c in range(sw.table.shape[0]):
        kind = sw.table[c, KIND]
        if kind == SMALL:
            small_values(sw, c, reach, v, gather, swept)
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
def _gather_rows(sw: Sweeps, c: int, reach: Floats, out: Floats) -> None:
    """Scaled opponent reach of every lane of sweep c, ``out`` OUT [lanes, opponent hands]."""
    m, entries = sw.opp_hands, sw.entries
    clear(out, 0, (sw.table[c, END_LANES] - sw.table[c, FIRST_LANE]) * m)
    for e in range(sw.table[c, FIRST_ENTRY], sw.table[c, END_ENTRIES]):
        lane, row = entries[e, IN_LANE], entries[e, OPP_ROW]
        add_scaled(out, lane * m, sw.scales[e], reach, row * m, m)


@kernel
def _four_lanes(matrix: NDArray[Any], at: int, r: Floats, m: int, y: Floats, n: int) -> None:
    """``y += r matrix`` for four lanes, four rows of the matrix a pass.

    IN: ``matrix`` from ``at`` on, r [4, m]. OUT: y [4, n].
    """
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
        times_matrix(matrix, at + whole * n, r, lane * m + whole, m - whole, y, lane * n, n)


@kernel
def _dense(
    sw: Sweeps, c: int, matrix: NDArray[Any], v: Floats, gather: Floats, swept: Floats
) -> None:
    """Lanes times a dense matrix (IN); ``gather`` holds the lanes' scaled reaches (IN).

    A single lane goes straight to ``v``; several go in fours, the last four filled up with zeros.
    """
    n, m, at, first = sw.hands, sw.opp_hands, sw.table[c, DATA], sw.table[c, FIRST_LANE]
    lanes = sw.table[c, END_LANES] - first
    if lanes == 1:
        times_matrix(matrix, at, gather, 0, m, v, sw.own_row[first] * n, n)
        return
    padded = (lanes + 3) // 4 * 4
    gather[lanes * m : padded * m] = 0.0
    swept[: padded * n] = 0.0
    for lane in range(0, padded, 4):
        _four_lanes(matrix, at, gather[lane * m :], m, swept[lane * n :], n)
    for lane in range(lanes):
        add(v, sw.own_row[first + lane] * n, swept, lane * n, n)


@kernel
def _rank_one(sw: Sweeps, c: int, v: Floats, gather: Floats) -> None:
    """A matrix that is a column [opponent hands] times a row [own hands]; ``gather`` is IN."""
    n, m, at, first = sw.hands, sw.opp_hands, sw.table[c, DATA], sw.table[c, FIRST_LANE]
    for lane in range(sw.table[c, END_LANES] - first):
        total = 0.0
        for j in range(m):
            total += sw.floats[_u(at + j)] * gather[_u(lane * m + j)]
        add_scaled(v, sw.own_row[first + lane] * n, total, sw.floats, at + m, n)


@kernel
def _hold(held: Floats, table: int, cards: Ints, at: int, r: Floats, q: int, hand: int) -> None:
    """Add one hand's reach to its card in a table of card sums, ``held`` OUT."""
    held[_u(table + cards[_u(at + hand)])] += r[_u(q + hand)]


@kernel
def _fold(sw: Sweeps, c: int, v: Floats, gather: Floats, held: Floats) -> None:
    """Compatible reach of every lane: all, less each card's, plus the hand itself.

    Neighbouring hands share a card, and adding to one number again and again waits for memory:
    four quarters of the hands are added up side by side. ``gather`` is IN.
    """
    n, cards, low, first = sw.hands, sw.ints, sw.table[c, INTS], sw.table[c, FIRST_LANE]
    high, quarter = low + n, n // 4
    for lane in range(sw.table[c, END_LANES] - first):
        r, y = lane * n, sw.own_row[first + lane] * n
        clear(held, 0, 4 * MAX_DECK)
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
    """Scaled opponent reach in order of strength, lanes side by side: out OUT [hands, lanes]."""
    n, entries, order = sw.hands, sw.entries, sw.table[c, INTS] + 1
    out[:] = 0.0
    for e in range(sw.table[c, FIRST_ENTRY], sw.table[c, END_ENTRIES]):
        lane, src, scale = entries[e, IN_LANE], entries[e, OPP_ROW] * n, sw.scales[e]
        for i in range(n):
            out[i, lane] += scale * reach[_u(src + sw.ints[_u(order + i)])]


@kernel
def _take(r: Floats, i: int, low: int, high: int, held: Floats) -> None:
    """Add the lanes of hand i to ``held`` (OUT): to the total, its last row, and to its cards."""
    for w in range(r.shape[1]):
        held[MAX_DECK, w] += r[i, w]
    for w in range(r.shape[1]):
        held[low, w] += r[i, w]
    for w in range(r.shape[1]):
        held[high, w] += r[i, w]


@kernel
def _showdown(sw: Sweeps, c: int, v: Floats, r: Floats, y: Floats, held: Floats) -> None:
    """Weaker minus stronger compatible reach: one pass upwards, one downwards.

    ``r`` (IN) and ``y`` are [hands, lanes], hands by strength, ``held`` is [cards + 1, lanes]. A
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
