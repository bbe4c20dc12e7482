"""An update rule with its schedule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfrlab import plugins
from cfrlab.errors import CfrlabError
from cfrlab.solve.rules import Update

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """An update rule with its schedule.

    Attributes:
        name: module name under ``cfrlab.solve.rules``.
        update: numbers of iterations (from 1) -> Update.
        alternating: player 1 answers player 0's new strategy; else both answer the old ones.
        averaging: iteration t weighs ``t ** averaging`` in the average strategy.
    """

    name: str
    update: Callable[[Floats], Update]
    alternating: bool
    averaging: float

    @staticmethod
    def named(name: str, alternating: bool | None = None, averaging: float | None = None) -> Rule:
        """Find a rule by name; ``None`` takes the default of its paper.

        Raises CfrlabError for an unknown name, or an averaging power that is not 0 or more.
        """
        module = plugins.load("cfrlab.solve.rules", name, "solver")
        power = module.AVERAGING if averaging is None else averaging
        if not 0 <= power < float("inf"):
            raise CfrlabError(
                f"solver {name}: averaging is a power of the iteration and must be 0 (uniform) or "
                f"more, not {power}"
            )
        return Rule(
            name,
            module.update,
            module.ALTERNATING if alternating is None else alternating,
            float(power),
        )

    def table(self, first: int, count: int) -> Floats:
        """Numbers of iterations from ``first`` on: [count, (pos, neg, predict, weight)].

        Raises CfrlabError if one of them is not finite: averages would become uniform unnoticed.
        """
        t = np.arange(first, first + count, dtype=np.float64)
        with np.errstate(all="ignore"):
            columns = (*Update(*self.update(t)), t**self.averaging)
        table = np.stack([np.broadcast_to(c, t.shape) for c in columns], axis=1)
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            row, column = bad[0]
            name = (*Update._fields, f"the averaging weight t ** {self.averaging:g}")[column]
            raise CfrlabError(
                f"solver {self.name}: {name} is {table[row, column]} at iteration {first + row}; "
                "it must be finite"
            )
        return table
