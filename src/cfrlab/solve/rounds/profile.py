"""Strategies of both players in a game of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        """Scale a copy of sums to probabilities; uniform where they are zero."""
        copies = tuple([block.copy() for block in group] for group in sums)
        for plan, group in zip(traversal.plans, copies, strict=True):
            scratch = np.zeros(plan.lanes, traversal.dtype)
            for block in group:
                kernels.normalise(plan, scratch, block)
        return RoundProfile(traversal, links, copies)

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
