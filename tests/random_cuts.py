"""Random games, cut into subgames at random, for the property tests of decomposition."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from cfrlab.decomposition.infosets import below, closed_subgames
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.tree import TERMINAL
from solver_games import games


@st.composite
def cuts(draw: st.DrawFn, hands: int = 9) -> Decomposition:
    """A random game of few hands with random subgames, decisions with one action among them.

    Args:
        draw: hypothesis draws the game, and the seed of its cut.
        hands: most hands of a player, at least 3.
    """
    drawn = games(most_hands=hands, most_cards=hands)
    game = draw(drawn.filter(lambda g: g.tree.player[0] != TERMINAL))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Decomposition(game, _closed(game, _random_roots(game, draw(st.integers(1, 4)), rng)))


def _random_roots(game: Game, depth: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Nodes of about this depth, none below another, none where the game ends."""
    tree, roots = game.tree, list[int]()
    open_ = tree.player != TERMINAL
    for node in range(len(tree)):
        deep = tree.depth[node] >= depth - rng.integers(2)
        if open_[node] and deep and not below(tree, roots)[node]:
            roots.append(node)
    return tuple(roots) or (0,)


def _closed(game: Game, roots: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Subgames at these nodes, or above them where those are not closed."""
    tree = game.tree
    while True:
        try:
            return closed_subgames(game, roots)
        except CfrlabError:
            up = {max(0, int(tree.parent[root])) for root in roots}
            roots = tuple(n for n in sorted(up) if not up & set(list(tree.path(n))[1:]))
