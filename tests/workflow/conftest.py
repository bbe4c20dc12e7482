"""Fixtures of the workflow tests, made once and shared."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflow_project import SMOKE, TINY, Project, copy_project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A fresh copy of the project, so that tests may edit code, and nothing was run before."""
    return copy_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="session")
def smoke(project: Project) -> Path:
    """Results of the smoke workflow on two cores."""
    project.run("--cores", "2", *SMOKE)
    return project.folder / "results/smoke"


@pytest.fixture(scope="session")
def tiny(project: Project) -> Path:
    """Results of a configuration with few jobs, on one core."""
    arguments = project.write_tiny_config(TINY)
    project.run("--cores", "1", *arguments)
    return project.folder / "results" / TINY


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a run of the workflow go to one worker, where they find it made.

    Those of the smoke run are one group, those of smaller runs the other.
    """
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            group = "smoke" if "smoke" in getattr(item, "fixturenames", ()) else "small runs"
            item.add_marker(pytest.mark.xdist_group(group))
