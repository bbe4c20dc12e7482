"""What a long job leaves beside its output, so that it goes on exactly where it was stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.logs import LOGGER, Progress, duration
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


class Resumable(Protocol):
    """Something iterative whose state can be saved and gone back to."""

    @property
    def iteration(self) -> int:
        """Number of iterations run so far."""

    def run(self, iterations: int) -> None:
        """Run more iterations."""

    def state(self) -> Arrays:
        """Everything needed to go on exactly."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state."""


_MEASURED = "measured."
"""Begins the names of measurements in a checkpoint, beside the solver's own arrays."""


def follow(
    solver: Resumable,
    points: Sequence[int],
    measure: Callable[[], Mapping[str, Any]],
    step: int,
    checkpoint: Checkpoint | None = None,
    every_seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Arrays:
    """Run a solver to the last of some points and measure at each.

    Args:
        solver: a fresh solver.
        points: P numbers of iterations.
        measure: numbers and arrays by name, the same shapes at every point.
        step: most iterations between two looks at the clock.
        checkpoint: where to go on from, and to keep the state.
        every_seconds: time between two checkpoints.
        clock: monotonic time in seconds.

    Returns:
        ``iterations`` int64 [P], ascending, and what was measured, [P, ...].
    """
    at = sorted(set(points))
    measured: dict[str, list[Any]] = {}
    if checkpoint and (kept := checkpoint.read()):
        measured = {
            name.removeprefix(_MEASURED): list(kept.pop(name))
            for name in list(kept)
            if name.startswith(_MEASURED)
        }
        solver.restore(kept)
        LOGGER.info("goes on from iteration %d of %s", solver.iteration, checkpoint.path)
    progress, saved = Progress(at[-1] - solver.iteration, "iterations"), clock()
    while solver.iteration < at[-1]:
        before = solver.iteration
        stop = next(t for t in at if t > before)
        solver.run(min(stop - before, step))
        progress.step(solver.iteration - before)
        if solver.iteration == stop:
            for name, value in measure().items():
                measured.setdefault(name, []).append(np.asarray(value))
        if checkpoint and solver.iteration < at[-1] and clock() - saved >= every_seconds:
            started = clock()
            arrays = {f"{_MEASURED}{name}": np.array(rows) for name, rows in measured.items()}
            checkpoint.write({**solver.state(), **arrays})
            saved = clock()
            LOGGER.info("checkpoint written in %s", duration(saved - started))
    arrays = {name: np.array(rows) for name, rows in measured.items()}
    return {"iterations": np.array(at, np.int64), **arrays}
