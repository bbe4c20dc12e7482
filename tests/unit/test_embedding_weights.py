"""Weights as files: round trip, refusals; and all else without torch or safetensors."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from cfrlab.abstraction.embedding import weights as files
from cfrlab.abstraction.embedding.network import HandEbdNet
from cfrlab.abstraction.embedding.requirements import missing, versions
from cfrlab.abstraction.embedding.weights import Architecture, Origin, Weights
from cfrlab.errors import CfrlabError
from cfrlab.pipeline import provenance

SRC = Path(__file__).resolve().parents[2] / "src"
ARCHITECTURE = Architecture(3, 4, 2, (6, 5), 4, 3, 0.5)
ORIGIN = Origin("numeral211", "89TA", "dhs", "winrate", 7)


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, Weights]:
    weights = HandEbdNet(ARCHITECTURE).weights()
    path = tmp_path / "networks" / "a.safetensors"
    files.save(path, weights, ORIGIN)
    return path, weights


def test_shapes_are_those_of_the_network() -> None:
    weights = HandEbdNet(ARCHITECTURE).weights()
    assert {k: v.shape for k, v in weights.arrays.items()} == ARCHITECTURE.shapes()
    count = 24 * 6 + 6 + 6 * 5 + 5 + 5 * 4 + 4 * 4 + 4 * 3
    assert sum(array.size for array in weights.arrays.values()) == count


def test_round_trip(saved: tuple[Path, Weights]) -> None:
    path, weights = saved
    back, origin = files.load(path, ARCHITECTURE, ORIGIN)
    assert (back.architecture, origin) == (ARCHITECTURE, ORIGIN)
    assert back.arrays.keys() == weights.arrays.keys()
    for name, array in weights.arrays.items():
        assert back.arrays[name].dtype == np.float32
        np.testing.assert_array_equal(back.arrays[name], array)
    assert [p.name for p in path.parent.iterdir()] == ["a.safetensors"]
    # Any reader of safetensors can read it.
    assert load_file(path).keys() == weights.arrays.keys()


def test_equal_content_gives_equal_bytes(saved: tuple[Path, Weights], tmp_path: Path) -> None:
    path, weights = saved
    again = Weights(ARCHITECTURE, dict(reversed(weights.arrays.items())))
    files.save(tmp_path / "b.safetensors", again, ORIGIN)
    assert (tmp_path / "b.safetensors").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"advisors": 5}, r"weights of another architecture \(advisors 4, not 5\)"),
        ({"planes": 3}, r"architecture \(planes 2, not 3\)"),
        ({"hidden": (6,)}, r"architecture \(hidden \(6, 5\), not \(6,\)\)"),
        ({"temperature": 1.0, "targets": 6}, r"\(targets 3, not 6; temperature 0.5, not 1.0\)"),
    ],
)
def test_another_architecture(
    saved: tuple[Path, Weights], change: dict[str, float], message: str
) -> None:
    with pytest.raises(CfrlabError, match=message) as caught:
        files.load(saved[0], replace(ARCHITECTURE, **change))  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"{saved[0]}: ")
    assert f"snakemake --cores 1 --force {saved[0]}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "leduc"}, "game numeral211, not leduc"),
        ({"ranks": "9TA"}, "ranks 89TA, not 9TA"),
        ({"supervision": "ev"}, "supervision winrate, not ev"),
        ({"seed": 8}, "seed 7, not 8"),
    ],
)
def test_another_origin(saved: tuple[Path, Weights], change: dict[str, str], message: str) -> None:
    with pytest.raises(CfrlabError, match=message):
        files.load(saved[0], ARCHITECTURE, replace(ORIGIN, **change))  # type: ignore[arg-type]


def test_damage_is_found(saved: tuple[Path, Weights]) -> None:
    path, _ = saved
    whole = path.read_bytes()
    for damaged in (
        b"",
        whole[:40],
        whole[:-1],
        whole[:-1] + bytes([whole[-1] ^ 1]),
        whole.replace(b"winrate", b"WINRATE"),
        whole.replace(b"sha256", b"sha257"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(CfrlabError, match="truncated or altered"):
            files.load(path)


def test_other_files_are_refused(saved: tuple[Path, Weights], tmp_path: Path) -> None:
    path, weights = saved
    with pytest.raises(CfrlabError, match="no such file"):
        files.load(tmp_path / "none.safetensors")
    save_file(weights.arrays, path)
    with pytest.raises(CfrlabError, match="no weights of a network"):
        files.load(path)
    wrong = {**weights.arrays, "head.weight": np.zeros((2, 2), np.float32)}
    files.save(path, Weights(ARCHITECTURE, wrong), ORIGIN)
    with pytest.raises(CfrlabError, match="its tensors are not those of its architecture"):
        files.load(path)


WITHOUT = """
import importlib, pkgutil, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "safetensors"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import cfrlab
from cfrlab.errors import CfrlabError

