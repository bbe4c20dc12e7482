"""Random seeds that follow from the configuration by name, never by order.

Every random stream is named by what it is for, for instance
``seed_for(config.seed, "game", "hunl-river", 3)``. Adding, removing or reordering other streams
leaves it as it was.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np


def seed_for(root: int, *names: str | int) -> int:
    """Return the 32-bit seed of the stream called `names` under the root seed.

    A number and its decimal string are the same name, since workflow wildcards are strings.
    The seed is the first four bytes of a SHA-256 digest, so distinct names give unrelated seeds.
    """
    text = json.dumps([str(part) for part in (root, *names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def rng_for(root: int, *names: str | int) -> np.random.Generator:
    """Return a fresh generator seeded with ``seed_for(root, *names)``."""
    return np.random.default_rng(seed_for(root, *names))
