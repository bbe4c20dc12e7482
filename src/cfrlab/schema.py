"""Types of the configuration's fields, and one line for each mistake in it.

A section of the configuration is a pydantic model made of these types, so that what can be wrong
with a single value is said once, here; `validate` turns what pydantic finds into one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cfrlab import plugins
from cfrlab.errors import CfrlabError, nearest

GAMES = "cfrlab.games.zoo"
RULES = "cfrlab.solve.rules"
LABEL = r"[a-z0-9]+(-[a-z0-9]+)*"
"""Labels become file names and wildcards of the workflow."""

Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item")


def _label(name: str) -> str:
    if not re.fullmatch(LABEL, name):
        raise ValueError(
            f"'{name}' cannot name files; use lower-case letters and digits, joined by '-'"
        )
    return name


def _rule(name: str) -> str:
    try:
        plugins.load(RULES, name, "solver")
    except CfrlabError as error:
        raise ValueError(str(error)) from None
    return _label(name)


def _distinct(values: list[Item]) -> list[Item]:
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"{value} is listed twice; list it once")
    return values


Count = Annotated[int, Field(ge=1, strict=True)]
Number = Annotated[int, Field(ge=0, strict=True)]
Power = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Label = Annotated[str, AfterValidator(_label)]
SolverName = Annotated[str, AfterValidator(_rule)]
"""Name of an update rule."""
Distinct = Annotated[list[Item], Field(min_length=1), AfterValidator(_distinct)]
"""A list without repetitions that is not empty."""
Counts = Distinct[Count]
Names = Distinct[str]
Solvers = Distinct[SolverName]
Options = dict[str, Any]
"""Options of a plug-in, checked by the model of its own module."""
Games = Annotated[dict[Label, Options], Field(min_length=1)]
"""Games of the zoo by label; ``zoo`` names the module where the label does not."""


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


def zoo_module(label: str, entry: Mapping[str, Any], key: str) -> ModuleType:
    """The module of the zoo that an entry of `Games` names. Raises CfrlabError for none such."""
    try:
        return plugins.load(GAMES, str(entry.get("zoo", label)), "game")
    except CfrlabError as error:
        hint = (
            "" if "zoo" in entry else "; a label of your own needs the key zoo beside its options"
        )
        raise CfrlabError(f"{key}: {error}{hint}") from None


def zoo_options(module: ModuleType, entry: Mapping[str, Any], key: str) -> dict[str, Any]:
    """All options of the game in an entry of `Games`; see `read_options`."""
    return read_options(module, {name: v for name, v in entry.items() if name != "zoo"}, key)


def check_known(key: str, names: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raise CfrlabError for a name that the configuration does not define."""
    known = list(known)
    for name in names:
        if name not in known:
            raise CfrlabError(
                f"{key}: unknown {what} '{name}' (in this configuration: {listed(known)})"
                f"{nearest(name, known)}"
            )


def listed(values: Iterable[Any]) -> str:
    """Values with commas between."""
    return ", ".join(str(value) for value in values)


def validate(model: type[Model], given: Any, key: str = "") -> Model:
    """Return `given` as an instance of `model`.

    Args:
        model: the schema.
        given: parsed YAML or JSON.
        key: dotted key at which `given` stands, for messages.

    Raises:
        CfrlabError: the first mistake: its dotted key, what is wrong, and what would be right.
    """
    try:
        return model.model_validate(given)
    except ValidationError as failed:
        errors = failed.errors(include_url=False)
        # A misspelt key is also a missing one: the spelling is what the user should hear about.
        errors.sort(key=lambda error: error["type"] != "extra_forbidden")
        raise CfrlabError(_line(model, errors[0], key)) from None


def _line(model: type[BaseModel], error: Any, prefix: str) -> str:
    loc = error["loc"]
    key = _dotted(prefix, loc)
    given, message = repr(error["input"]), str(error["msg"])
    if len(given) > 60:
        given = f"{given[:57]}..."
    match error["type"]:
        case "extra_forbidden":
            allowed = _fields(model, error["loc"][:-1])
            listed = f" (allowed here: {', '.join(allowed)})" if allowed else ""
            return f"{key}: unknown key{listed}{nearest(str(error['loc'][-1]), allowed)}"
        case "string_type" if loc and loc[-1] == "[key]":
            above = _dotted(prefix, loc[:-2])
            return f"{above}: the key {given} is no text; put it in quotes ('{error['input']}':)"
        case "string_type" if isinstance(error["input"], (int, float)):
            return f"{key}: must be text, not {given}; put it in quotes"
        case "int_type" | "float_type" if _is_number(error["input"]):
            how = "without quotes" + ", and an exponent as in 1.0e-4" * ("e" in given.lower())
            return f"{key}: {message[0].lower()}{message[1:]}, not {given}; write it {how}"
        case "missing":
            return f"{key}: missing; add it (config.yaml shows every key)"
        case "value_error" if loc and loc[-1] == "[key]":
            return f"{_dotted(prefix, loc[:-1])}: {message.removeprefix('Value error, ')}"
        case "value_error":
            return f"{key}: {message.removeprefix('Value error, ')}"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"{key}: must be a mapping of keys to values ({{}} for none), not {given}"
        case "too_short":
            return f"{key}: must not be empty; list at least one"
    return f"{key}: {message[0].lower()}{message[1:]}, not {given}"


def _is_number(given: Any) -> bool:
    """Whether a text is a number that YAML did not read as one."""
    try:
        float(given)
    except (TypeError, ValueError):
        return False
    return isinstance(given, str)


def _dotted(prefix: str, loc: Iterable[int | str]) -> str:
    key = prefix
    for part in loc:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else part
    return key or "the configuration"


def _fields(annotation: Any, loc: Sequence[int | str]) -> list[str]:
    """Names of the fields of the model at `loc` below an annotation; [] where there is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not loc:
            return sorted(annotation.model_fields)
        field = annotation.model_fields.get(str(loc[0]))
        return [] if field is None else _fields(field.annotation, loc[1:])
    # The key of a mapping or the index of a list is a step of its own; that of a union is not.
    below = loc[1:] if get_origin(annotation) in (dict, list, tuple) else loc
    found = (_fields(part, below) for part in get_args(annotation))
    return next((names for names in found if names), [])
