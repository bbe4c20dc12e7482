"""Claims of a paper, judged against our records.

``published/claims.yaml`` states each claim once: what the paper says, how ours is
measured, and what counts as agreement. The verdict is computed from these and the data:

- *reproduced*: the direction holds over the whole interval, and the size is within the tolerance;
- *direction only*: the estimate has the claim's direction, but not clearly or not in its size;
- *not reproduced*: the estimate has the other direction;
- *not measured*: this run's configuration leaves out data that the claim needs.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pandas as pd
import yaml
from pydantic import BaseModel, Field, InstanceOf, PositiveInt, model_validator

from cfrlab.errors import CfrlabError, nearest
from cfrlab.papers.weva import labels
from cfrlab.papers.weva.measures import MEASURES, Data, Estimate, Key, Measure, MissingData, by_cell
from cfrlab.pipeline.text import write_text_atomic
from cfrlab.reporting import statistics
from cfrlab.schema import validate

COLUMNS = [
    "id",
    "paper",
    "claim",
    "published",
    "ours",
    "ci_low",
    "ci_high",
    "unit",
    "n",
    "verdict",
    "evidence",
]

REPRODUCED = "reproduced"
DIRECTION_ONLY = "direction only"
NOT_REPRODUCED = "not reproduced"
NOT_MEASURED = "not measured"
#: Differences of percentages below this are rounding errors.
ROUNDING = 1e-9

VERDICTS = (REPRODUCED, DIRECTION_ONLY, NOT_REPRODUCED, NOT_MEASURED)


class Agreement(BaseModel, extra="forbid", frozen=True):
    """What counts as agreement.

    Attributes:
        direction: side of ``neutral`` on which the value must lie; ``near`` asks for a value within
            ``tolerance`` of it.
        neutral: value that means no effect.
        tolerance: distance from the published value, in the claim's unit; a factor when
            ``as_factor``. Without it only the direction counts.
        as_factor: compare by ratio.
        bound: the published value is a bound to reach, not a value to meet.
        why: reason for the tolerance.
    """

    direction: Literal["above", "below", "near"]
    neutral: float = 0.0
    tolerance: Annotated[float, Field(ge=0)] | None = None
    as_factor: bool = False
    bound: bool = False
    why: str

    @model_validator(mode="after")
    def _complete(self) -> Agreement:
        if self.direction == "near" and self.tolerance is None:
            raise ValueError("direction 'near' needs a tolerance")
        if self.as_factor and (self.tolerance is None or self.tolerance < 1):
            raise ValueError("'as_factor' needs a tolerance of 1 or more")
        return self


class Claim(BaseModel, extra="forbid", frozen=True):
    """One claim of a paper; ``where`` is its place there."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    where: str
    claim: str
    published: float | None = None
    unit: str
    measure: InstanceOf[Measure]
    agreement: Agreement
    averaging: str | None = None

    @model_validator(mode="after")
    def _has_value(self) -> Claim:
        rule = self.agreement
        if self.published is None and rule.direction != "near" and rule.tolerance is not None:
            raise ValueError("a tolerance needs a published value")
        return self


class _File(BaseModel, extra="forbid", frozen=True):
    paper: str
    averaging: str
    iterations: PositiveInt
    claims: list[dict[str, Any]]


@dataclass(frozen=True)
class Claims:
    """The claims of a paper and the published tables that they refer to."""

    paper: str
    averaging: str
    iterations: int
    claims: tuple[Claim, ...]
    published: pd.DataFrame


def load(path: str | os.PathLike[str], published: pd.DataFrame) -> Claims:
    """Read claims from YAML.

    Args:
        path: the file.
        published: see `tables.load_published`; games and methods of claims must occur in it.

    Raises:
        CfrlabError: the file is missing, is not YAML, or a claim is malformed; the line names the
            claim and the key.
    """
    try:
        file = validate(_File, _read(path))
        claims = []
        for number, entry in enumerate(file.claims, start=1):
            key = f"claim '{entry.get('id', f'number {number}')}'"
            claims.append(_claim(entry, key))
            _check_names(key, claims[-1], published)
    except CfrlabError as error:
        raise CfrlabError(f"{path}: {error}") from None
    twice = [name for name, count in Counter(claim.id for claim in claims).items() if count > 1]
    if twice:
        raise CfrlabError(f"{path}: claim '{twice[0]}' occurs twice; give each its own id")
    return Claims(file.paper, file.averaging, file.iterations, tuple(claims), published)


