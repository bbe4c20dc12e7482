"""Stages of the embedding experiments: files, checkpoints, curves, and the frames made of them."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cfrlab.abstraction.embedding import weights
from cfrlab.abstraction.embedding.params import Params
from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.papers.embedding import artifacts, counts, records
from cfrlab.papers.embedding.artifacts import CURVE, GAME, PHI, VALUES, StoredPhi, fingerprints
from cfrlab.papers.embedding.plan import EmbeddingPlan
from cfrlab.papers.embedding.section import EmbeddingSection
from cfrlab.papers.embedding.stages import train as train_stage
from cfrlab.papers.embedding.stages.buckets import about_labels, cluster
from cfrlab.papers.embedding.stages.curve import about, abstraction, follow, make_solver
from cfrlab.papers.embedding.stages.curve import run as run_curve
from cfrlab.papers.embedding.stages.game import generate
from cfrlab.papers.embedding.stages.transform import transform
from cfrlab.papers.embedding.stages.values import warm_up
from cfrlab.pipeline import store
from cfrlab.pipeline.checkpoint import Checkpoint
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.recipe import Recipe
from cfrlab.schema import validate
from cfrlab.solve.phi import BucketMap
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rule import Rule

ROOT = Path(__file__).parents[2]
MADE = Provenance({"points": [3, 8]}, 1, "0" * 64)
OPTIONS = {"ranks": "234", "suits": "cd", "max_raises": 1}
SOLVER: dict[str, Any] = {
    "rule": "cfr-plus",
    "alternating": True,
    "averaging": 1.0,
    "averages": ["uniform", "infoset"],
    "baseline": True,
    "deals": None,
}
NAMES = {
    "game": "six",
    "abstraction": "halves",
    "family": "ehs",
    "network": "",
    "phi": "",
    "seed": 0,
}


@pytest.fixture(scope="module")
def game() -> RoundGame:
    return generate("numeral211", OPTIONS)


SECTION = {
    "games": {"six": {"zoo": "numeral211", **OPTIONS}},
    "budgets": [6, 9],
    "warmup": {"rule": "cfr", "alternating": False, "averaging": 0, "iterations": 2},
    "clusterings": {"ehs": {}, "ev": {}},
    "networks": {
        "hand": {
            "supervision": "winrate",
            "params": {"hidden": [16], "steps": 50, "batch": 32, "rate": 0.01, "min_r2": 0},
        }
    },
    "transforms": {"cubed": {"power": 3}},
    "solvers": {"cfr": {key: value for key, value in SOLVER.items() if key != "deals"}},
    "figure5": {
        "games": ["six"],
        "points": [1, 3],
        "curves": [{"abstractions": ["ehs", "ev", "hand/cubed"], "solvers": ["cfr"], "seeds": 1}],
    },
}


KINDS = {"game": GAME, "values": VALUES, "curve": CURVE}
KINDS |= dict.fromkeys(("buckets", "train", "transform"), PHI)


def plan(**changed: Any) -> EmbeddingPlan:
    return EmbeddingPlan.of(validate(EmbeddingSection, {**SECTION, **changed}), 1)


def job_of(recipe: Recipe, folder: Path) -> Job:
    """What a recipe's stage is given, with all files in a folder."""
    inputs = {name: [str(folder / r.path) for r in many] for name, many in recipe.inputs.items()}
    outputs = {"main": [str(folder / recipe.path)]}
    if recipe.stage == "train":
        outputs["weights"] = [str(folder / f"round{r}.safetensors") for r in (2, 3)]
    return Job(inputs, outputs, recipe.parameters())


def run(recipe: Recipe, folder: Path) -> store.Artifact:
    """Run a recipe's stage; return what it made."""
    job = job_of(recipe, folder)
    importlib.import_module(recipe.module).run(job)
    job.checkpoint.remove()
    return store.load(job.output, KINDS[recipe.stage], recipe.identity())


def stored(game: RoundGame, arrays: list[Any], folder: Path, rounds: list[Any]) -> Job:
    """A job that reads a Phi of these arrays as `artifacts.save_phi` writes them."""
    recipe = plan().make_curve("six", "ehs", "cfr", "0")
    (made,) = recipe.inputs["phi"]
    artifacts.save_phi(job_of(made, folder), game, arrays, NAMES, rounds)
    return job_of(recipe, folder)


