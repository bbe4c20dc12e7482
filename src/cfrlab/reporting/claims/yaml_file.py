"""Claims as a YAML file.

The file names its ``paper`` and lists ``claims``, each with the fields of
`cfrlab.reporting.claims.Claim`. A published value may be a number, a range (``low`` and ``high``)
or the name of one in ``numbers.csv`` beside the file, where figures find it too.

Claims that differ in a few words or numbers are stated once: ``each`` gives ``columns`` and
``rows``, and ``$column`` anywhere in the claim stands for a row's value.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from string import Template
from typing import Annotated, Any, TypeVar, get_args

import pandas as pd
import yaml
from pydantic import BaseModel, Field, create_model

from cfrlab.errors import CfrlabError, nearest
from cfrlab.reporting.claims import rules
from cfrlab.reporting.claims.model import Claim, Claims, Measure, Records
from cfrlab.schema import validate

Model = TypeVar("Model", bound=BaseModel)


class _File(BaseModel, extra="forbid", frozen=True):
    paper: str
    claims: list[dict[str, Any]]


class _Each(BaseModel, extra="forbid", frozen=True):
    columns: Annotated[list[str], Field(min_length=1)]
    rows: Annotated[list[list[Any]], Field(min_length=1)]


def load(
    path: str | os.PathLike[str], measures: Sequence[type[Measure[Records]]]
) -> Claims[Records]:
    """Read the claims of a paper.

    Args:
        path: the file.
        measures: the paper's; each has a name of its own.

    Raises:
        CfrlabError: the file is missing, is not YAML, or a claim is malformed; the line names the
            file, the claim and the key.
    """
    known = {"measure": named(measures, "name"), "agreement": named(rules.KINDS, "rule")}
    union: Any = reduce(or_, measures)
    field = (union, Field(discriminator="name"))
    model = create_model("StatedClaim", __base__=Claim, measure=field)
    try:
        file = validate(_File, _yaml(path))
        numbers = _numbers(Path(path).with_name("numbers.csv"))
        stated = [entry for given in file.claims for entry in _instances(given)]
        claims = tuple(_claim(entry, model, known, numbers) for entry in stated)
        twice = [name for name, n in Counter(claim.id for claim in claims).items() if n > 1]
        if twice:
            raise CfrlabError(f"claim '{twice[0]}' occurs twice; give each its own id")
    except CfrlabError as error:
        raise CfrlabError(f"{path}: {error}") from None
    return Claims(file.paper, claims)


def named(kinds: Sequence[type[Model]], tag: str) -> list[str]:
    """The names by which a claim chooses among models: the literal that is each one's `tag`."""
    return [str(get_args(kind.model_fields[tag].annotation)[0]) for kind in kinds]


def _yaml(path: str | os.PathLike[str]) -> object:
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.safe_load(file)
    except (OSError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise CfrlabError(f"cannot be read as YAML ({reason}); correct it") from None


def _numbers(path: Path) -> dict[str, dict[str, float | None]]:
    """Ends of the numbers that a paper states, by name; an end that is open is None."""
    if not path.exists():
        return {}
    ends = pd.read_csv(path).set_index("name")[["low", "high"]].to_dict("index")
    return {
        str(name): {end: None if pd.isna(value) else float(value) for end, value in both.items()}
        for name, both in ends.items()
    }


def _instances(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The claims that an entry states: one, or one for each row of its table."""
    claim = {key: value for key, value in entry.items() if key != "each"}
    if "each" not in entry:
        yield claim
        return
    key = f"claim '{entry.get('id', '')}'.each"
    table = validate(_Each, entry["each"], key)
    for row in table.rows:
        if len(row) != len(table.columns):
            raise CfrlabError(f"{key}: the row {row} has not {len(table.columns)} values")
        yield _filled(claim, dict(zip(table.columns, row, strict=True)), key)


def _filled(given: Any, row: Mapping[str, Any], key: str) -> Any:
    """A part of a claim with a row's values for ``$column``; one alone keeps its type."""
    if isinstance(given, dict):
        return {name: _filled(value, row, key) for name, value in given.items()}
    if isinstance(given, list):
        return [_filled(value, row, key) for value in given]
    if not isinstance(given, str):
        return given
    if given[:1] == "$" and given[1:] in row:
        return row[given[1:]]
    try:
        return Template(given).substitute(row)
    except (KeyError, ValueError) as error:
        raise CfrlabError(f"{key}: '{given}' refers to no column ({error})") from None


def _claim(
    entry: dict[str, Any],
    model: type[Claim],
    known: Mapping[str, Sequence[str]],
    numbers: Mapping[str, Mapping[str, float | None]],
) -> Claim:
    key = f"claim '{entry.get('id', '')}'"
    for field, tag, what in (("measure", "name", "measure"), ("agreement", "rule", "rule")):
        given = entry.get(field)
        if not isinstance(given, dict) or tag not in given:
            raise CfrlabError(f"{key}.{field}: must be a mapping with the {tag} of a {what}")
        _check_known(f"{key}.{field}", what, str(given[tag]), known[field])
    if isinstance(name := entry.get("published"), str):
        _check_known(f"{key}.published", "number", name, numbers)
        entry = {**entry, "published": numbers[name]}
    return validate(model, entry, key)


def _check_known(key: str, what: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        listed = ", ".join(sorted(known))
        raise CfrlabError(
            f"{key}: unknown {what} '{name}'{nearest(name, known)} (there are {listed or 'none'})"
        )
