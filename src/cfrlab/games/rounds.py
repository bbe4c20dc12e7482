"""Games of several betting rounds whose private hands are known up to suit symmetry.

Before each round but the first a public card is dealt, so the hand classes change from round to
round (``games.isomorphism``), and with them the index set of the players' strategies. The betting
of a round has one shape wherever it is entered; the ways to enter it are its *lanes*. With J ways
to close a round, closing j of lane l is lane ``l * J + j`` of the next one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.betting import Close, Fold
from cfrlab.games.cards import Deck
from cfrlab.games.isomorphism import HandClasses
from cfrlab.games.tree import CHANCE, Node, PublicTree, Terminal

Floats = NDArray[np.float64]

FOLD, CLOSE = 0, 1
"""What a terminal of a street refers to: the end of the game, or of the round."""

Betting = Callable[[float, Fold, Close], Node]
"""``betting(paid, fold, close)``: a round's betting when each player has put in ``paid`` before."""


@dataclass(frozen=True, eq=False)
class Street:
    """The betting of one round.

    Attributes:
        tree: public tree of the round; terminals refer to ``FOLD`` or ``CLOSE``.
        stake: float64 [nodes, lanes]; what player 0 receives where a node is a fold, what each
            player has put in where it closes the round, 0 elsewhere.
    """

    tree: PublicTree
    stake: Floats

    @property
    def lanes(self) -> int:
        """Number of ways to enter the round."""
        return int(self.stake.shape[1])

    @cached_property
    def closings(self) -> NDArray[np.intp]:
        """Nodes that close the round, in preorder."""
        return np.flatnonzero(self.tree.payoff == CLOSE)


def streets(bettings: Sequence[Betting], ante: float) -> tuple[Street, ...]:
    """The streets of a game, from its betting round by round.

    Raises CfrlabError if the betting of a round depends on how it was entered, or has chance in it.
    """

    def fold(winner: int, paid: float) -> Node:
        return Terminal(FOLD, paid if winner == 0 else -paid)

    def close(paid: float) -> Node:
        return Terminal(CLOSE, paid)

    built: list[Street] = []
    entries = np.array([ante])
    for number, betting in enumerate(bettings):
        trees = [PublicTree.build(betting(float(paid), fold, close)) for paid in entries]
        shape = trees[0]
        if any(_shape(tree) != _shape(shape) for tree in trees):
            raise CfrlabError(
                f"betting of round {number}: its tree depends on what was bet before; rounds need "
                "the same actions from every entry (limit betting)"
            )
        if CHANCE in shape.player:
            raise CfrlabError(f"betting of round {number}: chance may act between rounds only")
        street = Street(shape, np.stack([t.scale for t in trees], axis=1))
        built.append(street)
        entries = street.stake[street.closings].T.ravel()
    return tuple(built)


def _shape(tree: PublicTree) -> tuple[Any, ...]:
    """All of a street's tree but its stakes."""
    arrays = tree.player, tree.parent, tree.payoff
    return tree.label, *(array.tobytes() for array in arrays)


@dataclass(frozen=True, eq=False)
class RoundGame:
    """A game of betting rounds with one public card before each but the first.

    Attributes:
        name: registered name.
        unit: name of the payoff unit.
        ante: what each player puts in before the first round, in that unit.
        deck: the cards.
        classes: hand classes of every round.
        streets: betting of every round.
    """

    name: str
    unit: str
    ante: float
    deck: Deck
    classes: tuple[HandClasses, ...]
    streets: tuple[Street, ...]

    @property
    def rounds(self) -> int:
        """Number of betting rounds."""
        return len(self.streets)

    @property
    def hands(self) -> tuple[int, ...]:
        """Number of hand classes of every round."""
        return tuple(len(c.hands) for c in self.classes)

    @property
    def pairs(self) -> int:
        """Number of ways to deal two hands."""
        cards = len(self.deck)
        return cards * (cards - 1) // 2 * ((cards - 2) * (cards - 3) // 2)

    def next_cards(self, number: int) -> int:
        """Cards that may come before round ``number``, given both hands and the board so far."""
        return len(self.deck) - 4 - (number - 1)

    def weights(self, number: int) -> Floats:
        """Chance's weight of every class of a round, float64 [classes].

        The raw (hand, board) pairs of the class, times the probability of one board given two
        hands that allow it: what a hand class counts in sums over its round.
        """
        classes = self.classes[number]
        chance = np.prod([1.0 / self.next_cards(r) for r in range(1, number + 1)])
        return np.asarray(classes.copies[classes.board] * classes.size * chance, np.float64)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Arrays and JSON metadata for an artifact; ``from_arrays`` is the inverse."""
        arrays: dict[str, NDArray[Any]] = {}
        for r, (classes, street) in enumerate(zip(self.classes, self.streets, strict=True)):
            arrays |= {f"{f.name}_{r}": getattr(classes, f.name) for f in fields(classes)}
            tree = street.tree
            arrays |= {
                f"tree_player_{r}": tree.player,
                f"tree_parent_{r}": tree.parent,
                f"tree_payoff_{r}": tree.payoff,
                f"stake_{r}": street.stake,
            }
        meta = {
            "name": self.name,
            "unit": self.unit,
            "ante": self.ante,
            "ranks": self.deck.ranks,
            "suits": self.deck.suits,
            "labels": [list(s.tree.label) for s in self.streets],
        }
        return arrays, json.loads(json.dumps(meta))

    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> RoundGame:
        """Rebuild a game from ``to_arrays``."""
        classes, built = [], []
        for r, labels in enumerate(meta["labels"]):
            parts = {f.name: arrays[f"{f.name}_{r}"] for f in fields(HandClasses)}
            classes.append(HandClasses(**parts))
            stake = arrays[f"stake_{r}"]
            player = arrays[f"tree_player_{r}"]
            tree = PublicTree(
                player,
                arrays[f"tree_parent_{r}"],
                tuple(labels),
                np.ones(len(player)),
                arrays[f"tree_payoff_{r}"],
                stake[:, 0],
            )
            built.append(Street(tree, stake))
        return RoundGame(
            meta["name"],
            meta["unit"],
            meta["ante"],
            Deck(meta["ranks"], meta["suits"]),
            tuple(classes),
            tuple(built),
        )
