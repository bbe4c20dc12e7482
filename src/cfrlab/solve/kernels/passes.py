"""Passes over a treeplex: own reach from the root down, values from the leaves up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.kernels.primitives import add, add_product, clear, set_product
from cfrlab.solve.layout import (
    ACTIONS,
    END_SEGMENTS,
    FIRST_ROW,
    FIRST_SEGMENT,
    LANE,
    LANES,
    LENGTH,
    SOURCE,
    Plex,
)

Floats = NDArray[np.float64]
_u = np.uint64


@kernel
def reaches(plex: Plex, sigma: Floats, reach: Floats) -> None:
    """Own reach of every row, ``reach`` OUT, given the strategy of every row, ``sigma`` IN.

    It is 1 at the root.
    """
    n, groups, segments = plex.hands, plex.groups, plex.segments
    for i in range(n):
        reach[i] = 1.0
    for g in range(groups.shape[0]):
        for s in range(groups[g, FIRST_SEGMENT], groups[g, END_SEGMENTS]):
            src, size = segments[s, SOURCE] * n, segments[s, LENGTH] * n
            for a in range(groups[g, ACTIONS]):
                row = groups[g, FIRST_ROW] + a * groups[g, LANES] + segments[s, LANE]
                set_product(reach, row * n, reach, src, sigma, row * n, size)


@kernel
def add_up(plex: Plex, g: int, value: Floats, v: Floats) -> None:
    """Add the values of a group's decisions (IN) to the rows of ``v`` (OUT) they hang below."""
    n, segments = plex.hands, plex.segments
    for s in range(plex.groups[g, FIRST_SEGMENT], plex.groups[g, END_SEGMENTS]):
        add(v, segments[s, SOURCE] * n, value, segments[s, LANE] * n, segments[s, LENGTH] * n)


@kernel
def mixed_values(plex: Plex, sigma: Floats, v: Floats, value: Floats) -> None:
    """Complete terminal values ``v`` (IN and OUT) to the values of playing ``sigma`` (IN).

    Row 0 becomes the root's; ``value`` is working space.
    """
    groups = plex.groups
    for g in range(groups.shape[0] - 1, -1, -1):
        at, size = groups[g, FIRST_ROW] * plex.hands, groups[g, LANES] * plex.hands
        clear(value, 0, size)
        for a in range(groups[g, ACTIONS]):
            add_product(value, 0, sigma, at + a * size, v, at + a * size, size)
        add_up(plex, g, value, v)


@kernel
def best_values(plex: Plex, v: Floats, value: Floats) -> None:
    """Complete terminal values ``v`` (IN and OUT) to those of a best response.

    Row 0 becomes the root's; ``value`` is working space.
    """
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


@kernel
def fair(plex: Plex, sigma: Floats, total: Floats, tolerance: float) -> bool:
    """Whether flat ``sigma`` (IN) gives every decision probabilities: none negative, sums of 1.

    Sums may miss 1 by the tolerance; what is not a number is not fair. ``total`` is working space.
    """
    good = True
    for g in range(plex.groups.shape[0]):
        at, size = plex.groups[g, FIRST_ROW] * plex.hands, plex.groups[g, LANES] * plex.hands
        clear(total, 0, size)
        for a in range(plex.groups[g, ACTIONS]):
            for i in range(size):
                x = sigma[_u(at + a * size + i)]
                total[_u(i)] += x
                good &= x >= 0.0
        for i in range(size):
            good &= abs(total[_u(i)] - 1.0) <= tolerance
    return good
