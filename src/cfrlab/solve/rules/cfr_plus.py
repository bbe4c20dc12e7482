"""CFR+ (Tammelin 2014): sums never fall below zero; linear averaging, alternating."""

from __future__ import annotations

from cfrlab.solve.rules import Floats, Update

ALTERNATING = True
AVERAGING = 1.0


def update(t: Floats) -> Update:
    """Drop what is negative."""
    return Update(neg=0.0)
