"""A change reruns what depends on it and nothing else: dry runs after a finished run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from workflow_project import SMOKE, Project

pytestmark = [pytest.mark.workflow, pytest.mark.usefixtures("smoke")]

ENDS = {"weva_tables": 1, "weva_figures": 1, "weva_claims": 1, "report": 1}
EMBEDDING_ENDS = {
    "embedding_records": 1,
    "embedding_tables": 1,
    "embedding_figures": 1,
    "embedding_claims": 1,
    "report": 1,
}
SOURCE = "src/cfrlab"


@contextmanager
def edited(path: Path, change: Callable[[str], str]) -> Iterator[None]:
    """A file with another text inside the block; afterwards it is as if it had not been touched."""
    text, before = path.read_text(encoding="utf-8"), path.stat()
    assert change(text) != text
    path.write_text(change(text), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def with_statement(text: str) -> str:
    """Code that is different."""
    return f"{text}\nEDITED = True\n"


def with_comments(text: str) -> str:
    """The same code with a comment, another module docstring and blank lines."""
    assert text.startswith('"""')
    return '"""Edited. ' + text[3:].replace("\n\n", "\n\n# A comment.\n\n", 1)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            # Exactly clustering and what follows.
            f"{SOURCE}/abstraction/kmeans.py",
            {
                "weva_buckets": 11,
                "weva_solve": 22,
                "weva_evaluate": 22,
                **ENDS,
                # Clusterings, but no networks.
                "embedding_buckets": 7,
                "embedding_curve": 7,
                **EMBEDDING_ENDS,
            },
        ),
        (
            # One clustering.
            f"{SOURCE}/abstraction/clusterings/paemd.py",
            {"embedding_buckets": 1, "embedding_curve": 1, **EMBEDDING_ENDS},
        ),
        (f"{SOURCE}/papers/embedding/stages/curve.py", {"embedding_curve": 19, **EMBEDDING_ENDS}),
        (
            # One feature: its method in four games.
            f"{SOURCE}/abstraction/features/equity.py",
            {
                "weva_features": 4,
                "weva_buckets": 4,
                "weva_solve": 8,
                "weva_evaluate": 8,
                **ENDS,
            },
        ),
        (
            # One game: two instances, two warm-ups, four methods.
            f"{SOURCE}/games/zoo/hunl_river.py",
            {
                "weva_game": 2,
                "weva_warmup": 2,
                "weva_oracle": 2,
                "weva_features": 4,
                "weva_buckets": 4,
                "weva_solve": 8,
                "weva_evaluate": 8,
                **ENDS,
            },
        ),
        (
            # One solver.
            f"{SOURCE}/solve/rules/dcfr.py",
            {"weva_solve": 11, "weva_evaluate": 11, **ENDS},
        ),
        (f"{SOURCE}/papers/weva/stages/oracle.py", {"weva_oracle": 2, **ENDS} | {"weva_tables": 0}),
        (f"{SOURCE}/reporting/report.py", {"report": 1}),
        (f"{SOURCE}/papers/weva/stages/tables.py", {"weva_tables": 1, "report": 1}),
    ],
)
def test_edited_code(project: Project, path: str, expected: dict[str, int]) -> None:
    with edited(project.folder / path, with_statement):
        planned = project.planned(*SMOKE)
    assert planned == {rule: count for rule, count in expected.items() if count}


@pytest.mark.parametrize(
    ("engine", "rerun", "kept"),
    [
        # Games on public trees, and games of betting rounds.
        ("solve/kernels", {"weva_solve", "cfrd_run"}, "embedding"),
        ("solve/rounds/kernels", {"embedding_curve"}, "weva|cfrd"),
    ],
)
def test_an_edit_of_one_engine_reruns_no_paper_of_the_other(
    project: Project, engine: str, rerun: set[str], kept: str
) -> None:
    with edited(project.folder / f"{SOURCE}/{engine}/terminals.py", with_statement):
        planned = project.planned(*SMOKE)
    assert rerun <= planned.keys()
    assert [rule for rule in planned if re.match(kept, rule)] == []


