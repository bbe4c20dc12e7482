"""The order in which both players' values and strategies change, once for all kinds of games.

An iteration asks two things of a player: the values of terminals against the opponent's reach, and
a step from these values to the next strategy. Which kernels answer follows from the types of the
arrays: `SETTLE` names them by the type of the terminals, `STEP` by that of the infosets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.jit import by_type, kernel
from cfrlab.solve.kernels.arrays import Learner, Scratch
from cfrlab.solve.layout import Plex

Floats = NDArray[np.float64]

SETTLE: dict[type, Callable[..., None]] = {}
"""Type of the terminals -> kernel ``(ends, opponent's reach IN, v OUT, space)``."""

STEP: dict[type, Callable[..., None]] = {}
"""Type of the infosets -> kernel ``(plex, infosets, learner IN and OUT, space, rule)``."""

settle = by_type(SETTLE, 0)
step = by_type(STEP, 1)


@kernel
def iterate(
    plex0: Plex, plex1: Plex, ends0: Any, ends1: Any, infosets0: Any, infosets1: Any,
    one: Learner, two: Learner, space0: Scratch, space1: Scratch, rules: Floats,
    alternating: bool,
) -> None:  # fmt: skip
    """Run one iteration for every row of ``rules``: [iterations, (pos, neg, predict, weight)].

    Simultaneous: both players answer the other's strategy of the iteration before. Alternating:
    player 0 first, and player 1 answers the strategy that player 0 has just moved to.

    Args:
        plex0, plex1, ends0, ends1, infosets0, infosets1, rules, alternating: IN.
        one, two: IN and OUT; both players' numbers.
        space0, space1: working space.
    """
    for t in range(rules.shape[0]):
        settle(ends0, two.reach, one.v, space0)
        if not alternating:
            settle(ends1, one.reach, two.v, space1)
        step(plex0, infosets0, one, space0, rules[t])
        if alternating:
            settle(ends1, one.reach, two.v, space1)
        step(plex1, infosets1, two, space1, rules[t])
