"""The re-solving gadget: a game whose solution is a safe strategy for subgames.

To re-solve player p's strategy below some roots, the opponent chooses at each of its augmented
infosets there whether to *follow* into the subgame, for which p holds its trunk reach, or to
*terminate* for the counterfactual value that was stored (Burch, Johanson and Bowling 2014, Section
3). Everything is in the unnormalised form: the roots are weighted by chance and p's reach as they
are, and termination pays the stored value as it is. The paper's constant k cancels, and roots that
p never reaches need no special case.

Two forms of it. `gadget_game` is a game like any other, for the linear program and for other
programs: termination pays through a further hand of p that plays no part elsewhere. `GadgetSolver`
runs CFR on the compiled form, where reach lives in the weights of rows and every payoff operator
keeps its speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.entries import Entries
from cfrlab.decomposition.infosets import augmented
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.graft import Grower, Piece
from cfrlab.games.payoffs import Dense, Payoff
from cfrlab.games.tree import Chance, Decision, Node, Terminal
from cfrlab.solve.rule import Rule

Floats = NDArray[np.float64]
FOLLOW, TERMINATE, ENTER = "follow", "terminate", "enter"


def root_infosets(decomposition: Decomposition, opponent: int) -> list[list[int]]:
    """Positions of the roots that the opponent cannot tell apart, set by set."""
    sequence = augmented(decomposition.game.tree, opponent)
    sets: dict[int, list[int]] = {}
    for k, root in enumerate(decomposition.roots):
        sets.setdefault(int(sequence[root]), []).append(k)
    return list(sets.values())


def joint_values(decomposition: Decomposition, opponent: int, values: Floats) -> list[Floats]:
    """What termination pays at each of `root_infosets`: the sum over its roots, float64 [n]."""
    return [values[roots].sum(0) for roots in root_infosets(decomposition, opponent)]


def _grow(
    decomposition: Decomposition,
    player: int,
    leaves: Sequence[Terminal],
    payoff: Callable[[int, int], int],
) -> tuple[Grower, Node]:
    """The gadget's tree; ``payoff(k, i)`` is the new index of payoff i below root k."""
    game, above = decomposition.game, decomposition.game.reach_of_chance()
    grower, opponent = Grower(game), 1 - player
    grower.own()

    def entry(k: int) -> Node:
        grower.own()
        copy = grower.copy(decomposition.roots[k], k, payoff=lambda i: payoff(k, i))
        return Decision(player, {ENTER: copy})

    outcomes = []
    for leaf, roots in zip(leaves, root_infosets(decomposition, opponent), strict=True):
        grower.own()
        grower.own()
        name = " or ".join(game.tree.describe(decomposition.roots[k]) for k in roots)
        follow = Chance(
            [(f"root {k}", float(above[decomposition.roots[k]]), entry(k)) for k in roots]
        )
        grower.own()
        outcomes.append((name, 1.0, Decision(opponent, {FOLLOW: follow, TERMINATE: leaf})))
    return grower, Chance(outcomes)


def gadget_game(decomposition: Decomposition, player: int, reach: Floats, values: Floats) -> Piece:
    """The gadget that re-solves ``player``'s strategy in all subgames, as a game.

    Args:
        decomposition: the game and its subgames.
        player: whose strategy is re-solved.
        reach: its own reach of the roots, float64 [roots, n_p].
        values: the opponent's stored values, float64 [roots, n_opponent].

    The player has one hand more than in the whole, the last one. Payoffs are dense matrices, with
    the player's reach multiplied in. Counterfactual values of the opponent are in the units of the
    whole game. Chance's numbers at the top are weights; they need not sum to one.
    """
    game = decomposition.game
    deal = pad_hand(game.deal.dense(), player, 1.0)
    weights = tuple(np.append(w, 1.0) if p == player else w for p, w in enumerate(game.weights))
    stretch = float(weights[0] @ deal @ weights[1]) * game.norm
    payoffs: list[Payoff] = []
    for k in range(len(decomposition.roots)):
        for op in game.payoffs:
            matrix = op.dense() * (reach[k][:, None] if player == 0 else reach[k][None, :])
            payoffs.append(Dense(pad_hand(stretch * matrix, player, 0.0)))
    leaves = []
    sign = -1.0 if player == 0 else 1.0
    for paid in joint_values(decomposition, 1 - player, values):
        row = sign * stretch * paid / game.norm
        zero = np.zeros((game.n[0], game.n[1]))
        leaves.append(Terminal(len(payoffs)))
        payoffs.append(Dense(pad_hand(zero, player, row)))
    grower, root = _grow(decomposition, player, leaves, lambda k, i: k * len(game.payoffs) + i)
    hands = tuple((*h, "terminate") if p == player else h for p, h in enumerate(game.hands))
    return grower.finish(
        root,
        name=f"{game.name} gadget",
        payoffs=tuple(payoffs),
        deal=Dense(deal),
        hands=hands,
        weights=weights,
        strengths=np.empty((0, 0)),
        fold_payoffs=frozenset(),
    )


def pad_hand(matrix: Floats, player: int, last: float | Floats) -> Floats:
    """The matrix [n0, n1] with one more hand of ``player``, whose entries are ``last``."""
    axis = player
    line = np.broadcast_to(last, matrix.shape[1 - axis])
    return np.concatenate([matrix, np.expand_dims(line, axis)], axis=axis)


class GadgetSolver:
    """CFR on the gadget in its compiled form, all subgames side by side.

    The player's row above all roots has weight 1 for its first hand and 0 for the others, so a
    payoff of that hand alone pays the stored value, whatever the player does.

    Args:
        decomposition, player, reach, values: as for `gadget_game`.
        rule: the update rule.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        player: int,
        reach: Floats,
        values: Floats,
        rule: Rule,
    ) -> None:
        self.decomposition, self.player = decomposition, player
        self.piece = _compiled_form(decomposition, player, values)
        entries = Entries(self.piece, len(decomposition.roots))
        above = entries.weights(player)[0]
        above[:] = 0.0
        above[0] = 1.0
        entries.enter(player, reach)
        entries.enter(
            1 - player, np.ones((len(decomposition.roots), self.piece.game.n[1 - player]))
        )
        self.cfr = entries.solver(self.piece.game, rule)


def _compiled_form(decomposition: Decomposition, player: int, values: Floats) -> Piece:
    """The gadget with the whole's own payoffs; a first hand's payoff ends it."""
    game, leaves = decomposition.game, []
    payoffs: list[Payoff] = list(game.payoffs)
    for paid in joint_values(decomposition, 1 - player, values):
        matrix = np.zeros(game.n)
        line = (-paid if player == 0 else paid) / game.norm
        if player == 0:
            matrix[0] = line
        else:
            matrix[:, 0] = line
        leaves.append(Terminal(len(payoffs)))
        payoffs.append(Dense(matrix))
    grower, root = _grow(decomposition, player, leaves, lambda k, i: i)
    return grower.finish(root, name=f"{game.name} gadget", payoffs=tuple(payoffs))
