"""What a long job leaves beside its output, so that it goes on exactly where it was stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.logs import LOGGER
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance

CHECKPOINT = "embedding-checkpoint"
SECONDS = 240.0
"""Time between two checkpoints: writing one takes one to three seconds."""

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint of one job.

    Attributes:
        path: its file.
        made: what the job's output is made from; a checkpoint of anything else is ignored.
        inputs: SHA-256 of the job's input files, likewise.
    """

    path: Path
    made: Provenance
    inputs: str

    @staticmethod
    def beside(output: str, made: Provenance, inputs: Iterable[str]) -> Checkpoint:
        """The checkpoint of the job that makes `output` of `inputs`."""
        digest = hashlib.sha256()
        for path in inputs:
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return Checkpoint(Path(output).with_suffix(".checkpoint.npz"), made, digest.hexdigest())

    def write(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep arrays, in the place of what was kept before; whole or not at all."""
        store.save(self.path, CHECKPOINT, arrays, {"inputs": self.inputs}, self.made)

    def read(self) -> Arrays | None:
        """What was kept, or None if nothing was, or not by this very job."""
        if not self.path.is_file():
            return None
        try:
            kept = store.load(self.path, CHECKPOINT)
        except CfrlabError:
            LOGGER.info("%s: cannot be read, so it is ignored", self.path)
            return None
        differs = [
            name
            for name in ("config", "seed", "code", "libraries")
            if getattr(kept.provenance, name) != getattr(self.made, name)
        ]
        if kept.meta["inputs"] != self.inputs:
            differs.append("input files")
        if differs:
            LOGGER.info("%s: of another %s, so it is ignored", self.path, " and ".join(differs))
            return None
        return kept.arrays

    def remove(self) -> None:
        """Forget what was kept, once the output is there."""
        self.path.unlink(missing_ok=True)