def evaluate(claims: Claims, records: pd.DataFrame, oracle: pd.DataFrame) -> pd.DataFrame:
    """Judge each claim.

    Args:
        claims: see `load`.
        records: see `cfrlab.papers.weva.records`.
        oracle: oracle curves, from the same module.

    Returns:
        One row for each claim with columns `COLUMNS`: numbers in the claim's unit, NaN (and n 0)
        where not measured.
    """
    boards = by_cell(statistics.board_means(records))
    rules = sorted(set(records["averaging"]), key=labels.averaging_order)
    rows = [_row(claim, claims, boards, oracle, rules) for claim in claims.claims]
    return pd.DataFrame(rows, columns=COLUMNS)


def judge(claim: Claim, estimate: Estimate) -> tuple[str, str]:
    """Return the verdict on a claim and the reason for it."""
    rule = claim.agreement
    low, high = estimate.ci_low, estimate.ci_high
    what = "the interval" if estimate.n > 1 else "the value"
    if rule.direction == "near":
        return _near(rule, estimate)
    sign = 1 if rule.direction == "above" else -1
    right = sign * (estimate.value - rule.neutral) > ROUNDING
    if not (right if estimate.agrees is None else estimate.agrees):
        reason = (
            f"not {rule.direction} {rule.neutral:g}" if estimate.agrees is None else "other order"
        )
        return NOT_REPRODUCED, reason
    # Written so that an interval of NaN, from one board alone, is not clear.
    clear = min(sign * low, sign * high) - sign * rule.neutral > ROUNDING
    close, distance = _size(claim, estimate.value)
    if clear and close:
        return REPRODUCED, f"{what} is {rule.direction} {rule.neutral:g}{distance}"
    if clear:
        return DIRECTION_ONLY, distance.removeprefix(", ")
    unclear = f"{what} is not {rule.direction} {rule.neutral:g}"
    return DIRECTION_ONLY, (_alone(estimate) if math.isnan(low) else unclear) + distance


def _alone(estimate: Estimate) -> str:
    return f"one {estimate.of} has no interval"


def _near(rule: Agreement, estimate: Estimate) -> tuple[str, str]:
    """Judge a claim that asks for a value within the tolerance of another."""
    low, high, neutral = estimate.ci_low, estimate.ci_high, rule.neutral
    limit = rule.tolerance if rule.tolerance is not None else 0.0
    if abs(estimate.value - neutral) > limit:
        return NOT_REPRODUCED, f"more than {limit:g} from {neutral:g}" if limit else "not equal"
    if low >= neutral - limit and high <= neutral + limit:
        what = "the interval" if estimate.n > 1 else "the value"
        return REPRODUCED, f"{what} is within {limit:g} of {neutral:g}" if limit else "equal"
    beyond = f"the interval reaches beyond {limit:g} from {neutral:g}"
    return DIRECTION_ONLY, _alone(estimate) if math.isnan(low) else beyond


def _size(claim: Claim, value: float) -> tuple[bool, str]:
    """Return whether the size agrees with the published one, and a phrase that says so."""
    rule, published = claim.agreement, claim.published
    if rule.tolerance is None or published is None:
        return True, ""
    if rule.bound:
        sign = 1 if rule.direction == "above" else -1
        limit = published - sign * rule.tolerance
        close = sign * value >= sign * limit
        return close, f", the value {'reaches' if close else 'does not reach'} {limit:g}"
    if rule.as_factor:
        close = value > 0 and abs(math.log(value / published)) <= math.log(rule.tolerance)
        size = f"a factor of {rule.tolerance:g}"
    else:
        close = abs(value - published) <= rule.tolerance
        size = f"{rule.tolerance:g}"
    return close, f", the value {'' if close else 'not '}within {size} of the paper's {published:g}"