@pytest.fixture
def phi(game: RoundGame, tmp_path: Path) -> StoredPhi:
    """Buckets on the flop, mixtures on the turn."""
    rng = np.random.default_rng(0)
    labels = (np.arange(30) % 4).astype(np.int32)
    matrix = rng.dirichlet(np.ones(5), 90).T.astype(np.float32)
    second = {"classes": 90, "budget": 5, "rows": 5, "effective": 2.5, "dead": 0, "r2": 0.9}
    job = stored(game, [labels, matrix], tmp_path, [about_labels(labels, 6), second])
    loaded = artifacts.load_phi(job, game)
    np.testing.assert_array_equal(loaded.arrays[0], labels)
    np.testing.assert_array_equal(loaded.arrays[1], matrix)
    assert loaded.arrays[1].dtype == np.float32
    return loaded


def test_every_stage_makes_what_the_next_one_reads(game: RoundGame, tmp_path: Path) -> None:
    """All jobs behind Figure 5, in order; and a job gives the same bytes again."""
    found = plan()
    made = {recipe.job: run(recipe, tmp_path) for r in found.curves for recipe in r.behind()}
    assert {name.split("/")[0].removeprefix("embedding_") for name in made} == {
        *("game", "values", "buckets", "train", "transform", "curve"),
    }
    curve = made["embedding_curve/six/hand/cubed/cfr/0"]
    assert (curve.meta["family"], curve.meta["network"]) == ("embedding", "hand")
    assert curve.meta["phi"] == "cubed"
    assert curve.arrays["points"].tolist() == [1, 3]
    assert "torch" in made["embedding_train/six/hand/0"].provenance.libraries
    assert "torch" not in curve.provenance.libraries

    studies = found.make_figures().config["studies"]
    curves = [artifact for name, artifact in made.items() if "_curve/" in name]
    frame = records.curves(curves, studies)
    assert set(frame["abstraction"]) == {"ehs", "ev", "hand/cubed"}
    assert set(frame["studies"]) == {"figure5"}
    phis = records.phis(artifact for artifact in made.values() if "rounds" in artifact.meta)
    assert phis["abstraction"].tolist() == [
        *("ehs", "ehs", "ev", "ev", "hand", "hand"),
        *2 * ["hand/cubed"],
    ]

    for recipe in (found.make_buckets("six", "ev", "0"), found.curves[-1]):
        before = Path(tmp_path / recipe.path).read_bytes()
        run(recipe, tmp_path)
        assert Path(tmp_path / recipe.path).read_bytes() == before


def test_games_survive_their_files(game: RoundGame, tmp_path: Path) -> None:
    found = plan()
    run(found.make_game("six"), tmp_path)
    loaded = artifacts.load_game(job_of(found.make_values("six"), tmp_path))
    solvers = [RoundCFR(g, Rule.named("cfr")) for g in (game, loaded)]
    for solver in solvers:
        solver.run(2)
    first, second = (best_responses(solver.average("advisor")) for solver in solvers)
    assert first == second


def test_only_hands_decide_whether_a_phi_fits(game: RoundGame) -> None:
    stakes = generate("numeral211", {**OPTIONS, "ante": 20, "bets": [20, 40, 40]})
    assert fingerprints(stakes) == fingerprints(game)
    for other in ({"ranks": "345"}, {"suits": "ch"}, {"ranks": "2345"}):
        made = fingerprints(generate("numeral211", {**OPTIONS, **other}))
        assert all(a != b for a, b in zip(made, fingerprints(game), strict=True))


def test_a_phi_of_another_game_is_refused(game: RoundGame, tmp_path: Path) -> None:
    labels = [np.zeros(n, np.int32) for n in game.hands[1:]]
    known = [about_labels(part, 1) for part in labels]
    job = stored(game, labels, tmp_path, known)
    other = generate("numeral211", {**OPTIONS, "ranks": "345"})
    refused(
        lambda: artifacts.load_phi(job, other), job, "its columns are not the hands of round 1 "
    )
    for wrong in (labels[:1], labels[::-1]):
        job = stored(game, wrong, tmp_path, known)
        refused(lambda job=job: artifacts.load_phi(job, game), job, "are not one for each round")  # type: ignore[misc]


