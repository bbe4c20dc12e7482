"""Loops over stretches of flat arrays, of which the other kernels are made.

They take an array and where to start in it. Slices would read better, but numba counts references
to every slice, which costs more than a short loop; and an index that is known to be unsigned cannot
wrap around, without which the compiler would not vectorise. In all of them ``y`` is changed from
``y[p]`` on (OUT), the other arrays are read (IN).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel

Floats = NDArray[np.float64]
_u = np.uint64


@kernel
def clear(y: Floats, p: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] = 0.0


@kernel
def add(y: Floats, p: int, x: Floats, q: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] += x[_u(q + i)]


@kernel
def add_scaled(y: Floats, p: int, scale: float, x: Floats, q: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] += scale * x[_u(q + i)]


@kernel
def add_product(y: Floats, p: int, a: Floats, q: int, b: Floats, r: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] += a[_u(q + i)] * b[_u(r + i)]


@kernel
def set_product(y: Floats, p: int, a: Floats, q: int, b: Floats, r: int, size: int) -> None:
    for i in range(size):
        y[_u(p + i)] = a[_u(q + i)] * b[_u(r + i)]


@kernel
def times_matrix(
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
