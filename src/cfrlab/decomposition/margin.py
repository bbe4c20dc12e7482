"""Max-margin re-solving, and the gifts of reach re-solving.

*Max-margin* (Moravcik et al., *Refining subgames in large imperfect information games*, AAAI 2016):
the gadget of Burch et al. is content when the opponent gains nothing at any root infoset; this one
makes the least margin, (stored value) - (value that the new strategy concedes), as large as it can.
The opponent picks the root infoset that it likes best. Values are counterfactual, as stored.

*Reach* (Brown and Sandholm, *Safe and nested subgame solving*, NeurIPS 2017): an opponent that
comes to a root through a mistake has given something away on the path, and the new strategy may
concede that much more there. The gift of an action is split evenly over the opponent's root
infosets below it, so all subgames together concede no more than what was given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.gadget import pad_hand, root_infosets
from cfrlab.decomposition.infosets import Bools, hands_at
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.game import Profile
from cfrlab.games.graft import Grower, Piece
from cfrlab.games.payoffs import Dense, Payoff
from cfrlab.games.tree import Chance, Decision, Node, Terminal
from cfrlab.solve import walk
from cfrlab.solve.merged import Merged

Floats = NDArray[np.float64]


def margin_game(
    decomposition: Decomposition, subgame: int, player: int, reach: Floats, values: Floats
) -> tuple[Piece, Merged]:
    """The game whose value for the opponent is minus the margin, as a game with merged infosets.

    A hand that is never dealt at some roots has no infoset there; its margin, 0 whatever is played,
    would be the least one.

    Args:
        decomposition: the game and its subgames.
        subgame: number of the subgame.
        player: whose strategy is re-solved.
        reach: its own reach of all roots, float64 [roots, n_p].
        values: the opponent's stored values at all roots, float64 [roots, n_opponent].

    The opponent has one hand and picks the infoset, that is the hand it plays, by an action; below
    it lies a copy of the subgame, and the player, who does not see the choice, has the copies'
    infosets merged. The player has one hand more than in the whole, the last one, through which the
    opponent pays the stored value.
    """
    game, own = decomposition.game, decomposition.positions(subgame)
    opponent, above = 1 - player, game.reach_of_chance()
    weights = np.append(game.weights[player], 1.0)
    stretch = float(weights.sum()) * game.norm  # from this game's norm to the whole's
    grower, payoffs = Grower(game), list[Payoff]()
    sign = stretch if player == 0 else -stretch

    def copy(k: int, hand: int) -> tuple[str, float, Node]:
        first = len(payoffs)
        payoffs.extend(_against(op, player, hand, stretch * reach[k]) for op in game.payoffs)
        root = decomposition.roots[k]
        node = grower.copy(root, hand, payoff=lambda i: first + i)
        return f"root {k}", float(above[root]), node

    def choose(roots: list[int], hand: int) -> Node:
        grower.own()
        grower.own()
        play = Chance([copy(k, hand) for k in roots])
        grower.own()
        payoffs.append(
            _stored(game.n[player], player, sign * values[roots, hand].sum() / game.norm)
        )
        return Chance([("play", 1.0, play), ("pay", 1.0, Terminal(len(payoffs) - 1))])

    grower.own()
    names, sets = game.hands[opponent], root_infosets(decomposition, opponent)
    choices = {
        f"{names[hand]} {i}": choose(roots, hand)
        for i, roots in enumerate(sets)
        if roots[0] in own
        for hand in np.flatnonzero(_dealt(decomposition, roots, opponent)).tolist()
    }
    hands: list[tuple[str, ...]] = [("infoset",), ("infoset",)]
    priors = [np.ones(1), np.ones(1)]
    hands[player], priors[player] = (*game.hands[player], "stored"), weights
    piece = grower.finish(
        Decision(opponent, choices),
        name=f"{game.name} max-margin",
        payoffs=tuple(payoffs),
        deal=Dense(np.ones((len(hands[0]), len(hands[1])))),
        hands=tuple(hands),
        weights=tuple(priors),
        strengths=np.empty((0, 0)),
        fold_payoffs=frozenset(),
    )
    return piece, _seen_alike(piece, player)


def _dealt(decomposition: Decomposition, roots: list[int], player: int) -> Bools:
    """The player's hands that can be dealt at some of these roots, bool [n]."""
    hands = [hands_at(decomposition.game, player, decomposition.roots[k]) for k in roots]
    return np.asarray(np.any(hands, axis=0))


def _against(op: Payoff, player: int, hand: int, reach: Floats) -> Dense:
    """The payoff against one hand of the opponent, the player's reach multiplied in."""
    matrix = op.dense()
    lone = matrix[:, [hand]] * reach[:, None] if player == 0 else matrix[[hand]] * reach[None, :]
    return Dense(pad_hand(lone, player, 0.0))


def _stored(hands: int, player: int, paid: float) -> Dense:
    """A payoff to player 0 through the player's last hand alone."""
    return Dense(pad_hand(np.zeros((hands, 1) if player == 0 else (1, hands)), player, paid))


def _seen_alike(piece: Piece, player: int) -> Merged:
    """The player's decisions that copy one decision of the whole are merged."""
    labels = list(Merged.apart(piece.game).labels)
    origin = piece.origin[piece.game.tree.decisions(player)]
    labels[player] = np.repeat(origin[:, None], piece.game.n[player], axis=1)
    return Merged((labels[0], labels[1]))


def gifts(decomposition: Decomposition, profile: Profile, opponent: int) -> Floats:
    """What reach re-solving may add to the opponent's stored values, float64 [roots, n].

    Computed from the opponent's counterfactual best response to the profile, so the stored values
    should be `best_response_values`. Raises CfrlabError for a profile of another game.
    """
    decomposition.check_trunk(profile)
    tree, roots = decomposition.game.tree, decomposition.roots
    value = walk.best_response_values(decomposition.game, profile, opponent)
    sets = root_infosets(decomposition, opponent)
    paths = [{int(n) for k in found for n in tree.path(roots[k])} for found in sets]
    out = np.zeros((len(roots), decomposition.game.n[opponent]))
    for node in tree.decisions(opponent):
        for child in tree.children[node]:
            below = [i for i, path in enumerate(paths) if child in path]
            for i in below:
                out[sets[i][0]] += (value[node] - value[child]) / len(below)
    return out
