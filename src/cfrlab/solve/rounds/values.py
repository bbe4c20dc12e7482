"""Expected values of hand classes at every decision of their round: WEVA's features by rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.solve.rounds import kernels
from cfrlab.solve.rounds.layout import NONE, Plan
from cfrlab.solve.rounds.profile import RoundProfile
from cfrlab.solve.rounds.traversal import Board, Table, Traversal

Reals = NDArray[Any]


def expected_values(
    game: RoundGame, profile: RoundProfile, decay: float = 0.5
) -> tuple[Reals, ...]:
    """What a hand is worth at every decision of its round, both players following a profile.

    The value given that the decision is reached, that is, over the opponent's hands in proportion
    to their reach, times ``decay ** depth`` with depth the number of edges above the decision (Li
    and Huang 2026, Section 4, ev-nd). 0 where the opponent's hands never get there.

    Returns for every round [classes, 2 players * decisions * lanes], player 0's values first.

    Raises CfrlabError for a profile of another game, and for what is no strategy.
    """
    walk = profile.traversal
    if walk.game.hands != game.hands:
        raise CfrlabError(f"game {game.name}: the profile is of a game with other hands")
    profile.check()
    met = tuple(_meetings(plan) for plan in walk.plans)
    weights = tuple((decay**depth).astype(walk.dtype) for depth in _depths(game))
    out = tuple(
        np.zeros((n, 2, len(plan.decisions), plan.lanes), walk.dtype)
        for n, plan in zip(game.hands, walk.plans, strict=True)
    )

    def arrive(board: Board, number: int, reach: Reals) -> None:
        # The weight of the opponent's hands, to divide by on the way up.
        out[board.round][board.span] = _weights(walk, met[board.round], board, reach)

    def leave(board: Board, number: int, played: Table, value: Reals) -> None:
        r = board.round
        kernels.up(walk.plans[r], *played, value)
        total = out[r][board.span]
        values = value[:, :, walk.plans[r].decisions]
        np.divide(values, total, out=total, where=total > 0)
        total *= weights[r]

    walk.walk(profile.play(), leave, arrive=arrive)
    return tuple(values.reshape(len(values), -1) for values in out)


def _meetings(plan: Plan) -> tuple[Plan, ...]:
    """For each player a plan that weighs the opponent's hands at all decisions, like a fold."""
    return tuple(
        plan._replace(
            sweeps=np.array([[p, plan.slot[1 - p, d], d, NONE] for d in plan.decisions], np.int64)
        )
        for p in (0, 1)
    )


def _weights(walk: Traversal, met: Sequence[Plan], board: Board, reach: Reals) -> Reals:
    """Reach of the opponent's hands that a class may meet, [n, 2, decisions, lanes]."""
    plan = met[0]
    weight = np.zeros((board.hands, 2, plan.nodes, plan.lanes), walk.dtype)
    for p, signed in enumerate(met):
        # Folds pay player 1 the negative stake.
        stake = np.full((plan.nodes, plan.lanes), 1 - 2 * p, walk.dtype)
        walk.terminals(board, signed, stake, reach, weight)
    return np.ascontiguousarray(weight[:, :, plan.decisions])


def _depths(game: RoundGame) -> tuple[NDArray[np.int64], ...]:
    """Edges above every decision, chance included, int64 [decisions, lanes] for every round."""
    entry, out = np.zeros(1, np.int64), []
    for street in game.streets:
        depth = street.tree.depth.astype(np.int64)[:, None] + entry
        out.append(depth[street.tree.player >= 0])
        entry = depth[street.closings].T.ravel() + 1
    return tuple(out)
