"""The line of provenance beneath a table or figure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cfrlab.pipeline.text import JSON, canonical_json


def footer(config: Mapping[str, JSON], seed: int, code: str) -> str:
    """Name the configuration (by a hash of the part used), the root seed, and the code's hash."""
    digest = hashlib.sha256(canonical_json(config).encode()).hexdigest()
    return f"Made from configuration `{digest[:12]}`, seed {seed}, code `{code[:12]}`."
