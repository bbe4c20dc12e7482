"""ev-root: expected value of a hand at the root public node (Li and Huang 2026, section 4).

The profile is the warm-up's average. The second player's root value is its expected value at the
same node, where the first player acts. Unit: the game's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.solve import walk

NEEDS_WARMUP = True


class Params(BaseModel, extra="forbid"):
    """No options."""


def features(
    game: Game, player: int, params: Params, profile: Profile | None
) -> NDArray[np.float64]:
    """Root EV, shape [n, 1]; 0 for a hand that no opponent hand is compatible with."""
    del params
    if profile is None:
        raise CfrlabError("feature ev-root: needs the profile of a warm-up, got none")
    root = walk.expected_values(game, profile)[player][:1]
    return np.ascontiguousarray(root.T)
