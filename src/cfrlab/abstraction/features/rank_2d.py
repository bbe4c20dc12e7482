"""rank-2d: position of a hand in the order of strengths of each board, one column a board.

The paper's game-specific baseline for the double board; any number of boards from two on will do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from cfrlab.abstraction.features.rank import positions
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile

NEEDS_WARMUP = False


class Params(BaseModel, extra="forbid"):
    """No options."""


def features(
    game: Game, player: int, params: Params, profile: Profile | None
) -> NDArray[np.float64]:
    """Positions in [0, 1], shape [n, boards]. Raises CfrlabError below two boards."""
    del params, profile
    by_board = positions(game, player)
    if by_board.shape[1] < 2:
        raise CfrlabError(
            f"feature rank-2d: game {game.name} has a single board; use rank, or a game with two"
        )
    return by_board
