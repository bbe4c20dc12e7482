"""The public tree of a two-player game: what both players see.

A game is written as nested values -- ``Decision``, ``Chance``, ``Terminal`` -- and flattened once
into arrays (``PublicTree.build``). Private hands never appear here: every node stands for all
pairs of hands at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError

CHANCE = -1
TERMINAL = -2


@dataclass(frozen=True)
class Terminal:
    """End of play: player 0 receives ``scale * U[h0, h1]`` with U the game's payoff ``payoff``."""

    payoff: int
    scale: float = 1.0


@dataclass(frozen=True)
class Decision:
    """``player`` (0 or 1) picks one of the labelled actions."""

    player: int
    actions: Mapping[str, Node]


@dataclass(frozen=True)
class Chance:
    """A public chance event: outcomes as ``(label, probability, node)``.

    The probability is that of the outcome given a pair of hands that allows it; pairs that do not
    allow it carry zero in the payoffs below.
    """

    outcomes: Sequence[tuple[str, float, Node]]


Node = Decision | Chance | Terminal


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A public tree in flat arrays, nodes in depth-first preorder, node 0 the root.

    Attributes (N nodes):
        player: int8 [N]; 0 or 1 at decisions, ``CHANCE`` or ``TERMINAL`` elsewhere.
        parent: int32 [N]; -1 at the root.
        label: N strings; the action or outcome that leads to the node.
        chance: float64 [N]; probability of the chance edge into the node, 1 where there is none.
        payoff: int32 [N]; index of the payoff operator at terminals, -1 elsewhere.
        scale: float64 [N]; factor of the payoff at terminals, 0 elsewhere.
    """

    player: NDArray[np.int8]
    parent: NDArray[np.int32]
    label: tuple[str, ...]
    chance: NDArray[np.float64]
    payoff: NDArray[np.int32]
    scale: NDArray[np.float64]

    @staticmethod
    def build(root: Node) -> PublicTree:
        """Flatten nested nodes. Raises CfrlabError for an empty or unknown node."""
        rows: list[tuple[int, int, str, float, int, float]] = []

        def visit(node: Node, parent: int, label: str, prob: float) -> None:
            here = len(rows)
            match node:
                case Terminal(payoff, scale):
                    if not math.isfinite(scale):
                        raise CfrlabError(
                            f"public tree: the terminal after '{label or 'the root'}' has the "
                            f"factor {scale}; it must be finite"
                        )
                    rows.append((TERMINAL, parent, label, prob, payoff, scale))
                case Decision(player, actions):
                    if player not in (0, 1) or not actions:
                        raise CfrlabError(
                            f"public tree: the decision after '{label or 'the root'}' needs a "
                            f"player 0 or 1 and at least one action (player {player}, "
                            f"{len(actions)} actions)"
                        )
                    rows.append((player, parent, label, prob, -1, 0.0))
                    for name, child in actions.items():
                        visit(child, here, name, 1.0)
                case Chance(outcomes):
                    if not outcomes:
                        raise CfrlabError(f"public tree: chance after '{label}' has no outcome")
                    rows.append((CHANCE, parent, label, prob, -1, 0.0))
                    for name, p, child in outcomes:
                        if not 0 <= p <= 1:
                            raise CfrlabError(
                                f"public tree: outcome '{name}' after '{label or 'the root'}' has "
                                f"probability {p}; it must be between 0 and 1"
                            )
                        visit(child, here, name, p)
                case _:
                    raise CfrlabError(
                        f"public tree: '{label or 'the root'}' leads to {node!r}; it must lead to "
                        "a Decision, a Chance or a Terminal"
                    )

        visit(root, -1, "", 1.0)
        player, up, labels, chance, payoff, scale = zip(*rows, strict=True)
        return PublicTree(
            np.array(player, np.int8),
            np.array(up, np.int32),
            tuple(labels),
            np.array(chance, np.float64),
            np.array(payoff, np.int32),
            np.array(scale, np.float64),
        )

    def __len__(self) -> int:
        return len(self.player)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node, in order of their actions or outcomes."""
        below: list[list[int]] = [[] for _ in range(len(self))]
        for node in range(1, len(self)):
            below[self.parent[node]].append(node)
        return tuple(tuple(c) for c in below)

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """Number of edges from the root, int32 [N]."""
        depth = np.zeros(len(self), np.int32)
        for node in range(1, len(self)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def row(self) -> NDArray[np.int32]:
        """Strategy row of the edge into a node, int32 [N]; -1 where no player chose the edge.

        Row i of player p's strategy belongs to p's i-th (decision, action) in tree order: the
        decisions in preorder, the actions of one decision side by side.
        """
        row = np.full(len(self), -1, np.int32)
        count = [0, 0]
        for node in range(len(self)):
            p = int(self.player[node])
            if p >= 0:
                for child in self.children[node]:
                    row[child] = count[p]
                    count[p] += 1
        return row

    @cached_property
    def rows(self) -> tuple[int, int]:
        """Number of strategy rows (node-actions) of each player."""
        chosen = [int(sum(len(self.children[d]) for d in self.decisions(p))) for p in (0, 1)]
        return chosen[0], chosen[1]

    def decisions(self, player: int) -> NDArray[np.intp]:
        """Public decision nodes of a player, in preorder."""
        return np.flatnonzero(self.player == player)

    @property
    def terminals(self) -> NDArray[np.intp]:
        """Terminal nodes, in preorder."""
        return np.flatnonzero(self.player == TERMINAL)

    def path(self, node: int) -> Iterator[int]:
        """The node and its ancestors, upwards to the root."""
        while node >= 0:
            yield node
            node = int(self.parent[node])

    def describe(self, node: int) -> str:
        """Actions that lead to a node, for messages and exports."""
        steps = [self.label[i] for i in self.path(node)][-2::-1]
        return "/".join(steps) or "root"
