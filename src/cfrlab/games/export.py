"""Export to Gambit's extensive-form format, which OpenSpiel's ``efg_game`` loads.

The export is for small games and serves as a bridge to independent solvers. It writes every
history: chance deals a pair of hands, then play follows the public tree. Numbers are written so
that they read back to the same float.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Floats
from cfrlab.games.tree import CHANCE, TERMINAL

Buckets = tuple[NDArray[np.integer], NDArray[np.integer]]
"""A bucket for each hand, int [n0] and [n1]."""

MAX_HISTORIES = 1_000_000


def to_efg(game: Game, buckets: Buckets | None = None, limit: int = MAX_HISTORIES) -> str:
    """The game in Gambit's EFG format.

    An information set is a public decision node and a hand, or a bucket of hands if ``buckets``
    are given. Its name is ``"<actions so far>|<hand or bucket>"``.

    Outcomes of public chance that a pair of hands rules out (no payoff below is other than 0) are
    left out, and the others weighted by the largest payoff below: the number of deals, in games
    whose payoffs count deals. Payoffs make up for it where that is not the probability, so every
    expectation is exact in either case.

    Raises CfrlabError if the export would have more than ``limit`` histories, or if a payoff names
    a pair of hands that is never dealt.
    """
    writer = _Writer(game, buckets)
    histories = len(writer.pairs) * len(game.tree)
    if histories > limit:
        raise CfrlabError(
            f"export of {game.name}: {len(writer.pairs)} pairs of hands x {len(game.tree)} public "
            f"nodes are {histories} histories, more than {limit}; export a game with fewer hands"
        )
    return "\n".join(writer.lines()) + "\n"


class _Writer:
    """One export: the dense payoffs and the numbering of information sets."""

    def __init__(self, game: Game, buckets: Buckets | None) -> None:
        self.game = game
        self.tree = game.tree
        self.buckets = buckets
        self.payoffs = [op.dense() for op in game.payoffs]
        self.deal = game.deal.dense()
        for i, payoff in enumerate(self.payoffs):
            if np.any((payoff != 0) & (self.deal == 0)):
                raise CfrlabError(
                    f"export of {game.name}: payoff {i} pays a pair of hands that is never dealt"
                )
        self.prior = game.norm * np.outer(*game.weights) * self.deal
        self.pairs = np.argwhere(self.prior > 0)
        self.ways = self._ways()
        self.infosets: tuple[dict[tuple[int, int], int], ...] = ({}, {})
        self.outcomes = 0
        self.chances = 0

    def _ways(self) -> dict[int, Floats]:
        """For chance edges: size of the largest payoff below for every pair, [n0, n1]."""
        edges = [
            i for i in range(1, len(self.tree)) if self.tree.player[self.tree.parent[i]] == CHANCE
        ]
        ways = {edge: np.zeros(self.game.n) for edge in edges}
        for z in self.tree.terminals:
            size = np.abs(self.payoffs[self.tree.payoff[z]])
            for node in self.tree.path(int(z)):
                if node in ways:
                    np.maximum(ways[node], size, out=ways[node])
        return ways

    def lines(self) -> Iterator[str]:
        """The file's lines: header, the deal, and below it the histories in depth-first order."""
        yield f'EFG 2 R "{self.game.name}" {{ "Player 0" "Player 1" }}'
        hands = self.game.hands
        deals = [(f"{hands[0][i]} {hands[1][j]}", float(self.prior[i, j])) for i, j in self.pairs]
        yield self._chance("deal", deals)
        for i, j in self.pairs.tolist():
            yield from self._below(0, i, j, 1.0 / float(self.deal[i, j]))

    def _chance(self, name: str, outcomes: Sequence[tuple[str, float]]) -> str:
        self.chances += 1
        inner = " ".join(f'"{label}" {p!r}' for label, p in outcomes)
        return f'c "{name}" {self.chances} "" {{ {inner} }} 0'

    def _below(self, node: int, i: int, j: int, factor: float) -> Iterator[str]:
        """Lines of the subtree at ``node`` for one pair of hands.

        ``factor`` is the ratio of a payoff's weight in the game (chance edges, deals) to the
        probability that the file's chance nodes give it.
        """
        player = int(self.tree.player[node])
        if player == TERMINAL:
            yield self._terminal(node, i, j, factor)
            return
        children = self.tree.children[node]
        if player == CHANCE:
            yield from self._public_chance(node, i, j, factor)
            return
        hand = (i, j)[player]
        column = hand if self.buckets is None else int(self.buckets[player][hand])
        name = self.game.hands[player][hand] if self.buckets is None else str(column)
        known = self.infosets[player]
        number = known.setdefault((node, column), len(known) + 1)
        actions = " ".join(f'"{self.tree.label[c]}"' for c in children)
        infoset = f"{self.tree.describe(node)}|{name}"
        yield f'p "" {player + 1} {number} "{infoset}" {{ {actions} }} 0'
        for child in children:
            yield from self._below(child, i, j, factor)

    def _public_chance(self, node: int, i: int, j: int, factor: float) -> Iterator[str]:
        open_edges = [c for c in self.tree.children[node] if self.ways[c][i, j] > 0]
        edges = open_edges or list(self.tree.children[node])
        weight = np.array(
            [self.tree.chance[c] * (self.ways[c][i, j] if open_edges else 1.0) for c in edges]
        )
        probability = (weight / weight.sum()).tolist()
        yield self._chance(
            self.tree.describe(node),
            [(self.tree.label[c], p) for c, p in zip(edges, probability, strict=True)],
        )
        for child, p in zip(edges, probability, strict=True):
            yield from self._below(child, i, j, factor * float(self.tree.chance[child]) / p)

    def _terminal(self, node: int, i: int, j: int, factor: float) -> str:
        self.outcomes += 1
        value = float(self.payoffs[self.tree.payoff[node]][i, j] * self.tree.scale[node]) * factor
        value += 0.0  # -0.0 reads badly.
        return f't "" {self.outcomes} "" {{ {value!r} {-value + 0.0!r} }}'
