"""Sharper mixtures from a trained Phi: powers, the largest entries of a column, a least entry.

How many advisors a hand trusts decides how well an embedding plays: near-uniform columns make all
hands play alike. ``Phi^p`` with columns normalised is the softmax at temperature 1/p.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError

Floats = NDArray[np.float64]

# Columns at a time, so that float64 copies stay small beside Phi itself.
CHUNK = 4096
_TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, eq=False)
class Sharpened:
    """A Phi, and how much of it is in use.

    Attributes:
        phi: float32 [m, n]; columns sum to one as well as float32 allows.
        rows: rows with an entry above 0.
    """

    phi: NDArray[np.float32]
    rows: int


def sharpen(
    phi: NDArray[np.floating], power: float = 1.0, top: int | None = None, cut: float = 0.0
) -> Sharpened:
    """Sharpen every column of ``phi`` ([m, n]); one step after the other, normalised after each.

    Args:
        phi: non-negative, no column zero.
        power: each entry is raised to it.
        top: only the ``top`` largest entries stay; of equal entries, those with lower index.
        cut: entries below it become 0; the largest of a column always stays.

    Entries too small for a normal float32 become 0, since arithmetic on denormal numbers is slow.
    Raises CfrlabError for options out of range.
    """
    _check(phi, power, top, cut)
    out = np.empty(phi.shape, np.float32)
    for start in range(0, phi.shape[1], CHUNK):
        columns = slice(start, start + CHUNK)
        part = phi[:, columns].astype(np.float64)
        # Relative to the largest entry, no power underflows to a column of zeros.
        part = _normal((part / part.max(0)) ** power)
        if top is not None and top < len(part):
            part = _normal(np.where(_rank(part) < top, part, 0.0))
        if cut > 0:
            part = _normal(np.where((part >= cut) | (part == part.max(0)), part, 0.0))
        out[:, columns] = to_float32(part)
    return Sharpened(out, int((out > 0).any(1).sum()))


def to_float32(columns: Floats) -> NDArray[np.float32]:
    """Columns that sum to one, rounded so that the exact sum of each differs from one the least.

    The error of rounding each entry is put onto the largest entry of the column.
    """
    out = columns.astype(np.float32)
    out[out < _TINY] = 0.0
    largest, every = out.argmax(0), np.arange(out.shape[1])
    residual = 1.0 - out.sum(0, dtype=np.float64)
    out[largest, every] = (out[largest, every] + residual).astype(np.float32)
    return out


def _normal(columns: Floats) -> Floats:
    return np.asarray(columns / columns.sum(0))


def _rank(columns: Floats) -> NDArray[np.intp]:
    """Place of each entry in its column from the largest, 0 first; equal ones by index."""
    order = np.argsort(-columns, axis=0, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(len(columns))[:, None], 0)
    return rank


def _check(phi: NDArray[np.floating], power: float, top: int | None, cut: float) -> None:
    if phi.ndim != 2 or not phi.size:
        raise CfrlabError(f"sharpening: Phi needs shape [advisors, hands], got {phi.shape}")
    if not (np.isfinite(phi).all() and (phi >= 0).all() and phi.any(0).all()):
        raise CfrlabError(
            "sharpening: entries of Phi must be finite and not negative, and no column zero"
        )
    if not 0 < power < np.inf:
        raise CfrlabError(f"sharpening: power is {power:g}; it must be positive")
    if top is not None and top < 1:
        raise CfrlabError(f"sharpening: top is {top}; a hand needs at least 1 advisor")
    if not 0 <= cut < 1:
        raise CfrlabError(f"sharpening: cut is {cut:g}; choose from 0 to below 1")
