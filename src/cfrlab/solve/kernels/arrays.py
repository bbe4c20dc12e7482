"""The arrays that kernels work on: a player's numbers, and working space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.layout import MAX_DECK, Plex, Sweeps

Floats = NDArray[np.float64]

LANE_PAD = 8
"""Lanes of a showdown sweep are padded to whole vectors."""

CHUNK = 512
"""Numbers of a group updated at a time, so that they stay in the first-level cache."""


class Learner(NamedTuple):
    """One player's numbers. Sizes: R rows of the treeplex, n hands, m abstraction rows.

    ``regret`` and ``strategy`` are flat [R * m]; ``sigma``, ``reach``, ``average`` and ``v`` are
    flat [R * n]. Under the identity ``strategy`` and ``sigma`` are one array.
    """

    regret: Floats
    strategy: Floats
    sigma: Floats
    reach: Floats
    average: Floats
    v: Floats


class Scratch(NamedTuple):
    """Working space of one player, allocated once (`make_scratch`); holds nothing between calls."""

    value: Floats
    total: Floats
    merged: Floats
    gather: Floats
    swept: Floats
    held: Floats
    scaled: Floats


def make_scratch(plex: Plex, sweeps: Sweeps, phi_rows: int) -> Scratch:
    """Working space of one player for the kernels; ``phi_rows`` is m."""
    lanes = sweeps.width + LANE_PAD
    hands = max(plex.hands, sweeps.opp_hands)
    group = int((plex.groups[:, 0] * plex.groups[:, 1]).max(initial=1))
    return Scratch(
        np.zeros(plex.widest * plex.hands),
        np.zeros(max(plex.widest * phi_rows, CHUNK)),
        np.zeros(group * phi_rows),
        np.zeros(lanes * hands),
        np.zeros(lanes * hands),
        np.zeros((MAX_DECK + 1) * lanes),
        np.zeros(sweeps.opp_weights.size),
    )
