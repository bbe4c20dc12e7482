"""equity: expected showdown outcome of a hand against the opponent hands it can meet.

On a river this is the probability of winning plus half that of tying, against a uniformly drawn
compatible hand. In general, with z the terminals that end in a showdown (any payoff that is not a
fold) and each pair of hands weighed as the game deals it,

    equity(h) = 1/2 + 1/2 * sum_z s_z E[outcome_z | h possible at z] / sum_z |s_z|

where s_z is the terminal's stake times its chance probability, and outcomes are scaled to [-1, 1].
With one showdown operator this is (1 + mean outcome) / 2. Where terminals have different payoffs
(the random game) they are averaged in proportion to their stakes; where public chance rules out
pairs, terminals count in proportion to the probability that the hand can be there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Floats, Payoff
from cfrlab.solve import walk

NEEDS_WARMUP = False


class Params(BaseModel, extra="forbid"):
    """No options."""


def features(
    game: Game, player: int, params: Params, profile: Profile | None
) -> NDArray[np.float64]:
    """Equity in [0, 1], shape [n, 1]; 1/2 for a hand that no opponent hand is compatible with.

    Raises CfrlabError for a game in which every terminal is a fold.
    """
    del params, profile
    tree = game.tree
    showdowns = [z for z in tree.terminals if tree.payoff[z] not in game.fold_payoffs]
    if not showdowns:
        raise CfrlabError(
            f"feature equity: game {game.name} has no showdown, every terminal is a fold; use "
            "ev-root or ev-nd"
        )
    stake = tree.scale * game.reach_of_chance()
    deals = walk.deals(game)
    won, met = np.zeros(game.n[player]), np.zeros(game.n[player])
    for payoff in np.unique(tree.payoff[showdowns]):
        nodes = [z for z in showdowns if tree.payoff[z] == payoff]
        # Terminals of one operator rule out the same pairs, so one of them stands for all.
        outcome, pairs = _against_range(game, player, game.payoffs[payoff], deals[nodes[0]])
        won += stake[nodes].sum() * outcome
        met += np.abs(stake[nodes]).sum() * pairs
    mean = np.divide(won, met, out=np.zeros_like(won), where=met > 0)
    return (0.5 + 0.5 * mean)[:, None]


def _against_range(game: Game, player: int, op: Payoff, deal: Payoff) -> tuple[Floats, Floats]:
    """Sum of outcomes over the opponent's range, and the largest it could be, float64 [n] each."""
    outcome, pairs = op.dense(), deal.dense()
    # Payoffs carry the pair's multiplicity; what is left of them may exceed 1, but not the peak.
    peak = np.max(np.abs(outcome[pairs > 0]) / pairs[pairs > 0], initial=0.0)
    if player == 1:
        outcome, pairs = -outcome.T, pairs.T
    weights = game.weights[1 - player]
    return outcome @ weights, peak * (pairs @ weights)
