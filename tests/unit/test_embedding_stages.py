"""Stages of the embedding experiments: files, checkpoints, curves, and the frames made of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cfrlab.abstraction.embedding import weights
from cfrlab.abstraction.embedding.params import Params
from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.papers.embedding import counts, phi_file, records, training, traits
from cfrlab.papers.embedding.clustering import cluster
from cfrlab.papers.embedding.curves import about, follow, make_solver
from cfrlab.papers.embedding.game_file import fingerprints, generate, load_game, save_game
from cfrlab.papers.embedding.kinds import CURVE
from cfrlab.papers.embedding.values import warm_up
from cfrlab.papers.embedding.values_file import load_values, save_values
from cfrlab.pipeline import store
from cfrlab.pipeline.checkpoint import Checkpoint
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule
from cfrlab.solve.phi import BucketMap
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses

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


@pytest.fixture
def phi(game: RoundGame, tmp_path: Path) -> phi_file.PhiFile:
    """Buckets on the flop, mixtures on the turn."""
    rng = np.random.default_rng(0)
    labels = (np.arange(30) % 4).astype(np.int32)
    matrix = rng.dirichlet(np.ones(5), 90).T.astype(np.float32)
    path = str(tmp_path / "phi.npz")
    first = phi_file.about_labels(labels, 6)
    second = {"classes": 90, "budget": 5, "rows": 5, "effective": 2.5, "dead": 0, "r2": 0.9}
    phi_file.save(path, game, [labels, matrix], NAMES, [first, second], MADE)
    loaded = phi_file.load(path, game)
    np.testing.assert_array_equal(loaded.arrays[0], labels)
    np.testing.assert_array_equal(loaded.arrays[1], matrix)
    assert loaded.arrays[1].dtype == np.float32
    return loaded


def test_games_survive_their_files(game: RoundGame, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{i}.npz") for i in (0, 1)]
    for path in paths:
        save_game(path, generate("numeral211", OPTIONS), MADE)
    assert Path(paths[0]).read_bytes() == Path(paths[1]).read_bytes()
    solvers = [RoundCFR(g, Rule.named("cfr")) for g in (game, load_game(paths[0]))]
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
    path = str(tmp_path / "phi.npz")
    labels = [np.zeros(n, np.int32) for n in game.hands[1:]]
    parts = [phi_file.about_labels(part, 1) for part in labels]
    phi_file.save(path, game, labels, NAMES, parts, MADE)
    other = generate("numeral211", {**OPTIONS, "ranks": "345"})
    refused(lambda: phi_file.load(path, other), path, "its columns are not the hands of round 1 ")
    phi_file.save(path, game, labels[:1], NAMES, parts[:1], MADE)
    with pytest.raises(CfrlabError, match=r"has 1 rounds, but numeral211 has 2 after the first"):
        phi_file.load(path, game)


FLOP = np.zeros(30, np.int32)
TURN = np.full((2, 90), 0.5, np.float32)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([FLOP, TURN * 1.01], r"round 3: abstraction matrix: column 0 .* its sum 1.01"),
        ([FLOP + 1, TURN], r"round 2: bucket map: bucket 0 of 2 is empty"),
        ([TURN, FLOP], r"round 2: for 90 classes of hands, not 30"),
        ([FLOP.astype(float), TURN], r"round 2: bucket map: need one integer label"),
    ],
)
def test_what_is_no_phi_is_refused_by_file_and_round(
    game: RoundGame, tmp_path: Path, arrays: list[Any], message: str
) -> None:
    path = str(tmp_path / "phi.npz")
    phi_file.save(path, game, arrays, NAMES, [{}, {}], MADE)
    refused(lambda: phi_file.load(path, game), path, message)


@pytest.mark.parametrize(
    ("name", "wanted", "message"),
    [
        ("game", "twelve", "made for game six, but twelve is needed"),
        ("abstraction", "hand/cubed", "made for abstraction halves, but hand/cubed is needed"),
        ("seed", 1, "made for seed 0, but 1 is needed"),
    ],
)
def test_a_phi_is_the_one_that_was_asked_for(
    game: RoundGame, tmp_path: Path, name: str, wanted: Any, message: str
) -> None:
    path = str(tmp_path / "phi.npz")
    phi_file.save(path, game, [FLOP, TURN], NAMES, [{}, {}], MADE)
    asked = {key: NAMES[key] for key in ("game", "abstraction", "seed")}
    assert phi_file.load(path, game, asked).arrays[1].shape == (2, 90)
    refused(lambda: phi_file.load(path, game, {**asked, name: wanted}), path, message)


def refused(action: Callable[[], Any], path: str, message: str) -> None:
    """One line: the file, what is wrong with it, and how to make it anew."""
    with pytest.raises(CfrlabError, match=message) as caught:
        action()
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith(f"{path}: ")
    assert line.endswith(f"; rebuild it with: {store.rebuild_command(path)}")


def test_values_survive_their_file(game: RoundGame, tmp_path: Path) -> None:
    values = warm_up(game, Rule.named("cfr"), 2)
    assert [len(v) for v in values] == list(game.hands)
    path = str(tmp_path / "values.npz")
    save_values(path, game, values, MADE)
    again = generate("numeral211", OPTIONS)
    for ours, theirs in zip(load_values(path, again), values, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for change in ({"ante": 6}, {"bets": [10, 20, 21]}, {"first": [1, 1, 1]}, {"ranks": "345"}):
        other = generate("numeral211", {**OPTIONS, **change})
        message = "with other cards, betting or stakes than this numeral211 "
        refused(lambda other=other: load_values(path, other), path, message)  # type: ignore[misc]


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


def test_a_curve_is_what_best_responses_say(game: RoundGame, phi: phi_file.PhiFile) -> None:
    arrays = follow(make_solver(game, phi, SOLVER, 0), SOLVER["averages"], [8, 3])
    assert arrays["points"].tolist() == [3, 8]
    assert arrays["b"].shape == (2, 2, 2)
    for i, iterations in enumerate((3, 8)):
        solver = make_solver(game, phi, SOLVER, 0)
        solver.run(iterations)
        for k, name in enumerate(SOLVER["averages"]):
            expected = best_responses(solver.average(name))
            np.testing.assert_array_equal(arrays["b"][k, :, i], expected)
    # The solver is the one that was asked for.
    plain = make_solver(game, phi, {**SOLVER, "baseline": False}, 0)
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
    phi: phi_file.PhiFile,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    deals: int | None,
) -> None:
    options = {**SOLVER, "deals": deals}
    points = [2, 5, 9]
    expected = follow(make_solver(game, phi, options, 7), SOLVER["averages"], points)
    checkpoint = Checkpoint(tmp_path / "s0.checkpoint.npz", MADE, "inputs")
    with pytest.raises(Interrupted):
        follow(
            make_solver(game, phi, options, 7), SOLVER["averages"], points, checkpoint, 2, Clock(13)
        )
    with caplog.at_level(logging.INFO, "cfrlab"):
        again = follow(make_solver(game, phi, options, 7), SOLVER["averages"], points, checkpoint)
    resumed = [m for m in caplog.messages if m.startswith("goes on from iteration")]
    assert len(resumed) == 1
    assert 2 <= int(resumed[0].split()[4]) < 9
    for name, array in expected.items():
        np.testing.assert_array_equal(again[name], array)
    checkpoint.remove()
    assert list(tmp_path.glob("s0*")) == []
    checkpoint.remove()


@pytest.mark.parametrize(
    ("made", "inputs", "message"),
    [
        (Provenance({"points": [9]}, 1, "0" * 64), "inputs", "of another config, so"),
        (Provenance({"points": [3, 8]}, 2, "0" * 64), "inputs", "of another seed, so"),
        (Provenance({"points": [3, 8]}, 1, "1" * 64), "other", "code and input files, so"),
        (Provenance(MADE.config, 1, MADE.code, {"numpy": "1"}), "inputs", "of another libraries"),
    ],
)
def test_a_stale_checkpoint_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, made: Provenance, inputs: str, message: str
) -> None:
    path = tmp_path / "s0.checkpoint.npz"
    Checkpoint(path, MADE, "inputs").write({"x": np.arange(3)})
    kept = Checkpoint(path, MADE, "inputs").read()
    assert kept is not None
    np.testing.assert_array_equal(kept["x"], np.arange(3))
    with caplog.at_level(logging.INFO, "cfrlab"):
        assert Checkpoint(path, made, inputs).read() is None
    assert message in caplog.text


def test_a_damaged_checkpoint_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "s0.checkpoint.npz"
    checkpoint = Checkpoint(path, MADE, "inputs")
    assert checkpoint.read() is None
    checkpoint.write({"x": np.arange(3)})
    path.write_bytes(path.read_bytes()[:-40])
    with caplog.at_level(logging.INFO, "cfrlab"):
        assert checkpoint.read() is None
    assert "cannot be read, so it is ignored" in caplog.text


def test_a_checkpoint_belongs_to_the_content_of_its_inputs(tmp_path: Path) -> None:
    inputs = [str(tmp_path / "game.npz"), str(tmp_path / "phi.npz")]
    for path in inputs:
        Path(path).write_bytes(b"1")
    output = str(tmp_path / "s0.npz")
    first = Checkpoint.beside(output, MADE, inputs)
    assert first.path == tmp_path / "s0.checkpoint.npz"
    assert first == Checkpoint.beside(output, MADE, inputs)
    Path(inputs[1]).write_bytes(b"2")
    assert first.inputs != Checkpoint.beside(output, MADE, inputs).inputs


def test_records(game: RoundGame, phi: phi_file.PhiFile, tmp_path: Path) -> None:
    b = np.array([[[4.0, 2.0], [6.0, 2.5]], [[10 / 3, 1.0], [np.pi, 1.5]]])
    arrays = {"points": np.array([3, 8]), "b": b}
    same = {"game": "six", "abstraction": "halves", "seed": 1, "solver": "cfr"}
    meta = {**same, "averages": ["uniform", "infoset"], **about(game, phi)}
    path = str(tmp_path / "curve.npz")
    store.save(path, CURVE, arrays, meta, MADE)
    studies: dict[str, dict[str, list[Any]]] = {
        "figure5": {"points": [3, 8], "curves": [path]},
        "floors": {"points": [3, 8], "curves": []},
        "stakes": {"points": [3], "curves": [path]},
    }
    frame = records.load([path], studies)
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
    pd.testing.assert_frame_equal(records.read(tmp_path / "curves.csv"), frame)


def test_records_of_abstractions(game: RoundGame, phi: phi_file.PhiFile, tmp_path: Path) -> None:
    path = tmp_path / "phis.csv"
    records.write(path, records.load_phis([tmp_path / "phi.npz"]))
    frame = records.read(path)
    assert list(frame.columns) == records.PHI_COLUMNS
    assert frame["round"].tolist() == [1, 2]
    assert frame["dead"].tolist() == [2, 0]
    assert np.isnan(frame["r2"][0])
    assert frame["r2"][1] == 0.9
    path.write_text("game,seed\nsix,1\n", encoding="utf-8")
    with pytest.raises(CfrlabError, match=r"phis.csv: has other columns"):
        records.read(path)


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


def test_bucket_maps_become_bucket_maps(game: RoundGame, phi: phi_file.PhiFile) -> None:
    abstraction = phi.abstraction(game)
    abstraction.check(game)
    assert isinstance(abstraction.phis[1], BucketMap)
    assert abstraction.rows == (9, 4, 5)


QUICK = Params(hidden=(16,), steps=200, batch=32, rate=0.01, min_r2=0.3)


def test_networks_and_what_is_made_of_them(game: RoundGame, tmp_path: Path) -> None:
    def seed_of(r: int) -> int:
        return 10 + r

    networks = training.train(game, [6, 9], "winrate", QUICK, seed_of, None)
    again = training.train(game, [6, 9], "winrate", QUICK, seed_of, None)
    for one, two in zip(networks, again, strict=True):
        np.testing.assert_array_equal(one.phi, two.phi)
    other = training.train(game, [6, 9], "winrate", QUICK, lambda r: 20 + r, None)
    assert np.abs(other[0].phi - networks[0].phi).max() > 0.01

    paths = [str(tmp_path / f"{r}.safetensors") for r in (1, 2)]
    training.save_weights(paths, game, networks, "winrate", seed_of)
    _, origin = weights.load(paths[1])
    assert origin == weights.Origin("numeral211", "234", "cd", "winrate", 12)

    told = training.about(game, networks)
    assert [(part["classes"], part["budget"]) for part in told] == [(30, 6), (90, 9)]
    matrices = [network.phi for network in networks]
    sharper, after = traits.transform(game, matrices, told, power=3, top=None, cut=0.0)
    for phi, sharp, part, new in zip(matrices, sharper, told, after, strict=True):
        expected = phi.astype(float) ** 3 / (phi.astype(float) ** 3).sum(0)
        np.testing.assert_allclose(sharp, expected, atol=1e-6)
        assert new["effective"] < part["effective"]
        assert new["r2"] == part["r2"] > 0.3


def test_networks_that_learn_values_need_them(game: RoundGame) -> None:
    with pytest.raises(CfrlabError, match="needs the expected values of a warm-up"):
        training.train(game, [6, 9], "ev", QUICK, int, None)
    values = warm_up(game, Rule.named("cfr"), 2)
    assert len(training.train(game, [6, 9], "ev", QUICK, int, values)) == 2
