"""Files written whole or not at all, and JSON with one spelling for each value."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

JSON: TypeAlias = "Mapping[str, JSON] | Sequence[JSON] | str | int | float | bool | None"


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary name beside `path`; it replaces `path` when the block ends without error.

    The temporary name keeps the suffix, from which plotting libraries tell the format. Missing
    folders are made. If the block raises, an older file at `path` stays as it was and nothing else
    is left behind.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.tmp{target.suffix}")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text_atomic(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` as UTF-8, line ends unchanged, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def canonical_json(value: JSON) -> str:
    """Return `value` as JSON on one line with sorted keys, so that equal values give equal text.

    Raises:
        ValueError: a number is not finite.
        TypeError: `value` holds something that is not JSON (a NumPy scalar, for instance).
    """
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))
