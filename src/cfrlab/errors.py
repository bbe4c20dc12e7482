"""The one exception for user mistakes, and the nearest-name hint its messages carry."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CfrlabError(Exception):
    """A mistake in the input: one line that says what is wrong, where, and what to do."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the allowed name closest to `name`, or ``""``.

    Case and the choice between ``-`` and ``_`` are ignored.
    """
    by_key = {_key(candidate): candidate for candidate in sorted(allowed)}
    close = difflib.get_close_matches(_key(name), list(by_key), n=1, cutoff=0.5)
    return f"; did you mean '{by_key[close[0]]}'?" if close else ""


def _key(name: str) -> str:
    return name.lower().replace("_", "-")
