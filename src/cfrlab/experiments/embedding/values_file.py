"""Expected values of hands as artifacts, read by stages that do not depend on solvers."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance

VALUES = "embedding-values"

Values = tuple[NDArray[Any], ...]


def save_values(path: str, values: Values, made: Provenance) -> None:
    """Write the values of all rounds."""
    arrays = {f"values_{r}": array for r, array in enumerate(values)}
    store.save(path, VALUES, arrays, {"rounds": len(values)}, made)


def load_values(path: str) -> Values:
    """Read the values of all rounds; raises CfrlabError for a damaged file."""
    artifact = store.load(path, VALUES)
    return tuple(artifact.arrays[f"values_{r}"] for r in range(artifact.meta["rounds"]))
