"""The smoke workflow makes every promised file, with the numbers of a direct computation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cfrlab import config, plugins
from cfrlab.abstraction import kmeans
from cfrlab.games.game import Game
from cfrlab.papers.weva import artifacts, records
from cfrlab.papers.weva.plan import WevaPlan
from cfrlab.papers.weva.section import FEATURES, game_seed
from cfrlab.pipeline import store
from cfrlab.pipeline.store import Artifact
from cfrlab.reporting.claims import COLUMNS
from cfrlab.schema import GAMES
from cfrlab.seeds import seed_for
from cfrlab.solve import walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.phi import Abstraction, BucketMap
from cfrlab.solve.rule import Rule
from workflow_project import SMOKE, Project

pytestmark = pytest.mark.workflow

TABLES = [f"weva_{solver}table{k}" for solver in ("", "dcfr_") for k in (1, 2, 3)]
FIGURES = [f"weva_fig{k}" for k in (1, 2, 3, 5, 6)]
TABLE_COLUMNS = [
    "method",
    "warmup",
    "buckets",
    "averaging",
    "mean",
    "sem",
    "n",
    "unit",
    "published",
    "published_pm",
    "ratio",
]


def test_every_table_has_its_columns_and_a_footer(smoke: Path) -> None:
    for name in TABLES:
        table = pd.read_csv(smoke / f"tables/{name}.csv")
        assert list(table.columns) == TABLE_COLUMNS
        assert len(table) > 0
        assert np.all(table["mean"] >= 0)
        assert set(table["n"]) == {2}
        assert set(table["averaging"]) == {"simultaneous-uniform", "alternating-quadratic"}
        markdown = (smoke / f"tables/{name}.md").read_text(encoding="utf-8")
        assert "Made from configuration `" in markdown.splitlines()[-1]
        assert "seed 1, code `" in markdown.splitlines()[-1]


def test_every_figure_claims_and_report_are_there(smoke: Path) -> None:
    for name in FIGURES:
        for suffix in ("svg", "png", "csv", "md"):
            assert (smoke / f"figures/{name}.{suffix}").stat().st_size > 0
    claims = pd.read_csv(smoke / "claims.csv")
    assert list(claims.columns) == COLUMNS
    page = (smoke / "report/index.html").read_text(encoding="utf-8")
    for name in (*TABLES, *FIGURES):
        assert name in page


def test_nothing_is_left_to_do(project: Project, smoke: Path) -> None:
    assert project.planned(*SMOKE) == {}


def read(paths: Iterable[Path], kind: str) -> Iterator[Artifact]:
    return (store.load(path, kind) for path in paths)


def test_each_record_once(smoke: Path) -> None:
    files = sorted(smoke.glob("exploitability/*/*/*.npz"))
    frame = records.solves(read(files, artifacts.EXPLOITABILITY))
    key = ["game", "solver", "method", "warmup", "buckets", "averaging", "instance", "kmeans_seed"]
    final = frame[frame["is_final"]]
    assert not final.duplicated(key).any()
    # 4 games, methods (4, 3, 2, 2), x 2 solvers x 3 K x 2 averaging rules x 2 instances x 2 seeds.
    assert len(final) == 11 * 2 * 3 * 2 * 2 * 2
    curve = frame[~frame["is_final"]]
    assert set(curve["solver"]) == {"pcfr-plus"}
    assert set(curve["buckets"]) == {12}
    assert set(curve["kmeans_seed"]) == {0}
    assert set(curve["iteration"]) == {5, 10, 20, 50}
    assert (frame["exploitability"] > -1e-12).all()


def test_more_iterations_bring_the_full_game_nearer_its_equilibrium(smoke: Path) -> None:
    curves = records.curves(read(sorted(smoke.glob("oracle/*/*.npz")), artifacts.ORACLE))
    assert set(curves["where"]) == {"root", "inner"}
    last = curves["iteration"].max()
    for _, curve in curves.groupby(["game", "instance", "player", "where"]):
        points = curve.set_index("iteration")
        assert points["exploitability"][last] < points["exploitability"][1] / 10
        assert points["rho"][last] == pytest.approx(1, abs=1e-12)
        assert (points["rho_min"] <= points["rho"] + 1e-12).all()


@pytest.mark.parametrize(
    ("game", "method", "solver"),
    [("hunl-river", "ev-nd-w2", "pcfr-plus"), ("random-game-12", "equity", "dcfr")],
)
def test_a_record_from_first_principles(
    project: Project, smoke: Path, game: str, method: str, solver: str
) -> None:
    """Without compression, artifacts or the compiled best response, the same exploitability."""
    plan = config.load(project.read_config()).plans["weva"]
    assert isinstance(plan, WevaPlan)
    instance, k, seed = 1, 6, 1
    built = _build(plan, game, instance)
    maps = [
        kmeans.buckets(
            _features(plan, built, game, method, player),
            k,
            seed_for(plan.seed, "weva", "kmeans", game, method, player, instance, k, seed),
        ).labels
        for player in (0, 1)
    ]
    path = smoke / f"exploitability/{game}/{solver}/{method}.npz"
    frame = records.solves(read([path], artifacts.EXPLOITABILITY))
    for name, schedule in plan.section.averaging.items():
        rule = Rule.named(solver, schedule.alternating, schedule.power)
        solved = CFR(built, rule, Abstraction(BucketMap(maps[0]), BucketMap(maps[1])))
        solved.run(plan.section.iterations)
        profile = solved.average()
        best = [built.weights[p] @ walk.best_response_values(built, profile, p)[0] for p in (0, 1)]
        here = (frame["instance"] == instance) & (frame["buckets"] == k) & frame["is_final"]
        row = frame[here & (frame["kmeans_seed"] == seed) & (frame["averaging"] == name)].squeeze()
        assert row["exploitability"] == pytest.approx(sum(best) / 2 / built.pot, abs=1e-10)
        assert row["value"] == pytest.approx(walk.value(built, profile) / built.pot, abs=1e-10)
        assert row["k_effective_0"] == maps[0].max() + 1


def _build(plan: WevaPlan, label: str, instance: int) -> Game:
    game = plan.games[label]
    module = plugins.load(GAMES, game.zoo, "game")
    rng = np.random.default_rng(game_seed(plan.seed, label, instance))
    built: Game = module.build(module.Params(**game.options), rng)
    return built


def _features(plan: WevaPlan, built: Game, game: str, name: str, player: int) -> Any:
    method = plan.methods[game][name]
    module = plugins.load(FEATURES, method.feature, "method")
    profile = None
    if method.warmup is not None:
        warm = plan.section.warmup
        assert warm
        solver = CFR(built, Rule.named(warm.solver, warm.alternating, warm.averaging))
        solver.run(method.warmup)
        profile = solver.average()
    return module.features(built, player, module.Params(**method.params), profile)


def test_artifacts_say_what_they_were_made_from(smoke: Path) -> None:
    path = smoke / "exploitability/hunl-river/dcfr/ev-nd-w5.npz"
    artifact = store.load(path, artifacts.EXPLOITABILITY)
    assert artifact.provenance.config == {
        "game": "hunl-river",
        "solver": "dcfr",
        "method": "ev-nd",
        "warmup": 5,
    }
    assert len(artifact.provenance.code) == 64
    assert artifact.provenance.libraries["numpy"] == np.__version__
    buckets = store.load(smoke / "buckets/hunl-river/ev-nd-w5.npz", artifacts.BUCKETS)
    assert buckets.provenance.seed == 1
    assert buckets.provenance.config["buckets"] == [3, 6, 12]
