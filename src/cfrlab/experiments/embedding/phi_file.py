"""Abstractions as artifacts: labels or a matrix for every round but the first, and their traits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.errors import CfrlabError
from cfrlab.experiments.embedding.game_file import fingerprints
from cfrlab.experiments.embedding.kinds import PHI
from cfrlab.games.rounds import RoundGame
from cfrlab.solve.phi import BucketMap, Identity, Phi, Soft
from cfrlab.solve.rounds.abstraction import RoundAbstraction

LABELS, MATRIX = "labels", "matrix"

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PhiFile:
    """What `load` returns.

    Attributes:
        arrays: int32 [n] labels or float32 [m, n] matrix of every round but the first.
        meta: names (see `records.PHI_COLUMNS`) and, as ``rounds``, a mapping for each of them.
    """

    arrays: tuple[Array, ...]
    meta: dict[str, Any]

    def abstraction(self, game: RoundGame) -> RoundAbstraction:
        """The abstraction of a game, lossless in its first round."""
        later: list[Phi] = [BucketMap(a) if a.ndim == 1 else Soft(a) for a in self.arrays]
        return RoundAbstraction((Identity(game.hands[0]), *later))


def save(
    path: str,
    game: RoundGame,
    arrays: Sequence[Array],
    names: Mapping[str, Any],
    rounds: Sequence[Mapping[str, Any]],
    made: Provenance,
) -> None:
    """Write an abstraction.

    Args:
        path: where to.
        game: the game that it is for.
        arrays: see `PhiFile`.
        names: the first columns of `records.PHI_COLUMNS`.
        rounds: the other columns for every round but the first, and whatever else is known.
        made: what it was made from.
    """
    stored = {
        f"{LABELS if array.ndim == 1 else MATRIX}_{r}": array
        for r, array in enumerate(arrays, start=1)
    }
    meta = {**names, "rounds": [dict(about) for about in rounds], "hands": fingerprints(game)}
    store.save(path, PHI, stored, meta, made)


def load(path: str, game: RoundGame) -> PhiFile:
    """Read an abstraction of a game, or of one with the same hands and other betting.

    Raises CfrlabError for a file that is damaged or of another kind, and for another game's Phi.
    """
    artifact = store.load(path, PHI)
    meta, rounds = artifact.meta, range(1, game.rounds)
    for r, (theirs, ours) in enumerate(zip(meta["hands"], fingerprints(game), strict=False)):
        if theirs != ours:
            raise CfrlabError(
                f"{path}: its columns are not the hands of round {r + 1} of this {game.name} "
                f"(ranks {game.deck.ranks}, suits {game.deck.suits}); it was made for another game"
            )
    names = [f"{kind}_{r}" for r in rounds for kind in (LABELS, MATRIX)]
    arrays = tuple(artifact.arrays[name] for name in names if name in artifact.arrays)
    if len(arrays) != len(rounds) or len(artifact.arrays) != len(rounds):
        raise CfrlabError(
            f"{path}: has {len(artifact.arrays)} rounds, but {game.name} has {len(rounds)} after "
            f"the first; rebuild it with: {store.rebuild_command(path)}"
        )
    return PhiFile(arrays, meta)


def about_labels(labels: NDArray[np.int32], budget: int) -> dict[str, Any]:
    """What is known of the buckets of a round; every hand trusts one."""
    rows = int(labels.max()) + 1
    return {
        "classes": len(labels),
        "budget": budget,
        "rows": rows,
        "effective": 1.0,
        "dead": budget - rows,
    }
