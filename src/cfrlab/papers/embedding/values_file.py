"""Expected values of hands as artifacts, read by stages that do not depend on solvers."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.papers.embedding.game_file import fingerprint
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.text import JSON

VALUES = "embedding-values"

Values = tuple[NDArray[Any], ...]


def save_values(path: str, game: RoundGame, values: Values, made: Provenance) -> None:
    """Write the values of all rounds of a game."""
    arrays = {f"values_{r}": array for r, array in enumerate(values)}
    meta: dict[str, JSON] = {
        "rounds": len(values),
        "game": game.name,
        "fingerprint": fingerprint(game),
    }
    store.save(path, VALUES, arrays, meta, made)


def load_values(path: str, game: RoundGame) -> Values:
    """Read the values of all rounds of a game.

    Raises CfrlabError for a damaged file, and for values of another game or of other stakes.
    """
    artifact = store.load(path, VALUES)
    if artifact.meta.get("fingerprint") != fingerprint(game):
        raise CfrlabError(
            f"{path}: expected values of a game with other cards, betting or stakes than this "
            f"{game.name} (ranks {game.deck.ranks}, suits {game.deck.suits}, ante {game.ante:g}); "
            f"rebuild it with: {store.rebuild_command(path)}"
        )
    return tuple(artifact.arrays[f"values_{r}"] for r in range(artifact.meta["rounds"]))