package = "cfrlab.abstraction.embedding"
own = {f"{package}.network", f"{package}.training"}
stage = {"cfrlab.papers.embedding.stages.train"}  # the one stage that trains
modules = {m.name for m in pkgutil.walk_packages(cfrlab.__path__, "cfrlab.")}
assert own < modules
for name in sorted(modules - own - stage):
    importlib.import_module(name)
from cfrlab.abstraction.embedding import weights

def refused(action):
    try:
        action()
    except CfrlabError as error:
        print(error)

for name in sorted(own):
    refused(lambda: importlib.import_module(name))
refused(lambda: weights.save("x", weights.Weights(None, {}), None))
open("there", "w").close()
refused(lambda: weights.load("there"))
"""


def test_without_torch_all_else_imports_and_the_network_names_what_to_install(
    tmp_path: Path,
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        env={**os.environ, "PYTHONPATH": str(SRC), "NUMBA_CACHE_DIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) == 4
    for line, library in zip(lines, ("torch", "torch", *2 * ("safetensors",)), strict=True):
        assert line.startswith(f"embedding network: {library} is not installed; ")
        assert "pip install -r envs/requirements-torch.txt" in line
        assert "snakemake --keep-going makes every target that does not" in line


BROKEN = """
import importlib, sys
from cfrlab.errors import CfrlabError

class Broken:
    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "safetensors"):
            raise {error}

sys.meta_path.insert(0, Broken())
from cfrlab.abstraction.embedding import weights

def refused(action):
    try:
        action()
    except CfrlabError as error:
        print(error)

for name in ("network", "training"):
    refused(lambda: importlib.import_module(f"cfrlab.abstraction.embedding.{{name}}"))
refused(lambda: weights.save("x", weights.Weights(None, {{}}), None))
open("there", "w").close()
refused(lambda: weights.load("there"))
"""


@pytest.mark.parametrize(
    "error",
    [
        "OSError('libc10.so: cannot open\\nshared object')",
        "ImportError('libc10.so: cannot open shared object', name='torch._C')",
        "ModuleNotFoundError('libc10.so: cannot open shared object', name='typing_extensions')",
    ],
)
def test_a_broken_library_has_one_line_with_its_reason(tmp_path: Path, error: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", BROKEN.format(error=error)],
        env={**os.environ, "PYTHONPATH": str(SRC), "NUMBA_CACHE_DIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) == 4
    for line, library in zip(lines, ("torch", "torch", *2 * ("safetensors",)), strict=True):
        reason = "cannot be imported (libc10.so: cannot open shared object)"
        assert line.startswith(f"embedding network: {library} {reason}; pip install ")


def test_other_missing_modules_are_no_user_mistake() -> None:
    fault = ModuleNotFoundError("no cfrlab.nothing", name="cfrlab.nothing")
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        missing("torch", fault)


def test_networks_do_not_depend_on_clusterings() -> None:
    """Editing a clustering trains no network anew."""
    used = {name for name, _ in provenance.closure("cfrlab.papers.embedding.stages.train")}
    assert {"cfrlab.abstraction.recall", "cfrlab.abstraction.components"} < used
    assert not {name for name in used if name.startswith("cfrlab.abstraction.clusterings")}


def test_versions_for_provenance() -> None:
    found = versions()
    assert {"torch", "safetensors", "numpy", "python"} <= found.keys()
    assert found["torch"].startswith("2.")
