"""The smoke workflow's Embedding CFR results: every file, and numbers computed another way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfrlab import config
from cfrlab.abstraction.clusterings import krwemd
from cfrlab.games.rounds import RoundGame
from cfrlab.games.zoo import numeral211
from cfrlab.papers.embedding import artifacts, records
from cfrlab.papers.embedding.plan import EmbeddingPlan
from cfrlab.papers.embedding.stages.curve import B, abstraction, make_solver
from cfrlab.pipeline import store
from cfrlab.pipeline.job import Job
from cfrlab.seeds import rng_for
from cfrlab.solve.cfr import CFR
from cfrlab.solve.phi import BucketMap, Identity, Soft
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rule import Rule
from workflow_project import SMOKE, Project, contents

pytestmark = pytest.mark.workflow

FIGURES = ("embedding_fig5", "embedding_ablation", "embedding_sharpness")


@pytest.fixture(scope="module")
def curves(smoke: Path) -> pd.DataFrame:
    return pd.read_csv(smoke / "tables/embedding_curves.csv", keep_default_na=False)


@pytest.fixture(scope="module")
def plan(project: Project) -> EmbeddingPlan:
    found = config.load(project.read_config()).plans["embedding"]
    assert isinstance(found, EmbeddingPlan)
    return found


def params_of(plan: EmbeddingPlan, game: str) -> numeral211.Params:
    return numeral211.Params(**plan.games[game].options)


def values_at(curves: pd.DataFrame, **where: object) -> dict[str, tuple[float, float]]:
    """Best-response values (b0, b1) of the one curve and point, by averaging rule."""
    rows = curves
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return {row.averaging: (row.b0, row.b1) for row in rows.itertuples()}


def test_every_table_and_figure_is_there_and_in_the_report(smoke: Path) -> None:
    page = (smoke / "report/index.html").read_text(encoding="utf-8")
    for name in FIGURES:
        for suffix in ("svg", "png", "csv", "md"):
            assert (smoke / f"figures/{name}.{suffix}").stat().st_size > 0
        assert name in page
    assert "embedding_counts" in page
    counts = pd.read_csv(smoke / "tables/embedding_counts.csv")
    lossless = counts[counts["partition"] == "lossless"].set_index(["game", "round"])["classes"]
    assert lossless["six"].tolist() == [9, 30, 90]
    assert lossless["twelve"].tolist() == [16, 124, 1020]


def test_every_curve_that_was_asked_for_is_there_once(
    curves: pd.DataFrame, plan: EmbeddingPlan
) -> None:
    key = ["game", "abstraction", "solver", "seed", "averaging", "iteration"]
    assert not curves.duplicated(key).any()
    for name, study in plan.studies.items():
        rows = records.of_study(curves, name)
        assert sorted(set(rows["iteration"])) == sorted(study.points)
        found = set(rows[key[:4]].itertuples(index=False, name=None))
        assert found == {(c.game, c.abstraction, c.solver, c.seed) for c in study.curves}
    assert (curves["nashconv"] > -1e-4).all()


def test_without_abstraction_it_is_the_raw_games_solution(
    curves: pd.DataFrame, plan: EmbeddingPlan
) -> None:
    """The other engine, on the game over raw cards, without classes of hands."""
    game = numeral211.build(params_of(plan, "six"), np.random.default_rng(0))
    solver = CFR(game, Rule.named("cfr"))
    solver.run(20)
    expected = Evaluator(game).exploitability(solver.average())
    found = values_at(curves, game="six", abstraction="lossless", solver="cfr", iteration=20)
    assert sum(found["infoset"]) / 2 == pytest.approx(expected, rel=1e-4)
    assert sum(found["uniform"]) / 2 != pytest.approx(expected, rel=1e-2)


def test_a_clusterings_curve_from_first_principles(
    curves: pd.DataFrame, plan: EmbeddingPlan
) -> None:
    game = numeral211.rounds(params_of(plan, "twelve"))
    rng = rng_for(plan.seed, "embedding", "clustering", "krwemd-linear", 0)
    labels = krwemd.buckets(game, [8, 12], krwemd.Params(weights="linear"), rng, None)
    phi = RoundAbstraction((Identity(game.hands[0]), *map(BucketMap, labels)))
    where = {"game": "twelve", "abstraction": "krwemd-linear", "solver": "cfr", "seed": 0}
    check_curve(game, phi, values_at(curves, **where, iteration=50), 50)


def test_a_networks_curve_from_its_phi(
    smoke: Path, curves: pd.DataFrame, plan: EmbeddingPlan
) -> None:
    game = numeral211.rounds(params_of(plan, "twelve"))
    kept = store.load(smoke / "embedding/phi/twelve/hand/s0.npz", artifacts.PHI).arrays
    matrices = [kept[f"matrix_{r}"].astype(float) for r in (1, 2)]
    phis = [Soft(matrix / matrix.sum(0)) for matrix in matrices]
    phi = RoundAbstraction((Identity(game.hands[0]), *phis))
    where = {"game": "twelve", "abstraction": "hand", "solver": "cfr", "seed": 0}
    check_curve(game, phi, values_at(curves, **where, iteration=20), 20)


def check_curve(
    game: RoundGame, phi: RoundAbstraction, found: dict[str, tuple[float, float]], at: int
) -> None:
    """In float64 and without the workflow's stages, the same values for every averaging rule."""
    averages = ("uniform", "advisor", "infoset")
    solver = RoundCFR(game, Rule.named("cfr"), phi, averages=averages, dtype=np.float64)
    solver.run(at)
    for name in averages:
        assert found[name] == pytest.approx(best_responses(solver.average(name)), rel=1e-3)


