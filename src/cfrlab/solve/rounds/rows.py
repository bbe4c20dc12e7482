"""How the strategy rows of a round and the hand classes of a board belong together.

``link`` makes one of three views of a ``Phi``: every class has its row (identity), many classes
share one (buckets), a class mixes all (a dense matrix). Rows of numbers are kept in *blocks*
[rows, edges, lanes]: one for each board where every class has its own, else one for the round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.phi import BucketMap, Identity, Phi, Soft
from cfrlab.solve.rounds.products import products
from cfrlab.solve.rounds.traversal import Board, Play, Table

Reals = NDArray[Any]


class Link(Protocol):
    """The rows of one round.

    Attributes:
        sizes: rows of each block.
        own: whether every class has a row of its own; then block b is that of board b.
    """

    sizes: tuple[int, ...]
    own: bool

    def block(self, number: int) -> int:
        """The block that serves a board."""

    def play(self, blocks: Sequence[Reals]) -> Play:
        """How the strategies in some blocks are played."""

    def sink(self, board: Board, number: int, block: Reals) -> Table:
        """Where to add numbers of a board's classes, for ``merge``; valid until the next sink."""

    def merge(self, number: int, sunk: Reals, block: Reals) -> None:
        """Bring what was added to a board's sink into the block: ``sunk`` IN, ``block`` OUT."""


class _Own:
    """Every class plays its own row."""

    own = True

    def __init__(self, boards: Sequence[Board]) -> None:
        self.sizes = tuple(b.hands for b in boards)
        self._row = np.arange(max(self.sizes))

    def block(self, number: int) -> int:
        return number

    def play(self, blocks: Sequence[Reals]) -> Play:
        return lambda board, number: (blocks[number], self._row[: board.hands])

    def sink(self, board: Board, number: int, block: Reals) -> Table:
        return block, self._row[: board.hands]

    def merge(self, number: int, sunk: Reals, block: Reals) -> None:
        """The sink is the block."""


class _Buckets:
    """Every class plays the row of its bucket."""

    own = False

    def __init__(self, phi: BucketMap) -> None:
        self.sizes: tuple[int, ...] = (phi.rows,)
        self._labels = phi.labels.astype(np.int64)

    def block(self, number: int) -> int:
        return 0

    def play(self, blocks: Sequence[Reals]) -> Play:
        return lambda board, number: (blocks[0], self._labels[board.span])

    def sink(self, board: Board, number: int, block: Reals) -> Table:
        return block, self._labels[board.span]

    def merge(self, number: int, sunk: Reals, block: Reals) -> None:
        """The sink is the block."""


class _Mixtures:
    """Every class plays a mixture of all rows."""

    own = False

    def __init__(self, phi: Soft, boards: Sequence[Board], dtype: Any, device: str | None) -> None:
        self.sizes: tuple[int, ...] = (phi.rows,)
        matrix = phi.matrix
        self._products = products([matrix[:, b.span].astype(dtype) for b in boards], device)
        self._row = np.arange(max(b.hands for b in boards))
        self._played = self._sunk = np.zeros(0, dtype)
        self._dtype = dtype

    def block(self, number: int) -> int:
        return 0

    def play(self, blocks: Sequence[Reals]) -> Play:
        rows = blocks[0]
        shape = rows.shape[1:]
        loaded = self._products.load(rows.reshape(len(rows), -1))
        self._played = self._room(self._played, rows)

        def play(board: Board, number: int) -> Table:
            out = self._part(self._played, board, shape)
            self._products.spread(loaded, number, out)
            return out.reshape(board.hands, *shape), self._row[: board.hands]

        return play

    def _room(self, scratch: Reals, rows: Reals) -> Reals:
        size = len(self._row) * rows[0].size
        return scratch if scratch.size >= size else np.zeros(size, self._dtype)

    def _part(self, scratch: Reals, board: Board, shape: tuple[int, ...]) -> Reals:
        return scratch[: board.hands * int(np.prod(shape))].reshape(board.hands, -1)

    def sink(self, board: Board, number: int, block: Reals) -> Table:
        self._sunk = self._room(self._sunk, block)
        out = self._part(self._sunk, board, block.shape[1:])
        out[:] = 0.0
        return out.reshape(board.hands, *block.shape[1:]), self._row[: board.hands]

    def merge(self, number: int, sunk: Reals, block: Reals) -> None:
        values = sunk.reshape(len(sunk), -1)
        self._products.merge(number, values, block.reshape(len(block), -1))


def link(phi: Phi, boards: Sequence[Board], dtype: Any, device: str | None) -> Link:
    """The view of a matrix that suits it."""
    match phi:
        case Identity():
            return _Own(boards)
        case BucketMap():
            return _Buckets(phi)
        case _:
            return _Mixtures(phi, boards, dtype, device)
