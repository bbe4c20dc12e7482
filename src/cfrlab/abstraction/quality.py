"""How alike the hands of a bucket are: one yardstick for bucket maps of every method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction import emd, kmeans, outcomes
from cfrlab.games.rounds import RoundGame


def quality(game: RoundGame, labels: Sequence[NDArray[np.int32]]) -> list[dict[str, Any]]:
    """Numbers, as JSON, on the buckets of every round after the first.

    Args:
        game: the game.
        labels: int32 [classes], the bucket of each class in each of those rounds.

    Returns for each of them

    - ``round``: its number, the first is 0;
    - ``classes``, ``buckets``: how many there are;
    - ``largest``: classes in the largest bucket;
    - ``strength``: mean absolute difference of a class's expected hand strength, in [0, 1], to the
      mean in its bucket;
    - ``winrate``: mean earth mover's distance, in [0, 2], of a class's (lose, tie, win)
      distribution to the mean in its bucket; a list, for the round itself, then for the round
      before (of the class it came from), and so on back to the first.
    """
    outcome = outcomes.triples(game.classes)
    return [_round(game, outcome, r, found) for r, found in enumerate(labels, start=1)]


def _round(
    game: RoundGame, outcome: Sequence[outcomes.Ints], r: int, labels: NDArray[np.int32]
) -> dict[str, Any]:
    winrate = []
    for back in range(r + 1):
        triple = outcome[r - back][outcomes.ancestors(game.classes, r, back)]
        points = emd.embed(triple / triple.sum(1, keepdims=True))
        winrate.append(kmeans.mean_distance(points, labels))
    strength = outcomes.strength(outcome[r])[:, None]
    return {
        "round": r,
        "classes": len(labels),
        "buckets": int(labels.max()) + 1,
        "largest": int(np.bincount(labels).max()),
        "strength": kmeans.mean_distance(strength, labels),
        "winrate": winrate,
    }