def test_sharpening_leaves_fewer_advisors(smoke: Path) -> None:
    phis = pd.read_csv(smoke / "tables/embedding_phis.csv", keep_default_na=False)
    of_network = phis[(phis["network"] == "hand") & (phis["game"] == "twelve")]
    effective = of_network[of_network["seed"] == 0].pivot(
        index="phi", columns="round", values="effective"
    )
    for r in (1, 2):
        assert 1 <= effective.loc["cubed", r] < effective.loc["as-trained", r]
        assert effective.loc["top-2", r] <= 2
    assert (of_network["rows"] <= of_network["budget"]).all()
    assert (of_network["r2"].astype(float) > 0.5).all()


def test_a_killed_curve_goes_on_from_its_checkpoint(
    project: Project, smoke: Path, plan: EmbeddingPlan
) -> None:
    """A checkpoint as a killed job leaves it is taken up, with the same bytes in the end."""
    recipe = plan.make_curve("twelve", "hand", "cfr", "0")
    target = smoke / recipe.path
    expected = target.read_bytes()
    inputs = {name: [str(smoke / r.path) for r in many] for name, many in recipe.inputs.items()}
    job = Job(inputs, {"main": [str(target)]}, recipe.parameters())
    game = artifacts.load_game(job)
    phi = abstraction(game, artifacts.load_phi(job, game))
    solver = make_solver(game, phi, recipe.config["solver"], 0)
    solver.run(7)
    points = recipe.config["points"]
    b = np.full((3, 2, len(points)), np.nan)
    for i in (i for i, t in enumerate(points) if t < 7):
        b[:, :, i] = np.array(list(curve_so_far(target, i)))
    job.checkpoint.write({**solver.state(), B: b})
    name = str(target.relative_to(project.folder))
    project.run("--cores", "1", "--force", name, *SMOKE)
    log = smoke / "logs/embedding_curve/twelve/hand/cfr/0.log"
    assert "goes on from iteration 7" in log.read_text(encoding="utf-8")
    assert target.read_bytes() == expected
    assert not job.checkpoint.path.exists()
    assert project.planned(*SMOKE) == {}


def curve_so_far(path: Path, point: int) -> np.ndarray:
    b: np.ndarray = store.load(path, artifacts.CURVE).arrays["b"][:, :, point]
    return b


def test_without_torch_everything_but_training_runs(
    project: Project, smoke: Path, tmp_path: Path
) -> None:
    missing = "raise ModuleNotFoundError('none', name='torch')\n"
    (tmp_path / "torch.py").write_text(missing, encoding="utf-8")
    network = str((smoke / "embedding/phi/twelve/hand-half/s0.npz").relative_to(project.folder))
    curve = str((smoke / "embedding/curve/six/ev/cfr/s0.npz").relative_to(project.folder))
    blocked = {"PYTHONPATH": str(tmp_path)}
    expected = (project.folder / network).read_bytes()
    project.run("--cores", "1", "--force", curve, *SMOKE, environment=blocked)
    output = project.run(
        "--cores", "1", "--force", network, *SMOKE, environment=blocked, succeed=False
    )
    errors = [line for line in output.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "pip install -r envs/requirements-torch.txt" in errors[0]
    assert "Traceback" not in output
    project.run("--cores", "1", network, *SMOKE)
    assert (project.folder / network).read_bytes() == expected, "the same seed, the same Phi"
    assert project.planned(*SMOKE) == {}


def test_alone_and_on_one_core_it_makes_the_same_bytes(project: Project, smoke: Path) -> None:
    """Neither other papers' sections nor the number of cores change a result."""
    loaded = project.read_config()
    alone = {key: loaded[key] for key in ("seed", "embedding")}
    alone["results_dir"] = "results/embedding-alone"
    project.run("--cores", "1", *project.write_config("embedding-alone.yaml", alone))
    # The claims of all papers are one file.
    found = contents(project.folder / alone["results_dir"], "claims.csv")
    expected = contents(smoke)
    assert len(found) > 60
    assert found == {name: expected[name] for name in found}
