"""Games cut into subgames, Leduc hold'em before the public card among them."""

from __future__ import annotations

from functools import cache

import numpy as np

from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Decision, PublicTree, Terminal
from cfrlab.solve import lp
from cfrlab.solve.rule import Rule
from small_games import liars_dice
from solver_games import zoo

CFR_RULE = Rule.named("cfr")


@cache
def leduc(**params: object) -> Decomposition:
    """Leduc hold'em and its five subgames."""
    return Decomposition.at(zoo("leduc", **params))


def boards(cut: Decomposition) -> Decomposition:
    """Cut below the public card: subgames of several roots, which one player cannot tell apart."""
    tree = cut.game.tree
    return Decomposition.at(cut.game, [b for root in cut.roots for b in tree.children[root]])


@cache
def kuhn() -> Decomposition:
    """Kuhn poker with a subgame after each first action."""
    game = zoo("kuhn")
    return Decomposition.at(game, [game.tree.children[0][0], game.tree.children[0][1]])


@cache
def dice() -> Decomposition:
    """Liar's dice with a subgame after each first bid; below the highest nobody has a choice."""
    game = liars_dice(3).game
    return Decomposition.at(game, game.tree.children[0])


@cache
def equilibrium() -> Profile:
    """An exact equilibrium of Leduc hold'em."""
    return lp.solve(leduc().game)[1]


def rock_paper_scissors() -> Game:
    """Player 1 has moved, unseen (its hand is the move); player 0 replies."""
    table = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    replies = Decision(
        0, {name: Terminal(i) for i, name in enumerate(("rock", "paper", "scissors"))}
    )
    rows = tuple(Dense(row[None, :]) for row in table)
    return Game(
        "rock-paper-scissors",
        PublicTree.build(Decision(1, {"hide": replies})),
        rows,
        Dense(np.ones((1, 3))),
        (("-",), ("rock", "paper", "scissors")),
        (np.ones(1), np.ones(3)),
        "points",
    )
