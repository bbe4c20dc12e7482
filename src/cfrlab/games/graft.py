"""Games made of parts of another game: subtrees, cut and set under nodes of their own.

A transformation grows a new public tree in depth-first preorder, copying subtrees and adding nodes;
the `Piece` it ends with remembers where every node came from, so that strategies travel both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.games.tree import CHANCE, TERMINAL, Chance, Decision, Node, PublicTree, Terminal

Ints = NDArray[np.int64]
ADDED = -1


@dataclass(frozen=True, eq=False)
class Piece:
    """A game with nodes of another game, the whole.

    Attributes:
        game: the new game.
        origin: int64 [nodes]; the whole's node that each node copies, ``ADDED`` for others.
        part: int64 [nodes]; number of the part that a node belongs to, -1 for none.
    """

    game: Game
    origin: Ints
    part: Ints

    @cached_property
    def nodes(self) -> Ints:
        """Children of copied decisions: the nodes whose strategy rows come from the whole."""
        up = self.game.tree.parent
        return np.flatnonzero((self.game.tree.row >= 0) & (self.origin[up] != ADDED))

    def rows(self, whole: PublicTree, player: int) -> tuple[Ints, Ints]:
        """A player's rows here, and the rows of the whole that they copy; added rows are left out.

        Args:
            whole: the tree of the whole.
        """
        tree = self.game.tree
        mine = self.nodes[tree.player[tree.parent[self.nodes]] == player]
        return tree.row[mine].astype(np.int64), whole.row[self.origin[mine]].astype(np.int64)

    def take(self, whole: PublicTree, profile: Profile) -> Profile:
        """The part of a profile of the whole that is played here; added rows are uniform."""
        out = self.game.uniform()
        for p in (0, 1):
            here, there = self.rows(whole, p)
            out[p][here] = profile[p][there]
        return out

    def put(self, whole: PublicTree, profile: Profile, into: Profile, player: int) -> None:
        """Write one player's strategy here into a profile of the whole; needs the same hands."""
        here, there = self.rows(whole, player)
        hands = into[player].shape[1]
        into[player][there] = profile[player][here, :hands]


class Grower:
    """Grows a tree in preorder: call `own` or `copy` for every node before its children."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._origin: list[int] = []
        self._part: list[int] = []

    def own(self, part: int = -1) -> None:
        """Announce a node that is not in the whole."""
        self._announce(ADDED, part)

    def _announce(self, origin: int, part: int) -> None:
        self._origin.append(origin)
        self._part.append(part)

    def copy(
        self,
        node: int,
        part: int = -1,
        leaves: Mapping[int, Terminal] | None = None,
        outcomes: Mapping[int, tuple[int, float]] | None = None,
        payoff: Callable[[int], int] = int,
        scale: float = 1.0,
    ) -> Node:
        """Copy a subtree.

        Args:
            node: its root in the whole.
            part: number to mark its nodes with.
            leaves: nodes at which to stop, with what to put there.
            outcomes: chance nodes that keep one outcome, with its index and a factor for all
                payoffs below it, such as one over the probability of its being drawn.
            payoff: new index of a payoff.
            scale: a factor for all payoffs, but for those of ``leaves``.
        """
        tree = self.game.tree
        self._announce(node, part)
        if leaves and node in leaves:
            return leaves[node]

        actor, children = int(tree.player[node]), tree.children[node]
        if outcomes and node in outcomes:
            kept, factor = outcomes[node]
            children, scale = (children[kept],), scale * factor

        def below(child: int) -> Node:
            return self.copy(child, part, leaves, outcomes, payoff, scale)

        if actor == TERMINAL:
            return Terminal(payoff(int(tree.payoff[node])), scale * float(tree.scale[node]))
        if actor != CHANCE:
            return Decision(actor, {tree.label[c]: below(c) for c in children})
        return Chance([(tree.label[c], float(tree.chance[c]), below(c)) for c in children])

    def finish(self, root: Node, **changes: Any) -> Piece:
        """The piece whose tree has this root; ``changes`` are fields of `Game`."""
        tree = PublicTree.build(root)
        return Piece(
            replace(self.game, tree=tree, **changes),
            np.array(self._origin, np.int64),
            np.array(self._part, np.int64),
        )
