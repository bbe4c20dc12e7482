"""What does not belong in a folder of results is found, and all that does is passed over."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import yaml

from cfrlab import config as config_module
from cfrlab.pipeline import checksums, recipe, store, verify
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.provenance import PACKAGE_ROOT, closure_hash
from cfrlab.pipeline.recipe import Recipe, code_behind
from cfrlab.reporting.plan import report_recipe

ROOT = Path(__file__).parents[2]


def game(number: int, seed: int = 7) -> Recipe:
    return Recipe("weva", "game", {"i": str(number)}, f"games/{number}.npz", {"x": 1}, seed)


GAMES = (game(0), game(1))
FEATURES = Recipe("weva", "features", {}, "features.npz", inputs={"games": GAMES})
TABLES = Recipe("weva", "tables", inputs={"records": (FEATURES,)})
RECIPES = [*GAMES, FEATURES, TABLES]
TEXTS = {"weva_tables": ["tables/a.csv", "tables/a.md"]}


def make(results: Path, one: Recipe, content: int = 0) -> None:
    """Run a job whose output is `content`."""
    inputs = {name: [str(results / r.path) for r in many] for name, many in one.inputs.items()}
    job = Job(inputs, {"main": [str(results / one.path)]}, one.parameters())
    for name in inputs:
        list(job.load_all(name, "numbers"))
    if one.path:
        job.save("numbers", {"x": np.arange(3) + content})
        return
    files = [results / file for file in TEXTS[one.rule]]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n", encoding="utf-8")
    checksums.write(results / one.listing, map(str, files), job.provenance)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for one in RECIPES:
        make(tmp_path, one)
    return tmp_path


def problems(results: Path, recipes: list[Recipe] = RECIPES) -> list[str]:
    lines = verify.problems(results, recipes, TEXTS, ["weights.bin"])
    assert all("\n" not in line for line in lines)
    return [line.replace(f"{results}/", "") for line in lines]


def test_a_whole_run_and_a_part_of_one_have_no_problem(results: Path) -> None:
    for name in ("logs/a.log", "benchmarks/b.tsv", "README.md", "weights.bin"):
        (results / name).parent.mkdir(exist_ok=True)
        (results / name).touch()
    assert problems(results) == []
    (results / "games/0.npz").unlink()
    assert problems(results) == []
    (results / "features.npz").rename(results / "features.checkpoint.npz")
    assert problems(results) == [], "a job that was stopped goes on from its checkpoint"


def test_another_runs_folder_within_is_left_out(results: Path) -> None:
    (results / "smoke/logs").mkdir(parents=True)
    (results / "smoke/x.npz").touch()
    assert problems(results) == []
    (results / "smoke/logs").rmdir()
    assert problems(results) == ["smoke/x.npz: nothing in this configuration makes it; remove it"]


def exchange(results: Path) -> None:
    shutil.copy(results / "games/1.npz", results / "games/0.npz")


def flip(results: Path) -> None:
    path = results / "games/0.npz"
    path.write_bytes(path.read_bytes().replace(b"\x02\x00\x00", b"\x03\x00\x00", 1))


def edit(results: Path) -> None:
    (results / "tables/a.csv").write_text("1\n", encoding="utf-8")


def remake(results: Path) -> None:
    make(results, GAMES[0], content=1)


def unlist(results: Path) -> None:
    (results / TABLES.listing).unlink()


def shorten(results: Path) -> None:
    job = Job({}, {}, TABLES.parameters())
    checksums.write(results / TABLES.listing, [str(results / "tables/a.md")], job.provenance)


def leave(results: Path) -> None:
    (results / "tables/.a.1f.tmp.csv").touch()


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (exchange, ["games/0.npz: made with key.i 1, but 0 is asked for"]),
        (flip, ["games/0.npz: truncated or altered"]),
        (edit, ["tables/a.csv: altered"]),
        (remake, ["features.npz: made from another weva_game/0 than is here"]),
        (
            unlist,
            [
                "tables/a.csv: checksums/weva_tables.sha256, which vouches for it, is missing",
                "tables/a.md: checksums/weva_tables.sha256, which vouches for it, is missing",
            ],
        ),
        (shorten, ["checksums/weva_tables.sha256: of other files than the plan's"]),
        (leave, ["tables/.a.1f.tmp.csv: nothing in this configuration makes it"]),
    ],
)
def test_each_problem_is_one_line(
    results: Path, change: Callable[[Path], None], lines: list[str]
) -> None:
    change(results)
    found = problems(results)
    assert len(found) == len(lines)
    for line, start in zip(found, lines, strict=True):
        assert line.startswith(start)


def test_results_of_another_configuration_do_not_belong(results: Path) -> None:
    """Another seed of the first game: it differs, and so does all that follows from it."""
    changed = game(0, seed=8)
    features = replace(FEATURES, inputs={"games": (changed, GAMES[1])})
    tables = replace(TABLES, inputs={"records": (features,)})
    found = problems(results, [changed, GAMES[1], features, tables])
    assert [line.split(";")[0] for line in found] == [
        "games/0.npz: made with seed 7, but 8 is asked for",
        "features.npz: made from results of another configuration, seed or code",
        f"{TABLES.listing}: made from results of another configuration, seed or code",
    ]
    (results / "games/1.npz").rename(results / "games/2.npz")
    assert "games/2.npz: nothing in this configuration makes it; remove it" in problems(results)


def test_what_was_read_is_compared_with_what_is_here(results: Path) -> None:
    made = store.load(results / "features.npz", "numbers")
    here = [store.load(results / one.path, "numbers").sha256 for one in GAMES]
    assert made.provenance.inputs == {"games": here}


# The hash of the code behind all results.

FAMILIES = [
    "solve/rules/dcfr.py",
    "abstraction/kmeans.py",
    "abstraction/features/equity.py",
    "games/zoo/double_board.py",
    "papers/weva/figures.py",
    "papers/weva/measures.py",
    "papers/weva/plan.py",
    "pipeline/job.py",
    "reporting/report.py",
    "decomposition/cfrd.py",
    "decomposition/resolving.py",
    "papers/cfrd/figures.py",
    "solve/rounds/cfr.py",
    "solve/rounds/response.py",
    "abstraction/embedding/training.py",
    "abstraction/clusterings/paemd.py",
    "papers/embedding/figures.py",
]


@pytest.fixture(scope="module")
def page() -> Recipe:
    given = yaml.safe_load((ROOT / "tests/smoke.yaml").read_text(encoding="utf-8"))
    return report_recipe(config_module.load(given))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, to edit."""
    folder = tmp_path_factory.mktemp("copy") / "cfrlab"
    shutil.copytree(PACKAGE_ROOT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def hash_of(copy: Path, page: Recipe, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """The hash of all code behind the page, of the copy."""
    monkeypatch.setattr(recipe, "_hash", lambda starts: closure_hash(*starts, root=copy))
    return partial(code_behind, [page])


@pytest.mark.parametrize("module", FAMILIES)
def test_the_hash_of_the_code_covers_all_that_makes_numbers(
    copy: Path, hash_of: Callable[[], str], module: str
) -> None:
    path, before = copy / module, hash_of()
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(f"{text}\nEDITED = True\n", encoding="utf-8")
        edited = hash_of()
        path.write_text(f"{text}\n# A comment.\n", encoding="utf-8")
        assert hash_of() == before
    finally:
        path.write_text(text, encoding="utf-8")
    assert edited != before
    assert hash_of() == before
