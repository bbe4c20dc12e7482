import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

from cfrlab.errors import CfrlabError
from cfrlab.logs import Progress, duration, stage


def test_messages_go_to_the_file_and_what_cannot_wait_to_stderr_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "logs" / "solve.log"
    clock = iter([0.0, 20.0, 40.0]).__next__
    with stage(path) as log:
        log.info("K = %d", 50)
        log.warning("kernels are compiled")
        progress = Progress(4, "solves", clock=clock)
        progress.step()
        progress.step()
    lines = [line.split(" ", 1)[1] for line in path.read_text().splitlines()]
    assert lines[:2] == ["K = 50", "kernels are compiled"]
    assert [line.split(",")[0] for line in lines[2:4]] == ["1/4 solves", "2/4 solves"]
    assert "done in" in lines[4]
    captured = capsys.readouterr()
    urgent = [line.split(" ", 1)[1] for line in captured.err.splitlines()]
    assert urgent == [lines[1], lines[3]], "progress once the job has run for half a minute"
    assert captured.out == ""


def test_messages_name_the_job_but_errors_are_bare(tmp_path: Path) -> None:
    path = tmp_path / "solve.log"
    with stage(path, 1, "solve", "kuhn", "dcfr") as log:
        log.info("half done")
        log.error("no legal hand left")
    first, second, _ = path.read_text().splitlines()
    assert first.split(" ", 1)[1] == "solve kuhn dcfr: half done"
    assert second == "error: no legal hand left"


def test_a_user_mistake_is_one_line_and_exit_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "solve.log"
    with pytest.raises(SystemExit) as exit_info, stage(path):
        raise CfrlabError("K = 9 is above\nthe number of hands; lower K")
    assert exit_info.value.code == 1
    assert path.read_text() == "error: K = 9 is above the number of hands; lower K\n"
    assert capsys.readouterr().err == path.read_text()


def test_a_script_with_a_user_mistake_prints_no_traceback(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from cfrlab.errors import CfrlabError\n"
        "from cfrlab.logs import stage\n"
        "with stage('script.log'):\n"
        "    raise CfrlabError('no legal hand left')\n"
    )
    source = Path(__file__).resolve().parents[2] / "src"
    run = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "error: no legal hand left\n")


def test_a_fault_leaves_its_traceback_in_the_log_and_is_raised(tmp_path: Path) -> None:
    path = tmp_path / "solve.log"
    with pytest.raises(ZeroDivisionError), stage(path):
        _ = 1 // 0
    assert "ZeroDivisionError" in path.read_text()
    assert "test_logs.py" in path.read_text()


def test_stages_leave_logger_and_environment_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    logger = logging.getLogger("cfrlab")
    before = (list(logger.handlers), logger.level)
    for _ in range(2):
        with stage(tmp_path / "log") as log:
            log.info("once")
            assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert (tmp_path / "log").read_text().count("once") == 1
    assert (logger.handlers, logger.level) == before
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_threads_of_linear_algebra_are_limited() -> None:
    import numpy as np

    np.ones((2, 2)) @ np.ones((2, 2))
    with stage(None, threads=1):
        pools = [pool["num_threads"] for pool in threadpool_info()]
    assert pools
    assert set(pools) == {1}


def test_progress_logs_at_most_every_interval_and_the_last_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0

    def clock() -> float:
        return now

    with stage(None):
        progress = Progress(10, "solves", every_seconds=5, clock=clock)
        for _ in range(9):
            now += 2.0
            progress.step()
        now += 1.0
        progress.step()
    lines = [line.split(" ", 1)[1] for line in capsys.readouterr().err.splitlines()]
    assert lines[:-1] == [
        "3/10 solves, 0.5/s, 14.0 s left",
        "6/10 solves, 0.5/s, 8.0 s left",
        "9/10 solves, 0.5/s, 2.0 s left",
        "10/10 solves, 0.526/s, 0.0 s left",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 s"),
        (4.24, "4.2 s"),
        (59.99, "1 min 00 s"),
        (200, "3 min 20 s"),
        (7500, "2 h 05 min"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words
