"""Earth mover's distance between histograms on a line.

The least work, mass times distance, that turns one histogram into another (Rubner et al. 2000). On
a line it has a closed form: between two neighbouring bins passes exactly the difference of the
masses to their left, so the distance is the sum over gaps of gap times that difference. Hence
histograms embed into L1 without loss: cumulative sums, weighted by the gaps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cfrlab.errors import CfrlabError

Floats = NDArray[np.float64]

MASS = 1e-9
"""Relative difference of total masses that counts as rounding."""


def embed(histograms: ArrayLike, gaps: ArrayLike | None = None) -> Floats:
    """Points whose L1 distances are the earth mover's distances of the histograms.

    Args:
        histograms: masses of the m bins from left to right, [..., m]; totals should agree, since
            the mass that one histogram has more of is left out of account.
        gaps: distances from each bin to the next, [m - 1], none negative; 1 unless given.

    Returns float64 [..., m - 1]. Raises CfrlabError for another number of gaps or negative ones.
    """
    mass = np.asarray(histograms, np.float64)
    step = np.ones(mass.shape[-1] - 1) if gaps is None else np.asarray(gaps, np.float64)
    if step.shape != (mass.shape[-1] - 1,) or not (step >= 0).all():
        raise CfrlabError(
            f"earth mover's distance: {mass.shape[-1]} bins on a line need "
            f"{mass.shape[-1] - 1} gaps, none negative, got {step.tolist()}"
        )
    return np.asarray(np.cumsum(mass, axis=-1)[..., :-1] * step)


def distance(a: ArrayLike, b: ArrayLike, gaps: ArrayLike | None = None) -> Floats:
    """Earth mover's distance between histograms [..., m] of equal mass, float64 [...].

    Raises CfrlabError as ``embed`` does, and for masses that differ.
    """
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    one, other = x.sum(-1), y.sum(-1)
    if not np.allclose(one, other, rtol=MASS, atol=0):
        raise CfrlabError(
            "earth mover's distance: the histograms differ in total mass; scale both to one"
        )
    return np.asarray(np.abs(embed(x, gaps) - embed(y, gaps)).sum(-1))
