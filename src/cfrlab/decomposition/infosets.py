"""Augmented infosets, and which sets of public nodes are roots of a subgame.

Burch, Johanson and Bowling (2014) group all histories, not only a player's decisions, by the
player's own sequence of infosets and actions (the player's *augmented* infosets). A subgame is a
forest closed under descendants and under augmented infosets of either player.

In a public tree with private hands a player's sequence is the hand -- known from the deal on -- and
the last own (decision, action), or the decision itself where the player is to act. What happened
since, a public card or an action of the opponent, is not part of it. So in Leduc hold'em the three
boards after one betting sequence look alike to the player who does not act first, and belong to one
subgame, whose root is the chance node above them.

Two kinds of histories are left out of the comparison, as in the paper's own cut of Leduc below the
first betting round. *Ancestors of the roots*: a history and its continuation are in one augmented
infoset whenever the player has not acted between them (a bet, and the bet called), so that, read to
the letter, no cut below an opponent's action would be a subgame. *Ended games*: nobody has anything
to decide there, and the values of a subgame do not depend on them. What remains is the condition
that re-solving needs: everything a player may take for a root lies below the roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.tree import CHANCE, TERMINAL, PublicTree
from cfrlab.solve.walk import deals

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def augmented(tree: PublicTree, player: int) -> Ints:
    """The part of the player's augmented infoset that is not the hand, for every node, int64 [N].

    -1 before the player has acted; the strategy row of the last own action; or, where the player is
    to act, a number of the decision's own.
    """
    out = np.full(len(tree), -1, np.int64)
    last = out.copy()
    for node in range(len(tree)):
        up = int(tree.parent[node])
        if node:
            last[node] = tree.row[node] if tree.player[up] == player else last[up]
        acts = tree.player[node] == player
        out[node] = tree.rows[player] + node if acts else last[node]
    return out


def below(tree: PublicTree, roots: Iterable[int]) -> Bools:
    """Whether a node is one of the roots or lies below one, bool [N]."""
    inside = np.zeros(len(tree), np.bool_)
    inside[list(roots)] = True
    for node in range(1, len(tree)):
        inside[node] |= inside[tree.parent[node]]
    return inside


def above(tree: PublicTree, roots: Iterable[int]) -> Bools:
    """Whether a node is a proper ancestor of one of the roots, bool [N]."""
    out = np.zeros(len(tree), np.bool_)
    for root in roots:
        out[[n for n in tree.path(root) if n != root]] = True
    return out


def check_subgame(game: Game, roots: Sequence[int]) -> None:
    """Check that public nodes are the roots of a subgame.

    Raises:
        CfrlabError: there is no root, a root is no node, ends the game or lies below another; no
            pair of hands can be dealt there; or an augmented infoset is cut in two, in which case
            the line names it.
    """
    _check_nodes(game, roots)
    cut = _cut_infoset(game, roots)
    if cut is not None:
        player, hand, inside, outside = cut
        tree = game.tree
        raise CfrlabError(
            f"subgame of {game.name} at {_listed(tree, roots)}: not closed, the augmented infoset "
            f"of player {player} with {game.hands[player][hand]} is cut in two: it holds "
            f"'{tree.describe(inside)}' inside and '{tree.describe(outside)}' outside; add the "
            "other node to the roots, or cut above both"
        )


def closed_subgames(game: Game, cut: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Join the nodes of a cut into the smallest subgames: nodes that share augmented infosets.

    Raises CfrlabError where even that is not closed.
    """
    _check_nodes(game, cut)
    tree, i = game.tree, 0
    subgames: list[tuple[int, ...]] = [(int(node),) for node in cut]
    while i < len(subgames):
        found = _cut_infoset(game, subgames[i])
        if found is None:
            i += 1
            continue
        related = below(tree, [found[3]]) | above(tree, [found[3]])
        related[found[3]] = True
        joined = [roots for roots in subgames if roots is subgames[i] or related[list(roots)].any()]
        if len(joined) == 1:
            check_subgame(game, subgames[i])
        rest = [roots for roots in subgames if roots not in joined]
        subgames, i = [*rest, tuple(sorted(sum(joined, ())))], 0
    return tuple(sorted(subgames))


def roots_before_chance(tree: PublicTree) -> tuple[int, ...]:
    """The first public chance nodes on every path that begins with a decision."""
    drawn = (tree.player == CHANCE) & (np.arange(len(tree)) > 0)
    return tuple(int(n) for n in np.flatnonzero(drawn & ~_properly_below(tree, drawn)))


def _properly_below(tree: PublicTree, marked: Bools) -> Bools:
    return below(tree, [c for n in np.flatnonzero(marked) for c in tree.children[n]])


def named_roots(game: Game, names: Sequence[str]) -> tuple[int, ...]:
    """Nodes by their actions, such as ``check/bet``. Raises CfrlabError for an unknown path."""
    known = {game.tree.describe(n): n for n in range(len(game.tree))}
    for name in names:
        if name not in known:
            raise CfrlabError(
                f"game {game.name}: no node '{name}'; name it by its actions, such as "
                f"'{game.tree.describe(game.tree.children[0][0])}'"
            )
    return tuple(known[name] for name in names)


def _check_nodes(game: Game, roots: Sequence[int]) -> None:
    tree = game.tree
    if not roots:
        raise CfrlabError(f"subgame of {game.name}: no root; name at least one public node")
    for root in roots:
        if not 0 <= root < len(tree):
            raise CfrlabError(
                f"subgame of {game.name}: there is no node {root}, nodes are 0 to {len(tree) - 1}"
            )
    held = _properly_below(tree, np.isin(np.arange(len(tree)), list(roots)))
    chance, operators = game.reach_of_chance(), deals(game)
    for root in roots:
        name = f"subgame of {game.name} at '{tree.describe(root)}'"
        if list(roots).count(root) > 1 or held[root]:
            raise CfrlabError(f"{name}: the root is listed twice or lies below another root")
        if tree.player[root] == TERMINAL:
            raise CfrlabError(f"{name}: the game is over there; name a node with a move to come")
        pairs = game.weights[0] @ operators[root].values(game.weights[1], 0)
        if not (chance[root] > 0 and pairs > 0):
            raise CfrlabError(
                f"{name}: no legal history leads there (no pair of hands can be dealt, or chance "
                "never goes there); leave the root out"
            )


def _cut_infoset(game: Game, roots: Sequence[int]) -> tuple[int, int, int, int] | None:
    """Player, hand, node inside and node outside of an infoset that the subgame cuts, if any."""
    tree = game.tree
    inside = below(tree, roots)
    open_ = tree.player != TERMINAL
    outside = ~inside & ~above(tree, roots) & open_
    for player in (0, 1):
        sequence = augmented(tree, player)
        within = {int(sequence[n]): int(n) for n in np.flatnonzero(inside & open_)[::-1]}
        for node in np.flatnonzero(outside):
            twin = within.get(int(sequence[node]))
            if twin is not None:
                hands = hands_at(game, player, twin) & hands_at(game, player, int(node))
                if hands.any():
                    return player, int(np.argmax(hands)), twin, int(node)
    return None


def hands_at(game: Game, player: int, node: int) -> Bools:
    """The player's hands that can be dealt there, bool [n]."""
    pairs = deals(game)[node]
    partners = np.abs(pairs.values(game.weights[1 - player], player))
    return np.asarray((partners > 0) & (game.weights[player] > 0))


def _listed(tree: PublicTree, roots: Sequence[int]) -> str:
    return ", ".join(f"'{tree.describe(root)}'" for root in roots)
