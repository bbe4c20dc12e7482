"""Mistakes through the real command line: one clear line, a failure, and nothing half-written."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from workflow_project import Project, contents

pytestmark = pytest.mark.workflow

MISTAKES: list[tuple[tuple[str, ...], Any, str]] = [
    (
        ("weva", "kmeans", "seedz"),
        2,
        "weva.kmeans.seedz: unknown key (allowed here: n_init, seed, seeds); did you mean 'seed'?",
    ),
    (
        ("weva", "buckets"),
        [3, 6, 12, 13],
        "weva.buckets: 13 buckets are more than the 12 hands of game random-game-12; use at most "
        "12",
    ),
    (("weva", "iterations"), 0, "weva.iterations: input should be greater than or equal to 1, "),
    (
        ("weva", "solvers"),
        ["pcfr-plus", "dfcr"],
        "weva.solvers[1]: unknown solver 'dfcr' (known: cfr, cfr-plus, dcfr, linear-cfr, "
        "pcfr-plus); did you mean 'dcfr'?",
    ),
    (
        ("weva", "games", "hunl-river", "board"),
        "TcTcJcQcKc",
        "weva.games.hunl-river: cards 'TcTcJcQcKc': Tc is dealt twice",
    ),
    (
        ("embedding", "budgets"),
        [8, 91],
        "embedding.budgets[1]: 91 is more than the 90 classes of hands in round 3 of game six; use "
        "at most 90",
    ),
    (
        ("weva", "games", "hunl-river", "betting", "stack"),
        -2,
        "weva.games.hunl-river.betting.stack: input should be greater than 0, not -2",
    ),
]


@pytest.mark.parametrize(("keys", "value", "line"), MISTAKES)
def test_a_mistake_in_the_configuration(
    project: Project, keys: tuple[str, ...], value: Any, line: str
) -> None:
    config = project.read_config()
    config["results_dir"] = "results/mistaken"
    place = config
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    arguments = project.write_config("mistaken.yaml", config)
    output = project.run("--cores", "1", *arguments, succeed=False)
    errors = [text for text in output.splitlines() if "error" in text.lower()]
    assert len(errors) == 1
    assert errors[0].startswith(f"error: mistaken.yaml: {line}")
    assert "Traceback" not in output
    assert len(output.splitlines()) <= 2, "that line, and Snakemake's own on its profile"
    assert not (project.folder / "results/mistaken").exists()


def refused(project: Project, *arguments: str) -> str:
    """The one line of a run that fails."""
    output = project.run(*arguments, succeed=False)
    assert "Traceback" not in output
    (line,) = [line for line in output.splitlines() if line.startswith("error: ")]
    return line


def test_a_damaged_artifact_names_itself_and_the_command_that_rebuilds_it(
    project: Project, tiny: Path
) -> None:
    arguments = ("tables", "--cores", "1", "--configfile", "tiny.yaml")
    expected = contents(tiny)
    damaged = tiny / "buckets/hunl-river/equity.npz"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    name = damaged.relative_to(project.folder)
    command = f"snakemake --cores 1 --configfile tiny.yaml --force {name}"
    line = f"error: {name}: truncated or altered; rebuild it with: {command}"
    assert refused(project, *arguments) == line
    assert not (tiny / "solutions/hunl-river/pcfr-plus/equity.npz").exists()

    project.run(*shlex.split(command)[1:])
    project.run(*arguments)
    assert contents(tiny) == expected


@contextmanager
def exchanged(first: Path, second: Path) -> Iterator[None]:
    """Two files with each other's content inside the block, times included."""
    aside = first.with_name("aside")

    def exchange() -> None:
        first.rename(aside)
        second.rename(first)
        aside.rename(second)

    exchange()
    try:
        yield
    finally:
        exchange()


@pytest.mark.parametrize(
    ("first", "second", "consumer", "difference"),
    [
        (
            "games/hunl-river/0.npz",
            "games/hunl-river/1.npz",
            "features/hunl-river/equity.npz",
            "made with key.instance 1, but 0 is asked for",
        ),
        (
            "games/hunl-river/0.npz",
            "games/random-game/0.npz",
            "features/hunl-river/equity.npz",
            "made with key.game random-game, but hunl-river is asked for",
        ),
        (
            "buckets/hunl-river/equity.npz",
            "buckets/hunl-river/ev-nd-w2.npz",
            "solutions/hunl-river/pcfr-plus/equity.npz",
            "made with key.method ev-nd-w2, but equity is asked for",
        ),
    ],
)
def test_exchanged_artifacts_are_told_apart(
    project: Project, tiny: Path, first: str, second: str, consumer: str, difference: str
) -> None:
    name = f"results/tiny/{first}"
    arguments = ("--cores", "1", "--configfile", "tiny.yaml")
    expected = contents(tiny)
    with exchanged(tiny / first, tiny / second):
        line = refused(project, *arguments, "--force", f"results/tiny/{consumer}")
    command = f"snakemake {shlex.join(arguments)} --force {name}"
    assert line == f"error: {name}: {difference}; rebuild it with: {command}"
    assert not (tiny / consumer).exists(), "nothing half-written is left"
    project.run(f"results/tiny/{consumer}", *arguments)
    assert contents(tiny) == expected


def test_results_of_another_seed_are_refused(project: Project, tiny: Path) -> None:
    """Without Snakemake's records nothing but the files tells what they were made from."""
    copy = project.folder / "results/seeds"
    shutil.copytree(tiny, copy)
    config = {**project.read_config("tiny.yaml"), "results_dir": "results/seeds"}
    project.write_config("seed-1.yaml", config)
    arguments = project.write_config("seed-2.yaml", {**config, "seed": 2})
    table = copy / "tables/weva_table1.csv"
    before = table.read_bytes()
    name = str(table.relative_to(project.folder))
    line = refused(project, "--cores", "1", *arguments, "--force", name)
    assert line.startswith("error: results/seeds/")
    assert "--configfile seed-2.yaml --force results/seeds/" in line
    assert not table.exists() or table.read_bytes() == before
