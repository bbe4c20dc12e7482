"""Checksums of the text files and pictures that a job writes, in the format of ``sha256sum``.

Artifacts (`cfrlab.pipeline.store`) check themselves; tables, figures and claims are for people and
for other programs, and cannot. So a job that writes such files leaves one more, a line for each of
them, beneath a comment that says what they were made from. ``sha256sum --check FILE`` reads it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from cfrlab.errors import CfrlabError
from cfrlab.pipeline.provenance import Provenance, difference
from cfrlab.pipeline.store import rebuild_command
from cfrlab.pipeline.text import JSON, canonical_json, write_text_atomic


def write(path: str | os.PathLike[str], files: Iterable[str], made: Provenance) -> None:
    """Write the checksums of some files, which are named relative to the working folder."""
    lines = [f"{digest(file)}  {file}" for file in files]
    head = canonical_json({**made.as_json(), "listing": _of_lines(lines)})
    write_text_atomic(path, "\n".join([f"# {head}", *lines]) + "\n")


def verify(path: str | os.PathLike[str], expected: JSON = None) -> list[str]:
    """Check the files that are listed, and what they were made from; return their names.

    Args:
        path: what `write` wrote.
        expected: an identity (`recipe.Recipe.identity`) to ask for, if any.

    Raises:
        CfrlabError: a file is missing or altered, the list itself is damaged, or the files were
            made from something else. The line says how to rebuild.
    """
    path = Path(path)
    try:
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        identity = json.loads(head.removeprefix("#"))
        listed = [(line[:64], line[66:]) for line in lines]
        if identity["listing"] != _of_lines(lines):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError):
        raise CfrlabError(
            f"{path}: missing or damaged; rebuild it with: {rebuild_command(path)}"
        ) from None
    if expected is not None and (what := difference(identity, expected)):
        raise CfrlabError(f"{path}: {what}; rebuild it with: {rebuild_command(path)}")
    for checksum, name in listed:
        if not Path(name).is_file() or digest(name) != checksum:
            state = "altered" if Path(name).is_file() else "missing"
            raise CfrlabError(f"{name}: {state}; rebuild it with: {rebuild_command(path)}")
    return [name for _, name in listed]


def digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, in hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_lines(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