def _row(
    claim: Claim,
    claims: Claims,
    boards: Mapping[Key, pd.DataFrame],
    oracle: pd.DataFrame,
    rules: list[str],
) -> dict[str, object]:
    row: dict[str, object] = {
        "id": claim.id,
        "paper": f"{claims.paper}, {claim.where}",
        "claim": claim.claim,
        "published": published_text(claim),
        "unit": claim.unit,
    }
    averaging = claim.averaging or claims.averaging

    def measured(rule: str) -> Estimate:
        data = Data(boards, oracle, claims.published, rule, claims.iterations)
        return claim.measure.estimate(data)

    try:
        estimate = measured(averaging)
    except MissingData as error:
        nothing = {"ours": math.nan, "ci_low": math.nan, "ci_high": math.nan, "n": 0}
        return {**row, **nothing, "verdict": NOT_MEASURED, "evidence": f"{error}."}
    verdict, reason = judge(claim, estimate)
    evidence = f"{estimate.detail}; {reason}."
    for other in rules if claim.measure.by_averaging else []:
        if other != averaging:
            evidence += _other_rule(claim, other, measured)
    numbers = {"ours": estimate.value, "ci_low": estimate.ci_low, "ci_high": estimate.ci_high}
    return {**row, **numbers, "n": estimate.n, "verdict": verdict, "evidence": evidence}


def _other_rule(claim: Claim, averaging: str, measured: Callable[[str], Estimate]) -> str:
    """Say what the claim comes to under another averaging rule."""
    try:
        return other_condition(claim, averaging, measured(averaging))
    except MissingData:
        return ""


def other_condition(claim: Claim, name: str, other: Estimate) -> str:
    """Say what the claim comes to under a condition other than the one it is judged by."""
    verdict, _ = judge(claim, other)
    interval = f" [{other.ci_low:.3g}, {other.ci_high:.3g}]" if other.n > 1 else ""
    return f" Under {name}: {other.value:.3g}{interval}, {verdict}."


def published_text(claim: Claim) -> str:
    """The published value, or the direction where the paper gives no number."""
    rule = claim.agreement
    if claim.published is None:
        if rule.direction == "near":
            return f"within {rule.tolerance:g} of {rule.neutral:g}"
        return f"{rule.direction} {rule.neutral:g}"
    sign = {"above": ">= ", "below": "<= "}.get(rule.direction, "") if rule.bound else ""
    return f"{sign}{claim.published:g}"


def write(path: str | os.PathLike[str], verdicts: pd.DataFrame) -> None:
    """Write the result of `evaluate` as CSV."""
    text = verdicts.to_csv(index=False, float_format="%.5g", lineterminator="\n")
    write_text_atomic(path, text)


def read(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read what `write` wrote. Raises CfrlabError if the file is missing or another table."""
    try:
        return pd.read_csv(path, dtype={"published": str})[COLUMNS]
    except (OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise CfrlabError(f"{path}: not a table of claims ({reason}); run: snakemake") from None


def _read(path: str | os.PathLike[str]) -> object:
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.safe_load(file)
    except (OSError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise CfrlabError(f"cannot be read as YAML ({reason}); correct it") from None


def _claim(entry: Mapping[str, Any], key: str) -> Claim:
    """Check one entry, its measure against the model of that name."""
    given = entry.get("measure")
    if not isinstance(given, dict) or "name" not in given:
        raise CfrlabError(f"{key}.measure: must be a mapping with the name of a measure")
    name = str(given["name"])
    if name not in MEASURES:
        raise CfrlabError(
            f"{key}.measure: unknown measure '{name}'{nearest(name, MEASURES)} "
            f"(there are {', '.join(sorted(MEASURES))})"
        )
    arguments = {argument: value for argument, value in given.items() if argument != "name"}
    measure = validate(MEASURES[name], arguments, f"{key}.measure")
    return validate(Claim, {**entry, "measure": measure}, key)


def _check_names(key: str, claim: Claim, published: pd.DataFrame) -> None:
    """Refuse a game or a method that the published tables do not have."""
    used = {
        "game": claim.measure.named_games(),
        "method": [cell.method for cell in claim.measure.cells()],
    }
    for column, names in used.items():
        allowed = sorted(set(published[column]))
        for name in names:
            if name not in allowed:
                raise CfrlabError(
                    f"{key}: the published tables have no {column} '{name}'"
                    f"{nearest(name, allowed)} (they have {', '.join(allowed)})"
                )
