"""embedding_values: expected values of hands under the average of a short CFR run."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.embedding.jit import ensure_compiled
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import Progress
from cfrlab.solve.cfr import Rule
from cfrlab.solve.rounds.cfr import INFOSET, RoundCFR
from cfrlab.solve.rounds.values import expected_values

VALUES = "embedding-values"

Values = tuple[NDArray[Any], ...]


def warm_up(game: RoundGame, rule: Rule, iterations: int) -> Values:
    """Expected values after some iterations without abstraction.

    Returns float32 [classes, features] of every round: a value at each betting decision, both
    seats side by side (`solve.rounds.values`).
    """
    ensure_compiled()
    solver = RoundCFR(game, rule, averages=(INFOSET,))
    progress = Progress(iterations, "iterations")
    for _ in range(iterations):
        solver.run(1)
        progress.step()
    return tuple(expected_values(game, solver.average(INFOSET)))


def save_values(path: str, values: Values, made: Provenance) -> None:
    """Write the values of all rounds."""
    arrays = {f"values_{r}": array for r, array in enumerate(values)}
    store.save(path, VALUES, arrays, {"rounds": len(values)}, made)


def load_values(path: str) -> Values:
    """Read the values of all rounds; raises CfrlabError for a damaged file."""
    artifact = store.load(path, VALUES)
    return tuple(artifact.arrays[f"values_{r}"] for r in range(artifact.meta["rounds"]))
