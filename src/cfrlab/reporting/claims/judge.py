"""Verdicts: where the interval of an estimate lies, seen from a claim's rule.

Let C be the values that agree with the claim and D those that agree with its direction.

- The interval lies in C, and in D if there is one: *reproduced*.
- It lies outside D, or outside C without lying in D: *not reproduced*.
- It lies outside C but in D: *direction only*.
- It lies across the border of C or of D: *inconclusive*.
"""

from __future__ import annotations

import pandas as pd

from cfrlab.reporting.claims.model import Claim, Claims, Estimate, MissingData, Records
from cfrlab.reporting.claims.verdicts import (
    DIRECTION_ONLY,
    INCONCLUSIVE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
)

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
    "source",
    "kind",
    "rule",
    "tolerance",
    "reason",
    "estimand",
    "interval",
    "replicates",
    "beside",
    "beside_value",
    "beside_low",
    "beside_high",
]
"""Columns of the verdicts, a row for each claim.

ours, ci_low, ci_high: the estimate that the claim is judged on, in ``unit``. n, replicates: how
many of what are behind it. estimand, interval: what it and its ends are. beside and its numbers:
another estimand of the same effect. rule: what agrees with the claim. tolerance, reason: of the
rule. Numbers are NaN (and n is 0) where the claim is not measured.
"""

_WORST_FIRST = (NOT_REPRODUCED, INCONCLUSIVE, DIRECTION_ONLY, REPRODUCED)


def judge_all(claims: Claims[Records], records: Records) -> pd.DataFrame:
    """Judge every claim of a paper.

    Args:
        claims: see `cfrlab.reporting.claims.load`.
        records: what the paper's measures read.

    Returns:
        One row for each claim, with columns `COLUMNS`.
    """
    rows = [_row(claims.paper, claim, records) for claim in claims.claims]
    return pd.DataFrame(rows, columns=COLUMNS)


def judge(claim: Claim, estimate: Estimate) -> tuple[str, str]:
    """Return the verdict on a claim, and a sentence that gives the reason."""
    found = [_judge(claim, estimate)]
    if estimate.requires is not None:
        verdict, reason = _judge(claim, estimate.requires)
        found.append((verdict, f"{estimate.requires.detail}. {reason}"))
    return min(found, key=lambda pair: _WORST_FIRST.index(pair[0]))


def _judge(claim: Claim, estimate: Estimate) -> tuple[str, str]:
    if not estimate.has_interval:
        return INCONCLUSIVE, (
            f"Too few {estimate.of or 'replicates'} for an interval, so chance is not ruled out."
        )
    low, high = estimate.low, estimate.high
    region, direction = claim.agreement.region(claim.published), claim.agreement.direction()
    what = "The interval" if low < high else "The value"
    if direction is not None and direction.misses(low, high):
        return NOT_REPRODUCED, f"{what} is not {direction.text}."
    directed = direction is not None and direction.contains(low, high)
    aside = f"{what} is {direction.text}, but" if direction and directed else ""
    if region.misses(low, high):
        reason = f"{aside} not {region.text}." if aside else f"{what} is not {region.text}."
        return (DIRECTION_ONLY if directed else NOT_REPRODUCED), reason
    if not region.contains(low, high):
        reason = f"{aside} only part of it is" if aside else "Only part of the interval is"
        return INCONCLUSIVE, f"{reason} {region.text}."
    if direction is None:
        return REPRODUCED, f"{what} is {region.text}."
    if not directed:
        return INCONCLUSIVE, f"{what} is {region.text}, but only part of it is {direction.text}."
    return REPRODUCED, f"{what} is {region.text}, and {direction.text}."


def _row(paper: str, claim: Claim, records: Records) -> dict[str, object]:
    rule, direction = claim.agreement, claim.agreement.direction()
    row: dict[str, object] = {
        "id": claim.id,
        "paper": f"{paper}, {claim.where}",
        "claim": claim.claim,
        "published": rule.published_text(claim.published),
        "unit": claim.unit,
        "source": claim.source,
        "kind": claim.kind,
        "rule": rule.region(claim.published).text
        + (f", and {direction.text}" if direction else ""),
        "tolerance": rule.tolerance_text,
        "reason": rule.why,
    }
    note = f" {claim.note}" if claim.note else ""
    try:
        estimate = claim.measure.estimate(records)
    except MissingData as error:
        return {**row, "n": 0, "verdict": NOT_MEASURED, "evidence": f"{error}.{note}"}
    verdict, reason = judge(claim, estimate)
    elsewhere = "".join(
        f" {_under(claim, name, other)}" for name, other in claim.measure.elsewhere(records).items()
    )
    evidence = f"{estimate.detail}. {reason}{note}{elsewhere}"
    return {**row, "verdict": verdict, "evidence": evidence, **_numbers(estimate)}


def _numbers(estimate: Estimate) -> dict[str, object]:
    numbers: dict[str, object] = {
        "ours": estimate.value,
        "ci_low": estimate.low,
        "ci_high": estimate.high,
        "n": estimate.n,
        "replicates": estimate.of,
        "estimand": estimate.estimand,
        "interval": estimate.interval,
    }
    if (other := estimate.beside) is not None:
        numbers |= {
            "beside": other.estimand,
            "beside_value": other.value,
            "beside_low": other.low,
            "beside_high": other.high,
        }
    return numbers


def _under(claim: Claim, name: str, other: Estimate) -> str:
    """A sentence that says what the claim comes to under another condition."""
    ends = f" [{other.low:.3g}, {other.high:.3g}]" if other.low < other.high else ""
    return f"Under {name} it is {other.value:.3g}{ends}: {judge(claim, other)[0]}."
