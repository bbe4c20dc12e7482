"""The same bytes for any number of cores, and after a run was killed and taken up again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from workflow_project import Project, contents

pytestmark = pytest.mark.workflow


def test_two_cores_make_the_same_bytes_as_one(project: Project, tiny: Path) -> None:
    project.run("--cores", "2", *project.write_tiny_config("two-cores"))
    expected, found = contents(tiny), contents(tiny.parent / "two-cores")
    assert len(expected) > 50
    assert found == expected


def test_a_killed_run_resumes_to_the_same_bytes(project: Project, tiny: Path) -> None:
    arguments = project.write_tiny_config("killed")
    results = tiny.parent / "killed"
    run = subprocess.Popen(
        project.command("tables", "--cores", "2", *arguments),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not list(results.glob("solutions/*/*/*.npz")):
        assert run.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert not (results / "tables").exists()

    locked = project.run("tables", "--cores", "1", *arguments, succeed=False)
    assert "--unlock" in locked, "the message names the way out"
    project.run("--unlock", *arguments)
    project.run("tables", "--cores", "2", *arguments)
    assert contents(results) == contents(tiny, "oracle", "figures", "claims", "claims.csv")
