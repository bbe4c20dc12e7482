"""Compiled pieces of a game whose parts are entered with a reach that changes.

The reach with which a player enters a part weighs that player's hands in the values of the
opponent, row by row. It is either multiplied into reaches in every iteration, or, in a game of few
hands, once into the coefficients of the terminals.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game
from cfrlab.games.graft import Piece
from cfrlab.solve.cfr import CFR
from cfrlab.solve.kernels.small import places
from cfrlab.solve.layout import Compiled, Plex, Sweeps
from cfrlab.solve.rule import Rule
from cfrlab.solve.treeplex import compile_game, own_row_above

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Pool = dict[tuple[str, bytes], NDArray[Any]]


def _shared(compiled: Compiled, pool: Pool) -> Compiled:
    """The compiled game with arrays of the pool in the place of equal ones."""

    def kept(value: Any, use: str = "") -> Any:
        if not isinstance(value, np.ndarray):
            return value
        key = (f"{use}{value.dtype}{value.shape}", hashlib.sha256(value.tobytes()).digest())
        return pool.setdefault(key, value)

    plex = [Plex(*map(kept, p)) for p in compiled.plex]
    # Weights change, so no other array may be one with them: not even the other player's.
    sweeps = [
        Sweeps(*map(kept, s))._replace(opp_weights=kept(s.opp_weights.copy(), f"weights {p}"))
        for p, s in enumerate(compiled.sweeps)
    ]
    rows = [kept(r) for r in compiled.row_of]
    return Compiled((plex[0], plex[1]), (sweeps[0], sweeps[1]), (rows[0], rows[1]))


class Entries:
    """A compiled piece whose weights can be set for each of its parts.

    Args:
        piece: the piece, of K parts.
        parts: K.
        pool: arrays to share with other pieces that are not in use at the same time: equal ones
            are kept once, the weights too, which `enter` sets in all rows but the first.

    Attributes:
        compiled: the piece's compiled form.
        rows: for each player the compiled row that leads into every part, int64 [K].
    """

    def __init__(self, piece: Piece, parts: int, pool: Pool | None = None) -> None:
        self._priors = piece.game.weights
        made = _shared(compile_game(piece.game), {} if pool is None else pool)
        one, two = (_Folding.of(s) for s in made.sweeps)
        self._folding = (one, two)
        first, second = (
            s._replace(weighted=fold is None, floats=s.floats if fold is None else s.floats.copy())
            for s, fold in zip(made.sweeps, self._folding, strict=True)
        )
        self.compiled = Compiled(made.plex, (first, second), made.row_of)
        self._part = (self._parts_of_rows(piece, 0), self._parts_of_rows(piece, 1))
        self.rows = tuple(self._entry_rows(piece, p, parts) for p in (0, 1))

    def solver(self, game: Game, rule: Rule) -> CFR:
        """A fresh solver; of ``game`` it takes the hands alone."""
        return CFR(game, rule, compiled=self.compiled)

    def _parts_of_rows(self, piece: Piece, player: int) -> Ints:
        """Part that a compiled row belongs to, -1 for rows above all parts, int64 [rows]."""
        tree, out = piece.game.tree, np.full(self.compiled.plex[player].rows, -1, np.int64)
        for node in range(1, len(tree)):
            if tree.player[tree.parent[node]] == player:
                out[self.compiled.row_of[player][tree.row[node]]] = piece.part[node]
        return out

    def _entry_rows(self, piece: Piece, player: int, parts: int) -> Ints:
        """The row into a part is the last own row above the copied root."""
        tree, out = piece.game.tree, np.zeros(parts, np.int64)
        roots = np.flatnonzero((piece.origin >= 0) & (piece.origin[tree.parent] < 0))
        for node in roots:
            row = own_row_above(tree, int(node), player)
            out[piece.part[node]] = self.compiled.row_of[player][row] if row >= 0 else 0
        return out

    def enter(self, player: int, reach: Floats) -> None:
        """Let a player enter the parts with this reach, float64 [K, n]; priors are multiplied in.

        It weighs the player's hands in the values of the opponent.
        """
        weights = self.weights(player)
        part = self._part[player]
        weights[part >= 0] = (self._priors[player] * reach)[part[part >= 0]]
        fold, sweeps = self._folding[1 - player], self.compiled.sweeps[1 - player]
        if fold is not None:
            fold.apply(weights, sweeps)

    def weights(self, player: int) -> Floats:
        """Weights of the player's hands in the opponent's values, a view, float64 [rows, n]."""
        flat = self.compiled.sweeps[1 - player].opp_weights
        return flat.reshape(-1, len(self._priors[player]))


class _Folding:
    """Weights multiplied into the coefficients of small terminals.

    Attributes:
        plain: the coefficients, float64 [F].
        place: flat position in the opponent's rows that each is multiplied with, int64 [F].
    """

    def __init__(self, plain: Floats, place: Ints) -> None:
        self.plain, self.place = plain, place

    @staticmethod
    def of(sweeps: Sweeps) -> _Folding | None:
        """For sweeps of small terminals only (see ``solve.kernels.small``), else None."""
        place = places(sweeps)
        return None if place is None else _Folding(sweeps.floats.copy(), place)

    def apply(self, weights: Floats, sweeps: Sweeps) -> None:
        """Set the coefficients for these weights, float64 [rows, n]."""
        np.multiply(self.plain, weights.ravel()[self.place], out=sweeps.floats)
