"""Export to Gambit's extensive-form format, which Gambit and OpenSpiel's ``efg_game`` load.

The export is for small games and serves as a bridge to independent solvers. It writes every
history: chance deals a pair of hands, then play follows the public tree. Payoffs read back to the
same float; probabilities add up to exactly one, as Gambit demands.

What a label may hold is narrower there than here. Gambit wants printable ASCII, with single spaces
inside a label only, and no two information sets of a player called the same; OpenSpiel knows no
escapes and takes actions of one name for one action. So other characters, and those that have a
meaning in names or in the format, are percent-encoded as in a URL (RFC 3986), an empty label
becomes ``-``, and of equal labels side by side all but the first are numbered: ``bet (2)``.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Floats
from cfrlab.games.tree import CHANCE, TERMINAL, PublicTree

Buckets = tuple[NDArray[np.integer], NDArray[np.integer]]
"""A bucket for each hand, int [n0] and [n1]."""

MAX_HISTORIES = 1_000_000

_PLAIN = "".join(set(string.punctuation) - set('"\\%/|'))
_LARGEST_INT = 2**31
"""OpenSpiel reads no fraction with larger numbers."""


def to_efg(game: Game, buckets: Buckets | None = None, limit: int = MAX_HISTORIES) -> str:
    """The game in Gambit's EFG format.

    An information set is a public decision node and a hand, or a bucket of hands if ``buckets``
    are given. Its name is ``"<actions so far>|<hand or bucket>"`` (`paths`, `names`).

    Outcomes of public chance that a pair of hands rules out (no payoff below is other than 0) are
    left out, and the others weighted by the largest payoff below: the number of deals, in games
    whose payoffs count deals. Payoffs make up for it where that is not the probability, so every
    expectation is exact in either case.

    Raises CfrlabError if the export would have more than ``limit`` histories, or if a payoff names
    a pair of hands that is never dealt.
    """
    writer = _Writer(game, buckets)
    histories = len(writer.pairs) * len(game.tree)
    if histories > limit:
        raise CfrlabError(
            f"export of {game.name}: {len(writer.pairs)} pairs of hands x {len(game.tree)} public "
            f"nodes are {histories} histories, more than {limit}; export a game with fewer hands"
        )
    return "\n".join(writer.lines()) + "\n"


def names(labels: Iterable[str]) -> list[str]:
    """Labels that stand side by side, as the export writes them: plain, and distinct."""
    return _distinct(
        re.sub("^ | $|(?<= ) ", "%20", quote(label, safe=_PLAIN + " ")) or "-" for label in labels
    )


def paths(tree: PublicTree) -> list[str]:
    """The names of the actions that lead to every node, with a slash between; "" for the root."""
    out = [""] * len(tree)
    for node, children in enumerate(tree.children):
        for child, name in zip(children, names(tree.label[c] for c in children), strict=True):
            out[child] = f"{out[node]}/{name}" if node else name
    return out


def _distinct(labels: Iterable[str]) -> list[str]:
    used: dict[str, None] = {}
    for label in labels:
        name, count = label, 1
        while name in used:
            count += 1
            name = f"{label} ({count})"
        used[name] = None
    return list(used)


class _Writer:
    """One export: the dense payoffs and the numbering of information sets."""

    def __init__(self, game: Game, buckets: Buckets | None) -> None:
        self.game = game
        self.tree = game.tree
        self.buckets = buckets
        self.payoffs = [op.dense() for op in game.payoffs]
        self.deal = game.deal.dense()
        for i, payoff in enumerate(self.payoffs):
            if np.any((payoff != 0) & (self.deal == 0)):
                raise CfrlabError(
                    f"export of {game.name}: payoff {i} pays a pair of hands that is never dealt"
                )
        self.pairs = np.argwhere(np.outer(*game.weights) * self.deal > 0)
        self.ways = self._ways()
        self.paths = paths(game.tree)
        self.names = [path.rpartition("/")[2] for path in self.paths]
        one, two = (
            names(game.hands[p]) if buckets is None else [str(b) for b in buckets[p].tolist()]
            for p in (0, 1)
        )
        self.hands = (one, two)
        self.infosets: tuple[dict[tuple[int, int], int], ...] = ({}, {})
        self.outcomes = 0
        self.chances = 0

    def _ways(self) -> dict[int, Floats]:
        """For chance edges: size of the largest payoff below for every pair, [n0, n1]."""
        edges = [
            i for i in range(1, len(self.tree)) if self.tree.player[self.tree.parent[i]] == CHANCE
        ]
        ways = {edge: np.zeros(self.game.n) for edge in edges}
        for z in self.tree.terminals:
            size = np.abs(self.payoffs[self.tree.payoff[z]])
            for node in self.tree.path(int(z)):
                if node in ways:
                    np.maximum(ways[node], size, out=ways[node])
        return ways

    def lines(self) -> Iterator[str]:
        """The file's lines: header, the deal, and below it the histories in depth-first order."""
        yield f'EFG 2 R "{names([self.game.name])[0]}" {{ "Player 0" "Player 1" }}'
        weights, (one, two) = self.game.weights, map(names, self.game.hands)
        pairs = self.pairs.tolist()
        prior = [_product(weights[0][i], weights[1][j], self.deal[i, j]) for i, j in pairs]
        deals = _distinct(f"{one[i]} {two[j]}" for i, j in pairs)
        yield self._chance("deal", deals, _probabilities(prior))
        for i, j in pairs:
            yield from self._below(0, i, j, 1.0 / float(self.deal[i, j]))

    def _chance(self, name: str, outcomes: Sequence[str], probabilities: Sequence[str]) -> str:
        self.chances += 1
        inner = " ".join(f'"{o}" {p}' for o, p in zip(outcomes, probabilities, strict=True))
        return f'c "{name}" {self.chances} "" {{ {inner} }} 0'

    def _below(self, node: int, i: int, j: int, factor: float) -> Iterator[str]:
        """Lines of the subtree at ``node`` for one pair of hands.

        ``factor`` is the ratio of a payoff's weight in the game (chance edges, deals) to the
        probability that the file's chance nodes give it.
        """
        player = int(self.tree.player[node])
        if player == TERMINAL:
            yield self._terminal(node, i, j, factor)
            return
        children = self.tree.children[node]
        if player == CHANCE:
            yield from self._public_chance(node, i, j, factor)
            return
        hand = (i, j)[player]
        column = hand if self.buckets is None else int(self.buckets[player][hand])
        known = self.infosets[player]
        number = known.setdefault((node, column), len(known) + 1)
        actions = " ".join(f'"{self.names[c]}"' for c in children)
        infoset = f"{self.paths[node]}|{self.hands[player][hand]}"
        yield f'p "" {player + 1} {number} "{infoset}" {{ {actions} }} 0'
        for child in children:
            yield from self._below(child, i, j, factor)

    def _public_chance(self, node: int, i: int, j: int, factor: float) -> Iterator[str]:
        weights = {
            c: _product(self.tree.chance[c], self.ways[c][i, j]) for c in self.tree.children[node]
        }
        if any(weights.values()):
            weights = {c: weight for c, weight in weights.items() if weight}
        else:  # Nothing is paid below, so that any probabilities will do.
            weights = dict.fromkeys(weights, Fraction(1))
        probabilities = _probabilities([*weights.values()])
        yield self._chance("", [self.names[c] for c in weights], probabilities)
        for child, p in zip(weights, probabilities, strict=True):
            read = float(Fraction(p))
            yield from self._below(child, i, j, factor * float(self.tree.chance[child]) / read)

    def _terminal(self, node: int, i: int, j: int, factor: float) -> str:
        self.outcomes += 1
        value = float(self.payoffs[self.tree.payoff[node]][i, j] * self.tree.scale[node]) * factor
        value += 0.0  # -0.0 reads badly.
        gain, loss = (f"{Decimal(repr(x)):f}" for x in (value, -value + 0.0))
        return f't "" {self.outcomes} "" {{ {gain} {loss} }}'


def _product(*factors: float) -> Fraction:
    product = Fraction(1)
    for factor in factors:
        product *= Fraction(float(factor))
    return product


def _probabilities(weights: Sequence[Fraction]) -> list[str]:
    """The share of each weight; as numbers, they add up to exactly one.

    Fractions where their numbers are small enough for every reader, else decimals that read back
    to the same float, but for the largest: it takes what the rounding of the others leaves.
    """
    total = sum(weights)
    shares = [weight / total for weight in weights]
    if all(share.denominator < _LARGEST_INT for share in shares):
        return [str(share) for share in shares]
    largest = max(range(len(shares)), key=shares.__getitem__)
    with localcontext(prec=1000):  # sums of floats are exact
        decimals = [Decimal(repr(float(share))) for share in shares]
        decimals[largest] += 1 - sum(decimals, Decimal())
        return [f"{d:f}" for d in decimals]
