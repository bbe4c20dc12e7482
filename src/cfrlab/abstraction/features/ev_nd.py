"""ev-nd: depth-weighted expected values of a hand at every decision node.

Li and Huang (2026), section 4: one column for each public decision node, the hand's value there
under the warm-up's average profile, times ``decay ** depth`` with depth the number of edges from
the root. The paper leaves the base of the decay open, and whether nodes where the opponent acts
count and whether values are normalised by compatible reach; see ``Params``.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.solve import walk

NEEDS_WARMUP = True


class Params(BaseModel, extra="forbid"):
    """Options.

    Attributes:
        decay: base of the depth weight; 1 weighs all nodes alike.
        nodes: "all" decision nodes, or the player's "own".
        normalised: expected value given that the node is reached, or else the counterfactual
            value (which also weighs a node by how often the opponent gets there).
    """

    decay: float = Field(default=0.5, gt=0, allow_inf_nan=False)
    nodes: Literal["all", "own"] = "all"
    normalised: bool = True


def features(
    game: Game, player: int, params: Params, profile: Profile | None
) -> NDArray[np.float64]:
    """Weighted values, shape [n, decision nodes in preorder]; 0 where no opponent hand can be."""
    if profile is None:
        raise CfrlabError("feature ev-nd: needs the profile of a warm-up, got none")
    tree = game.tree
    chosen = tree.player >= 0 if params.nodes == "all" else tree.player == player
    nodes = np.flatnonzero(chosen)
    evaluate = walk.expected_values if params.normalised else walk.node_values
    weights = params.decay ** tree.depth[nodes].astype(np.float64)
    return np.ascontiguousarray((evaluate(game, profile)[player][nodes] * weights[:, None]).T)
