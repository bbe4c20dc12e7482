"""Exact best responses and expected values in a game of rounds.

The strategies may be those of any abstraction; the answers to them live in the lossless game. What
is not a strategy of its game raises CfrlabError.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.rounds import kernels
from cfrlab.solve.rounds.profile import RoundProfile
from cfrlab.solve.rounds.traversal import Board, Table

Reals = NDArray[Any]


def best_responses(profile: RoundProfile) -> tuple[float, float]:
    """What each player wins by answering the other's strategy best, in chips a hand.

    Their sum is the profile's NashConv, half of it its exploitability.
    """
    return _values(profile, respond=True)


def expected_payoffs(profile: RoundProfile) -> tuple[float, float]:
    """What each player wins when both follow the profile, in chips a hand.

    The two are computed from opposite ends and sum to zero up to rounding.
    """
    return _values(profile, respond=False)


def _values(profile: RoundProfile, respond: bool) -> tuple[float, float]:
    profile.check()
    walk = profile.traversal

    def leave(board: Board, number: int, played: Table, value: Reals) -> None:
        if respond:
            kernels.respond(walk.plans[board.round], value)
        else:
            kernels.up(walk.plans[board.round], *played, value)

    values = walk.walk(profile.play(), leave).astype(np.float64)
    one, two = walk.game.classes[0].size @ values / walk.game.pairs
    return float(one), float(two)
