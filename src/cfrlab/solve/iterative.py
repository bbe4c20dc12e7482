"""What iterative solvers have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence


class Iterative(ABC):
    """A solver that goes on from where it is.

    Attributes:
        iteration: number of iterations run so far.
    """

    iteration: int

    @abstractmethod
    def run(self, iterations: int) -> None:
        """Run more iterations."""

    def checkpoints(self, at: Sequence[int]) -> Iterator[int]:
        """Run on to each iteration in turn and yield it there; earlier ones are left out."""
        for t in sorted(set(at)):
            if t > self.iteration:
                self.run(t - self.iteration)
                yield t
