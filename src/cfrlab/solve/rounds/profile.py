"""Strategies of both players in a game of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import SUM_TOLERANCE
from cfrlab.solve.rounds import kernels
from cfrlab.solve.rounds.rows import Link
from cfrlab.solve.rounds.traversal import Play, Traversal

Reals = NDArray[Any]


@dataclass(frozen=True, eq=False)
class RoundProfile:
    """What both players do, in the rows of an abstraction.

    Attributes:
        traversal: the game.
        links: the rows of every round.
        blocks: for every round its blocks [rows, edges, lanes] of strategies.
    """

    traversal: Traversal
    links: tuple[Link, ...]
    blocks: tuple[Sequence[Reals], ...]

    @staticmethod
    def uniform(traversal: Traversal, links: tuple[Link, ...]) -> RoundProfile:
        """Every action is as likely as the others."""
        return RoundProfile.of_sums(traversal, links, blocks(traversal, links))

    @staticmethod
    def of_sums(
        traversal: Traversal, links: tuple[Link, ...], sums: tuple[Sequence[Reals], ...]
    ) -> RoundProfile:
        """Scale a copy of sums to probabilities; uniform where they are zero.

        Raises CfrlabError for sums of another shape, negative ones and such that are not finite.
        """
        _check_shapes(traversal, links, sums)
        if not all(b.min() >= 0 and b.max() < np.inf for group in sums for b in group if b.size):
            raise CfrlabError(
                f"game {traversal.game.name}: sums of strategies hold a number that is negative or "
                "not finite"
            )
        copies = tuple([block.copy() for block in group] for group in sums)
        for plan, group in zip(traversal.plans, copies, strict=True):
            scratch = np.zeros(plan.lanes, traversal.dtype)
            for block in group:
                kernels.normalise(plan, scratch, block)
        return RoundProfile(traversal, links, copies)

    def check(self) -> None:
        """Raise CfrlabError unless the blocks hold a strategy of this game for both players."""
        _check_shapes(self.traversal, self.links, self.blocks)
        for r, (plan, group) in enumerate(zip(self.traversal.plans, self.blocks, strict=True)):
            total = np.zeros(plan.lanes, self.traversal.dtype)
            for number, block in enumerate(group):
                if not kernels.fair(plan, block, total, SUM_TOLERANCE):
                    raise CfrlabError(
                        f"game {self.traversal.game.name}: the strategy of round {r + 1}, block "
                        f"{number}, is not a probability distribution at every decision"
                    )

    def play(self) -> Play:
        """How the profile is played in a walk."""
        plays = [link.play(group) for link, group in zip(self.links, self.blocks, strict=True)]
        return lambda board, number: plays[board.round](board, number)


def blocks(traversal: Traversal, links: Sequence[Link]) -> tuple[list[Reals], ...]:
    """Zeros in the shape of strategies."""
    return tuple(
        [np.zeros((rows, plan.edges, plan.lanes), traversal.dtype) for rows in link.sizes]
        for plan, link in zip(traversal.plans, links, strict=True)
    )


def _check_shapes(
    traversal: Traversal, links: Sequence[Link], given: Sequence[Sequence[Reals]]
) -> None:
    expected = [
        [(rows, plan.edges, plan.lanes) for rows in link.sizes]
        for plan, link in zip(traversal.plans, links, strict=True)
    ]
    found = [[np.shape(block) for block in group] for group in given]
    for r, (mine, theirs) in enumerate(zip_longest(expected, found)):
        if mine != theirs:
            raise CfrlabError(
                f"game {traversal.game.name}: the strategy of round {r + 1} has blocks of shape "
                f"{_few(theirs)}, this game and abstraction need {_few(mine)}"
            )


def _few(shapes: Sequence[tuple[int, ...]] | None) -> str:
    listed = [str(shape) for shape in shapes or ()]
    return ", ".join(listed[:3]) + ", ..." * (len(listed) > 3) or "none"
