"""Settings of the whole test suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, and no limits in wall-clock time: a slow machine is not a bug.
settings.register_profile("deterministic", deadline=None, derandomize=True)
settings.load_profile("deterministic")

# All processes of the suite share their compiled kernels, and later runs find them.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".cache/numba"))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels before workers start, so that they do not do it side by side."""
    if not hasattr(session.config, "workerinput") and session.config.getoption("numprocesses", 0):
        from cfrlab.pipeline.compiled import decomposition, rounds

        decomposition.ensure()
        rounds.ensure()
