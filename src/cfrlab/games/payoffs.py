"""Payoff operators: the bilinear form ``U`` that settles a terminal for all pairs of hands.

Player 0 receives ``U[h0, h1]``, player 1 its negative. Each operator knows its dense matrix (the
oracle of the tests) and applies itself to a reach vector as fast as its structure allows; the
compiled kernels (``cfrlab.solve.kernels``) implement the same operators across many terminals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dense:
    """Any matrix, shape [n0, n1]; int8 storage is kept (the random game's +-1), else float64."""

    matrix: NDArray[Any]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of the two players."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def dense(self) -> Floats:
        """The matrix in float64, [n0, n1]."""
        return self.matrix.astype(np.float64)

    def values(self, reach: Floats, player: int) -> Floats:
        """Values of ``player``'s hands against the opponent's ``reach``."""
        matrix = self.dense()
        return matrix @ reach if player == 0 else -(matrix.T @ reach)


@dataclass(frozen=True, eq=False)
class CardFold:
    """1 for every pair of two-card hands that share no card: player 0 wins the stake.

    ``cards`` is int8 [n, 2], the same list of hands for both players.
    """

    cards: NDArray[np.int8]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of the two players."""
        return len(self.cards), len(self.cards)

    def dense(self) -> Floats:
        """The 0/1 matrix of compatible pairs, [n, n]."""
        held = np.zeros((len(self.cards), int(self.cards.max()) + 1), np.float32)
        np.put_along_axis(held, self.cards.astype(np.intp), 1, axis=1)
        return np.asarray(held @ held.T == 0, np.float64)

    def values(self, reach: Floats, player: int) -> Floats:
        """Sum of compatible reach, by inclusion-exclusion over the two cards: O(n)."""
        held = np.bincount(self.cards.ravel(), np.repeat(reach, 2))
        # The hand itself holds both its cards, so it was taken away twice.
        total: Floats = reach.sum() - held[self.cards[:, 0]] - held[self.cards[:, 1]] + reach
        return total if player == 0 else -total


@dataclass(frozen=True, eq=False)
class CardShowdown:
    """+1, 0 or -1 as player 0's hand beats, ties or loses to player 1's; 0 where a card clashes.

    ``cards`` is int8 [n, 2]; ``strength`` is int32 [n], larger is better.
    """

    cards: NDArray[np.int8]
    strength: NDArray[np.int32]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of the two players."""
        return len(self.cards), len(self.cards)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Hands from weakest to strongest; ties in order of the hand's index."""
        return np.argsort(self.strength, kind="stable")

    @cached_property
    def group_ends(self) -> NDArray[np.intp]:
        """End of every group of tied hands in ``order`` (exclusive), the last one being n."""
        ranked = self.strength[self.order]
        return np.append(np.flatnonzero(np.diff(ranked)) + 1, len(ranked))

    def dense(self) -> Floats:
        """The matrix of outcomes, [n, n]."""
        sign: Floats = np.sign(self.strength[:, None] - self.strength[None, :]).astype(np.float64)
        return sign * CardFold(self.cards).dense()

    def values(self, reach: Floats, player: int) -> Floats:
        """Reach of weaker minus reach of stronger compatible hands; the same for both players."""
        del player  # The matrix is antisymmetric: -U^T = U.
        return self._weaker(reach, self.order, self.group_ends) - self._weaker(
            reach, self.order[::-1], len(reach) - np.append(self.group_ends[-2::-1], 0)
        )

    def _weaker(self, reach: Floats, order: NDArray[np.intp], ends: NDArray[np.intp]) -> Floats:
        """Compatible reach strictly before each hand's tie group along ``order``."""
        out = np.empty_like(reach)
        held = np.zeros(int(self.cards.max()) + 1)
        total, start = 0.0, 0
        for end in ends:
            group = order[start:end]
            out[group] = total - held[self.cards[group, 0]] - held[self.cards[group, 1]]
            total += reach[group].sum()
            np.add.at(held, self.cards[group].ravel(), np.repeat(reach[group], 2))
            start = int(end)
        return out


@dataclass(frozen=True, eq=False)
class Mixture:
    """A weighted sum of operators: the double board is half of one showdown and half of another."""

    parts: tuple[tuple[float, Atom], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of hands of the two players."""
        return self.parts[0][1].shape

    def dense(self) -> Floats:
        """The matrix of the sum, [n0, n1]."""
        return np.asarray(sum(w * op.dense() for w, op in self.parts))

    def values(self, reach: Floats, player: int) -> Floats:
        """Values of ``player``'s hands against the opponent's ``reach``."""
        return np.asarray(sum(w * op.values(reach, player) for w, op in self.parts))


Atom = Dense | CardFold | CardShowdown
Payoff = Atom | Mixture


def atoms(payoff: Payoff) -> tuple[tuple[float, Atom], ...]:
    """The operator as a weighted sum of operators that are not sums themselves."""
    return payoff.parts if isinstance(payoff, Mixture) else ((1.0, payoff),)


def to_arrays(payoffs: tuple[Payoff, ...]) -> tuple[dict[str, NDArray[Any]], list[Any]]:
    """Arrays of the operators and a JSON description that names them, for an artifact."""
    arrays: dict[str, NDArray[Any]] = {}

    def put(array: NDArray[Any]) -> str:
        for name, known in arrays.items():
            if known is array:
                return name
        name = f"payoff_{len(arrays)}"
        arrays[name] = array
        return name

    def describe(op: Payoff) -> dict[str, Any]:
        match op:
            case Dense(matrix):
                return {"type": "dense", "matrix": put(matrix)}
            case CardFold(cards):
                return {"type": "fold", "cards": put(cards)}
            case CardShowdown(cards, strength):
                return {"type": "showdown", "cards": put(cards), "strength": put(strength)}
            case Mixture(parts):
                return {"type": "mixture", "parts": [[w, describe(part)] for w, part in parts]}

    return arrays, [describe(op) for op in payoffs]


def from_arrays(arrays: Mapping[str, NDArray[Any]], described: list[Any]) -> tuple[Payoff, ...]:
    """Inverse of ``to_arrays``. Raises CfrlabError for a description it does not know."""

    def atom(item: dict[str, Any]) -> Atom:
        match item["type"]:
            case "dense":
                return Dense(arrays[item["matrix"]])
            case "fold":
                return CardFold(arrays[item["cards"]])
            case "showdown":
                return CardShowdown(arrays[item["cards"]], arrays[item["strength"]])
        raise CfrlabError(f"game file: unknown payoff type '{item['type']}'; rebuild the game")

    known: dict[str, Payoff] = {}  # operators that were one object stay one object

    def restore(item: dict[str, Any]) -> Payoff:
        key = repr(item)
        if key not in known:
            if item["type"] == "mixture":
                known[key] = Mixture(tuple((float(w), atom(part)) for w, part in item["parts"]))
            else:
                known[key] = atom(item)
        return known[key]

    return tuple(restore(item) for item in described)
