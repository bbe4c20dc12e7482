"""A game of these experiments and how it is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cfrlab import plugins
from cfrlab.decomposition.infosets import named_roots
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.game import Game

GAMES = "cfrlab.games.zoo"


@dataclass(frozen=True)
class Setting:
    """A game and the roots of its subgames.

    Attributes:
        zoo: module of the zoo.
        options: all of its options.
        roots: nodes by their actions; None cuts before the first public chance event.
    """

    zoo: str
    options: dict[str, Any]
    roots: list[str] | None

    def to_json(self) -> dict[str, Any]:
        """As a parameter of a job; `from_json` is the inverse."""
        return {"zoo": self.zoo, "options": self.options, "roots": self.roots}

    @staticmethod
    def from_json(given: Mapping[str, Any]) -> Setting:
        """Read a parameter of a job."""
        return Setting(given["zoo"], dict(given["options"]), given["roots"])


def build_game(setting: Setting) -> Game:
    """The game; nothing in it may be random. Raises CfrlabError for bad options."""
    module = plugins.load(GAMES, setting.zoo, "game")
    game: Game = module.build(module.Params(**setting.options), np.random.default_rng(0))
    return game


def build(setting: Setting) -> Decomposition:
    """The game, cut. Raises CfrlabError for roots that are no subgames."""
    game = build_game(setting)
    roots = setting.roots
    return Decomposition.at(game, None if roots is None else named_roots(game, roots))
