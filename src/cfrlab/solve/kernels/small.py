"""Terminals of a game of few hands, all settled in one sweep: how they lie, written and read here.

Each lane is an own row; rows of most terminals come first, and pass i settles the i-th terminal of
every row that has so many. In ``Sweeps.ints`` stand the number of passes, then for each pass its
width (it covers that many first lanes) and where in the opponent's flat reach to look, [opponent
hand, lane]; in ``Sweeps.floats`` for each pass the coefficients [own hand, opponent hand, lane],
scales included.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.kernels.primitives import add_product, clear
from cfrlab.solve.layout import DATA, END_LANES, FIRST_LANE, INTS, KIND, SMALL, Sweeps

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_u = np.uint64

Term = tuple[int, Floats]
"""A terminal: the opponent's row, and what each pair of hands pays [own hands, opponent hands]."""


def lay_out(lanes: Sequence[Sequence[Term]]) -> tuple[Floats, Ints]:
    """Floats and integers for the terminals of every lane, lanes with most terminals first."""
    ints: list[Sequence[int] | Ints] = [[len(lanes[0])]]
    floats = []
    for i in range(len(lanes[0])):
        now = [terms[i] for terms in lanes if len(terms) > i]
        rows = np.array([row for row, _ in now])
        m = now[0][1].shape[1]
        ints += [[len(now)], (rows[None, :] * m + np.arange(m)[:, None]).ravel()]
        floats.append(np.stack([pays for _, pays in now], axis=-1).ravel())
    return np.concatenate(floats), np.concatenate([np.asarray(x, np.int64) for x in ints])


def places(sweeps: Sweeps) -> Ints | None:
    """Flat position in the opponent's reach that each of ``floats`` is multiplied with, int64.

    None unless all terminals are small.
    """
    if not (sweeps.table[:, KIND] == SMALL).all():
        return None
    out = np.zeros(sweeps.floats.size, np.int64)
    for sweep in sweeps.table:
        at, k = int(sweep[DATA]), int(sweep[INTS])
        passes, k = int(sweeps.ints[k]), k + 1
        for _ in range(passes):
            size = int(sweeps.ints[k]) * sweeps.opp_hands
            block = sweeps.ints[k + 1 : k + 1 + size]
            out[at : at + size * sweeps.hands] = np.tile(block, sweeps.hands)
            at, k = at + size * sweeps.hands, k + 1 + size
    return out


@kernel
def small_values(
    sw: Sweeps, c: int, reach: Floats, v: Floats, gather: Floats, swept: Floats
) -> None:
    """Values of all terminals of sweep c, own rows as the vector axis.

    Args:
        sw, c: IN.
        reach: IN; the opponent's, flat, weights included.
        v: OUT; values are added to the own rows.
        gather, swept: working space.
    """
    n, m, ints, first = sw.hands, sw.opp_hands, sw.ints, sw.table[c, FIRST_LANE]
    lanes = sw.table[c, END_LANES] - first
    clear(swept, 0, n * lanes)
    at, k = sw.table[c, DATA], sw.table[c, INTS] + 1
    for _ in range(ints[k - 1]):
        width = ints[k]
        for q in range(m * width):
            gather[_u(q)] = reach[_u(ints[_u(k + 1 + q)])]
        k += 1 + m * width
        for i in range(n):
            for j in range(m):
                add_product(swept, i * lanes, sw.floats, at, gather, j * width, width)
                at += width
    for z in range(lanes):
        row = sw.own_row[first + z] * n
        for i in range(n):
            v[_u(row + i)] += swept[_u(i * lanes + z)]
