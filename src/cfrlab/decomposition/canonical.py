"""Number of deals up to exchange of suits, by Burnside's lemma, without listing any.

Where suits never matter (Leduc hold'em) a deal is a choice of ranks instead.

A permutation of the suits leaves a deal unchanged if every set of cards in it is a union of orbits.
A cycle of c suits makes one orbit of c cards for each rank; each orbit goes whole to one of the
sets, or to none, so the fixed deals are a coefficient of ``prod (1 + sum_j x_j^c)^orbits``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Deal:
    """Cards that one player sees, round by round.

    Attributes:
        ranks, suits: size of the deck.
        hole: private cards of a player.
        board: public cards dealt before each betting round, 0 before the first.
        ranked: suits never matter, so that deals count by rank.
    """

    ranks: int
    suits: int
    hole: int
    board: tuple[int, ...]
    ranked: bool = False

    def raw(self, rounds: int) -> int:
        """Deals to one player in a betting round (from 1), every card by itself."""
        left, count = self.ranks * self.suits, 1
        for size in (self.hole, *self.board[:rounds]):
            count *= math.comb(left, size)
            left -= size
        return count

    def canonical(self, rounds: int) -> int:
        """Deals to one player in a betting round (from 1), up to suits."""
        sizes = (self.hole, *self.board[:rounds])
        if self.ranked:
            return _choices((self.suits,) * self.ranks, sizes)
        return _orbits(self.ranks, self.suits, 0, sizes)

    def below(self, cut: int, rounds: int) -> int:
        """Deals of a round that continue one public board, the board with the least symmetry.

        Args:
            cut: rounds of the trunk; the cards dealt in them are the board.
            rounds: the later round.

        The board has its cards in as many suits as there are, and in distinct ranks; the suits
        that are not on it may be exchanged.
        """
        shown = sum(self.board[:cut])
        absent = max(self.suits - shown, 0)
        sizes = (self.hole, *self.board[cut:rounds])
        if self.ranked:
            copies = (self.suits - 1,) * shown + (self.suits,) * (self.ranks - shown)
            return _choices(copies, sizes)
        return _orbits(self.ranks, absent, self.ranks * (self.suits - absent) - shown, sizes)


def _orbits(ranks: int, suits: int, fixed: int, sizes: Sequence[int]) -> int:
    """Orbits of deals under permutations of ``suits`` suits, with ``fixed`` cards beside them."""
    total = 0
    for cycles in _partitions(suits):
        orbits = {c: ranks * cycles.count(c) for c in set(cycles)}
        orbits[1] = orbits.get(1, 0) + fixed
        total += _permutations(cycles) * _fixed(orbits, sizes)
    return total // math.factorial(suits)


def _choices(copies: Sequence[int], sizes: Sequence[int]) -> int:
    """Ways to fill sets of given sizes with ranks, each rank having so many copies."""
    if not copies:
        return int(not any(sizes))
    count = 0
    for taken in itertools.product(*(range(size + 1) for size in sizes)):
        if sum(taken) <= copies[0]:
            rest = tuple(s - t for s, t in zip(sizes, taken, strict=True))
            count += _choices(copies[1:], rest)
    return count


def _fixed(orbits: dict[int, int], sizes: Sequence[int]) -> int:
    """Deals that are unions of orbits, given the number of orbits of each length."""
    lengths = sorted(orbits)

    def fill(at: int, left: tuple[int, ...]) -> int:
        if at == len(lengths):
            return int(not any(left))
        length, count = lengths[at], 0
        for taken in itertools.product(*(range(size // length + 1) for size in left)):
            rest = tuple(s - length * t for s, t in zip(left, taken, strict=True))
            count += _ways(orbits[length], taken) * fill(at + 1, rest)
        return count

    return fill(0, tuple(sizes))


def _ways(orbits: int, taken: Sequence[int]) -> int:
    """Ways to give ``taken[j]`` of the orbits to set j, for all j."""
    ways = 1
    for t in taken:
        if t > orbits:
            return 0
        ways *= math.comb(orbits, t)
        orbits -= t
    return ways


def _partitions(n: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Partitions of n, the cycle types of its permutations."""
    if n == 0:
        yield ()
    for part in range(min(n, largest or n), 0, -1):
        for rest in _partitions(n - part, part):
            yield (part, *rest)


def _permutations(cycles: Sequence[int]) -> int:
    """Number of permutations of a cycle type."""
    size = math.factorial(sum(cycles))
    for c in set(cycles):
        size //= c ** cycles.count(c) * math.factorial(cycles.count(c))
    return size
