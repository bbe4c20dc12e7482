"""Products with an abstraction matrix of few non-zeros, kept column by column.

Column c has the entries from ``first[c]`` on (IN): ``row`` says where they stand, ``entry`` what
they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import kernel

Reals = NDArray[Any]
Ints = NDArray[np.int64]


@kernel
def spread(first: Ints, row: Ints, entry: Reals, rows: Reals, out: Reals) -> None:
    """Mixtures ``out`` [n, k] (OUT) of rows [m, k] (IN)."""
    for c in range(out.shape[0]):
        target = out[c]
        for i in range(len(target)):
            target[i] = 0.0
        for j in range(first[c], first[c + 1]):
            source, share = rows[row[j]], entry[j]
            for i in range(len(target)):
                target[i] += share * source[i]


@kernel
def merge(first: Ints, row: Ints, entry: Reals, values: Reals, out: Reals) -> None:
    """Add values [n, k] (IN) to the rows ``out`` [m, k] (IN and OUT) that a column mixes."""
    for c in range(values.shape[0]):
        source = values[c]
        for j in range(first[c], first[c + 1]):
            target, share = out[row[j]], entry[j]
            for i in range(len(source)):
                target[i] += share * source[i]
