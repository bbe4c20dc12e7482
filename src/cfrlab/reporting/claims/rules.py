"""What counts as agreement with a claim: the values that agree with it, and those that deny it.

Each kind of rule names a *region* of values that agree with the claim and, where the claim also has
a direction, a wider half-line of values that agree with that alone. Verdicts follow from where the
interval lies (`cfrlab.reporting.claims.judge`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

#: Distances below this share of a number (for a threshold: this distance) are rounding errors.
ROUNDING = 1e-9

Side = Literal["above", "below"]


@dataclass(frozen=True)
class Region:
    """Values from `low` to `high`; the finite ends belong to it unless it is `open`.

    ``text`` says which values these are, as the end of a sentence: ``within 5 of 9``.
    """

    text: str
    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def contains(self, low: float, high: float) -> bool:
        """Whether an interval lies inside."""
        return low >= self._least and high <= self._most

    def misses(self, low: float, high: float) -> bool:
        """Whether an interval lies outside."""
        return high < self._least or low > self._most

    @property
    def _least(self) -> float:
        return self.low + self._margin(self.low)

    @property
    def _most(self) -> float:
        return self.high - self._margin(self.high)

    def _margin(self, end: float) -> float:
        if math.isinf(end):
            return 0.0
        return ROUNDING if self.open else -ROUNDING * abs(end)


def _half_line(side: str, threshold: float) -> Region:
    text = f"{side} {threshold:g}"
    if side == "above":
        return Region(text, low=threshold, open=True)
    return Region(text, high=threshold, open=True)


class Published(BaseModel, extra="forbid", frozen=True):
    """What a paper prints: a number (both ends alike), a range, or a bound (one end)."""

    low: float | None = None
    high: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _number(cls, given: Any) -> Any:
        number = isinstance(given, (int, float)) and not isinstance(given, bool)
        return {"low": given, "high": given} if number else given

    @model_validator(mode="after")
    def _any(self) -> Published:
        if self.low is None and self.high is None:
            raise ValueError("needs a low end, a high end, or both")
        return self

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends; those of a bound are alike."""
        given = [end for end in (self.low, self.high) if end is not None]
        return given[0], given[-1]

    def __str__(self) -> str:
        low, high = self.ends
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"


class _Rule(BaseModel, ABC):
    """What all kinds have: ``why`` gives the reason for the tolerance or the threshold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    why: str

    @abstractmethod
    def region(self, published: Published | None) -> Region:
        """Values that agree with the claim in size."""

    def direction(self) -> Region | None:
        """Values that agree with it in direction; None where it has no direction apart."""
        return None

    @property
    def tolerance_text(self) -> str:
        """The tolerance alone: ``5``, ``a factor of 1.2``, or nothing."""
        return ""

    def published_text(self, published: Published | None) -> str:
        """The published value as a table shows it, or the rule where the paper prints none."""
        return str(published) if published is not None else self.region(None).text


def _ends(published: Published | None) -> tuple[float, float]:
    assert published is not None
    return published.ends


class Exact(_Rule):
    """Ours must equal the published number, as a count does."""

    rule: Literal["exact"]

    def region(self, published: Published | None) -> Region:
        return Region(f"equal to the published {published}", *_ends(published))


class Size(_Rule):
    """Ours must lie within the tolerance of the published number or range, in its direction.

    Attributes:
        tolerance: beyond the published number or the ends of the range, in the claim's unit; a
            factor if ``as_factor``.
        side: of ``threshold`` on which the claim's direction lies; without it, size is all.
    """

    rule: Literal["size"]
    tolerance: Annotated[float, Field(gt=0)]
    as_factor: bool = False
    side: Side | None = None
    threshold: float = 0.0

    @model_validator(mode="after")
    def _a_factor_is_above_one(self) -> Size:
        if self.as_factor and self.tolerance <= 1:
            raise ValueError("a tolerance that is a factor must be above 1")
        return self

    def region(self, published: Published | None) -> Region:
        low, high = _ends(published)
        text = f"within {self.tolerance_text} of the published {published}"
        if self.as_factor:
            return Region(text, low / self.tolerance, high * self.tolerance)
        return Region(text, low - self.tolerance, high + self.tolerance)

    def direction(self) -> Region | None:
        return None if self.side is None else _half_line(self.side, self.threshold)

    @property
    def tolerance_text(self) -> str:
        return f"a factor of {self.tolerance:g}" if self.as_factor else f"{self.tolerance:g}"


class Bound(_Rule):
    """Ours must reach the published bound.

    Attributes:
        side: whether the bound is the least or the most that agrees.
        tolerance: how far short of it still counts, because it is printed to so many places.
        weaker: a threshold that still gives the claim's direction; without it there is none.
    """

    rule: Literal["bound"]
    side: Literal["at least", "at most"]
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    weaker: float | None = None

    def region(self, published: Published | None) -> Region:
        bound = _ends(published)[0]
        text = f"{self.side} the published {published}"
        short = f"{self.tolerance:g}" if self.tolerance else ""
        if self.side == "at least":
            return Region(text + f" less {short}" * bool(short), low=bound - self.tolerance)
        return Region(text + f" plus {short}" * bool(short), high=bound + self.tolerance)

    def direction(self) -> Region | None:
        if self.weaker is None:
            return None
        return _half_line("above" if self.side == "at least" else "below", self.weaker)

    @property
    def tolerance_text(self) -> str:
        return f"{self.tolerance:g}" if self.tolerance else ""

    def published_text(self, published: Published | None) -> str:
        return f"{'>=' if self.side == 'at least' else '<='} {published}"


class Direction(_Rule):
    """Ours must lie on one side of a threshold: the paper gives a direction, and no number."""

    rule: Literal["direction"]
    side: Side
    threshold: float = 0.0

    def region(self, published: Published | None) -> Region:
        del published
        return _half_line(self.side, self.threshold)


class Equivalence(_Rule):
    """Ours must lie within the tolerance of ``to``: the claim is that two things are alike."""

    rule: Literal["equivalence"]
    to: float = 0.0
    tolerance: Annotated[float, Field(gt=0)]

    def region(self, published: Published | None) -> Region:
        del published
        text = f"within {self.tolerance:g} of {self.to:g}"
        return Region(text, self.to - self.tolerance, self.to + self.tolerance)

    @property
    def tolerance_text(self) -> str:
        return f"{self.tolerance:g}"


Rule = Annotated[Exact | Size | Bound | Direction | Equivalence, Field(discriminator="rule")]
KINDS = (Exact, Size, Bound, Direction, Equivalence)
