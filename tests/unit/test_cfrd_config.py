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

ROOT = Path(__file__).parents[2]
Section = dict[str, Any]


@pytest.fixture(scope="module")
def smoke() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "tests/smoke.yaml").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize(
    ("name", "games"), [("config.yaml", {"leduc"}), ("tests/smoke.yaml", {"leduc", "kuhn"})]
)
def test_shipped_configurations_are_sound(name: str, games: set[str]) -> None:
    loaded = config.load(yaml.safe_load((ROOT / name).read_text(encoding="utf-8")))
    assert loaded.cfrd is not None
    assert set(loaded.settings) == {*games, "memory"}


def test_the_section_may_be_left_out(smoke: dict[str, Any]) -> None:
    loaded = config.load({key: value for key, value in smoke.items() if key != "cfrd"})
    assert loaded.cfrd is None
    assert loaded.settings == {}


def put(*path: Any, value: Any) -> Callable[[Section], None]:
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
        (put("games", "memory", value={}), r"cfrd.games.memory: the label is taken"),
        (put("figure3", "repeats_until", value=1), r"cfrd.figure3.repeats_until: 1 is below"),
        (put("games", "kuhn", value={}), r"cfrd.games.kuhn: .*no root"),
        (put("games", "kuhn", "roots", value=["chekc"]), r"cfrd.games.kuhn: .*no node 'chekc'"),
        (put("games", "kuhn", "roots", value="check"), r"cfrd.games.kuhn.roots: must be a list"),
        (put("games", "leduc", "roots", value=["bet/call/J"]), "is cut in two"),
        (put("figure4", "games", value=["chess"]), r"cfrd.figure4.games: unknown game 'chess'"),
        (put("figure4", "solver", value="cfrr"), r"cfrd.figure4.solver: unknown solver 'cfrr'"),
        (put("figure3", "games", value=["kuhn"]), r"cfrd.figure3.samples: game kuhn has no"),
        (put("figure3", "points", value=[]), r"cfrd.figure3.points: must not be empty"),
        (put("figure4", "variants", "paper", "start", value="cool"), "'cold' or 'warm'"),
        (put("figure4", "variants", "Paper 1", value=None), "variants"),
        (put("figure5", "merge", 0, "hand", value="A"), r"merge\[0\]: game leduc has no card 'A'"),
        (put("figure5", "merge", 1, "cards", value=["X"]), r"merge\[1\]: .*no card 'X'"),
        (put("memory", "cfr_iterations", value=0), r"cfrd.memory.cfr_iterations: "),
    ],
)
def test_mistakes(smoke: dict[str, Any], change: Callable[[Section], None], message: str) -> None:
    wrong = copy.deepcopy(smoke)
    change(wrong["cfrd"])
    with pytest.raises(CfrlabError, match=message) as caught:
        config.load(wrong, "mine.yaml")
    assert str(caught.value).startswith("mine.yaml: ")
    assert "\n" not in str(caught.value)
