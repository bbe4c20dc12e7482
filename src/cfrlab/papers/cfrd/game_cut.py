"""A game of the zoo and where it is cut into a trunk and subgames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cfrlab import plugins
from cfrlab.decomposition.infosets import named_roots
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.game import Game

GAMES = "cfrlab.games.zoo"


@dataclass(frozen=True)
class GameCut:
    """A game and the roots of its subgames.

    Attributes:
        zoo: module of the zoo.
        options: all of its options.
        roots: nodes by their actions; None cuts before the first public chance event.
    """

    zoo: str
    options: Mapping[str, Any]
    roots: list[str] | None

    @cached_property
    def game(self) -> Game:
        """The game; nothing in it may be random. Raises CfrlabError for bad options."""
        module = plugins.load(GAMES, self.zoo, "game")
        game: Game = module.build(module.Params(**self.options), np.random.default_rng(0))
        return game

    @cached_property
    def decomposition(self) -> Decomposition:
        """The game, cut. Raises CfrlabError for roots that are no subgames."""
        roots = self.roots
        return Decomposition.at(self.game, None if roots is None else named_roots(self.game, roots))
