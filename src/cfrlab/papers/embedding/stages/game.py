"""Games of betting rounds: built, as artifacts, and what a Phi for them must fit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from cfrlab import plugins
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance

GAME = "embedding-game"


def generate(zoo: str, options: Mapping[str, Any]) -> RoundGame:
    """The game that module `zoo` makes of its options; nothing in it is random.

    Raises CfrlabError for an unknown game, and for cards that cannot be dealt.
    """
    module = plugins.load("cfrlab.games.zoo", zoo, "game")
    game: RoundGame = module.rounds(module.Params(**options))
    LOGGER.info("%s: %s classes of hands in its rounds", zoo, ", ".join(map(str, game.hands)))
    return game


def save_game(path: str, game: RoundGame, made: Provenance) -> None:
    """Write a game."""
    store.save(path, GAME, *game.to_arrays(), made)


def load_game(path: str) -> RoundGame:
    """Read a game; raises CfrlabError for a file that is damaged or of another kind."""
    artifact = store.load(path, GAME)
    return RoundGame.from_arrays(artifact.arrays, artifact.meta)


def fingerprint(game: RoundGame) -> str:
    """A hash of everything that expected values depend on: hands, betting and stakes."""
    digest = hashlib.sha256(" ".join((*fingerprints(game), game.unit, repr(game.ante))).encode())
    for street in game.streets:
        digest.update(repr(street.tree.label).encode())
        for array in (street.tree.player, street.tree.parent, street.tree.payoff, street.stake):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def fingerprints(game: RoundGame) -> list[str]:
    """What the columns of a Phi stand for: a hash of the hand classes of every round.

    Games that differ in betting alone have the same.
    """
    found = []
    for classes in game.classes:
        digest = hashlib.sha256(f"{game.deck.ranks} {game.deck.suits}".encode())
        for array in (classes.boards, classes.first, classes.hands):
            digest.update(array.tobytes())
        found.append(digest.hexdigest())
    return found
