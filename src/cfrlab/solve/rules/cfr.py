"""CFR (Zinkevich, Johanson, Bowling, Piccione 2007): regret matching on plain sums."""

from __future__ import annotations

from cfrlab.solve.rules import Floats, Update

ALTERNATING = False
AVERAGING = 0.0


def update(t: Floats) -> Update:
    """Keep every regret."""
    return Update()
