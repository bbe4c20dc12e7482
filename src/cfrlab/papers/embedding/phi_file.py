"""Abstractions as artifacts: labels or a matrix for every round but the first, and their traits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.papers.embedding.game_file import fingerprints
from cfrlab.papers.embedding.kinds import PHI
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.phi import BucketMap, Identity, Soft
from cfrlab.solve.rounds.abstraction import RoundAbstraction

LABELS, MATRIX = "labels", "matrix"

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PhiFile:
    """What `load` returns.

    Attributes:
        phis: of every round but the first.
        meta: `kinds.NAMES` and, as ``rounds``, a mapping for each of them.
    """

    phis: tuple[BucketMap | Soft, ...]
    meta: dict[str, Any]

    @property
    def arrays(self) -> tuple[Array, ...]:
        """int32 [n] labels or float32 [m, n] matrix of every round but the first."""
        return tuple(p.labels if isinstance(p, BucketMap) else p.matrix for p in self.phis)

    def abstraction(self, game: RoundGame) -> RoundAbstraction:
        """The abstraction of a game, lossless in its first round."""
        return RoundAbstraction((Identity(game.hands[0]), *self.phis))


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
        names: values of `kinds.NAMES`; `load` can ask for them.
        rounds: the other columns for every round but the first, and whatever else is known.
        made: what it was made from.
    """
    stored = {
        f"{LABELS if array.ndim == 1 else MATRIX}_{r}": array
        for r, array in enumerate(arrays, start=1)
    }
    meta = {**names, "rounds": [dict(about) for about in rounds], "hands": fingerprints(game)}
    store.save(path, PHI, stored, meta, made)


def load(path: str, game: RoundGame, asked: Mapping[str, Any] | None = None) -> PhiFile:
    """Read an abstraction of a game, or of one with the same hands and other betting.

    Args:
        path: the file.
        game: the game.
        asked: what its names must be (``game``, ``abstraction``, ``seed``), where that matters.

    Raises CfrlabError, naming the file and the command that rebuilds it, for a file that is damaged
    or of another kind, for another game's Phi or one that is no Phi, and for other names.
    """
    artifact = store.load(path, PHI)
    meta, rounds = artifact.meta, range(1, game.rounds)
    for name, wanted in (asked or {}).items():
        if meta.get(name) != wanted:
            _refuse(path, f"made for {name} {meta.get(name)}, but {wanted} is needed")
    for r, (theirs, ours) in enumerate(zip(meta["hands"], fingerprints(game), strict=False), 1):
        if theirs != ours:
            _refuse(
                path,
                f"its columns are not the hands of round {r} of this {game.name} (ranks "
                f"{game.deck.ranks}, suits {game.deck.suits}); it was made for another game",
            )
    names = [f"{kind}_{r}" for r in rounds for kind in (LABELS, MATRIX)]
    arrays = [artifact.arrays[name] for name in names if name in artifact.arrays]
    if not len(arrays) == len(artifact.arrays) == len(meta["rounds"]) == len(rounds):
        _refuse(
            path,
            f"has {len(artifact.arrays)} rounds, but {game.name} has {len(rounds)} after the first",
        )
    return PhiFile(tuple(_phi(path, game, r, a) for r, a in zip(rounds, arrays, strict=True)), meta)


def _phi(path: str, game: RoundGame, r: int, array: Array) -> BucketMap | Soft:
    """The Phi of a round (the first is 0)."""
    try:
        phi = BucketMap(array) if array.ndim == 1 else Soft(array)
    except CfrlabError as error:
        _refuse(path, f"round {r + 1}: {error}")
    if phi.hands != game.hands[r]:
        _refuse(path, f"round {r + 1}: for {phi.hands} classes of hands, not {game.hands[r]}")
    return phi


def _refuse(path: str, what: str) -> NoReturn:
    raise CfrlabError(f"{path}: {what}; rebuild it with: {store.rebuild_command(path)}")


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
