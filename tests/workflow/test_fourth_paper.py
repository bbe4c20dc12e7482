"""A paper is added by adding its folder, its rules and its section: nothing that exists changes."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from workflow_project import ROOT, Project, contents, copy_project

pytestmark = pytest.mark.workflow

FOURTH = ROOT / "tests/fourth_paper"
RESULTS = "results/fourth"


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, tuple[str, str]]:
    """A copy of the project with the paper laid into it, run, and the arguments of the run."""
    project = copy_project(tmp_path_factory.mktemp("project"))
    before = contents(project.folder)
    config = project.read_config()
    weva = config["weva"]
    weva |= {"games": {"random-game": weva["games"]["random-game"]}, "solvers": ["pcfr-plus"]}
    weva["methods"] = {"equity": {}, "ev-nd": {"warmups": [2]}}
    weva["figure1"].pop("games")
    given = {"seed": 1, "results_dir": RESULTS, "weva": weva}
    section = yaml.safe_load((FOURTH / "section.yaml").read_text(encoding="utf-8"))
    arguments = project.write_config("fourth.yaml", {**given, **section})
    shutil.copytree(FOURTH / "fourth", project.folder / "src/cfrlab/papers/fourth")
    shutil.copy(FOURTH / "fourth.smk", project.folder / "workflow/rules/fourth.smk")
    after = contents(project.folder)
    assert {name: after[name] for name in before} == before
    project.run("--cores", "2", *arguments)
    return project, arguments


def python(project: Project, *arguments: str, succeed: bool = True) -> str:
    """Run a script of the copy; return its output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == succeed, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_it_is_in_tables_figures_claims_and_page(
    configured: tuple[Project, tuple[str, str]],
) -> None:
    folder = configured[0].folder / RESULTS
    table = pd.read_csv(folder / "tables/fourth_values.csv")
    # Kuhn's value of the game; the exploitability bounds how far ours may be from it.
    row = table[table["ranks"] == 3].iloc[0]
    assert abs(row["value"] + 1 / 18) <= 2 * row["exploitability"] < 0.01
    claims = pd.read_csv(folder / "claims.csv")
    papers = claims["paper"].str.split(",").str[0]
    assert list(dict.fromkeys(papers)) == ["WEVA", "Fourth"], "the order of the sections"
    verdicts = claims[papers == "Fourth"].set_index("id")["verdict"]
    assert dict(verdicts) == {"kuhn-value": "reproduced", "kuhn-value-9": "not measured"}
    page = html.unescape((folder / "report/index.html").read_text(encoding="utf-8"))
    assert "WEVA and Fourth: ours beside the papers" in page
    assert "With 3 ranks, the first player's value is -0.05" in page
    for part in ("fourth", "fourth-figures", "fourth-tables", "fourth-claims"):
        assert f'id="{part}"' in page
    for title in ("Values of the game", "The first player's value in small decks"):
        assert f"<h4>{title}</h4>" in page
    assert (folder / "report/figures/fourth_fig1.svg").is_file()
    run = json.loads((folder / "report/run.json").read_text(encoding="utf-8"))
    assert set(run["codes"]["fourth"]) == {"solve", "tables", "figures", "claims"}


def test_it_has_targets(configured: tuple[Project, tuple[str, str]]) -> None:
    project, arguments = configured
    assert project.planned(*arguments) == {}
    stages = {f"fourth_{stage}" for stage in ("solve", "tables", "figures", "claims")}
    for target, without in (
        ("fourth", set()),
        ("tables", {"fourth_figures", "fourth_claims"}),
        ("figures", {"fourth_tables", "fourth_claims"}),
        ("claims", {"fourth_tables", "fourth_figures"}),
        ("report", set()),
    ):
        planned = project.planned("--forceall", target, *arguments)
        assert {rule for rule in planned if "fourth_" in rule} == stages - without
        assert ("report" in planned) == (target == "report")
        assert ("weva_tables" in planned) == (target in ("tables", "report"))


def test_an_edit_of_it_reruns_it_alone(configured: tuple[Project, tuple[str, str]]) -> None:
    project, arguments = configured
    path = project.folder / "src/cfrlab/papers/fourth/figures.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\nEDITED = True\n", encoding="utf-8")
    planned = project.planned(*arguments)
    path.write_text(text, encoding="utf-8")
    assert planned == {"fourth_figures": 1, "report": 1}


def test_it_is_in_the_snapshot_and_verified(configured: tuple[Project, tuple[str, str]]) -> None:
    project, arguments = configured
    assert "all that is there belongs there" in python(project, "workflow/verify.py", *arguments)
    python(project, "workflow/snapshot.py", *arguments, "--target", "docs/fourth")
    index = (project.folder / "docs/fourth/README.md").read_text(encoding="utf-8")
    for text in ("## Fourth", "[Values of the game](tables/fourth_values.md)", "With 3 ranks"):
        assert text in index
    assert (project.folder / "docs/fourth/figures/fourth_fig1.png").is_file()
    # A digit that was changed is found by both.
    table = project.folder / RESULTS / "tables/fourth_values.csv"
    before = table.read_bytes()
    table.write_bytes(before.replace(b"0.05", b"0.06"))
    found = python(project, "workflow/verify.py", *arguments, succeed=False)
    rebuild = "--configfile fourth.yaml --force"
    assert f"{RESULTS}/tables/fourth_values.csv: altered; rebuild it with: snakemake" in found
    assert rebuild in found
    copied = ("workflow/snapshot.py", *arguments, "--target", "docs/fourth")
    assert "fourth_values.csv: altered" in python(project, *copied, succeed=False)
    table.write_bytes(before)


def test_without_its_section_it_leaves_no_trace(
    configured: tuple[Project, tuple[str, str]],
) -> None:
    """Its files are there; a configuration without its section has no rule of it."""
    project, _ = configured
    config = project.read_config("fourth.yaml")
    del config["fourth"]
    arguments = project.write_config("without.yaml", config)
    assert set(project.planned(*arguments)) <= {"report"}
    listed = project.run("--list-rules", *arguments)
    assert "fourth" not in listed
    found = python(project, "workflow/verify.py", *arguments, succeed=False)
    assert f"{RESULTS}/fourth/3.npz: nothing in this configuration makes it" in found
    assert Path(project.folder / RESULTS / "fourth/3.npz").is_file()
