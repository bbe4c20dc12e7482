"""The five verdicts, from best to worst, and what each means."""

from __future__ import annotations

from collections.abc import Mapping

REPRODUCED = "reproduced"
DIRECTION_ONLY = "direction only"
INCONCLUSIVE = "inconclusive"
NOT_REPRODUCED = "not reproduced"
NOT_MEASURED = "not measured"

MEANING: Mapping[str, str] = {
    REPRODUCED: "the whole interval agrees with the claim, in direction and in size",
    DIRECTION_ONLY: "the whole interval has the claim's direction, but another size",
    INCONCLUSIVE: "the interval holds values that agree with the claim and values that do not",
    NOT_REPRODUCED: "the whole interval contradicts the claim",
    NOT_MEASURED: "this run leaves out what the claim needs",
}
VERDICTS = tuple(MEANING)
