"""Embedding CFR on Numeral211 hold'em: a part of ``run.py``.

Times are CPU times of the process, the best of a few repetitions. Called with a kind of abstraction
as its only argument, this file runs a solver of that kind and prints the process's peak memory.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from row import Row

from cfrlab.games.isomorphism import HandClasses
from cfrlab.games.rounds import RoundGame
from cfrlab.games.zoo import numeral211
from cfrlab.seeds import rng_for
from cfrlab.solve.phi import BucketMap, Identity, Phi, Soft
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rule import Rule

REPEATS = 3
BUDGETS = (225, 396)
"""Buckets or advisors on the flop and on the turn."""
LOSSLESS, BUCKETS, DENSE, SPARSE = "lossless", "buckets", "dense", "sparse"
DEALS = 780 * 38 * 37
"""What the paper samples in an iteration."""


def embedding() -> Iterator[Row]:
    """An iteration under each kind of abstraction, best responses, memory."""
    game = numeral211.rounds(numeral211.Params())
    rule = Rule.named("cfr")
    for kind, name, prototype, bar in (
        (BUCKETS, "100/225/396 buckets", 0.95, "ours <= 1.1"),
        (LOSSLESS, "lossless", 1.2, "ours <= 1.3"),
        (DENSE, "Embedding CFR, dense Phi", 2.5, "ours <= 2.6"),
        (SPARSE, "Embedding CFR, three advisors a hand", None, ""),
    ):
        solver = RoundCFR(game, rule, abstraction(game, kind), averages=("uniform",))
        yield _row(f"Numeral211 iteration, {name}", iteration(solver), "s", prototype, bar)
        if kind == DENSE:
            yield _denormals(solver)
    sampled = RoundCFR(game, rule, abstraction(game, BUCKETS), deals=DEALS)
    name = "Numeral211 iteration, 100/225/396 buckets, 1.1 million deals"
    yield _row(name, iteration(sampled), "s")
    average = sampled.average()
    seconds = best(lambda: best_responses(average))
    yield _row("Numeral211 best responses of both players", seconds, "s", 1.5, "ours <= 2")
    for kind, bar in ((BUCKETS, "ours <= 4"), (LOSSLESS, "ours <= 6"), (DENSE, "ours <= 6")):
        note = "three averages, best responses to each, a copy of the state"
        yield _row(f"Numeral211 peak memory, {kind}", peak(kind), "GB", bar=bar, note=note)


def abstraction(game: RoundGame, kind: str) -> RoundAbstraction:
    """An abstraction of the published size; the first round is lossless."""
    if kind == LOSSLESS:
        return RoundAbstraction.identity(game)
    later = [_phi(kind, m, c) for m, c in zip(BUDGETS, game.classes[1:], strict=True)]
    return RoundAbstraction((Identity(game.hands[0]), *later))


def _phi(kind: str, rows: int, classes: HandClasses) -> Phi:
    rng, hands = rng_for(0, "bench", kind, rows), len(classes)
    if kind == BUCKETS:  # time does not depend on which
        return BucketMap(rng.permutation(np.arange(hands) % rows).astype(np.int32))
    if kind == DENSE:
        # Hands in a row trust advisors in a row, some 40 of them and the others as little as a
        # trained network's do, so that much of what is played is played with tiny probabilities.
        first = classes.first[classes.board]
        place = (np.arange(hands) - first) / np.diff(classes.first)[classes.board]
        distance = np.linspace(0, 1, rows)[:, None] - place
        matrix = np.exp(np.maximum(-300 * distance**2, -34))
    else:
        matrix = np.zeros((rows, hands))
        chosen = rng.integers(rows, size=(3, hands))
        matrix[chosen, np.arange(hands)] = rng.random((3, hands)) + 0.1
    return Soft((matrix / matrix.sum(0)).astype(np.float32))


def best(job: Callable[[], object]) -> float:
    """CPU seconds of a job."""
    job()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return min(times)


def iteration(solver: RoundCFR) -> float:
    """CPU seconds of an iteration, after some that leave the uniform strategy behind."""
    solver.run(3)
    return best(lambda: solver.run(1))


def _denormals(solver: RoundCFR) -> Row:
    """What flushing saves: the same iterations with it and without."""
    flushed, state = best(lambda: solver.run(1)), solver.state()
    small = solver.walk.small[0]
    solver.walk.small[0] = 0.0
    kept = best(lambda: solver.run(1))
    solver.walk.small[0] = small
    solver.restore(state)
    return _row(
        "Numeral211 iteration, dense Phi, denormals flushed", flushed, "s", kept, "",
        "the same, not flushed",
    )  # fmt: skip


def _row(
    name: str, ours: float, unit: str, reference: float | None = None, bar: str = "",
    note: str | None = None,
) -> Row:  # fmt: skip
    ratio = None if reference is None else reference / ours
    if note is None:
        note = "" if reference is None else "measured prototype"
    return Row(name, ours, unit, reference, unit if reference else "", ratio, bar, note)


def peak(kind: str) -> float:
    """Most memory that a process with one solver takes, in GB."""
    done = subprocess.run(
        [sys.executable, __file__, kind], check=True, capture_output=True, text=True
    )
    return float(done.stdout) / 1e9


def main() -> None:
    """What a run of the workflow does: iterate, measure all averages, keep a checkpoint."""
    [kind] = sys.argv[1:]
    game = numeral211.rounds(numeral211.Params())
    solver = RoundCFR(game, Rule.named("cfr"), abstraction(game, kind), averages=AVERAGES)
    solver.run(1)
    for name in AVERAGES:
        best_responses(solver.average(name))
    solver.state()
    print(_high_water())


def _high_water() -> int:
    """Most memory that this process has taken, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux ru_maxrss starts with what the parent took
        return 1024 * int(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
