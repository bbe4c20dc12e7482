"""Numbers that a paper states in its text or that are read off its figures, as data.

Each paper keeps them in ``published/numbers.csv``; figures and headlines have them from there
alone. Published tables and counts have files of their own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files

import pandas as pd

from cfrlab.errors import CfrlabError

_COLUMNS = ["name", "where", "iterations", "low", "high", "unit", "quantity"]


@dataclass(frozen=True)
class Number:
    """A published number, range or bound.

    Attributes:
        low, high: ends of the range, equal for a single number; None at the side that a bound
            leaves open.
        iterations: after how many it holds; 0 where that does not matter.
        unit: of both ends.
    """

    low: float | None
    high: float | None
    iterations: int
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

    @property
    def words(self) -> str:
        """As in a sentence: ``0.39``, ``0.6 to 0.7``, ``less than 16``."""
        if self.low is None:
            return f"less than {self.high:g}"
        if self.high is None:
            return f"more than {self.low:g}"
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"


Numbers = Mapping[str, Number]


def of(package: str) -> dict[str, Number]:
    """The numbers of a paper, which its package holds; see `load`."""
    with as_file(files(package) / "published" / "numbers.csv") as path:
        return load(path)


def load(path: str | os.PathLike[str]) -> dict[str, Number]:
    """Read numbers by name.

    Raises CfrlabError for a file that is missing, has other columns, or a row without a number.
    """
    try:
        frame = pd.read_csv(path).fillna({"iterations": 0})
        rows = list(frame[_COLUMNS].itertuples(index=False))
    except (OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise CfrlabError(f"{path}: not a table of published numbers ({reason})") from None
    numbers = {}
    for name, _, iterations, low, high, unit, _ in rows:
        if pd.isna(low) and pd.isna(high):
            raise CfrlabError(f"{path}: '{name}' has neither low nor high; give one or both")
        numbers[name] = Number(_end(low), _end(high), int(iterations), unit)
    return numbers


def _end(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
