"""A two-player zero-sum game with a public tree and private hands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games import payoffs as ops
from cfrlab.games.payoffs import Floats, Payoff
from cfrlab.games.tree import PublicTree

Profile = tuple[Floats, Floats]
"""A strategy for each player: ``profile[p]`` has shape [tree.rows[p], hands of p]."""

SUM_TOLERANCE = 1e-5
"""How far probabilities of actions may sum from 1: strategies may come from single precision."""


@dataclass(frozen=True, eq=False)
class Game:
    """Public tree, hands, payoffs and deal.

    Chance deals the pair (h0, h1) with probability ``norm * w0[h0] * w1[h1] * deal[h0, h1]``;
    terminal z pays player 0 ``scale_z * U_z[h0, h1]`` in chips (``unit``). Payoffs carry 0 or the
    deal's multiplicity for a pair, so ``norm`` and the weights are all that is left to apply.

    Attributes:
        name: registered name.
        tree: the public tree.
        payoffs: operators that terminals refer to by index.
        deal: which pairs of hands can be dealt, and how often (0/1 in card games).
        hands: labels of each player's hands.
        weights: prior weight of each player's hands, float64 [n0] and [n1].
        unit: name of the payoff unit.
        pot: the initial pot in that unit (1 where a game has none).
        strengths: float64 [boards, n], showdown strength by board; empty where hands have none.
        fold_payoffs: indices of operators that end a game without a showdown.
    """

    name: str
    tree: PublicTree
    payoffs: tuple[Payoff, ...]
    deal: Payoff
    hands: tuple[tuple[str, ...], tuple[str, ...]]
    weights: tuple[Floats, Floats]
    unit: str
    pot: float = 1.0
    strengths: Floats = field(default_factory=lambda: np.empty((0, 0)))
    fold_payoffs: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        n = self.n
        for p in (0, 1):
            if self.weights[p].shape != (n[p],) or not np.all(self.weights[p] >= 0):
                raise CfrlabError(
                    f"game {self.name}: player {p} has {n[p]} hands, so its weights must be "
                    f"{n[p]} non-negative numbers (shape {self.weights[p].shape})"
                )
        for i, op in enumerate((*self.payoffs, self.deal)):
            if op.shape != n:
                raise CfrlabError(
                    f"game {self.name}: payoff {i} is for {op.shape} hands, the game has {n}"
                )
            if isinstance(op, ops.Dense) and not np.all(np.isfinite(op.matrix)):
                raise CfrlabError(f"game {self.name}: payoff {i} holds a number that is not finite")
        if not isinstance(self.tree, PublicTree):
            raise CfrlabError(f"game {self.name}: its tree must come from PublicTree.build")
        if not 0 < self.pairs < np.inf:
            raise CfrlabError(
                f"game {self.name}: no pair of hands can be dealt; check its deal and the weights "
                "(ranges) of its hands"
            )
        used = self.tree.payoff[self.tree.terminals]
        if used.min() < 0 or used.max() >= len(self.payoffs):
            raise CfrlabError(
                f"game {self.name}: a terminal names payoff {used.max()}, but there are "
                f"{len(self.payoffs)} (0 to {len(self.payoffs) - 1})"
            )

    @property
    def n(self) -> tuple[int, int]:
        """Number of hands of each player."""
        return len(self.hands[0]), len(self.hands[1])

    @property
    def pairs(self) -> float:
        """Total weight of the deals; the number of compatible pairs when weights are 1."""
        return float(self.weights[0] @ self.deal.values(self.weights[1], 0))

    @property
    def norm(self) -> float:
        """Probability of one deal of weight 1."""
        return 1.0 / self.pairs

    def reach_of_chance(self) -> Floats:
        """Product of public chance probabilities above every node, float64 [nodes]."""
        reach = self.tree.chance.copy()
        for node in range(1, len(self.tree)):
            reach[node] *= reach[self.tree.parent[node]]
        return reach

    def uniform(self) -> Profile:
        """Both players choose uniformly everywhere."""
        out = [np.empty((self.tree.rows[p], self.n[p])) for p in (0, 1)]
        for node in range(len(self.tree)):
            p = int(self.tree.player[node])
            if p >= 0:
                children = self.tree.children[node]
                out[p][self.tree.row[list(children)]] = 1.0 / len(children)
        return out[0], out[1]

    def check_profile(self, profile: Profile) -> None:
        """Raise CfrlabError unless the profile is a strategy of this game for both players."""
        if len(profile) != 2:
            raise CfrlabError(
                f"game {self.name}: a profile is a strategy for each of the two players, not "
                f"{len(profile)}"
            )
        for p in (0, 1):
            expected = (self.tree.rows[p], self.n[p])
            if np.shape(profile[p]) != expected:
                raise CfrlabError(
                    f"game {self.name}: player {p}'s strategy has shape {np.shape(profile[p])}, "
                    f"this game needs {expected}; was it made for another game?"
                )
            decisions = self.tree.decisions(p)
            if not len(decisions):
                continue
            # A node's first child follows it, and the rows of its children follow one another.
            first = self.tree.row[decisions + 1]
            sums = np.add.reduceat(profile[p], first, axis=0)
            least = np.minimum.reduceat(profile[p], first, axis=0)
            fair = (least >= 0) & (np.abs(sums - 1.0) <= SUM_TOLERANCE)
            if not fair.all():  # what is not a number fails both comparisons
                node = int(decisions[np.argmin(fair.all(axis=1))])
                raise CfrlabError(
                    f"game {self.name}: player {p}'s strategy at {self.tree.describe(node)} "
                    "is not a probability distribution for every hand"
                )

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Arrays and JSON metadata for an artifact; ``from_arrays`` is the inverse."""
        arrays, described = ops.to_arrays((*self.payoffs, self.deal))
        tree = self.tree
        arrays |= {
            "tree_player": tree.player,
            "tree_parent": tree.parent,
            "tree_chance": tree.chance,
            "tree_payoff": tree.payoff,
            "tree_scale": tree.scale,
            "weights_0": self.weights[0],
            "weights_1": self.weights[1],
            "strengths": self.strengths,
        }
        meta = {
            "name": self.name,
            "labels": list(tree.label),
            "payoffs": described,
            "hands": [list(h) for h in self.hands],
            "unit": self.unit,
            "pot": self.pot,
            "fold_payoffs": sorted(self.fold_payoffs),
        }
        return arrays, json.loads(json.dumps(meta))

    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Game:
        """Rebuild a game from ``to_arrays``."""
        *payoffs, deal = ops.from_arrays(arrays, meta["payoffs"])
        tree = PublicTree(
            arrays["tree_player"],
            arrays["tree_parent"],
            tuple(meta["labels"]),
            arrays["tree_chance"],
            arrays["tree_payoff"],
            arrays["tree_scale"],
        )
        return Game(
            meta["name"],
            tree,
            tuple(payoffs),
            deal,
            (tuple(meta["hands"][0]), tuple(meta["hands"][1])),
            (arrays["weights_0"], arrays["weights_1"]),
            meta["unit"],
            meta["pot"],
            arrays["strengths"],
            frozenset(meta["fold_payoffs"]),
        )
