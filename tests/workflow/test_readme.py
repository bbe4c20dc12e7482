"""The guides' examples: a game, abstractions and a solver run through the whole workflow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from workflow_project import ROOT, SMOKE, Project

GUIDES = ("README.md", "docs/extending.md")
EXAMPLE = re.compile(
    r"`(src/cfrlab/\S+\.py)`:\n\n```python\n(.*?)```\n\n```yaml\n(.*?)```", re.DOTALL
)


def merged(base: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """`base` with what `more` says, level by level."""
    both = dict(base)
    for key, value in more.items():
        inner = isinstance(value, dict) and isinstance(base.get(key), dict)
        both[key] = merged(base[key], value) if inner else value
    return both


def without_networks(section: dict[str, Any]) -> dict[str, Any]:
    """The smoke run's smallest game under the name of the guides', with one clustering."""
    game = min(section["games"].values(), key=lambda entry: len(entry.get("ranks", "x" * 10)))
    curves = [{"abstractions": ["ehs"], "solvers": ["cfr"], "seeds": 1}]
    figure5 = {"games": ["numeral211"], "points": [16], "curves": curves}
    less = {"networks": {}, "transforms": {}, "ablation": {}, "figure5": figure5}
    return {**section, **less, "games": {"numeral211": game}}


@pytest.mark.workflow
def test_examples_run_through_every_rule(project: Project, smoke: Path) -> None:
    guides = [(ROOT / name).read_text(encoding="utf-8") for name in GUIDES]
    examples = [example for guide in guides for example in EXAMPLE.findall(guide)]
    assert len(examples) == 4
    config = project.read_config()
    config["results_dir"] = "results/readme"
    config["embedding"] = without_networks(config["embedding"])
    config["weva"] |= {"games": {}, "methods": {"equity": {}}}
    config["weva"]["figure1"].pop("games")
    for name, code, lines in examples:
        (project.folder / name).write_text(code, encoding="utf-8")
        config = merged(config, yaml.safe_load(lines))

    assert project.planned(*SMOKE) == {}, "adding files made other results old"
    project.run("--cores", "2", *project.write_config("readme.yaml", config))

    cells = pd.read_csv(project.folder / "results/readme/tables/weva_cells.csv")
    made = {column: set(cells[column]) for column in ("game", "method", "solver")}
    assert made == {
        "game": {"high-card"},
        "method": {"equity", "ev-spread"},
        "solver": {"pcfr-plus", "dcfr", "dcfr-plus"},
    }
    # Nothing is drawn in high card: two instances are one game, and no standard error is claimed.
    assert set(cells["n"]) == {1}
    assert cells["sem"].isna().all()
    # More buckets lose less, and none of these bucketed games is the full game.
    means = cells.groupby("buckets")["mean"].mean()
    assert means.is_monotonic_decreasing
    assert means.min() > 0

    ends = pd.read_csv(project.folder / "results/readme/tables/embedding_ends.csv")
    mine = ends[ends["studies"] == "mine"]
    assert set(mine["abstraction"]) == {"percentile", "ehs"}
    assert set(mine["iteration"]) == {64}
    assert (mine["exploitability"] > 0).all()
