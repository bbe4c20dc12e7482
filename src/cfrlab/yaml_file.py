"""YAML read without its surprises: a key given twice, and numbers that are not what they look like.

YAML 1.1 lets the later of two equal keys win without a word, and reads ``010`` as 8 and ``1:30`` as
90. In a configuration either is a mistake that changes numbers, so both are refused.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import yaml

from cfrlab.errors import CfrlabError

_MERGE, _NUMBERS = "tag:yaml.org,2002:merge", ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_PLAIN = re.compile(
    r"[-+]?(0|[1-9][0-9]*)|[-+]?([0-9]+\.[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?|[-+]?\.(inf|nan)",
    re.IGNORECASE,
)
"""Numbers as everybody writes them."""


def parse(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a configuration file.

    Raises:
        CfrlabError: it cannot be read, is no mapping, or holds one of the surprises above; the line
            names file, line and key.
    """
    try:
        given = yaml.load(Path(path).read_text(encoding="utf-8"), _Loader)
    except _Surprise as surprise:
        raise CfrlabError(f"{path}:{surprise}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise CfrlabError(f"{path}: cannot be read ({' '.join(str(error).split())})") from None
    if not isinstance(given, dict):
        raise CfrlabError(f"{path}: must be a mapping of keys to values")
    return given


class _Surprise(Exception):
    """Line, what is wrong there, and what to write instead."""


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """A safe loader that refuses what `parse` says."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, int] = {}
        for key_node, _ in node.value:
            if key_node.tag != _MERGE and isinstance(key_node, yaml.ScalarNode):
                line = key_node.start_mark.line + 1
                if key_node.value in seen:
                    raise _Surprise(
                        f"{line}: the key '{key_node.value}' is given twice (first in line "
                        f"{seen[key_node.value]}); keep one of them"
                    )
                seen[key_node.value] = line
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        value = super().construct_object(node, deep)
        if node.tag in _NUMBERS and not _PLAIN.fullmatch(str(node.value)):
            raise _Surprise(
                f"{node.start_mark.line + 1}: '{node.value}' would be read as the number {value}; "
                f"write {value}, or put it in quotes if it is text"
            )
        return value
