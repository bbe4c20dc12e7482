"""A run of CFR-D alone: every file, and the numbers of a direct computation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.resolving import Resolver
from cfrlab.pipeline import checksums
from cfrlab.solve.response import Evaluator
from leduc_cut import CFR_RULE, equilibrium, kuhn, leduc
from workflow_project import Project, contents

pytestmark = pytest.mark.workflow

FIGURES = ("cfrd_fig3", "cfrd_fig4", "cfrd_fig5", "cfrd_memory")


def run(project: Project, name: str, cores: int) -> Path:
    """Run the CFR-D section of the smoke configuration; return the folder of results."""
    config = project.read_config()
    alone = {"seed": config["seed"], "results_dir": f"results/{name}", "cfrd": config["cfrd"]}
    project.run("--cores", str(cores), *project.write_config(f"{name}.yaml", alone))
    return project.folder / "results" / name


@pytest.fixture(scope="module")
def results(project: Project) -> Path:
    return run(project, "cfrd-alone", 2)


def test_every_file_is_there(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(results.parents[1])
    drawn = checksums.verify(results / "checksums/cfrd_figures.sha256")
    wanted = [f"{name}.{s}" for name in FIGURES for s in ("svg", "png", "csv", "md")]
    assert sorted(Path(path).name for path in drawn) == sorted(wanted)
    assert len(checksums.verify(results / "checksums/cfrd_claims.sha256")) == 1
    assert not list(results.rglob("*checkpoint*"))


def test_claims_are_judged_where_there_is_data(results: Path) -> None:
    claims = pd.read_csv(results / "claims/cfrd.csv").set_index("id")
    assert claims.loc["cfrd-memory", "verdict"] == "reproduced"
    assert claims.loc["cfrd-unsafe-limit", "verdict"] == "not measured"


def test_results_do_not_depend_on_the_number_of_cores(project: Project, results: Path) -> None:
    one_core = run(project, "cfrd-one-core", 1)
    ours, theirs = (contents(folder, "claims", "claims.csv") for folder in (results, one_core))
    assert sorted(ours) == sorted(theirs)
    judged = [pd.read_csv(folder / "claims.csv", index_col="id") for folder in (results, one_core)]
    # One claim is about a measured time.
    first, second = (table.drop("cfrd-safe-run-time") for table in judged)
    pd.testing.assert_frame_equal(first, second)
    assert [name for name, content in ours.items() if content != theirs[name]] == []
    # What is measured is left out above, and only that.
    assert {Path(name).parts[1] for name in ours if name.startswith("cfrd/")} == {
        "cfrd-run",
        "cfrd-grid",
        "cfrd-curve",
        "cfrd-improved",
        "cfrd-scaled",
    }


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_figure_4_is_what_a_run_gives(results: Path, game: str) -> None:
    data = pd.read_csv(results / "figures/cfrd_fig4.csv")
    cut = {"kuhn": kuhn(), "leduc": leduc()}[game]
    run = CFRD(cut, CFR_RULE, Variant(80, CFR_RULE))
    run.run(100)
    resolver = Resolver(cut, run.trunk_average(), "safe", CFR_RULE, run.root_values())
    resolver.run(1000)
    rows = data[(data["game"] == game) & (data["method"] == "paper")]
    point = rows[(rows["trunk"] == 100) & (rows["subgame"] == 80)].set_index("quantity")["value"]
    expected = Evaluator(cut.game).exploitability(resolver.profile())
    assert point["exploitability"] == pytest.approx(expected, rel=1e-4)
    assert np.isfinite(point["exact"])


def test_figure_3_is_what_resolving_gives(results: Path) -> None:
    data = pd.read_csv(results / "figures/cfrd_fig3.csv")
    resolver = Resolver(leduc(), equilibrium(), "safe", CFR_RULE)
    resolver.run(400)
    rows = data[(data["method"] == "safe") & (data["case"] == "uniform")]
    found = rows[(rows["iterations"] == 400)]["value"].item()
    expected = Evaluator(leduc().game).exploitability(resolver.profile())
    assert found == pytest.approx(expected, rel=1e-4)


def test_measured_memory_is_near_what_is_calculated(results: Path) -> None:
    data = pd.read_csv(results / "figures/cfrd_memory.csv")
    measured = data[data["figure"] == "memory"]
    value = measured.pivot_table(index="method", columns="quantity", values="value")
    assert value.loc["cfr-d", "peak_bytes"] < value.loc["cfr", "peak_bytes"]
    # The numbers kept, and the compiled game beside them.
    assert value.loc["cfr", "peak_bytes"] > 0.8 * value.loc["cfr", "predicted_bytes"]
