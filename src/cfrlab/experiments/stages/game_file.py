"""Games as artifacts."""

from __future__ import annotations

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.stages import names
from cfrlab.games.game import Game


def save_game(path: str, game: Game, made: Provenance) -> None:
    """Write a game."""
    store.save(path, names.GAME, *game.to_arrays(), made)


def load_game(path: str) -> Game:
    """Read a game; raises CfrlabError for a file that is damaged or of another kind."""
    artifact = store.load(path, names.GAME)
    return Game.from_arrays(artifact.arrays, artifact.meta)
