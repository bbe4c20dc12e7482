"""Double-board river endgame: ten board cards, each board settles half of the pot.

With the full deck each player holds one of C(42, 2) = 861 hands.
"""

from __future__ import annotations

import numpy as np

from cfrlab.games.game import Game
from cfrlab.games.river import RiverParams, deal_boards, river_game


class Params(RiverParams):
    """River parameters, and the two boards, dealt uniformly if left out."""

    boards: tuple[str, str] | None = None


def build(params: Params, rng: np.random.Generator) -> Game:
    """The endgame on the given boards, or on boards dealt by ``rng``.

    Raises CfrlabError on bad cards.
    """
    return river_game("double_board", params, deal_boards(params, params.boards, 2, rng))
