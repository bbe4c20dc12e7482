"""PCFR+ (Farina, Kroer, Sandholm 2021): CFR+ that expects the last regret to come again."""

from __future__ import annotations

from cfrlab.solve.rules import Floats, Update

ALTERNATING = True
AVERAGING = 2.0


def update(t: Floats) -> Update:
    """Drop what is negative, predict the last instantaneous regret."""
    return Update(neg=0.0, predict=1.0)
