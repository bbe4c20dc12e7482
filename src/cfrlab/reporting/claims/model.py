"""What a claim is: what a paper says, how ours is measured, and what counts as agreement."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from cfrlab.reporting.claims.rules import Direction, Equivalence, Published, Rule

Records = TypeVar("Records")

Source = Literal["paper", "ours"]
Kind = Literal["experiment", "calculation", "theorem"]
SOURCES: tuple[str, ...] = get_args(Source)
"""Who makes the claim. Only the paper's own count as reproduced."""
KINDS: tuple[str, ...] = get_args(Kind)
"""What it rests on: a run, exact arithmetic (a count), or a proof whose bound a run is held to."""


class MissingData(Exception):
    """This run has not the data that a measure needs; the message is a sentence that says which."""


@dataclass(frozen=True)
class Estimate:
    """A measured value with its interval.

    Attributes:
        value, low, high: in the claim's unit; the ends are NaN where nothing tells how far chance
            carries, and equal the value where chance has no part in it.
        n: replicates behind the value.
        of: what is replicated: ``boards``, ``seeds``.
        detail: the numbers behind it, as a sentence without its full stop.
        estimand: what the value estimates.
        interval: what the interval is.
        beside: another estimand of the same effect, for comparison.
        requires: what must agree with the same rule for the claim to hold.
    """

    value: float
    low: float
    high: float
    n: int
    detail: str
    of: str = ""
    estimand: str = ""
    interval: str = ""
    beside: Estimate | None = None
    requires: Estimate | None = None

    @staticmethod
    def exact(value: float, detail: str, estimand: str = "") -> Estimate:
        """A value in which chance has no part."""
        return Estimate(value, value, value, 1, detail, estimand=estimand, interval="none: exact")

    @property
    def has_interval(self) -> bool:
        """Whether the ends are known."""
        return not (math.isnan(self.low) or math.isnan(self.high))


class Measure(BaseModel, ABC, Generic[Records]):
    """How our side of a claim is measured; its fields are the arguments that a claim gives.

    A measure has a field ``name``, a literal, by which claims choose it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @abstractmethod
    def estimate(self, records: Records) -> Estimate:
        """Measure. Raises MissingData if the run has not the data."""

    def elsewhere(self, records: Records) -> Mapping[str, Estimate]:
        """The same under other conditions, by name, for the evidence; none unless overridden."""
        del records
        return {}


class Claim(BaseModel):
    """One claim.

    Attributes:
        id: its name, in lower case.
        where: its place in the paper, or what it is ours for.
        source, kind: see `SOURCES` and `KINDS`.
        claim: what is claimed, as a sentence.
        published: what the paper prints, in ``unit``; left out where it prints no number.
        unit: of the published value and ours.
        measure: how ours is measured.
        agreement: what counts as agreement, and why.
        note: a sentence for the evidence, whatever the verdict.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    where: str
    source: Source = "paper"
    kind: Kind = "experiment"
    claim: str
    published: Published | None = None
    unit: str
    measure: Measure[Any]
    agreement: Rule
    note: str = ""

    @model_validator(mode="after")
    def _has_value(self) -> Claim:
        if self.published is None and not isinstance(self.agreement, (Direction, Equivalence)):
            raise ValueError(
                f"a claim judged by the rule '{self.agreement.rule}' needs a published value"
            )
        return self


@dataclass(frozen=True)
class Claims(Generic[Records]):
    """The claims of a paper."""

    paper: str
    claims: tuple[Claim, ...]
