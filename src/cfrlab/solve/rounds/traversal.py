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
from cfrlab.solve.rounds.layout import Cards, Plan, plans

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
        cards: what the kernels know of the classes.
        orbits: number of card orbits.
        parent: int32 [n]; class of the round above, counted on its board.
        ways: [n]; probability of the class given its parent and both hands.
        weight: [n]; chance's weight of a class (``RoundGame.weights``).
        children: boards of the next round that continue this one.
    """

    round: int
    span: slice
    cards: Cards
    orbits: int
    parent: NDArray[np.int32]
    ways: Reals
    weight: Reals
    children: tuple[int, ...]

    @property
    def hands(self) -> int:
        """Number of hand classes n."""
        return len(self.parent)


@dataclass(frozen=True, eq=False)
class Work:
    """Scratch of one round: reach [n, slots, lanes], value [n, 2, nodes, lanes], card sums."""

    reach: Reals
    value: Reals
    sums: Reals


Table = tuple[Reals, NDArray[np.int64]]
"""Numbers [rows, k, lanes], and which of the rows each class of a board uses, int64 [n]."""

Play = Callable[[Board, int], Table]
"""``play(board, number)``: strategies of a board's classes; valid until the round's next board."""

Arrive = Callable[[Board, int, Reals], None]
"""``arrive(board, number, reach)`` sees the reaches of a board."""

Ends = Callable[[Board, int, Reals, Reals], None]
"""``ends(board, number, reach, value)`` fills in the values of terminals."""

Leave = Callable[[Board, int, Table, Reals], None]
"""``leave(board, number, played, value)`` fills in the values of decisions, the root's included."""


class Traversal:
    """A game made ready for walks: its tables, and the space that one walk at a time works in.

    The tables do not depend on strategies. The space holds nothing from one walk to the next, so
    solvers and profiles may share a traversal; a walk must not start another inside its calls.

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
                    Cards(
                        classes.size[span].astype(self.dtype),
                        np.ascontiguousarray(classes.share[span], self.dtype),
                        classes.orbit[span],
                        classes.strength[span],
                    ),
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

    def walk(
        self, play: Play, leave: Leave, *, arrive: Arrive | None = None, ends: Ends | None = None
    ) -> Reals:
        """Visit every board: reaches on the way down, values on the way up.

        Args:
            play: what is played.
            leave: called on the way up.
            arrive: called on the way down, before the boards that follow.
            ends: values terminals; exactly unless given.

        Returns the values of all hands at the root, [hands, 2 players].
        """
        self._work[0].reach[:, :2] = 1.0
        self._visit(self.boards[0][0], 0, play, leave, arrive, ends)
        return self._work[0].value[:, :, 0, 0].copy()

    def _visit(
        self,
        board: Board,
        number: int,
        play: Play,
        leave: Leave,
        arrive: Arrive | None,
        ends: Ends | None,
    ) -> None:
        plan, work = self.plans[board.round], self._work[board.round]
        reach, value = work.reach[: board.hands], work.value[: board.hands]
        played = play(board, number)
        kernels.down(plan, *played, self.small, reach)
        if arrive:
            arrive(board, number, reach)
        if ends:
            ends(board, number, reach, value)
        else:
            self.terminals(board, plan, self.stakes[board.round], reach, value)
        if board.children:
            value[:, :, plan.closings] = 0.0
        slots = plan.slot[:, plan.closings]
        for child in board.children:
            below = self.boards[board.round + 1][child]
            under = self._work[board.round + 1]
            kernels.enter(below.parent, slots, reach, under.reach[: below.hands])
            self._visit(below, child, play, leave, arrive, ends)
            kernels.leave(
                below.parent, below.ways, plan.closings, under.value[: below.hands], value
            )
        leave(board, number, played, value)

    def terminals(self, board: Board, plan: Plan, stake: Reals, reach: Reals, value: Reals) -> None:
        """Values of terminals against all hands of the opponent (``kernels.terminals``)."""
        sums = self._work[board.round].sums[-1 - board.orbits :]
        kernels.terminals(plan, self.small, stake, board.cards, reach, sums, value)
