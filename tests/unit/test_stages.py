"""Stages of the workflow as functions; the whole of it is tested in tests/workflow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType as Stage
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from cfrlab.abstraction.features import equity
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.zoo import kuhn
from cfrlab.papers.weva import artifacts
from cfrlab.papers.weva.stages import game as game_stage
from cfrlab.papers.weva.stages import warmup as warmup_stage
from cfrlab.papers.weva.stages.buckets import cluster
from cfrlab.papers.weva.stages.evaluate import COLUMNS, evaluate
from cfrlab.papers.weva.stages.features import extract
from cfrlab.papers.weva.stages.game import generate
from cfrlab.papers.weva.stages.oracle import correlations, curves
from cfrlab.papers.weva.stages.solve import Run, plan, solve
from cfrlab.pipeline import store
from cfrlab.pipeline.job import Job
from cfrlab.seeds import seed_for
from cfrlab.solve import walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.compress import lift
from cfrlab.solve.rule import Rule

OPTIONS = {"hands": 9, "betting": {"pot": 4.0, "stack": 8.0}}
SRC = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [generate("random-game", OPTIONS, seed) for seed in (1, 2)]


def job(stage: Stage, output: Path, **parameters: Any) -> Path:
    """Run a stage on files, as the workflow does; return the first output."""
    inputs = parameters.pop("inputs", {})
    given = {"stage": "test", "key": {}, "config": {}, "seed": None, "code": "0" * 64, **parameters}
    anything = {name: [None] * len(paths) for name, paths in inputs.items()}
    files = {name: [str(path) for path in paths] for name, paths in inputs.items()}
    stage.run(Job(files, {"main": [str(output)]}, {**given, "inputs": anything}))
    return output


def test_a_game_depends_on_its_seed_alone(games: list[Game], tmp_path: Path) -> None:
    config = {"zoo": "random-game", "options": OPTIONS}
    first, again, other = (
        job(game_stage, tmp_path / name, config=config, seed=seed)
        for name, seed in (("a.npz", 1), ("b.npz", 1), ("c.npz", 2))
    )
    assert first.read_bytes() == again.read_bytes()
    assert first.read_bytes() != other.read_bytes()
    stored = store.load(first, artifacts.GAME)
    loaded, profile = Game.from_arrays(stored.arrays, stored.meta), games[0].uniform()
    assert walk.value(loaded, profile) == walk.value(games[0], profile)


def test_warm_ups_survive_their_file(games: list[Game], tmp_path: Path) -> None:
    config = {"zoo": "random-game", "options": OPTIONS}
    files = [job(game_stage, tmp_path / f"{s}.npz", config=config, seed=s) for s in (1, 2)]
    how = {"solver": "cfr", "alternating": False, "averaging": 0, "iterations": 3}
    path = job(warmup_stage, tmp_path / "w3.npz", config=how, inputs={"games": files})
    loaded = artifacts.profiles(store.load(path, artifacts.WARMUP))
    solver = CFR(games[1], Rule.named("cfr"))
    solver.run(3)
    for player in (0, 1):
        np.testing.assert_array_equal(loaded[1][player], solver.average()[player])


def test_rank_correlations_are_scipys() -> None:
    rng = np.random.default_rng(3)
    ours, oracle = rng.integers(0, 5, (2, 4, 30)).astype(float)  # many ties
    expected = [spearmanr(a, b).statistic for a, b in zip(ours, oracle, strict=True)]
    np.testing.assert_allclose(correlations(ours, oracle), expected, atol=1e-14)


def test_rank_correlation_of_equal_values_is_unknown() -> None:
    rho = correlations(np.array([[1.0, 1, 1], [1, 2, 3]]), np.array([[1.0, 2, 3], [3, 2, 1]]))
    assert np.isnan(rho[0])
    assert rho[1] == pytest.approx(-1)


def test_curves_are_those_of_one_run(games: list[Game]) -> None:
    """Points beyond the first chunk of iterations, and the same values as a run straight there."""
    rule = Rule.named("cfr")
    found = curves(games[0], rule, [2, 1500], 2100)
    assert found["iterations"].tolist() == [2, 1500, 2100]
    averages = []
    for iterations in (1500, 2100):
        solver = CFR(games[0], rule)
        solver.run(iterations)
        averages.append(solver.average())
    best = [
        games[0].weights[p] @ walk.best_response_values(games[0], averages[0], p)[0] for p in (0, 1)
    ]
    assert found["exploitability"][1] == pytest.approx(sum(best) / 2 / games[0].pot, abs=1e-12)
    values = [walk.expected_values(games[0], average) for average in averages]
    for player in (0, 1):
        rho = spearmanr(values[0][player][0], values[1][player][0]).statistic
        assert found["rho_root"][1, player] == pytest.approx(rho, abs=1e-12)
    inner = np.flatnonzero(games[0].tree.player >= 0)[1:]
    assert found["rho_inner"].shape == (3, 2, len(inner))
    rho = spearmanr(values[0][1][inner[2]], values[1][1][inner[2]]).statistic
    assert found["rho_inner"][1, 1, 2] == pytest.approx(rho, abs=1e-12)


def test_features_that_need_a_warm_up_say_so(games: list[Game]) -> None:
    with pytest.raises(CfrlabError, match="needs the profile of a warm-up"):
        extract([(games[0], None)], "ev-root", {})


def test_every_bucket_map_has_a_seed_of_its_own(games: list[Game]) -> None:
    features = extract([(game, None) for game in games], "equity", {})
    asked = []

    def seed_of(*key: int) -> int:
        asked.append(key)
        return seed_for(1, *key)

    labels = cluster(features, 2, [2, 4], 3, 1, seed_of)
    assert len(asked) == len(set(asked)) == len(labels) == 2 * 2 * 3 * 2
    assert all(array.dtype == np.int32 for array in labels.values())
    assert max(array.max() for array in labels.values()) <= 3


def test_the_plan_keeps_curves_of_one_k_and_seed() -> None:
    runs = plan(1, [2, 4], 2, 10, {"4": [3, 10]})
    assert runs == [
        Run(0, 2, 0, [10]),
        Run(0, 2, 1, [10]),
        Run(0, 4, 0, [3, 10]),
        Run(0, 4, 1, [10]),
    ]


def test_records_are_of_lifted_strategies(games: list[Game]) -> None:
    """Each record is the half-sum of best responses to its own strategy, in pots."""
    labels = {
        artifacts.labels(player, i, 3, 0): (np.arange(9) % 3).astype(np.int32)
        for player in (0, 1)
        for i in (0, 1)
    }
    runs = [Run(i, 3, 0, [5, 20]) for i in (0, 1)]
    rules = [Rule.named("dcfr", False, 0), Rule.named("dcfr", True, 2)]
    strategies = solve(games, labels, runs, rules)
    asked = [{"instance": i, "buckets": 3, "seed": 0, "iterations": [5, 20]} for i in (0, 1)]
    columns = evaluate(games, labels, strategies, asked, ["plain", "quadratic"])
    assert set(columns) == set(COLUMNS)
    assert columns["instance"].tolist() == [0] * 4 + [1] * 4
    assert columns["averaging"].tolist() == ["plain", "plain", "quadratic", "quadratic"] * 2
    assert columns["iteration"].tolist() == [5, 20] * 4
    for row, (instance, rule, at) in enumerate(np.ndindex(2, 2, 2)):
        rows = [strategies[artifacts.strategies(p, instance, 3, 0)][rule, at] for p in (0, 1)]
        maps = (
            labels[artifacts.labels(0, instance, 3, 0)],
            labels[artifacts.labels(1, instance, 3, 0)],
        )
        game, profile = games[instance], lift((rows[0], rows[1]), maps)
        best = [game.weights[p] @ walk.best_response_values(game, profile, p)[0] for p in (0, 1)]
        assert columns["exploitability"][row] == pytest.approx(sum(best) / 2 / 4, abs=1e-12)
        assert columns["value"][row] == pytest.approx(walk.value(game, profile) / 4, abs=1e-12)


def test_parallel_jobs_compile_once(tmp_path: Path) -> None:
    """Two processes with an empty cache: one compiles, the other waits and loads."""
    code = (
        "from cfrlab.logs import stage\n"
        "from cfrlab.pipeline.compiled import trees\n"
        "with stage(None):\n"
        "    trees.ensure()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SRC), "NUMBA_CACHE_DIR": str(tmp_path)}
    jobs = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    logs = [job.communicate()[1] for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], logs
    assert sum("compiling" in log for log in logs) == 1
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert len(compiled) > 10
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled


def test_equal_instances_are_one_board() -> None:
    """Nothing is drawn in Kuhn poker: two instances are not two samples."""
    games = [kuhn.build(kuhn.Params(), np.random.default_rng(i)) for i in (0, 1)]
    labels = {artifacts.labels(p, i, 2, 0): np.array([0, 1, 1]) for p in (0, 1) for i in (0, 1)}
    runs = [Run(i, 2, 0, [5]) for i in (0, 1)]
    strategies = solve(games, labels, runs, [Rule.named("cfr")])
    asked = [{"instance": i, "buckets": 2, "seed": 0, "iterations": [5]} for i in (0, 1)]
    columns = evaluate(games, labels, strategies, asked, ["plain"])
    assert columns["instance"].tolist() == [0, 0]


def test_a_feature_of_another_shape_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    game = kuhn.build(kuhn.Params(), np.random.default_rng(0))
    for wrong in (np.ones(3), np.ones((2, 1)), np.full((3, 1), np.nan)):
        monkeypatch.setattr(equity, "features", lambda *_, wrong=wrong: wrong)
        with pytest.raises(CfrlabError, match=r"feature equity: .*\[3 hands, d\]") as error:
            extract([(game, None)], "equity", {})
        assert "\n" not in str(error.value)
