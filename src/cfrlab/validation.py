"""One line for each mistake that pydantic finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from cfrlab.errors import CfrlabError, nearest

Model = TypeVar("Model", bound=BaseModel)


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
