"""Claims whose measures read records of their own: stated in a YAML file, judged as all others.

A file names its paper and lists claims; see ``published/claims.yaml`` for their fields.
Each of the papers that bring their own measures (`cfrlab.papers.cfrd.claims`,
`cfrlab.papers.embedding.claims`) calls `evaluate` with them.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict

from cfrlab.errors import CfrlabError, nearest
from cfrlab.papers.weva import measures
from cfrlab.papers.weva.measures import Data, Estimate, MissingData
from cfrlab.reporting import claims as shared
from cfrlab.schema import validate

Records = TypeVar("Records")


class Measure(BaseModel, ABC, Generic[Records]):
    """How our side of a claim is measured: its arguments are the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @abstractmethod
    def estimate(self, records: Records) -> Estimate:
        """Measure. Raises MissingData if the run has not the data."""

    def elsewhere(self, records: Records) -> Mapping[str, Estimate]:
        """The same under other conditions, by name, for the evidence; none unless overridden."""
        del records
        return {}


class _Judged(measures.Measure):
    """Stands where a claim of the WEVA paper has its measure."""

    def estimate(self, data: Data) -> Estimate:
        raise MissingData("measured elsewhere")


class _File(BaseModel, extra="forbid", frozen=True):
    paper: str
    claims: list[dict[str, Any]]


class _Entry(BaseModel, extra="forbid", frozen=True):
    id: str
    where: str
    claim: str
    published: float | None = None
    unit: str
    measure: dict[str, Any]
    agreement: shared.Agreement


def evaluate(
    path: str | os.PathLike[str],
    known: Mapping[str, type[Measure[Records]]],
    records: Records,
) -> pd.DataFrame:
    """Judge every claim of a file.

    Args:
        path: the file.
        known: measures by the name that claims give.
        records: what the measures read.

    Returns:
        One row for each claim with columns `cfrlab.reporting.claims.COLUMNS`.

    Raises CfrlabError if the file is missing or malformed.
    """
    try:
        with open(path, encoding="utf-8") as file:
            given = validate(_File, yaml.safe_load(file))
        rows = [_row(given.paper, entry, known, records) for entry in given.claims]
    except (OSError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise CfrlabError(f"{path}: cannot be read as YAML ({reason}); correct it") from None
    except CfrlabError as error:
        raise CfrlabError(f"{path}: {error}") from None
    twice = [name for name, count in Counter(row["id"] for row in rows).items() if count > 1]
    if twice:
        raise CfrlabError(f"{path}: claim '{twice[0]}' occurs twice; give each its own id")
    return pd.DataFrame(rows, columns=shared.COLUMNS)


def _row(
    paper: str,
    given: Mapping[str, Any],
    known: Mapping[str, type[Measure[Records]]],
    records: Records,
) -> dict[str, object]:
    entry, measure = _stated(given, known)
    fields = entry.model_dump(exclude={"measure", "agreement"})
    claim = shared.Claim(**fields, agreement=entry.agreement, measure=_Judged())
    row: dict[str, object] = {
        "id": entry.id,
        "paper": f"{paper}, {entry.where}",
        "claim": entry.claim,
        "published": shared.published_text(claim),
        "unit": entry.unit,
    }
    try:
        estimate = measure.estimate(records)
    except MissingData as error:
        nothing = {"ours": math.nan, "ci_low": math.nan, "ci_high": math.nan, "n": 0}
        return {**row, **nothing, "verdict": shared.NOT_MEASURED, "evidence": f"{error}."}
    verdict, reason = shared.judge(claim, estimate)
    numbers = {"ours": estimate.value, "ci_low": estimate.ci_low, "ci_high": estimate.ci_high}
    evidence = f"{estimate.detail}; {reason}." + "".join(
        shared.other_condition(claim, name, other)
        for name, other in measure.elsewhere(records).items()
    )
    return {**row, **numbers, "n": estimate.n, "verdict": verdict, "evidence": evidence}


def _stated(
    given: Mapping[str, Any], known: Mapping[str, type[Measure[Records]]]
) -> tuple[_Entry, Measure[Records]]:
    """Check one entry, its measure against the model of that name."""
    key = f"claim '{given.get('id', '')}'"
    entry = validate(_Entry, dict(given), key)
    name = str(entry.measure.get("name", ""))
    if name not in known:
        raise CfrlabError(
            f"{key}.measure: unknown measure '{name}'{nearest(name, known)} "
            f"(there are {', '.join(sorted(known))})"
        )
    arguments = {k: v for k, v in entry.measure.items() if k != "name"}
    return entry, validate(known[name], arguments, f"{key}.measure")
