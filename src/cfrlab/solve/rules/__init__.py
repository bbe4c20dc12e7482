"""Regret-update rules, one module each, found by name.

A rule keeps one sum of regrets for every action. After the instantaneous regret ``r`` of iteration
t is added, positive sums are multiplied by ``pos`` and the others by ``neg``; the next strategy is
in proportion to the positive part of ``sum + predict * r``. A module gives these three numbers for
every iteration, and the defaults of its paper for alternation and averaging::

    def update(t: int, ...options...) -> Update    # t = 1, 2, ...
    ALTERNATING: bool
    AVERAGING: float                               # the average weights iteration t by t ** AVERAGING
"""

from __future__ import annotations

from typing import NamedTuple


class Update(NamedTuple):
    """What happens to the regret sums in one iteration."""

    pos: float = 1.0
    neg: float = 1.0
    predict: float = 0.0