FLOP = np.zeros(30, np.int32)
TURN = np.full((2, 90), 0.5, np.float32)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([FLOP, TURN * 1.01], r"round 3: abstraction matrix: column 0 .* its sum 1.01"),
        ([FLOP + 1, TURN], r"round 2: bucket map: bucket 0 of 2 is empty"),
        ([FLOP.astype(float), TURN], r"round 2: bucket map: need one integer label"),
    ],
)
def test_what_is_no_phi_is_refused_by_file_and_round(
    game: RoundGame, tmp_path: Path, arrays: list[Any], message: str
) -> None:
    run(plan().make_game("six"), tmp_path)
    job = stored(game, arrays, tmp_path, [{}, {}])
    refused(lambda: run_curve(job), job, message)


def test_a_phi_is_the_one_that_was_asked_for(game: RoundGame, tmp_path: Path) -> None:
    """A file of other budgets in the place of the right one."""
    stored(game, [FLOP, TURN], tmp_path, [{}, {}])
    job = job_of(plan(budgets=[5, 9]).make_curve("six", "ehs", "cfr", "0"), tmp_path)
    message = r"made with config.budgets \[6, 9\], but \[5, 9\] is asked for"
    refused(lambda: artifacts.load_phi(job, game), job, message)


def refused(action: Callable[[], Any], job: Job, message: str, name: str = "phi") -> None:
    """One line: the file, what is wrong with it, and how to make it anew."""
    path = job.inputs[name][0]
    with pytest.raises(CfrlabError, match=message) as caught:
        action()
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith(f"{path}: ")
    assert line.endswith(f"; rebuild it with: {store.rebuild_command(path)}")


def test_values_are_those_of_the_game_beside_them(game: RoundGame, tmp_path: Path) -> None:
    found = plan()
    run(found.make_game("six"), tmp_path)
    made = run(found.make_values("six"), tmp_path)
    for r, array in enumerate(warm_up(game, Rule.named("cfr", False, 0), 2)):
        assert len(array) == game.hands[r]
        np.testing.assert_array_equal(made.arrays[f"values_{r}"], array)
    other = plan(games={"six": {"zoo": "numeral211", **OPTIONS, "ante": 6}})
    run(other.make_game("six"), tmp_path)
    job = job_of(other.make_buckets("six", "ev", "0"), tmp_path)
    artifacts.load_game(job)
    refused(
        lambda: artifacts.load_values(job),
        job,
        "made from results of another configuration",
        "values",
    )


@pytest.mark.parametrize("clustering", ["ehs", "ev"])
def test_clusterings(game: RoundGame, clustering: str) -> None:
    values = warm_up(game, Rule.named("cfr"), 2)
    rng = np.random.default_rng(0)
    labels, told = cluster(game, clustering, [3, 90], {}, rng, values)
    for r, (found, part) in enumerate(zip(labels, told, strict=True), start=1):
        assert len(found) == game.hands[r] == part["classes"]
        assert part["rows"] == len(np.unique(found)) == part["budget"] - part["dead"]
        assert part["effective"] == 1
    assert told[0]["rows"] == 3


def test_a_curve_is_what_best_responses_say(game: RoundGame, phi: StoredPhi) -> None:
    arrays = follow(
        make_solver(game, abstraction(game, phi), SOLVER, 0), SOLVER["averages"], [8, 3]
    )
    assert arrays["points"].tolist() == [3, 8]
    assert arrays["b"].shape == (2, 2, 2)
    for i, iterations in enumerate((3, 8)):
        solver = make_solver(game, abstraction(game, phi), SOLVER, 0)
        solver.run(iterations)
        for k, name in enumerate(SOLVER["averages"]):
            expected = best_responses(solver.average(name))
            np.testing.assert_array_equal(arrays["b"][k, :, i], expected)
    # The solver is the one that was asked for.
    plain = make_solver(game, abstraction(game, phi), {**SOLVER, "baseline": False}, 0)
    other = follow(plain, SOLVER["averages"], [8])
    assert np.abs(other["b"][:, :, 0] - arrays["b"][:, :, 1]).max() > 1e-3


class Interrupted(Exception):
    """The end of a job in its middle."""


class Clock:
    """Seconds that pass with every look, until the job is killed."""

    def __init__(self, looks: int) -> None:
        self.now, self.looks = 0.0, looks

    def __call__(self) -> float:
        self.now += 1
        if self.now > self.looks:
            raise Interrupted
        return self.now


