"""measure: peak memory and time of CFR and CFR-D, each in a process of its own.

Resident memory is read from Linux's ``/proc``. Before the solver is made the peak is reset, so what
is reported is the solver alone: its compiled game, regrets, strategies and working space.
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd import artifacts
from cfrlab.papers.cfrd.game_cut import GameCut
from cfrlab.pipeline.compiled import decomposition
from cfrlab.pipeline.job import Job
from cfrlab.solve.cfr import CFR
from cfrlab.solve.rule import Rule

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measure(mode: str, config: Mapping[str, Any]) -> dict[str, float]:
    """Run one solver in a fresh process.

    Args:
        mode: ``cfr`` or ``cfr-d``.
        config: ``game`` (the fields of `GameCut`) and the numbers of iterations.

    Returns:
        ``peak_bytes`` of the solver, ``seconds`` it ran and ``setup_seconds`` before.

    Raises CfrlabError if the process fails.
    """
    command = [sys.executable, "-m", __name__, mode, json.dumps(dict(config))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise CfrlabError(f"memory of {mode}: the measured process failed ({reason})")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _resident(field: str) -> int:
    for line in _STATUS.read_text(encoding="utf-8").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise CfrlabError(f"memory: {_STATUS} has no {field}; measuring needs Linux")


def _settle() -> int:
    """Give freed memory back, reset the peak, and return what is resident."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    _RESET.write_text("5", encoding="utf-8")
    return _resident("VmRSS")


def _run(mode: str, config: Mapping[str, Any]) -> dict[str, float]:
    decomposition.ensure()
    cut, rule = GameCut(**config["game"]).decomposition, Rule.named("cfr")
    _warm(rule)
    before, start = _settle(), time.monotonic()
    solver: CFR | CFRD
    if mode == "cfr":
        solver, iterations = CFR(cut.game, rule), config["cfr_iterations"]
    else:
        variant = Variant(config["subgame_iterations"], rule, together=False)
        solver, iterations = CFRD(cut, rule, variant), config["trunk_iterations"]
    gc.collect()
    ready = time.monotonic()
    solver.run(iterations)
    return {
        "peak_bytes": _resident("VmHWM") - before,
        "setup_seconds": ready - start,
        "seconds": time.monotonic() - ready,
    }


def _warm(rule: Rule) -> None:
    """Load the kernels, so that they do not count; subgames of two shapes make a forest."""
    small = GameCut("kuhn", {}, ["check", "bet"]).decomposition
    CFR(small.game, rule).run(1)
    CFRD(small, rule, Variant(1, rule)).run(1)


def run(job: Job) -> None:
    """Run the stage."""
    config, mode = job.config, job.key["mode"]
    options = config["game"]["options"]
    meta = {
        "mode": mode,
        "game": f"leduc with {options['ranks']} ranks and {options['max_raises']} raises",
        "options": options,
        **{name: config[name] for name in config if name.endswith("iterations")},
    }
    arrays = {name: np.array(value) for name, value in measure(mode, config).items()}
    job.save(artifacts.MEASURED, arrays, meta)


if __name__ == "__main__":
    print(json.dumps(_run(sys.argv[1], json.loads(sys.argv[2]))))
