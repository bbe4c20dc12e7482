"""Discounted CFR (Brown and Sandholm 2019), by default DCFR(3/2, 0, 2)."""

from __future__ import annotations

from cfrlab.solve.rules import Floats, Update

ALTERNATING = True
AVERAGING = 2.0


def update(t: Floats, alpha: float = 1.5, beta: float = 0.0) -> Update:
    """Discount positive sums by t^alpha / (t^alpha + 1), the others by t^beta / (t^beta + 1)."""
    return Update(pos=t**alpha / (t**alpha + 1), neg=t**beta / (t**beta + 1))
