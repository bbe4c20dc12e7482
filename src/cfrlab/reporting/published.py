"""Numbers that a paper states in its text or that are read off its figures, as data.

Each paper keeps them in ``published/numbers.csv``; figures and headlines have them from there
alone. Published tables and counts have files of their own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from cfrlab.errors import CfrlabError

_COLUMNS = ["name", "where", "iterations", "low", "high", "unit", "quantity"]


@dataclass(frozen=True)
class Number:
    """A published number, range or bound.

    Attributes:
        low, high: ends of the range, equal for a single number; None at the side that a bound
            leaves open.
        iterations: after how many it holds; None where that does not matter.
        unit: of both ends.
    """

    low: float | None
    high: float | None
    iterations: int | None
    unit: str

    @property
    def value(self) -> float:
        """The single number, or the bound. Raises ValueError for a range."""
        ends = {end for end in (self.low, self.high) if end is not None}
        if len(ends) != 1:
            raise ValueError(f"{self} is a range")
        return ends.pop()

    @property
    def range(self) -> tuple[float, float]:
        """Both ends. Raises ValueError for a bound."""
        if self.low is None or self.high is None:
            raise ValueError(f"{self} is a bound")
        return self.low, self.high


Numbers = Mapping[str, Number]


def load(path: str | os.PathLike[str]) -> dict[str, Number]:
    """Read numbers by name.

    Raises CfrlabError for a file that is missing, has other columns, or a row without a number.
    """
    try:
        frame = pd.read_csv(path, dtype={"iterations": "Int64"})
        rows = list(frame[_COLUMNS].itertuples(index=False))
    except (OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise CfrlabError(f"{path}: not a table of published numbers ({reason})") from None
    found = {}
    for name, _, iterations, low, high, unit, _ in rows:
        ends = [None if pd.isna(end) else float(end) for end in (low, high)]
        if ends == [None, None]:
            raise CfrlabError(f"{path}: '{name}' has neither low nor high; give one or both")
        found[name] = Number(*ends, None if pd.isna(iterations) else int(iterations), unit)
    return found
