"""Games as artifacts."""

from __future__ import annotations

from cfrlab.games.game import Game
from cfrlab.papers.weva.stages import names
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance


def save_game(path: str, game: Game, made: Provenance) -> None:
    """Write a game."""
    store.save(path, names.GAME, *game.to_arrays(), made)


def load_game(path: str) -> Game:
    """Read a game; raises CfrlabError for a file that is damaged or of another kind."""
    artifact = store.load(path, names.GAME)
    return Game.from_arrays(artifact.arrays, artifact.meta)
