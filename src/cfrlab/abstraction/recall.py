"""What a class of hands recalls: its winrates in its own round and in every round before it.

Two classes are apart by the weighted sum, over rounds, of earth mover's distances between their
distributions over losing, tying and winning (Fu et al., *KrwEmd*, 2025).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from cfrlab.abstraction import emd, outcomes
from cfrlab.games.isomorphism import HandClasses

Weighting = Literal["exponential", "linear", "constant", "increasing"]
WEIGHTING: Weighting = "exponential"
"""Unless another is asked for."""


def weights(kind: Weighting, r: int) -> list[int]:
    """Weights of round r (the first is 0), of the round before, and so on back to the first."""
    match kind:
        case "exponential":
            return [4 ** (r - back) for back in range(r + 1)]
        case "linear":
            return [3 + 2 * (r - back) for back in range(r + 1)]
        case "constant":
            return [1] * (r + 1)
        case "increasing":
            return [3 + 2 * back for back in range(r + 1)]


def features(
    classes: Sequence[HandClasses], outcome: Sequence[outcomes.Ints], r: int, kind: Weighting
) -> outcomes.Floats:
    """Points for the classes of round r, L1 apart as the method says, float64 [n, 2 (r + 1)]."""
    parts = []
    for back, weight in enumerate(weights(kind, r)):
        triple = outcome[r - back][outcomes.ancestors(classes, r, back)]
        parts.append(weight * emd.embed(triple / triple.sum(1, keepdims=True)))
    return np.concatenate(parts, axis=1)
