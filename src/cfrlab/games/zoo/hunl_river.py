"""River endgame of heads-up no-limit hold'em: one board, all hands, one betting round.

With the full deck each player holds one of C(47, 2) = 1081 hands, and 1081 * C(45, 2) pairs of
hands share no card.
"""

from __future__ import annotations

import numpy as np

from cfrlab.games.game import Game
from cfrlab.games.river import RiverParams, deal_boards, river_game


class Params(RiverParams):
    """River parameters, and the board (``"Ts3h2h5c9s"``), dealt uniformly if left out."""

    board: str | None = None


def build(params: Params, rng: np.random.Generator) -> Game:
    """The endgame on the given board, or on one dealt by ``rng``.

    Raises CfrlabError on bad cards.
    """
    given = None if params.board is None else [params.board]
    return river_game("hunl_river", params, deal_boards(params, given, 1, rng))
