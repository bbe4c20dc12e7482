"""Linear CFR (Brown and Sandholm 2019): iteration t counts t times, in regrets and average."""

from __future__ import annotations

from cfrlab.solve.rules import Floats, Update

ALTERNATING = True
AVERAGING = 1.0


def update(t: Floats) -> Update:
    """Discount all that came before, so that iteration t weighs t in the end."""
    return Update(pos=t / (t + 1), neg=t / (t + 1))
