"""The view of a `Phi` that kernels work on: its ``merge`` and ``spread`` for single flat rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel
from cfrlab.solve.kernels.primitives import clear, set_product, times_matrix
from cfrlab.solve.phi import BucketMap, Identity, Phi

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_u = np.uint64

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


def phi_arrays(phi: Phi, weights: Floats) -> PhiArrays:
    """A matrix for the kernels, and the prior weights of the hands."""
    bucket, matrix, kind = np.zeros(1, np.int64), np.zeros((1, 1)), MATRIX
    if isinstance(phi, Identity):
        kind = IDENTITY
    elif isinstance(phi, BucketMap):
        kind, bucket = BUCKETS, phi.labels.astype(np.int64)
    else:
        matrix = phi.dense()
    rows, columns = (np.ascontiguousarray(x, np.float64).ravel() for x in (matrix, matrix.T))
    return PhiArrays(kind, phi.rows, bucket, rows, columns, weights.astype(np.float64))


@kernel
def merge(phi: PhiArrays, r: Floats, at: int, out: Floats, p: int) -> None:
    """Regrets of one row's hands, left weighted, to its abstraction rows: ``Phi (w r)``.

    Args:
        phi: IN.
        r: IN and OUT; the hands' regrets from ``at`` on, weighted in place.
        out: OUT; the abstraction rows' from ``p`` on.
    """
    n, m = phi.weights.size, phi.rows
    set_product(r, at, r, at, phi.weights, 0, n)
    clear(out, p, m)
    if phi.kind == BUCKETS:
        for h in range(n):
            out[_u(p + phi.bucket[h])] += r[_u(at + h)]
    else:
        times_matrix(phi.transposed, 0, r, at, n, out, p, m)


@kernel
def spread(phi: PhiArrays, strategy: Floats, at: int, sigma: Floats, p: int) -> None:
    """Strategies of abstraction rows to hands: ``Phi^T strategy``.

    Args:
        phi: IN.
        strategy: IN; the abstraction rows' from ``at`` on.
        sigma: OUT; the hands' from ``p`` on.
    """
    n, m = phi.weights.size, phi.rows
    if phi.kind == BUCKETS:
        for h in range(n):
            sigma[_u(p + h)] = strategy[_u(at + phi.bucket[h])]
    else:
        clear(sigma, p, n)
        times_matrix(phi.matrix, 0, strategy, at, m, sigma, p, n)
