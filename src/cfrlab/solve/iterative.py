"""What iterative solvers have in common: runs, checkpoints, and states that can be gone back to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.solve.rule import Floats, Rule

Array = NDArray[Any]


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


class Solver(Iterative):
    """A solver that updates regrets by a rule, and whose state can be saved.

    Args:
        rule: how regrets are updated.
        dtype: type of the numbers that are summed up.
    """

    def __init__(self, rule: Rule, dtype: Any = np.float64) -> None:
        self.rule, self.dtype, self.iteration = rule, np.dtype(dtype), 0

    @abstractmethod
    def _iterate(self, rules: Floats) -> None:
        """Run one iteration for every row of a rule's table; they follow on ``iteration``."""

    @abstractmethod
    def _arrays(self) -> Mapping[str, Sequence[Array]]:
        """The numbers that an iteration changes and the next one needs, by name.

        The arrays of one name are saved as one, end to end.
        """

    @abstractmethod
    def _follow(self) -> None:
        """Bring up to date what follows from the arrays."""

    def run(self, iterations: int) -> None:
        """Run more iterations.

        Raises CfrlabError, and runs none, for a negative number and where the rule gives a number
        that is not finite or averaging weights so large that their sums would overflow.
        """
        if iterations < 0:
            raise CfrlabError(f"solver {self.rule.name}: cannot run {iterations} iterations")
        if not iterations:
            return
        rules, last = self.rule.table(self.iteration + 1, iterations), self.iteration + iterations
        # Weights of hands and reaches come on top, so leave room for them.
        if rules[:, 3].max() * last > np.finfo(self.dtype).max / 1e6:
            raise CfrlabError(
                f"solver {self.rule.name}: weights of t ** {self.rule.averaging:g} at iteration "
                f"{last} overflow {self.dtype}; use a smaller averaging power"
            )
        self._iterate(rules)
        self.iteration = last

    def state(self) -> dict[str, Array]:
        """Everything needed to go on exactly, as arrays for an artifact: copies."""
        arrays = {
            name: np.concatenate([a.ravel() for a in arrays])
            for name, arrays in self._arrays().items()
        }
        return {"iteration": np.array(self.iteration)} | arrays

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go back to a state.

        Raises CfrlabError, and changes nothing, for a state of another game or other options, and
        for one whose numbers are not finite.
        """
        arrays = self._arrays()
        iteration = self._checked(state, arrays)
        for name, parts in arrays.items():
            ends = np.cumsum([a.size for a in parts])[:-1]
            for mine, saved in zip(parts, np.split(np.ravel(state[name]), ends), strict=True):
                mine[...] = saved.reshape(mine.shape)
        self.iteration = iteration
        self._follow()

    def _checked(self, state: Mapping[str, Array], arrays: Mapping[str, Sequence[Array]]) -> int:
        """The state's iteration. Raises CfrlabError unless the state is one of this solver's."""
        name, needed = self.rule.name, ("iteration", *arrays)
        for what, keys in (
            ("lacks", [key for key in needed if key not in state]),
            ("holds the unknown", [key for key in state if key not in needed]),
        ):
            if keys:
                raise CfrlabError(
                    f"solver {name}: the saved state {what} {keys[0]} (needed: "
                    f"{', '.join(needed)}); was it saved for other options?"
                )
        for key, parts in arrays.items():
            saved, size = np.asarray(state[key]), sum(a.size for a in parts)
            if saved.size != size or saved.dtype != self.dtype:
                raise CfrlabError(
                    f"solver {name}: the saved {key} has {saved.size} numbers of {saved.dtype}, "
                    f"this game and these options need {size} of {self.dtype}; was it saved for "
                    "others?"
                )
            if not np.isfinite(saved).all():
                raise CfrlabError(
                    f"solver {name}: the saved {key} holds a number that is not finite; the file "
                    "is damaged"
                )
        saved = np.asarray(state["iteration"])
        if saved.size != 1 or not np.issubdtype(saved.dtype, np.integer) or saved.item() < 0:
            raise CfrlabError(
                f"solver {name}: the saved iteration must be one whole number from 0 on, not "
                f"{np.array2string(saved, threshold=4)}"
            )
        return int(saved.item())
