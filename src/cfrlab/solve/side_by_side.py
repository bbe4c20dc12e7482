"""Several solvers that run alike, and their states put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cfrlab.solve.iterative import Iterative

State = dict[str, NDArray[Any]]


class Restorable(Protocol):
    """A solver whose state can be saved and gone back to."""

    @property
    def iteration(self) -> int:
        """Number of iterations run so far."""

    def run(self, iterations: int) -> None:
        """Run more iterations."""

    def state(self) -> State:
        """Everything needed to go on exactly."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state."""


class SideBySide(Iterative):
    """Solvers that run the same number of iterations, one after the other.

    Args:
        solvers: fresh ones.
    """

    def __init__(self, solvers: Sequence[Restorable]) -> None:
        self.solvers, self.iteration = solvers, 0

    def run(self, iterations: int) -> None:
        """Run more iterations of each. Raises CfrlabError for a negative number."""
        for solver in self.solvers:
            solver.run(iterations)
        self.iteration += iterations

    def state(self) -> State:
        """Everything needed to go on exactly, as arrays for an artifact."""
        return {"iteration": np.array(self.iteration), **joined(self.solvers)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state. Raises CfrlabError for that of other games."""
        restore(self.solvers, state)
        self.iteration = int(state["iteration"])


def joined(solvers: Sequence[Restorable]) -> State:
    """The states of some solvers as one."""
    return {
        f"{i}.{name}": array
        for i, solver in enumerate(solvers)
        for name, array in solver.state().items()
    }


def restore(solvers: Sequence[Restorable], state: Mapping[str, NDArray[Any]]) -> None:
    """Let each solver go back to its part of a state that `joined` has put together."""
    for i, solver in enumerate(solvers):
        start = f"{i}."
        solver.restore(
            {
                name.removeprefix(start): array
                for name, array in state.items()
                if name.startswith(start)
            }
        )
