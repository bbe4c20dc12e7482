"""Options of a network and its training."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class Params(BaseModel, extra="forbid", strict=True):
    """Options of `training.fit`.

    Attributes:
        hidden: widths of the encoder's hidden layers.
        temperature: of the softmax in training; below 1 makes hands trust fewer advisors.
        steps: steps of the optimiser.
        batch: hands a step.
        rate: peak learning rate of the one-cycle schedule.
        min_r2: a network that explains less of its targets' variance is refused.
        min_in_use: a network that uses effectively less than this share of its advisors is refused.
    """

    hidden: Annotated[tuple[Count, ...], Field(strict=False)] = (256, 256)  # of a list
    temperature: Positive = 1.0
    steps: int = Field(default=10_000, ge=10, le=10**9)
    batch: int = Field(default=256, ge=2)
    rate: Positive = 1.5e-3
    min_r2: float = Field(default=0.5, le=1, allow_inf_nan=False)
    min_in_use: Share = 0.1