@pytest.mark.parametrize("deals", [None, 20])
def test_a_curve_goes_on_exactly(
    game: RoundGame,
    phi: StoredPhi,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    deals: int | None,
) -> None:
    options = {**SOLVER, "deals": deals}
    points = [2, 5, 9]
    expected = follow(
        make_solver(game, abstraction(game, phi), options, 7), SOLVER["averages"], points
    )
    checkpoint = Checkpoint(tmp_path / "s0.checkpoint.npz", MADE)
    with pytest.raises(Interrupted):
        follow(
            make_solver(game, abstraction(game, phi), options, 7),
            SOLVER["averages"],
            points,
            checkpoint,
            2,
            Clock(13),
        )
    with caplog.at_level(logging.INFO, "cfrlab"):
        again = follow(
            make_solver(game, abstraction(game, phi), options, 7),
            SOLVER["averages"],
            points,
            checkpoint,
        )
    resumed = [m for m in caplog.messages if m.startswith("goes on from iteration")]
    assert len(resumed) == 1
    assert 2 <= int(resumed[0].split()[4]) < 9
    for name, array in expected.items():
        np.testing.assert_array_equal(again[name], array)
    checkpoint.remove()
    assert list(tmp_path.glob("s0*")) == []
    checkpoint.remove()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"config": {"points": [9]}}, "of another config, so"),
        ({"seed": 2}, "of another seed, so"),
        ({"code": "1" * 64, "inputs": {"game": ["1"]}}, "of another code and inputs, so"),
        ({"libraries": {"numpy": "1"}}, "of another libraries, so"),
    ],
)
def test_a_stale_checkpoint_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, changed: dict[str, Any], message: str
) -> None:
    path = tmp_path / "s0.checkpoint.npz"
    Checkpoint(path, MADE).write({"x": np.arange(3)})
    kept = Checkpoint(path, MADE).read()
    assert kept is not None
    np.testing.assert_array_equal(kept["x"], np.arange(3))
    with caplog.at_level(logging.INFO, "cfrlab"):
        assert Checkpoint(path, replace(MADE, **changed)).read() is None
    assert message in caplog.text


def test_a_damaged_checkpoint_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "s0.checkpoint.npz"
    checkpoint = Checkpoint(path, MADE)
    assert checkpoint.read() is None
    checkpoint.write({"x": np.arange(3)})
    path.write_bytes(path.read_bytes()[:-40])
    with caplog.at_level(logging.INFO, "cfrlab"):
        assert checkpoint.read() is None
    assert "cannot be read, so it is ignored" in caplog.text


def test_a_checkpoint_belongs_to_the_content_of_its_inputs(tmp_path: Path) -> None:
    found = plan()
    recipe = found.make_curve("six", "ehs", "cfr", "0")
    for one in recipe.behind()[:-1]:
        run(one, tmp_path)

    def checkpoint() -> Checkpoint:
        job = job_of(recipe, tmp_path)
        artifacts.load_phi(job, artifacts.load_game(job))
        return job.checkpoint

    first = checkpoint()
    assert first.path == tmp_path / "embedding/curve/six/ehs/cfr/s0.checkpoint.npz"
    assert first == checkpoint()
    game = artifacts.load_game(job_of(recipe, tmp_path))
    stored(game, [FLOP, TURN], tmp_path, [{}, {}])
    assert first.made.inputs["game"] == checkpoint().made.inputs["game"]
    assert first.made.inputs["phi"] != checkpoint().made.inputs["phi"]


