"""Weights of a trained network as a safetensors file that says what they are for.

The file's metadata has one key, ``cfrlab``, with canonical JSON: the architecture, what the network
was trained for, and a SHA-256 over the tensors. (The library writes several keys in random order,
and equal content is to give equal bytes.)
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction.embedding.requirements import missing
from cfrlab.errors import CfrlabError
from cfrlab.pipeline.store import rebuild_command
from cfrlab.pipeline.text import atomic_path, canonical_json

FORMAT_VERSION = 1
KEY = "cfrlab"

Arrays = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Architecture:
    """Shape of a network.

    Attributes:
        suits, ranks, planes: of the hand tensors; round r has r + 1 planes.
        hidden: widths of the encoder's hidden layers.
        advisors: width m of the embedding.
        targets: numbers d that the head predicts.
        temperature: of the softmax.
    """

    suits: int
    ranks: int
    planes: int
    hidden: tuple[int, ...]
    advisors: int
    targets: int
    temperature: float

    @property
    def inputs(self) -> int:
        """Entries of a hand tensor."""
        return self.suits * self.ranks * self.planes

    @property
    def round(self) -> int:
        """The betting round that its hands belong to; the first is 1."""
        return self.planes

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every tensor by name."""
        widths = (self.inputs, *self.hidden, self.advisors)
        layers = [(out, into) for into, out in pairwise(widths)]
        weight = {f"encoder.{k}.weight": shape for k, shape in enumerate(layers)}
        # The normalisation after the last layer has a bias of its own.
        bias = {f"encoder.{k}.bias": (width,) for k, width in enumerate(self.hidden)}
        norm = ("weight", "bias", "running_mean", "running_var")
        return {
            **weight,
            **bias,
            **{f"norm.{name}": (self.advisors,) for name in norm},
            "head.weight": (self.targets, self.advisors),
        }


@dataclass(frozen=True)
class Origin:
    """What a network was trained for.

    Attributes:
        game: registered name of the game.
        ranks, suits: its deck.
        supervision: what the network predicts.
        seed: of the training.
    """

    game: str
    ranks: str
    suits: str
    supervision: str
    seed: int


@dataclass(frozen=True, eq=False)
class Weights:
    """A network's architecture and its tensors, float32 with ``architecture.shapes()``."""

    architecture: Architecture
    arrays: Arrays


def save(path: str | os.PathLike[str], weights: Weights, origin: Origin) -> None:
    """Write weights, whole or not at all; equal content gives equal bytes.

    Raises CfrlabError if safetensors is missing or broken.
    """
    try:
        from safetensors.numpy import save_file
    except (ImportError, OSError) as error:
        raise missing("safetensors", error) from None
    arrays = {name: np.ascontiguousarray(weights.arrays[name]) for name in sorted(weights.arrays)}
    header = canonical_json(
        {
            "format": FORMAT_VERSION,
            "architecture": asdict(weights.architecture),
            "origin": asdict(origin),
            "sha256": _digest(weights.architecture, origin, arrays),
        }
    )
    with atomic_path(path) as temporary:
        save_file(arrays, temporary, metadata={KEY: header})


def load(
    path: str | os.PathLike[str],
    architecture: Architecture | None = None,
    origin: Origin | None = None,
) -> tuple[Weights, Origin]:
    """Read weights, of the given architecture and origin unless these are None.

    Raises CfrlabError, naming the file and the command that rebuilds it: the file is missing,
    truncated, altered, no such file, of another architecture (round included), game, deck,
    supervision or seed. Also if safetensors is missing or broken.
    """
    path = Path(path)
    if not path.is_file():
        _refuse(path, "no such file")
    header, arrays = _read(path)
    if header.get("format") != FORMAT_VERSION:
        _refuse(path, f"of format version {header.get('format')}, this reads {FORMAT_VERSION}")
    try:
        found = dict(header["architecture"])
        found["hidden"] = tuple(found["hidden"])
        weights = Weights(Architecture(**found), arrays)
        made = Origin(**header["origin"])
        intact = header["sha256"] == _digest(weights.architecture, made, arrays)
    except (KeyError, TypeError, ValueError):
        intact = False
    if not intact:
        _refuse(path, "truncated or altered")
    _check(path, "architecture", asdict(weights.architecture), architecture)
    _check(path, "origin", asdict(made), origin)
    shapes = {name: array.shape for name, array in arrays.items()}
    if shapes != weights.architecture.shapes():
        _refuse(path, "its tensors are not those of its architecture")
    return weights, made


def _read(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Header and tensors."""
    try:
        from safetensors import SafetensorError, safe_open
    except (ImportError, OSError) as error:
        raise missing("safetensors", error) from None
    try:
        with safe_open(path, framework="numpy") as file:
            header = json.loads((file.metadata() or {})[KEY])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, KeyError, ValueError, TypeError):
        _refuse(path, "truncated or altered, or no weights of a network")
    if not isinstance(header, dict):
        _refuse(path, "truncated or altered")
    return header, arrays


def _digest(architecture: Architecture, origin: Origin, arrays: Mapping[str, Any]) -> str:
    """SHA-256 (hex) over the metadata and the tensors in order of their names."""
    content = {"architecture": asdict(architecture), "origin": asdict(origin)}
    digest = hashlib.sha256(canonical_json(content).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _check(path: Path, what: str, found: Mapping[str, Any], wanted: object) -> None:
    """Refuse a file that differs in any field from what is wanted."""
    if wanted is None:
        return
    expected = {name: getattr(wanted, name) for name in found}
    differ = [
        f"{name} {found[name]}, not {expected[name]}"
        for name in found
        if found[name] != expected[name]
    ]
    if differ:
        _refuse(path, f"weights of another {what} ({'; '.join(differ)})")


def _refuse(path: Path, what: str) -> NoReturn:
    raise CfrlabError(f"{path}: {what}; train it anew with: {rebuild_command(path)}")
