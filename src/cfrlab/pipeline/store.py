"""Typed array files with a header, checked when read.

A file is an uncompressed npz archive, so `numpy.load` reads its arrays. A further member
``__header__`` holds JSON: the format version, the kind of content, free metadata, provenance, the
dtypes and shapes of the arrays, and a SHA-256 over all of these and the arrays' bytes
(``unzip -p FILE __header__`` shows it). Equal content gives equal bytes: no time is recorded, and
members are in a fixed order.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shlex
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from cfrlab.errors import CfrlabError
from cfrlab.pipeline.provenance import Provenance, difference
from cfrlab.pipeline.text import JSON, atomic_path, canonical_json

FORMAT_VERSION = 2
HEADER = "__header__"
SNAKEMAKE_VARIABLE = "CFRLAB_SNAKEMAKE"

# All that reading an archive whose bytes were altered can raise.
_DAMAGE = (
    EOFError,
    KeyError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
    OSError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True)
class Artifact:
    """What `load` returns: the arrays (writeable, C order), the metadata and the provenance.

    ``sha256`` is the checksum that the file carries, of all its content.
    """

    arrays: dict[str, npt.NDArray[Any]]
    meta: dict[str, Any]
    provenance: Provenance
    sha256: str


def save(
    path: str | os.PathLike[str],
    kind: str,
    arrays: Mapping[str, npt.NDArray[Any]],
    meta: Mapping[str, JSON],
    provenance: Provenance,
) -> None:
    """Write an artifact, whole or not at all; equal content gives equal bytes.

    Args:
        path: where to; missing folders are made.
        kind: what the content is ("buckets"); `load` must ask for the same.
        arrays: by name, of any shape and any dtype except object; stored in C order.
        meta: JSON values that belong to the content (units, counts, names).
        provenance: what it was made from.

    Raises:
        ValueError: an array has object dtype or a reserved name, or a number in `meta` is NaN or
            infinite.
        TypeError: `meta` or `provenance` holds something that is not JSON.
    """
    stored = {name: np.asarray(arrays[name], order="C") for name in sorted(arrays)}
    for name, array in stored.items():
        if array.dtype.hasobject or not name or name == HEADER or "/" in name:
            raise ValueError(f"array '{name}' ({array.dtype}) cannot be stored")
    content: JSON = {
        "format": FORMAT_VERSION,
        "kind": kind,
        "meta": dict(meta),
        "provenance": provenance.as_json(),
        "arrays": {name: [array.dtype.str, list(array.shape)] for name, array in stored.items()},
    }
    # Read back at once: a key that is a number becomes a string, which sorts differently.
    header = json.loads(canonical_json(content))
    digest = _Digest(header)
    for array in stored.values():
        np.lib.format.write_array(digest, array, allow_pickle=False)
    header["sha256"] = digest.hexdigest()
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(zipfile.ZipInfo(HEADER), canonical_json(header))
        for name, array in stored.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def load(
    path: str | os.PathLike[str], kind: str | None, expected: Mapping[str, JSON] | None = None
) -> Artifact:
    """Read an artifact of the given kind; verify its checksum and what it was made from.

    Args:
        path: the file.
        kind: see `save`; any if None.
        expected: the identity that it must have (`recipe.Recipe.identity`); any unless given.

    Raises:
        CfrlabError: the file is missing, truncated, altered, of another format version, of another
            kind, or made from something else. The line names the file, the difference, and the
            command that rebuilds it.
    """
    path = Path(path)
    if not path.is_file():
        _refuse(path, "no such file")
    header, members = _read(path)
    version = header["format"]
    if version != FORMAT_VERSION:
        _refuse(path, f"of format version {version}, but this program reads {FORMAT_VERSION}")
    claimed = header.pop("sha256", None)
    digest = _Digest(header)
    for name in sorted(members):
        digest.write(members[name])
    if claimed != digest.hexdigest() or sorted(members) != sorted(header["arrays"]):
        _refuse(path, "truncated or altered")
    if kind not in (None, header["kind"]):
        _refuse(path, f"of kind '{header['kind']}', but '{kind}' is needed")
    if expected is not None and (what := difference(header["provenance"], expected)):
        _refuse(path, what)
    arrays = {name: _array(content) for name, content in members.items()}
    return Artifact(arrays, header["meta"], Provenance(**header["provenance"]), str(claimed))


def rebuild_command(path: str | os.PathLike[str]) -> str:
    """Return the command that makes `path` anew.

    A workflow that runs with further options, such as a config file, puts its own command line in
    the environment variable named by `SNAKEMAKE_VARIABLE`.
    """
    snakemake = os.environ.get(SNAKEMAKE_VARIABLE, "snakemake --cores 1")
    return f"{snakemake} --force {shlex.quote(os.fspath(path))}"


class _Digest:
    """SHA-256 over a header and what is written after it."""

    def __init__(self, header: Mapping[str, JSON]) -> None:
        self._hash = hashlib.sha256(canonical_json(header).encode())

    def write(self, data: bytes) -> None:
        self._hash.update(data)

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the header and the npy bytes of each array; the archive's own CRC is checked."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}
        header: dict[str, Any] = json.loads(members.pop(HEADER))
        if not {"format", "arrays"} <= header.keys():
            raise ValueError(header)
    except PermissionError:
        raise CfrlabError(f"{path}: no permission to read it") from None
    except _DAMAGE:
        _refuse(path, "truncated or altered")
    return header, members


def _array(content: bytes) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    return array


def _refuse(path: Path, what: str) -> NoReturn:
    raise CfrlabError(f"{path}: {what}; rebuild it with: {rebuild_command(path)}")
