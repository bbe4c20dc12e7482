"""Regret updates and regret matching, number by number: what the kernels of all engines inline.

Both functions work in the floating type of their arguments; a literal would turn float32
arithmetic into float64.
"""

from __future__ import annotations

from typing import Any

from cfrlab.solve.jit import kernel


@kernel
def updated(regret: Any, instant: Any, pos: Any, neg: Any, predict: Any) -> tuple[Any, Any]:
    """A regret sum after an iteration, and the positive part of the one predicted.

    Args:
        regret: the sum before.
        instant: the instantaneous regret.
        pos, neg, predict: factors of positive and of other sums, and of the prediction (see
            ``cfrlab.solve.rules``); ``pos`` is finite.
    """
    zero = pos - pos
    summed = regret + instant
    summed *= pos if summed > zero else neg
    ahead = summed + predict * instant
    return summed, ahead if ahead > zero else zero


@kernel
def share(part: Any, total: Any, even: Any) -> Any:
    """The part of a total, or ``even`` where the total is not positive."""
    quotient = part / total  # before the comparison, so that loops need no branch
    return quotient if total > 0 else even
