"""Walking a game of rounds board by board, depth first over public cards.

A board is entered with the reaches at the closings above, its values return to them. Only the
boards on one path are in memory at a time, whatever the number of boards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.solve.rounds import kernels
from cfrlab.solve.rounds.layout import Plan, plans

Reals = NDArray[Any]

# Reaches below the first number become zero (``kernels.down``): its square is nearly a normal
# number. What is below the second, of a whole sum, is rounding error (``kernels.terminals``).
_SMALL = {
    np.dtype(np.float32): (1e-18, 2**-19),
    np.dtype(np.float64): (1e-150, 2**-48),
}


@dataclass(frozen=True, eq=False)
class Board:
    """Tables of the hand classes of one board, in the floating type of the walk.

    Attributes (n classes):
        round: number of the round.
        span: the board's classes among those of the round.
        size: [n] raw hands of a class.
        share, orbit: [n, 2]; strength: [n]; see ``HandClasses``.
        orbits: number of card orbits.
        parent: int32 [n]; class of the round above, counted on its board.
        ways: [n]; probability of the class given its parent and both hands.
        weight: [n]; chance's weight of a class (``RoundGame.weights``).
        children: boards of the next round that continue this one.
    """

    round: int
    span: slice
    size: Reals
    share: Reals
    orbit: NDArray[np.int32]
    strength: NDArray[np.int32]
    orbits: int
    parent: NDArray[np.int32]
    ways: Reals
    weight: Reals
    children: tuple[int, ...]

    @property
    def hands(self) -> int:
        """Number of hand classes n."""
        return len(self.size)


@dataclass(frozen=True, eq=False)
class Work:
    """Scratch of one round: reach [n, slots, lanes], value [n, 2, nodes, lanes], card sums."""

    reach: Reals
    value: Reals
    sums: Reals


Visit = Callable[[Board, int, Reals], None]
"""``visit(board, number, array)``, with reaches on the way down or values on the way up."""

Ends = Callable[[Board, int, Reals, Reals], None]
"""``ends(board, number, reach, value)`` fills in the values of terminals."""


class Traversal:
    """Everything about a game that does not depend on the strategies.

    Args:
        game: the game.
        dtype: float32 or float64; the type of all numbers of a walk.

    Raises CfrlabError for another type.
    """

    def __init__(self, game: RoundGame, dtype: Any = np.float32) -> None:
        self.game, self.dtype = game, np.dtype(dtype)
        if self.dtype not in _SMALL:
            raise CfrlabError(f"solver: numbers must be float32 or float64, not {self.dtype}")
        self.plans = plans(game)
        self.stakes = tuple(np.ascontiguousarray(s.stake, self.dtype) for s in game.streets)
        self.small = np.array(_SMALL[self.dtype], self.dtype)
        self.boards = tuple(self._boards(r) for r in range(game.rounds))
        self._work = tuple(self._scratch(plan, r) for r, plan in enumerate(self.plans))

    def _boards(self, number: int) -> tuple[Board, ...]:
        classes = self.game.classes[number]
        weights = self.game.weights(number)
        above = self.game.weights(number - 1)[classes.parent] if number else weights
        start = np.zeros(len(classes.boards), np.int64)
        below: list[list[int]] = [[] for _ in classes.boards]
        if number:
            start = self.game.classes[number - 1].first[classes.parent_board]
        if number + 1 < self.game.rounds:
            for child, parent in enumerate(self.game.classes[number + 1].parent_board):
                below[parent].append(child)
        out = []
        for b in range(len(classes.boards)):
            span = slice(int(classes.first[b]), int(classes.first[b + 1]))
            out.append(
                Board(
                    number,
                    span,
                    classes.size[span].astype(self.dtype),
                    np.ascontiguousarray(classes.share[span], self.dtype),
                    classes.orbit[span],
                    classes.strength[span],
                    int(classes.orbits[b]),
                    (classes.parent[span] - start[b]).astype(np.int32),
                    (weights[span] / above[span]).astype(self.dtype),
                    weights[span].astype(self.dtype),
                    tuple(below[b]),
                )
            )
        return tuple(out)

    def _scratch(self, plan: Plan, number: int) -> Work:
        hands = max(b.hands for b in self.boards[number])
        orbits = max(b.orbits for b in self.boards[number])
        return Work(
            np.zeros((hands, 2 + plan.edges, plan.lanes), self.dtype),
            np.zeros((hands, 2, plan.nodes, plan.lanes), self.dtype),
            np.zeros((orbits + 1, plan.lanes), self.dtype),
        )

    def walk(self, down: Visit, up: Visit, ends: Ends | None = None) -> Reals:
        """Visit every board: ``down`` fills its reaches, ``up`` its values of decisions.

        ``ends`` fills the values of terminals in between, exact ones unless given.

        Returns the values of all hands at the root, [hands, 2 players].
        """
        self._work[0].reach[:, :2] = 1.0
        self._visit(self.boards[0][0], 0, down, up, ends or self._exact)
        return self._work[0].value[:, :, 0, 0].copy()

    def _visit(self, board: Board, number: int, down: Visit, up: Visit, ends: Ends) -> None:
        plan, work = self.plans[board.round], self._work[board.round]
        reach, value = work.reach[: board.hands], work.value[: board.hands]
        down(board, number, reach)
        ends(board, number, reach, value)
        if board.children:
            value[:, :, plan.closings] = 0.0
        slots = plan.slot[:, plan.closings]
        for child in board.children:
            below = self.boards[board.round + 1][child]
            under = self._work[board.round + 1]
            kernels.enter(below.parent, slots, reach, under.reach[: below.hands])
            self._visit(below, child, down, up, ends)
            kernels.leave(
                below.parent, below.ways, plan.closings, under.value[: below.hands], value
            )
        up(board, number, value)

    def _exact(self, board: Board, number: int, reach: Reals, value: Reals) -> None:
        """Values of terminals against all hands of the opponent."""
        kernels.terminals(
            self.plans[board.round],
            self.small,
            self.stakes[board.round],
            board.size,
            board.share,
            board.orbit,
            board.strength,
            reach,
            self._work[board.round].sums[-1 - board.orbits :],
            value,
        )
