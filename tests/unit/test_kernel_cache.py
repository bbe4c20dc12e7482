"""Compiled kernels: kept by the code they come from, told of, and mended where they are damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOLVE = """
import numpy as np
from cfrlab.games.zoo import kuhn
from cfrlab.solve.response import Evaluator
game = kuhn.build(kuhn.Params(), np.random.default_rng(0))
print(round(Evaluator(game).nash_conv(game.uniform()), 6))
"""
CLEAR = """
import numpy as np
from cfrlab.solve.kernels.primitives import clear
numbers = np.ones(3)
clear(numbers, 0, 2)
print(numbers.sum())
"""
UNIFORM = 0.916667
"""NashConv of the uniform profile of Kuhn poker, 11/12."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, with a folder for what is compiled of them."""
    folder = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    return folder


def solve(package: Path, cache: Path, code: str = SOLVE) -> tuple[float, str]:
    """What a fresh process finds, and what it says."""
    environment = {**os.environ, "PYTHONPATH": str(package / "src")}
    environment |= {"NUMBA_CACHE_DIR": str(cache), "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout), done.stderr


def test_kernels_follow_the_code_they_are_compiled_from(package: Path) -> None:
    cache = package / "cache"
    value, said = solve(package, cache)
    assert value == UNIFORM
    assert said.count("compiling kernels") == 1
    assert solve(package, cache) == (UNIFORM, ""), "the second process loads them"

    # Damaged entries are compiled anew, once; those of one module are enough to see it.
    for path in cache.rglob("cfrlab.solve.kernels.passes/*.nbc"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    value, said = solve(package, cache)
    assert value == UNIFORM
    assert "damaged" in said
    assert solve(package, cache) == (UNIFORM, "")

    # A constant of a module that numba compiled into the kernels of another one.
    (layout,) = (package / "src").rglob("solve/layout.py")
    text = layout.read_text()
    swapped = text.replace("KIND, DATA, INTS,", "DATA, KIND, INTS,")
    assert swapped != text
    layout.write_text(swapped)
    value, said = solve(package, cache)
    assert value == UNIFORM, "whoever writes the columns and whoever reads them agree"
    assert "compiling kernels" in said


def test_a_folder_that_cannot_be_written_to_is_no_obstacle(package: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder can be here")
    value, said = solve(package, blocked / "cache", CLEAR)
    assert value == 1
    assert said.count("cannot be kept") == 1
    assert "Traceback" not in said