@pytest.mark.parametrize(
    "path",
    [
        f"{SOURCE}/abstraction/kmeans.py",
        f"{SOURCE}/solve/kernels/terminals.py",
        f"{SOURCE}/papers/weva/stages/buckets.py",
    ],
)
def test_a_comment_changes_nothing(project: Project, path: str) -> None:
    with edited(project.folder / path, with_comments):
        assert project.planned(*SMOKE) == {}


def test_a_touched_input_with_the_same_content_changes_nothing(
    project: Project, smoke: Path
) -> None:
    (smoke / "buckets/hunl-river/equity.npz").touch()
    assert project.planned(*SMOKE) == {}


def _more_points(weva: dict[str, Any]) -> None:
    weva["figure6"]["points"] = [5, 10, 30]


def _longer_oracle(weva: dict[str, Any]) -> None:
    weva["figure1"]["iterations"] = 600


def _another_method(weva: dict[str, Any]) -> None:
    weva["methods"]["rank-mean"] = {
        "feature": "rank",
        "games": ["double-board"],
        "params": {"boards": "mean"},
    }


def _longer_warmup(weva: dict[str, Any]) -> None:
    weva["methods"]["ev-root"]["warmups"] = [5, 7]


def _another_game(weva: dict[str, Any]) -> None:
    weva["games"]["random-game-15"] = {**weva["games"]["random-game-12"], "hands": 15}


def _another_solver(weva: dict[str, Any]) -> None:
    weva["solvers"].append("cfr-plus")


def _more_seeds(weva: dict[str, Any]) -> None:
    weva["kmeans"]["seeds"] = 3


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        # Only PCFR+ is on Figure 6. The games, features and buckets stay.
        (_more_points, {"weva_solve": 11, "weva_evaluate": 11, **ENDS}),
        (_longer_oracle, {"weva_oracle": 2, "weva_figures": 1, "weva_claims": 1, "report": 1}),
        (
            _another_method,
            {
                "weva_features": 1,
                "weva_buckets": 1,
                "weva_solve": 2,
                "weva_evaluate": 2,
                **ENDS,
            },
        ),
        (
            _longer_warmup,
            {
                "weva_warmup": 3,
                "weva_features": 3,
                "weva_buckets": 3,
                "weva_solve": 6,
                "weva_evaluate": 6,
                **ENDS,
            },
        ),
        (
            _another_game,
            {
                "weva_game": 2,
                "weva_features": 1,
                "weva_buckets": 1,
                "weva_solve": 2,
                "weva_evaluate": 2,
                **ENDS,
            },
        ),
        (_another_solver, {"weva_solve": 11, "weva_evaluate": 11, **ENDS}),
        (
            _more_seeds,
            {"weva_buckets": 11, "weva_solve": 22, "weva_evaluate": 22, **ENDS},
        ),
    ],
)
def test_changed_configuration(
    project: Project, change: Callable[[dict[str, Any]], None], expected: dict[str, int]
) -> None:
    config = project.read_config()
    change(config["weva"])
    assert project.planned(*project.write_config("changed.yaml", config)) == expected


# Which studies there are is part of what is said of the neighbours of hands.
EMBEDDING_STUDIES = {**EMBEDDING_ENDS, "embedding_neighbours": 1}


def _another_point(embedding: dict[str, Any]) -> None:
    embedding["figure5"]["points"].append(30)


def _a_sharper_phi(embedding: dict[str, Any]) -> None:
    embedding["transforms"]["squared"] = {"power": 2}
    embedding["ablation"]["sharpness"]["curves"][0]["abstractions"].append("hand/squared")


def _another_name(embedding: dict[str, Any]) -> None:
    embedding["ablation"]["breadth"] = embedding["ablation"].pop("width")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_another_point, {"embedding_curve": 7, **EMBEDDING_STUDIES}),
        (_a_sharper_phi, {"embedding_transform": 1, "embedding_curve": 1, **EMBEDDING_STUDIES}),
        (_another_name, EMBEDDING_STUDIES),
    ],
)
def test_changed_configuration_of_the_embedding(
    project: Project, change: Callable[[dict[str, Any]], None], expected: dict[str, int]
) -> None:
    config = project.read_config()
    change(config["embedding"])
    assert project.planned(*project.write_config("changed.yaml", config)) == expected
