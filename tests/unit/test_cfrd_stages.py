"""Stages of CFR-D: killed jobs go on to the same bytes; scaling; timing; their records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.memory import of_game
from cfrlab.decomposition.resolving import Resolver
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.zoo import leduc as leduc_module
from cfrlab.papers.cfrd import artifacts, records
from cfrlab.papers.cfrd.plan import CfrdPlan
from cfrlab.papers.cfrd.section import CfrdSection
from cfrlab.papers.cfrd.stages import run, scaling, timing
from cfrlab.pipeline.checkpoint import Checkpoint, follow
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.recipe import Recipe
from cfrlab.pipeline.store import Artifact
from cfrlab.schema import validate
from cfrlab.solve.response import Evaluator
from leduc_cut import CFR_RULE, leduc
from solver_games import zoo

GRID = {"values": "average", "subgame_iterations": [5], "trunk_iterations": [11, 31]}
SECTION = {
    "games": {"leduc": {}, "kuhn": {"roots": ["check", "bet"]}},
    "figure3": {
        "games": ["leduc"],
        "solver": "cfr",
        "points": [11, 31],
        "starts": 1,
        "samples": 1,
        "repeats_until": 31,
    },
    "figure4": {
        "games": ["leduc", "kuhn"],
        "solver": "cfr",
        "resolving_iterations": 31,
        "variants": {"cold": {"start": "cold", **GRID}, "warm": {"start": "warm", **GRID}},
    },
    "figure5": {
        "game": "leduc",
        "merge": [{"hand": "J", "cards": ["Q", "K"]}],
        "solver": "cfr",
        "points": [11, 31],
        "equilibria": 0,
        "samples": 1,
        "cfr_plus_iterations": 5,
    },
}
STEP, WRITES = 4, 4
"""Jobs write a checkpoint every few iterations and are killed after so many: between two points."""


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(scope="module")
def plan() -> CfrdPlan:
    return CfrdPlan.of(validate(CfrdSection, SECTION, "cfrd"), 1)


def job_of(recipe: Recipe, folder: Path) -> Job:
    """The job of a recipe, with its files in a folder."""
    inputs = {
        name: [str(folder / one.path) for one in many] for name, many in recipe.inputs.items()
    }
    return Job(inputs, {"main": [str(folder / recipe.path)]}, recipe.parameters())


def made(recipe: Recipe, folder: Path) -> bytes:
    """Run a job, what it reads first; return the bytes of its output."""
    for one in recipe.behind():
        import_module(one.module).run(job_of(one, folder))
    return (folder / recipe.path).read_bytes()


@pytest.mark.parametrize(
    ("stage", "key"),
    [
        *(
            (stage, {"game": game, "variant": variant, "subgame": "5"})
            for stage in ("run", "resolve_run")
            for game in ("leduc", "kuhn")
            for variant in ("cold", "warm")
        ),
        *(
            ("resolve_equilibrium", {"game": "leduc", "method": method, "case": case})
            for method in ("safe", "unsafe")
            for case in ("uniform", "start-1", "sample-1")
        ),
        ("improve", {"game": "leduc", "equilibrium": "lp"}),
    ],
)
def test_a_killed_job_goes_on_to_the_same_bytes(
    plan: CfrdPlan,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
    key: dict[str, str],
) -> None:
    recipe = plan.recipe(stage, **key)
    expected = made(recipe, tmp_path / "whole")
    for one in recipe.behind()[:-1]:
        made(one, tmp_path / "killed")
    module: Any = import_module(recipe.module)
    written, reads = [], []
    write, read = Checkpoint.write, Checkpoint.read

    def write_and_die(self: Checkpoint, arrays: Mapping[str, NDArray[Any]]) -> None:
        write(self, arrays)
        written.append(next(int(arrays[name]) for name in arrays if name.endswith("iteration")))
        if len(written) == WRITES:
            raise Killed

    def noted(self: Checkpoint) -> Any:
        reads.append(read(self))
        return reads[-1]

    monkeypatch.setattr(module, "follow", partial(follow, every_seconds=0.0))
    monkeypatch.setattr(module, "STEP", STEP)
    monkeypatch.setattr(Checkpoint, "write", write_and_die)
    monkeypatch.setattr(Checkpoint, "read", noted)
    with pytest.raises(Killed):
        module.run(job_of(recipe, tmp_path / "killed"))
    assert not (tmp_path / "killed" / recipe.path).exists()
    assert reads == [None]
    again = job_of(recipe, tmp_path / "killed")
    module.run(again)
    assert reads[1] is not None, "it started over"
    # No iteration that was done before the end is done again.
    assert written == sorted(set(written))
    assert written[WRITES] > written[WRITES - 1] > 11
    assert (tmp_path / "killed" / recipe.path).read_bytes() == expected


def test_a_checkpoint_of_another_job_is_not_used(plan: CfrdPlan, tmp_path: Path) -> None:
    recipe = plan.make_resolve_equilibrium("leduc", "safe", "uniform")
    other = plan.make_resolve_equilibrium("leduc", "unsafe", "uniform")
    job_of(other, tmp_path).checkpoint.write({"iteration": np.array(20)})
    theirs = job_of(other, tmp_path).checkpoint
    assert theirs.read() is not None
    ours = job_of(recipe, tmp_path).checkpoint
    assert Checkpoint(theirs.path, ours.made).read() is None


def artifact(arrays: Mapping[str, Any], **meta: Any) -> Artifact:
    return Artifact(
        {name: np.asarray(array) for name, array in arrays.items()},
        meta,
        Provenance({}, None, "", libraries={}),
        "",
    )


def test_scaling_with_all_subgames_is_cfrd() -> None:
    found = scaling.scale(leduc(), CFR_RULE, 5, 1, (20, 10, 50), 1)
    whole = CFRD(leduc(), CFR_RULE, Variant(10, CFR_RULE))
    whole.run(20)
    resolver = Resolver(leduc(), whole.trunk_average(), "safe", CFR_RULE, whole.root_values())
    resolver.run(50)
    assert found["exploitability"] == [Evaluator(leduc().game).exploitability(resolver.profile())]
    # Three ranks at five roots for either player.
    assert found["root_infosets"] == [30]


def test_scaling_adds_subgames_to_those_of_a_line() -> None:
    chosen = [[set(scaling.choose(leduc(), n, 1, c).subgames) for n in (1, 2, 5)] for c in range(8)]
    for line in chosen:
        assert [len(some) for some in line] == [1, 2, 5]
        assert line[0] < line[1] < line[2] == set(leduc().subgames)
    assert len({frozenset(line[1]) for line in chosen}) > 1


def test_scaling_solves_the_same_subgames_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []

    def solve(cut: Decomposition, *arguments: Any) -> Any:
        solved.append(cut.subgames)
        return run.solve(cut, *arguments)

    monkeypatch.setattr(scaling, "solve", solve)
    found = scaling.scale(leduc(), CFR_RULE, 5, 3, (2, 2, 2), 1)
    assert len(solved) == 1
    assert len(set(found["exploitability"])) == 1
    assert found["root_infosets"].tolist() == [30, 30, 30]


def test_timing_gives_methods_turns() -> None:
    ticks = iter(range(100))
    found = timing.seconds(leduc(), CFR_RULE, 2, 3, clock=lambda: float(next(ticks)))
    assert found["seconds"].shape == (2, 2, 3)
    assert (found["seconds"] == 1.0).all()


def test_scaling_records() -> None:
    some = artifact(
        {"exploitability": [0.3, 0.5], "exact": [0.2, 0.4], "root_infosets": [12, 12]},
        game="leduc",
        subgames=2,
        trunk_iterations=20,
        subgame_iterations=10,
        resolving_iterations=50,
    )
    data = records.load({artifacts.SCALED: [some]})
    points = data.pivot_table(index="case", columns="quantity", values="value")
    assert list(points.index) == ["choice-1", "choice-2"]
    assert set(data["game"]) == {"leduc/2-subgames"}
    assert points["subgames"].tolist() == [2.0, 2.0]
    assert points["exploitability"].tolist() == [0.3, 0.5]
    assert set(data["trunk"]) == {20}
    assert set(data["iterations"]) == {50}


def test_calculated_memory_is_that_of_the_games_as_they_are_built() -> None:
    data = records.load({}, raises=[1, 3])
    for raises in (1, 3):
        cut = Decomposition.at(zoo("leduc", max_raises=raises))
        rows = data[data["game"] == f"leduc/{raises}-raises"]
        value = rows.set_index(["method", "quantity"])["value"]
        assert value["cfr", "memory"] == of_game(cut).cfr
        assert value["cfr-d", "memory"] == of_game(cut).cfrd
        tree, hands = cut.game.tree, leduc_module.Params().ranks
        infosets = hands * sum(len(tree.decisions(p)) for p in (0, 1))
        assert value["cfr", "infosets"] == value["cfr-d", "infosets"] == infosets


def test_timing_records_name_player_and_repeat() -> None:
    times = np.arange(8.0).reshape(2, 2, 2)
    data = records.load({artifacts.TIMED: [artifact({"seconds": times}, game="g", iterations=3)]})
    row = data[(data["method"] == "unsafe") & (data["case"] == "player-1/repeat-1")]
    assert row["value"].item() == times[1, 1, 0] / 3


def test_records_of_nothing() -> None:
    assert list(records.load({}).columns) == records.COLUMNS
    assert records.load({}).empty
