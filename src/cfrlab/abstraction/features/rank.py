"""rank: position of a hand in the order of showdown strengths.

Hands are sorted by strength and their positions scaled to 0 (weakest) ... 1 (strongest); tied hands
share their mean position. So distances reflect how many hands lie between two hands, not how many
distinct strengths do. With several boards the paper does not say which order its one-dimensional
rank follows; the options are the first board's, and the mean position over all boards.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from scipy.stats import rankdata

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile

NEEDS_WARMUP = False


class Params(BaseModel, extra="forbid"):
    """``boards``: whose order counts where a game has several boards."""

    boards: Literal["first", "mean"] = "first"


def features(
    game: Game, player: int, params: Params, profile: Profile | None
) -> NDArray[np.float64]:
    """Position in [0, 1], shape [n, 1]. Raises CfrlabError for hands without strengths."""
    del profile
    by_board = positions(game, player)
    return by_board[:, :1] if params.boards == "first" else by_board.mean(1, keepdims=True)


def positions(game: Game, player: int) -> NDArray[np.float64]:
    """Position in [0, 1] of each of the player's hands on each board, float64 [n, boards]."""
    n = game.n[player]
    if len(game.strengths) == 0:
        raise CfrlabError(
            f"feature rank: the hands of game {game.name} have no strengths to rank; use equity, "
            "ev-root or ev-nd"
        )
    if game.strengths.shape[1] != n:
        raise CfrlabError(
            f"feature rank: game {game.name} has {game.strengths.shape[1]} strengths a board for "
            f"player {player}'s {n} hands"
        )
    ranks = rankdata(game.strengths, method="average", axis=1).T
    return np.asarray((ranks - 1.0) / max(n - 1, 1), dtype=np.float64)
