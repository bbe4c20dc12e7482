"""Configuration files in which YAML would not say what a reader sees."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cfrlab.errors import CfrlabError
from cfrlab.yaml_file import parse

ROOT = Path(__file__).parents[2]


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "weva:\n  kmeans: {seeds: 1}\n  buckets: [2]\n  kmeans: {n_init: 1}\n",
            "4: the key 'kmeans' is given twice (first in line 2); keep one of them",
        ),
        ("a: {b: 1, b: 2}\n", "1: the key 'b' is given twice (first in line 1); keep one of them"),
        (
            "seed: 010\n",
            "1: '010' would be read as the number 8; write 8, or put it in quotes if it is text",
        ),
        (
            "points: [1, 1:30]\n",
            "1: '1:30' would be read as the number 90; write 90, or put it in quotes if it is text",
        ),
        (
            "x: 1_000\n",
            "1: '1_000' would be read as the number 1000; write 1000, or put it in quotes if it is "
            "text",
        ),
        (
            "x: 0x1F\n",
            "1: '0x1F' would be read as the number 31; write 31, or put it in quotes if it is text",
        ),
    ],
)
def test_surprises_are_refused_in_one_line(tmp_path: Path, text: str, line: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(CfrlabError) as caught:
        parse(path)
    assert str(caught.value) == f"{path}:{line}"


@pytest.mark.parametrize("text", ["- 1\n", "", "a: [\n", "a: \x00\n"])
def test_what_is_no_configuration_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(CfrlabError) as caught:
        parse(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_merged_keys_may_be_said_again(tmp_path: Path) -> None:
    text = "base: &base {a: 1, b: 2}\nmine: {<<: *base, b: 3, c: -1.5e-3, d: '010', e: .5}\n"
    mine = {"a": 1, "b": 3, "c": -0.0015, "d": "010", "e": 0.5}
    assert parse(write(tmp_path, text))["mine"] == mine


@pytest.mark.parametrize("name", ["config.yaml", "tests/smoke.yaml", "tests/minimal.yaml"])
def test_shipped_files_read_as_everywhere(name: str) -> None:
    path = ROOT / name
    assert parse(path) == yaml.safe_load(path.read_text(encoding="utf-8"))
