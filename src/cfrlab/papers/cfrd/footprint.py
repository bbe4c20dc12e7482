"""cfrd_measure: peak memory and time of CFR and CFR-D, each in a process of its own.

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

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd.jit import ensure_compiled
from cfrlab.papers.cfrd.setting import Setting, build
from cfrlab.solve.cfr import CFR
from cfrlab.solve.rule import Rule

MODES = ("cfr", "cfr-d")
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measure(mode: str, config: Mapping[str, Any]) -> dict[str, float]:
    """Run one solver in a fresh process.

    Args:
        mode: ``cfr`` or ``cfr-d``.
        config: ``game`` (`Setting.to_json`) and the numbers of iterations.

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
    ensure_compiled()
    decomposition, rule = build(Setting.from_json(config["game"])), Rule.named("cfr")
    _warm(rule)
    before, start = _settle(), time.monotonic()
    solver: CFR | CFRD
    if mode == "cfr":
        solver, iterations = CFR(decomposition.game, rule), config["cfr_iterations"]
    else:
        variant = Variant(config["subgame_iterations"], rule, together=False)
        solver, iterations = CFRD(decomposition, rule, variant), config["trunk_iterations"]
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
    small = build(Setting("kuhn", {}, ["check", "bet"]))
    CFR(small.game, rule).run(1)
    CFRD(small, rule, Variant(1, rule)).run(1)


if __name__ == "__main__":
    print(json.dumps(_run(sys.argv[1], json.loads(sys.argv[2]))))
