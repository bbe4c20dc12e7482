"""Principal components of expected values.

The values of different decisions are nearly linear functions of few numbers, so that thousands of
them span few directions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

VARIANCE = 0.9999
"""Share of the variance that is held unless another is asked for."""


def principal(values: NDArray[np.floating], variance: float) -> NDArray[np.float64]:
    """Principal components of the rows that hold at least that share of their variance, [n, p]."""
    rows = values.astype(np.float64)
    rows -= rows.mean(0)
    if not rows.any():  # there is no direction to choose
        return rows[:, :1]
    with threadpool_limits(limits=1):
        return np.asarray(PCA(variance, svd_solver="covariance_eigh").fit_transform(rows))
