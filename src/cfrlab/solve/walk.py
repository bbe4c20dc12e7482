"""Plain NumPy walker over the public tree: reaches, counterfactual values, best responses.

Independent of the compiled kernels (``cfrlab.solve.kernels``), so it serves as their oracle, and
fast enough for one-off evaluations such as the EV features: terminals are settled with the dense
payoff matrices, one matrix product for each operator and player.

Counterfactual values follow Zinkevich et al. (2007): the value of player p's hand h at a node is
the sum over opponent hands of (probability that chance and the opponent lead there) times (expected
payoff from there on); p's own prior weight and own play above the node are left out. Hence

    value of the game = weights[0] @ v0[root],    v0 weighted by reach 0 = -(v1 weighted by reach 1)

at every node. Values are in the game's unit, net of each player's half of the pot. Every function
raises CfrlabError for a profile that is not a strategy of the game, for either player.
"""

from __future__ import annotations

import numpy as np

from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Floats, Payoff
from cfrlab.games.tree import CHANCE, PublicTree


def reaches(game: Game, profile: Profile) -> tuple[Floats, Floats]:
    """Probability that each player's own actions lead to every node, float64 [nodes, n_p].

    Prior weights and chance are not included: the root has reach 1 for every hand.
    """
    game.check_profile(profile)
    tree = game.tree
    out = [np.ones((len(tree), game.n[p])) for p in (0, 1)]
    for node in range(1, len(tree)):
        up = tree.parent[node]
        for p in (0, 1):
            out[p][node] = out[p][up]
        actor = int(tree.player[up])
        if actor >= 0:
            out[actor][node] *= profile[actor][tree.row[node]]
    return out[0], out[1]


def node_values(game: Game, profile: Profile) -> tuple[Floats, Floats]:
    """Counterfactual values of both players' hands at every public node, float64 [nodes, n_p].

    Own decisions, the opponent's decisions, chance nodes and terminals all count as nodes. Chance
    probabilities, the deal's normalisation and the opponent's weighted reach are included.
    """
    reach = reaches(game, profile)
    first, second = (_terminal_values(game, reach[1 - p], p) for p in (0, 1))
    for player, values in enumerate((first, second)):
        for node, children in _inner_nodes(game.tree):
            below = values[children]
            if game.tree.player[node] == player:
                below = below * profile[player][game.tree.row[children]]
            values[node] = below.sum(0)
    return first, second


def best_response_values(game: Game, profile: Profile, player: int) -> Floats:
    """Counterfactual values of ``player``'s best response to the opponent, float64 [nodes, n].

    Each hand takes its best action at each of its decisions; ``profile[player]`` is checked but not
    used. The best-response value is ``game.weights[player] @ result[0]``.
    """
    values = _terminal_values(game, reaches(game, profile)[1 - player], player)
    for node, children in _inner_nodes(game.tree):
        below = values[children]
        values[node] = below.max(0) if game.tree.player[node] == player else below.sum(0)
    return values


def value(game: Game, profile: Profile) -> float:
    """Expected payoff of player 0 in the game's unit; player 1's is its negative."""
    return float(game.weights[0] @ node_values(game, profile)[0][0])


def compatible_reach(game: Game, profile: Profile) -> tuple[Floats, Floats]:
    """Opponent's weighted reach compatible with each hand at every node, float64 [nodes, n_p].

    The probability that chance deals the hand an opponent and, with the opponent's actions, leads
    to the node: what a counterfactual value is divided by to give an expected value. On a river it
    is (sum over the opponent's hands that share no card) / (1081 * 990 pairs), not / 1081 ** 2.

    Below public chance the deal shrinks: in Leduc nobody holds the board card. Such a node counts
    the pairs that its street's fold operator pays on (a fold pays 1 for every possible pair); where
    a street has no fold, it counts all the pairs of ``game.deal``, an upper bound.
    """
    reach = reaches(game, profile)
    chance = game.norm * game.reach_of_chance()
    out = [np.empty((len(game.tree), game.n[p])) for p in (0, 1)]
    for deal, nodes in _by_operator([*deals(game)]):
        pairs = deal.dense()
        for p, matrix in ((0, pairs), (1, pairs.T)):
            weighted = reach[1 - p][nodes] * game.weights[1 - p] * chance[nodes, None]
            out[p][nodes] = weighted @ matrix.T
    return out[0], out[1]


def expected_values(game: Game, profile: Profile) -> tuple[Floats, Floats]:
    """Expected payoff of each hand given that the node is reached, float64 [nodes, n_p].

    Counterfactual value over compatible reach; own play above the node cancels. Where no opponent
    can be there, the value is 0. (Both terms are then exactly 0: sums of zero products.)
    """
    values, reach = node_values(game, profile), compatible_reach(game, profile)
    first, second = (
        np.divide(v, c, out=np.zeros_like(v), where=c > 0)
        for v, c in zip(values, reach, strict=True)
    )
    return first, second


def deals(game: Game) -> tuple[Payoff, ...]:
    """Operator that counts the pairs of hands possible at each node (see ``compatible_reach``)."""
    tree = game.tree
    street = np.zeros(len(tree), np.intp)
    for node in range(1, len(tree)):
        drawn = tree.player[tree.parent[node]] == CHANCE
        street[node] = node if drawn else street[tree.parent[node]]
    known: dict[int, Payoff] = {0: game.deal}
    for node in tree.terminals:
        if tree.payoff[node] in game.fold_payoffs:
            known.setdefault(int(street[node]), game.payoffs[tree.payoff[node]])
    return tuple(known.get(int(s), game.deal) for s in street)


def _inner_nodes(tree: PublicTree) -> list[tuple[int, list[int]]]:
    """Nodes that have children, with them, from the leaves up to the root."""
    return [(n, list(c)) for n, c in reversed(list(enumerate(tree.children))) if c]


def _by_operator(operators: list[Payoff]) -> list[tuple[Payoff, list[int]]]:
    """Each distinct operator with the positions at which it stands."""
    groups: dict[int, tuple[Payoff, list[int]]] = {}
    for i, op in enumerate(operators):
        groups.setdefault(id(op), (op, []))[1].append(i)
    return list(groups.values())


def _terminal_values(game: Game, opponent: Floats, player: int) -> Floats:
    """Counterfactual values at the terminals, 0 at other nodes, float64 [nodes, n]."""
    tree, terminals = game.tree, game.tree.terminals
    factor = game.norm * game.reach_of_chance() * tree.scale * (1 if player == 0 else -1)
    values = np.zeros((len(tree), game.n[player]))
    for op, where in _by_operator([game.payoffs[i] for i in tree.payoff[terminals]]):
        matrix = op.dense() if player == 0 else op.dense().T
        nodes = terminals[where]
        weighted = opponent[nodes] * game.weights[1 - player] * factor[nodes, None]
        values[nodes] = weighted @ matrix.T
    return values