def test_records(game: RoundGame, phi: StoredPhi, tmp_path: Path) -> None:
    b = np.array([[[4.0, 2.0], [6.0, 2.5]], [[10 / 3, 1.0], [np.pi, 1.5]]])
    arrays = {"points": np.array([3, 8]), "b": b}
    key = {"game": "six", "abstraction": "halves", "solver": "cfr", "seed": "1"}
    meta = {**key, "seed": 1, "averages": ["uniform", "infoset"], **about(game, phi)}
    made = replace(MADE, key=key)
    studies = {
        "figure5": {"points": [3, 8], "curves": [key]},
        "floors": {"points": [3, 8], "curves": [{**key, "seed": "0"}]},
        "stakes": {"points": [3], "curves": [key]},
    }
    frame = records.curves([store.Artifact(arrays, meta, made, "")], studies)
    assert list(frame.columns) == records.COLUMNS
    row = frame[(frame["averaging"] == "infoset") & (frame["iteration"] == 8)].squeeze()
    assert row["b0"] == 1
    assert row["nashconv"] == 2.5
    assert row["exploitability"] == 1.25
    assert row["milli_antes"] == 1.25 / 5 * 1000  # an ante of 5 chips
    assert (row["rows_1"], row["rows_2"]) == (4, 5)
    assert (row["effective_1"], row["effective_2"]) == (1, 2.5)
    assert row["family"] == "ehs"
    assert len(records.of_study(frame, "figure5")) == 4
    assert records.of_study(frame, "stakes")["iteration"].tolist() == [3, 3]
    assert records.of_study(frame, "floors").empty
    records.write(tmp_path / "curves.csv", frame)
    written = pd.read_csv(tmp_path / "curves.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(written, frame)


def test_records_of_abstractions(phi: StoredPhi, tmp_path: Path) -> None:
    frame = records.phis([store.Artifact({}, phi.meta, MADE, "")])
    assert list(frame.columns) == records.PHI_COLUMNS
    assert frame["round"].tolist() == [1, 2]
    assert frame["dead"].tolist() == [2, 0]
    assert np.isnan(frame["r2"][0])
    assert frame["r2"][1] == 0.9


def test_no_abstraction_tells_all_hands_apart(game: RoundGame) -> None:
    told = about(game, None)
    assert told["rows"] == list(game.hands)
    assert told["effective"] == [1, 1, 1]
    assert told["family"] == "lossless"


def test_counts_show_the_papers_beside_the_papers_deck(game: RoundGame) -> None:
    published = counts.load_published(ROOT / "src/cfrlab/papers/embedding/published/counts.csv")
    table = counts.count({"six": game}, published)
    assert list(table.columns) == counts.COLUMNS
    assert table["published"].isna().all()
    lossless = table[table["partition"] == "lossless"]
    assert lossless["classes"].tolist() == [9, 30, 90]
    assert "| six | lossless |  | 9 | 30 | 90 |" in counts.counts_table(table).text


def test_bucket_maps_become_bucket_maps(game: RoundGame, phi: StoredPhi) -> None:
    built = abstraction(game, phi)
    built.check(game)
    assert isinstance(built.phis[1], BucketMap)
    assert built.rows == (9, 4, 5)


QUICK = Params(hidden=(16,), steps=200, batch=32, rate=0.01, min_r2=0.3)


def test_networks_and_what_is_made_of_them(game: RoundGame, tmp_path: Path) -> None:
    def seed_of(r: int) -> int:
        return 10 + r

    networks = train_stage.train(game, [6, 9], "winrate", QUICK, seed_of, None)
    again = train_stage.train(game, [6, 9], "winrate", QUICK, seed_of, None)
    for one, two in zip(networks, again, strict=True):
        np.testing.assert_array_equal(one.phi, two.phi)
    other = train_stage.train(game, [6, 9], "winrate", QUICK, lambda r: 20 + r, None)
    assert np.abs(other[0].phi - networks[0].phi).max() > 0.01

    paths = [str(tmp_path / f"{r}.safetensors") for r in (1, 2)]
    train_stage.save_weights(paths, game, networks, "winrate", seed_of)
    _, origin = weights.load(paths[1])
    assert origin == weights.Origin("numeral211", "234", "cd", "winrate", 12)

    told = train_stage.about_networks(game, networks)
    assert [(part["classes"], part["budget"]) for part in told] == [(30, 6), (90, 9)]
    matrices = [network.phi for network in networks]
    sharper, after = transform(game, matrices, told, power=3, top=None, cut=0.0)
    for phi, sharp, part, new in zip(matrices, sharper, told, after, strict=True):
        expected = phi.astype(float) ** 3 / (phi.astype(float) ** 3).sum(0)
        np.testing.assert_allclose(sharp, expected, atol=1e-6)
        assert new["effective"] < part["effective"]
        assert new["r2"] == part["r2"] > 0.3


def test_networks_that_learn_values_need_them(game: RoundGame) -> None:
    with pytest.raises(CfrlabError, match="needs the expected values of a warm-up"):
        train_stage.train(game, [6, 9], "ev", QUICK, int, None)
    values = warm_up(game, Rule.named("cfr"), 2)
    assert len(train_stage.train(game, [6, 9], "ev", QUICK, int, values)) == 2
