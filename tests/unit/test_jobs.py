"""Jobs read what the plan says and nothing else, and say what their output was made from."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.pipeline import checksums, store
from cfrlab.pipeline.job import Job, _by_name
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.recipe import Recipe, code_behind

GAME = Recipe(
    "weva",
    "game",
    {"game": "small", "instance": "0"},
    "games/small/0.npz",
    {"zoo": "kuhn", "options": {"x": 1}},
    7,
    ("cfrlab.games.zoo.kuhn",),
)
FEATURES = Recipe(
    "weva", "features", {"game": "small"}, "features/small.npz", inputs={"games": (GAME,)}
)


def write(recipe: Recipe, path: Path) -> Path:
    """An artifact of a recipe, as its job would leave it."""
    job = Job({}, {"main": [str(path)]}, recipe.parameters())
    job.save("game", {"x": np.arange(3)})
    return path


def reader(path: Path, recipe: Recipe = FEATURES) -> Job:
    return Job({"games": [str(path)]}, {"main": ["out.npz"]}, recipe.parameters())


def test_an_input_is_read_and_recorded(tmp_path: Path) -> None:
    path = write(GAME, tmp_path / "0.npz")
    job = reader(path)
    assert job.load("games", "game").arrays["x"].tolist() == [0, 1, 2]
    assert job.provenance.inputs == {"games": [store.load(path, "game").sha256]}
    assert job.provenance.stage == "weva_features"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"seed": 1}, "made with seed 1, but 7 is asked for"),
        ({"seed": None}, "made with seed none, but 7 is asked for"),
        ({"key": {"game": "small", "instance": "1"}}, "made with key.instance 1, but 0 is asked"),
        ({"key": {"game": "large", "instance": "0"}}, "made with key.game large, but small is"),
        (
            {"config": {"zoo": "kuhn", "options": {"x": 2}}},
            "made with config.options.x 2, but 1 is asked for",
        ),
        ({"config": {"zoo": "kuhn"}}, "made with config.options none, but {'x': 1} is asked for"),
        ({"stage": "warmup"}, "made with stage weva_warmup, but weva_game is asked for"),
        ({"plugins": ("cfrlab.games.zoo.leduc",)}, "made by other code"),
    ],
)
def test_an_artifact_of_another_recipe_is_refused(
    tmp_path: Path, change: dict[str, Any], line: str
) -> None:
    """A sibling in the place of what is asked for is whole, and yet it is not that."""
    path = write(Recipe(**{**vars(GAME), **change}), tmp_path / "0.npz")
    with pytest.raises(CfrlabError) as caught:
        reader(path).load("games", "game")
    message = str(caught.value)
    assert message.startswith(f"{path}: {line}")
    assert message.endswith(f"; rebuild it with: snakemake --cores 1 --force {path}")
    assert "\n" not in message


def test_an_artifact_of_inputs_of_another_recipe_is_refused(tmp_path: Path) -> None:
    """Its own parameters are those asked for; what it was computed from is not."""
    labels = Recipe("weva", "buckets", {"game": "small"}, "b.npz", inputs={"f": (FEATURES,)})
    other_game = Recipe(**{**vars(GAME), "seed": 1})
    other = Recipe(**{**vars(FEATURES), "inputs": {"games": (other_game,)}})
    path = write(other, tmp_path / "small.npz")
    job = Job({"f": [str(path)]}, {"main": ["out.npz"]}, labels.parameters())
    line = "made from results of another configuration, seed or code; rebuild it with:"
    with pytest.raises(CfrlabError, match=line):
        job.load("f", "game")
    # Other code behind it, which may give the same bytes, is no reason.
    same = Recipe(**{**vars(GAME), "plugins": ("cfrlab.games.zoo.leduc",)})
    alike = Recipe(**{**vars(FEATURES), "inputs": {"games": (same,)}})
    assert alike.identity() == FEATURES.identity()


def test_the_code_behind_a_result_is_all_code_behind_it() -> None:
    """Anything that any recipe below runs counts, plug-ins included; what it counts once."""
    assert FEATURES.behind() == [GAME, FEATURES]
    kuhn, leduc = (
        code_behind([Recipe("weva", "tables", inputs={"records": (Recipe(**parts),)})])
        for parts in (vars(GAME), {**vars(GAME), "plugins": ("cfrlab.games.zoo.leduc",)})
    )
    assert kuhn != leduc
    tables = Recipe("weva", "tables", inputs={"records": (FEATURES, FEATURES)})
    assert tables.parameters()["code_behind"] == code_behind([tables, GAME])
    assert "code_behind" not in FEATURES.parameters(), "an edit of a game reruns what it changes"


def test_files_without_a_name_come_first() -> None:
    class Files(list[str]):
        def items(self) -> Any:
            return [("named", self[2]), ("many", self[3:])]

    files = Files(["a", "b", "c", "d", "e"])
    assert _by_name(files) == {"main": ["a", "b"], "named": ["c"], "many": ["d", "e"]}


MADE = Provenance({"K": 20}, 7, "c0de", "weva_tables")
ASKED = json.loads(json.dumps(MADE.as_json()))


@pytest.fixture
def listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files and the list of their checksums, in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("K,ours\n20,.5\n")
    Path("b c.svg").write_text("<svg/>")
    checksums.write("list.sha256", ["a.csv", "b c.svg"], MADE)
    return Path("list.sha256")


def test_checksums_are_those_of_coreutils(listing: Path) -> None:
    assert checksums.verify(listing, ASKED) == ["a.csv", "b c.svg"]
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", listing], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_altered_or_missing_file_is_refused(listing: Path) -> None:
    command = "rebuild it with: snakemake --cores 1 --force list.sha256"
    Path("a.csv").write_text("K,ours\n20,.6\n")
    with pytest.raises(CfrlabError, match=rf"^a\.csv: altered; {command}$"):
        checksums.verify(listing)
    Path("a.csv").unlink()
    with pytest.raises(CfrlabError, match=rf"^a\.csv: missing; {command}$"):
        checksums.verify(listing)


@pytest.mark.parametrize("cut", [0, 1, 20, -2, -9, -74])
def test_a_damaged_list_is_refused(listing: Path, cut: int) -> None:
    listing.write_text(listing.read_text()[:cut])
    with pytest.raises(CfrlabError, match=r"rebuild it with: snakemake") as caught:
        checksums.verify(listing, ASKED)
    assert "\n" not in str(caught.value)


def test_files_made_from_something_else_are_refused(listing: Path) -> None:
    with pytest.raises(CfrlabError, match=r"^list\.sha256: made with seed 7, but 8 is asked for;"):
        checksums.verify(listing, {**ASKED, "seed": 8})
