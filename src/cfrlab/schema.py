"""What the sections of the configuration share: types of fields, and checks of single values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from cfrlab import plugins
from cfrlab.errors import CfrlabError, nearest
from cfrlab.validation import validate

GAMES = "cfrlab.games.zoo"
SOLVERS = "cfrlab.solve.rules"
LABEL = r"[a-z0-9]+(-[a-z0-9]+)*"
"""Labels become file names and wildcards of the workflow."""

Count = Annotated[int, Field(ge=1, strict=True)]
Number = Annotated[int, Field(ge=0, strict=True)]
Counts = Annotated[list[Count], Field(min_length=1)]
Names = Annotated[list[str], Field(min_length=1)]
Power = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class Section(BaseModel):
    """A part of the configuration: no unknown keys, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def plugin(package: str, name: Any, what: str, key: str) -> ModuleType:
    """Load the plug-in that stands at `key`. Raises CfrlabError for an unknown name."""
    try:
        return plugins.load(package, str(name), what)
    except CfrlabError as error:
        raise CfrlabError(f"{key}: {error}") from None


def module_label(module: ModuleType) -> str:
    """Name of a plug-in in the configuration."""
    return module.__name__.rpartition(".")[2].replace("_", "-")


def read_options(module: ModuleType, given: Mapping[str, Any], key: str) -> dict[str, Any]:
    """All options of a plug-in, defaults included, as JSON. Raises CfrlabError for wrong ones."""
    dumped: dict[str, Any] = validate(module.Params, given, key).model_dump(mode="json")
    return dumped


def check_label(key: str, label: str) -> None:
    """Raise CfrlabError for a label that cannot name files."""
    if not re.fullmatch(LABEL, label):
        raise CfrlabError(
            f"{key}: '{label}' cannot name files; use lower-case letters and digits, joined by '-'"
        )


def check_known(key: str, names: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raise CfrlabError for a name that the configuration does not define, or lists twice."""
    names, known = list(names), list(known)
    for name in names:
        if name not in known:
            raise CfrlabError(
                f"{key}: unknown {what} '{name}' (in this configuration: {listed(known)})"
                f"{nearest(name, known)}"
            )
    check_distinct(key, names)


def check_distinct(key: str, values: Sequence[Any]) -> None:
    """Raise CfrlabError for a value that is listed twice."""
    for value in values:
        if values.count(value) > 1:
            raise CfrlabError(f"{key}: {value} is listed twice; list it once")


def listed(values: Iterable[Any]) -> str:
    """Values with commas between."""
    return ", ".join(str(value) for value in values)
