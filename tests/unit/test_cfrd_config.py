"""The section ``cfrd`` of the configuration: every mistake is one line that names its key."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cfrlab import config
from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd.plan import CfrdPlan

ROOT = Path(__file__).parents[2]
Section = dict[str, Any]
VARIANT = {
    "start": "cold",
    "values": "average",
    "subgame_iterations": [1],
    "trunk_iterations": [1],
}


@pytest.fixture(scope="module")
def smoke() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "tests/smoke.yaml").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("name", ["config.yaml", "tests/smoke.yaml"])
def test_shipped_configurations_are_sound(name: str) -> None:
    section = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))["cfrd"]
    plan = planned(section)
    assert set(plan.games) == set(section["games"])
    # Every study of the section has its jobs.
    assert all(plan.results.values())
    assert len(plan.figures) == 4


@pytest.mark.parametrize(
    ("study", "stages", "figures"),
    [
        ("figure3", {"resolve_equilibrium"}, ["cfrd_fig3"]),
        ("figure4", {"run", "resolve_run"}, ["cfrd_fig4"]),
        ("figure5", {"improve"}, ["cfrd_fig5"]),
        ("memory", {"measure"}, ["cfrd_memory"]),
        ("scaling", {"scaling"}, []),
        ("timing", {"timing"}, []),
    ],
)
def test_every_study_stands_alone(
    smoke: dict[str, Any], study: str, stages: set[str], figures: list[str]
) -> None:
    plan = planned({key: smoke["cfrd"][key] for key in ("games", study)})
    drawn = {"figures"} if figures else set()
    assert {job.stage for job in plan.jobs()} == stages | drawn | {"claims"}
    assert plan.figures == figures
    assert set(plan.texts()) == drawn | {"claims"}


def test_jobs_depend_on_their_own_part_alone(smoke: dict[str, Any]) -> None:
    """Another study, point or variant changes no job of a line that has it not."""
    before = planned(smoke["cfrd"])
    changed = copy.deepcopy(smoke["cfrd"])
    changed["figure3"]["points"].append(6400)
    changed["figure4"]["variants"]["warm"]["trunk_iterations"].append(300)
    del changed["figure5"]
    after = planned(changed)
    identity = {job.job: job.identity() for job in before.jobs()}
    same = {job.job for job in after.jobs() if job.identity() == identity.get(job.job)}
    assert "cfrd_run/leduc/paper/20" in same
    assert "cfrd_run/leduc/warm/20" not in same
    # Repetitions end before the new point.
    assert "cfrd_resolve_equilibrium/leduc/safe/start-1" in same
    assert "cfrd_resolve_equilibrium/leduc/safe/uniform" not in same


def planned(section: Section) -> CfrdPlan:
    plan = config.load({"seed": 1, "results_dir": "results/mine", "cfrd": section}).plans["cfrd"]
    assert isinstance(plan, CfrdPlan)
    return plan


def put(*path: Any, value: Any) -> Callable[[Section], object]:
    def change(section: Section) -> None:
        place: Any = section
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("figure3", "point", value=[1]), r"cfrd.figure3.point: unknown key .*did you mean"),
        (put("games", "leduc", value={"rank": 3}), r"cfrd.games.leduc.rank: unknown key"),
        (put("games", "ledoc", value={}), r"cfrd.games.ledoc: unknown game 'ledoc' .*'leduc'"),
        (put("games", "Leduc 2", value={}), r"cfrd.games.Leduc 2: 'Leduc 2' cannot name files"),
        (put("figure3", "repeats_until", value=1), r"cfrd.figure3.repeats_until: 1 is below"),
        (put("games", "kuhn", value={}), r"cfrd.games.kuhn: .*no root"),
        (put("games", "kuhn", "roots", value=["chekc"]), r"cfrd.games.kuhn: .*no node 'chekc'"),
        (put("games", "kuhn", "roots", value="check"), r"cfrd.games.kuhn.roots: .*list"),
        (put("games", "kuhn", "roots", value=["bet", "bet"]), r"roots: bet is listed twice"),
        (put("games", "leduc", "roots", value=["bet/call/J"]), "is cut in two"),
        (put("figure4", "games", value=["chess"]), r"cfrd.figure4.games: unknown game 'chess'"),
        (put("figure4", "solver", value="cfrr"), r"cfrd.figure4.solver: unknown solver 'cfrr'"),
        (put("figure3", "games", value=["kuhn"]), r"cfrd.figure3.samples: game kuhn has no"),
        (put("figure3", "points", value=[]), r"cfrd.figure3.points: must not be empty"),
        (put("figure4", "variants", "paper", "start", value="cool"), "'cold' or 'warm'"),
        (put("figure4", "variants", "Paper 1", value=VARIANT), "'Paper 1' cannot name files"),
        (put("figure5", "merge", 0, "hand", value="A"), r"merge\[0\]: game leduc has no card 'A'"),
        (put("figure5", "merge", 1, "cards", value=["X"]), r"merge\[1\]: .*no card 'X'"),
        (put("memory", "cfr_iterations", value=0), r"cfrd.memory.cfr_iterations: "),
        (put("memory", "game", "rank", value=3), r"cfrd.memory.game.rank: unknown key .*'ranks'"),
        (put("memory", "game", value={"zoo": "kuhn", "roots": ["bet"]}), r"game: zoo: kuhn is not"),
        (put("memory", "game", "roots", value=["bet/call"]), r"cfrd.memory.game: roots is not"),
        (put("scaling", "subgames", value=[1, 10]), r"subgames: 10 are more than the 9 subgames"),
        (put("scaling", "game", value="chess"), r"cfrd.scaling.game: unknown game 'chess'"),
        (put("scaling", "choices", value=0), r"cfrd.scaling.choices: "),
        (put("timing", "game", value="chess"), r"cfrd.timing.game: unknown game 'chess'"),
        (put("timing", "solver", value="cfrr"), r"cfrd.timing.solver: unknown solver 'cfrr'"),
        (
            lambda s: [s.pop(key) for key in list(s) if key != "games"],
            "there is nothing to do; add",
        ),
    ],
)
def test_mistakes(smoke: dict[str, Any], change: Callable[[Section], object], message: str) -> None:
    wrong = copy.deepcopy({key: smoke[key] for key in ("seed", "results_dir", "cfrd")})
    change(wrong["cfrd"])
    with pytest.raises(CfrlabError, match=message) as caught:
        config.load(wrong, "mine.yaml")
    assert str(caught.value).startswith("mine.yaml: ")
    assert "\n" not in str(caught.value)
