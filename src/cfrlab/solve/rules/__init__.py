"""Regret-update rules, one module each, found by name.

A rule keeps one sum of regrets for every action. After the instantaneous regret ``r`` of iteration
t is added, positive sums are multiplied by ``pos`` and the others by ``neg``; the next strategy is
in proportion to the positive part of ``sum + predict * r``. A module gives these three numbers for
every iteration, and the defaults of its paper for alternation and averaging::

    ALTERNATING: bool
    AVERAGING: float  # iteration t weighs t ** AVERAGING in the average strategy

    def update(t: Floats) -> Update: ...

``t`` holds the numbers of many iterations (1, 2, ...) at once; each answer is an array like it, or
one number for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Update(NamedTuple):
    """What happens to the regret sums."""

    pos: Floats | float = 1.0
    neg: Floats | float = 1.0
    predict: Floats | float = 0.0
