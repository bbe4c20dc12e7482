"""One measurement, as a row of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measurement; ``ratio`` is above 1 where ours is better, ``bar`` what is asked for."""

    name: str
    ours: float
    unit: str
    reference: float | None = None
    reference_unit: str = ""
    ratio: float | None = None
    bar: str = ""
    note: str = ""
