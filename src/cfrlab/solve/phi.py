"""Abstraction as a matrix: strategies live in m rows, play happens over n hands.

``Phi`` is an m x n matrix of non-negative columns that sum to one (the generalised abstraction of
Fu et al., 2026). Each hand plays the mixture of the rows' strategies that its column names,
``sigma(hands) = Phi^T sigma(rows)``, and values flow back as ``r(rows) = Phi r(hands)``. One
non-zero in each column is a bucket map; the identity is the game without abstraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Floats


@dataclass(frozen=True)
class Identity:
    """Every hand is its own row."""

    hands: int

    @property
    def rows(self) -> int:
        """Number of rows m."""
        return self.hands

    def dense(self) -> Floats:
        """The matrix, float64 [m, n]."""
        return np.eye(self.hands)

    def spread(self, rows: Floats) -> Floats:
        """``Phi^T rows``: [..., m] -> [..., n]."""
        return rows

    def merge(self, values: Floats) -> Floats:
        """``Phi values``: [..., n] -> [..., m]."""
        return values


@dataclass(frozen=True, eq=False)
class BucketMap:
    """Every hand plays the strategy of one bucket.

    Attributes:
        labels: int32 [n]; the bucket of each hand, 0 to rows - 1, no bucket empty.

    Raises CfrlabError for labels that are negative or leave a bucket empty.
    """

    labels: NDArray[np.int32]

    def __post_init__(self) -> None:
        labels = self.labels
        if labels.ndim != 1 or not len(labels) or not np.issubdtype(labels.dtype, np.integer):
            raise CfrlabError(
                f"bucket map: need one integer label for each hand, got {labels.dtype} of shape "
                f"{labels.shape}"
            )
        if labels.min() < 0:
            hand = int(np.argmin(labels))
            raise CfrlabError(
                f"bucket map: hand {hand} has label {labels[hand]}; labels start at 0"
            )
        empty = np.flatnonzero(np.bincount(labels) == 0)
        if len(empty):
            raise CfrlabError(
                f"bucket map: bucket {empty[0]} of {self.rows} is empty; number the buckets 0 to "
                "K - 1 without gaps"
            )

    @property
    def hands(self) -> int:
        """Number of hands n."""
        return len(self.labels)

    @property
    def rows(self) -> int:
        """Number of buckets m."""
        return int(self.labels.max()) + 1

    @cached_property
    def indicator(self) -> Any:
        """The matrix in SciPy's CSR form, float64 [m, n]."""
        hands = np.arange(self.hands)
        return sparse.csr_array(
            (np.ones(self.hands), (self.labels, hands)), shape=(self.rows, self.hands)
        )

    def dense(self) -> Floats:
        """The matrix, float64 [m, n]."""
        return np.asarray(self.indicator.toarray())

    def spread(self, rows: Floats) -> Floats:
        """``Phi^T rows``: [..., m] -> [..., n]."""
        return rows[..., self.labels]

    def merge(self, values: Floats) -> Floats:
        """``Phi values``: [..., n] -> [..., m], the sum over each bucket."""
        flat = values.reshape(-1, self.hands)
        merged = np.asarray(self.indicator @ flat.T).T
        return np.ascontiguousarray(merged).reshape(*values.shape[:-1], self.rows)


@dataclass(frozen=True, eq=False)
class Soft:
    """Every hand mixes the strategies of several rows.

    Attributes:
        matrix: float64 or float32 [m, n]; columns are non-negative and sum to one, within 1e-9 or
            1e-5.

    Raises CfrlabError, naming the column, for a matrix that is not so.
    """

    matrix: Floats | NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or not self.matrix.size:
            raise CfrlabError(
                f"abstraction matrix: need shape [rows, hands], got {self.matrix.shape}"
            )
        close = 1e-5 if self.matrix.dtype == np.float32 else 1e-9
        # A NaN fails both comparisons, so it is caught here too.
        bad = ~(self.matrix >= 0).all(0) | ~(np.abs(self.matrix.sum(0, dtype=float) - 1) <= close)
        if bad.any():
            column = int(np.argmax(bad))
            entries = self.matrix[:, column]
            raise CfrlabError(
                f"abstraction matrix: column {column} must be non-negative and sum to 1, its "
                f"smallest entry is {entries.min():.6g} and its sum {entries.sum():.6g}"
            )

    @property
    def hands(self) -> int:
        """Number of hands n."""
        return int(self.matrix.shape[1])

    @property
    def rows(self) -> int:
        """Number of rows m."""
        return int(self.matrix.shape[0])

    def dense(self) -> Floats:
        """The matrix, float64 [m, n]."""
        return np.asarray(self.matrix, np.float64)

    def spread(self, rows: Floats) -> Floats:
        """``Phi^T rows``: [..., m] -> [..., n]."""
        return rows @ self.matrix

    def merge(self, values: Floats) -> Floats:
        """``Phi values``: [..., n] -> [..., m]."""
        return values @ self.matrix.T


Phi = Identity | BucketMap | Soft


@dataclass(frozen=True)
class Abstraction:
    """One ``Phi`` for each player, applied at every public node."""

    phi0: Phi
    phi1: Phi

    @staticmethod
    def identity(game: Game) -> Abstraction:
        """No abstraction."""
        return Abstraction(Identity(game.n[0]), Identity(game.n[1]))

    def __getitem__(self, player: int) -> Phi:
        return (self.phi0, self.phi1)[player]

    def check(self, game: Game) -> None:
        """Raise CfrlabError unless the abstraction is for this game's hands."""
        for p in (0, 1):
            if self[p].hands != game.n[p]:
                raise CfrlabError(
                    f"game {game.name}: player {p} has {game.n[p]} hands, the abstraction is for "
                    f"{self[p].hands}; was it made for another game?"
                )

    def lift(self, rows: Profile) -> Profile:
        """Strategy over hands from a strategy over rows, for both players."""
        return self.phi0.spread(rows[0]), self.phi1.spread(rows[1])
