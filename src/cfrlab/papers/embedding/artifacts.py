"""Kinds of artifacts, names that stand in them, and how stages read and write what they share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.store import Artifact, rebuild_command

GAME = "embedding-game"
VALUES = "embedding-values"
PHI = "embedding-phi"
CURVE = "embedding-curve"

LOSSLESS = "lossless"
"""The game without abstraction, and its family."""
EMBEDDING = "embedding"
"""The family of all networks; that of a clustering is the name of its module."""
AS_TRAINED = "as-trained"
"""A network's Phi without a transform."""

NAMES = ("game", "abstraction", "family", "network", "phi", "seed")
"""What a Phi is called, in its artifact and in the first columns of frames (`records.COLUMNS`)."""

Array = NDArray[Any]
Values = tuple[Array, ...]
"""Expected values of hands, float32 [classes, features] of every round."""


@dataclass(frozen=True, eq=False)
class StoredPhi:
    """A Phi as its artifact has it.

    Attributes:
        arrays: int32 [n] labels or float32 [m, n] matrix of every round but the first.
        meta: `NAMES` and, as ``rounds``, what is known of each of those rounds.
    """

    arrays: tuple[Array, ...]
    meta: dict[str, Any]


def load_game(job: Job) -> RoundGame:
    """Read the game that a job is given as ``game``."""
    return _game(job.load("game", GAME))


def load_games(job: Job) -> Iterator[tuple[str, RoundGame]]:
    """Read the games that a job is given as ``games``, with their labels, one at a time."""
    for artifact in job.load_all("games", GAME):
        yield artifact.provenance.key["game"], _game(artifact)


def load_values(job: Job) -> Values | None:
    """Read the expected values of a job's game, which must have been read; None if it has none.

    Raises CfrlabError for values of a game that had the same name, but is another by now.
    """
    if not job.has("values"):
        return None
    artifact = job.load("values", VALUES)
    if artifact.provenance.inputs["game"] != job.provenance.inputs["game"]:
        refuse(job, "values", "made from another game than this one")
    return tuple(artifact.arrays[f"values_{r}"] for r in range(len(artifact.arrays)))


def load_phi(job: Job, game: RoundGame) -> StoredPhi:
    """Read the Phi that a job is given as ``phi``, made for its game or one of the same hands.

    Raises CfrlabError, naming the file and the command that rebuilds it, for one whose columns are
    not the hands of the game. Whether the numbers are a Phi is for those to check who use it.
    """
    artifact = job.load("phi", PHI)
    meta, rounds = artifact.meta, range(1, game.rounds)
    for r, (made, needed) in enumerate(zip(meta["hands"], fingerprints(game), strict=False), 1):
        if made != needed:
            refuse(
                job,
                "phi",
                f"its columns are not the hands of round {r} of this {game.name} (ranks "
                f"{game.deck.ranks}, suits {game.deck.suits}); it was made for another game",
            )
    names = [f"{kind}_{r}" for r in rounds for kind in ("labels", "matrix")]
    arrays = tuple(artifact.arrays[name] for name in names if name in artifact.arrays)
    if [array.shape[-1] for array in arrays] != [*game.hands[1:]]:
        refuse(job, "phi", f"its arrays are not one for each round of {game.name} but the first")
    return StoredPhi(arrays, meta)


def save_phi(
    job: Job,
    game: RoundGame,
    arrays: Sequence[Array],
    names: Mapping[str, Any],
    rounds: Sequence[Mapping[str, Any]],
) -> None:
    """Write a Phi as a job's output.

    Args:
        job: which reads the game.
        game: the game that it is for.
        arrays: see `StoredPhi.arrays`.
        names: values of `NAMES`.
        rounds: what is known of every round but the first: the other columns of
            `records.PHI_COLUMNS`, and more.
    """
    stored = {
        f"{'labels' if array.ndim == 1 else 'matrix'}_{r}": array
        for r, array in enumerate(arrays, start=1)
    }
    meta = {**names, "rounds": [dict(about) for about in rounds], "hands": fingerprints(game)}
    job.save(PHI, stored, meta)


def fingerprints(game: RoundGame) -> list[str]:
    """What the columns of a Phi stand for: a hash of the hand classes of every round.

    Games that differ in betting alone have the same.
    """
    digests = []
    for classes in game.classes:
        digest = hashlib.sha256(f"{game.deck.ranks} {game.deck.suits}".encode())
        for array in (classes.boards, classes.first, classes.hands):
            digest.update(array.tobytes())
        digests.append(digest.hexdigest())
    return digests


def refuse(job: Job, name: str, what: str) -> NoReturn:
    """Raise CfrlabError about the only input of a name, with the command that rebuilds it."""
    path = job.inputs[name][0]
    raise CfrlabError(f"{path}: {what}; rebuild it with: {rebuild_command(path)}")


def _game(artifact: Artifact) -> RoundGame:
    return RoundGame.from_arrays(artifact.arrays, artifact.meta)
