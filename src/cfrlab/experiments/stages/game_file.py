"""Games as artifacts."""

from __future__ import annotations

from pathlib import Path

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.games.game import Game

KIND = "game"


def save_game(path: str | Path, game: Game, made: Provenance) -> None:
    """Write a game."""
    store.save(path, KIND, *game.to_arrays(), made)


def load_game(path: str | Path) -> Game:
    """Read a game; raises CfrlabError for a file that is damaged or of another kind."""
    artifact = store.load(path, KIND)
    return Game.from_arrays(artifact.arrays, artifact.meta)
