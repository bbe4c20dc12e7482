"""What a long job leaves beside its output, so that it goes on exactly where it was stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.logs import LOGGER
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance

CHECKPOINT = "checkpoint"
SECONDS = 240.0
"""Time between two checkpoints: writing one takes one to three seconds."""

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint of one job.

    Attributes:
        path: its file.
        made: what the job's output is made from, its inputs included; a checkpoint of anything
            else is ignored.
    """

    path: Path
    made: Provenance

    @staticmethod
    def beside(output: str, made: Provenance) -> Checkpoint:
        """The checkpoint of the job that makes `output`."""
        return Checkpoint(Path(output).with_suffix(".checkpoint.npz"), made)

    def write(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep arrays, in the place of what was kept before; whole or not at all."""
        store.save(self.path, CHECKPOINT, arrays, {}, self.made)

    def read(self) -> Arrays | None:
        """What was kept, or None if nothing was, or not by this very job."""
        if not self.path.is_file():
            return None
        try:
            kept = store.load(self.path, CHECKPOINT)
            before = kept.provenance.as_json()
        except CfrlabError:
            LOGGER.info("%s: cannot be read, so it is ignored", self.path)
            return None
        differs = [name for name, value in self.made.as_json().items() if value != before[name]]
        if differs:
            LOGGER.info("%s: of another %s, so it is ignored", self.path, " and ".join(differs))
            return None
        return kept.arrays

    def remove(self) -> None:
        """Forget what was kept, once the output is there."""
        self.path.unlink(missing_ok=True)
