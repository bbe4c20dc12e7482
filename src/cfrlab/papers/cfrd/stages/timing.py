"""timing: seconds that safe and unsafe re-solving take for the same iterations."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from cfrlab.decomposition.resolving import Resolver
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.logs import Progress
from cfrlab.papers.cfrd import artifacts
from cfrlab.papers.cfrd.labels import METHODS
from cfrlab.pipeline.checkpoint import Arrays
from cfrlab.pipeline.compiled import decomposition
from cfrlab.pipeline.job import Job
from cfrlab.solve import lp
from cfrlab.solve.rule import Rule


def seconds(
    cut: Decomposition,
    rule: Rule,
    iterations: int,
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Arrays:
    """Time the re-solving of one player's strategy in all subgames of an equilibrium.

    Methods take turns, so that whatever else the machine does meets all of them alike. Making the
    solver does not count.

    Args:
        cut: the game and its subgames.
        rule: update rule.
        iterations: of each run.
        repeats: R runs of each method and player.
        clock: monotonic time in seconds.

    Returns:
        ``seconds`` float64 [methods, 2 players, R].
    """
    decomposition.ensure()
    _, profile = lp.solve(cut.game)
    out = np.empty((len(METHODS), 2, repeats))
    progress = Progress(out.size, "runs")
    for m, p in np.ndindex(len(METHODS), 2):
        Resolver(cut, profile, METHODS[m], rule, players=(p,)).run(1)
    for r, p, m in np.ndindex(repeats, 2, len(METHODS)):
        resolver = Resolver(cut, profile, METHODS[m], rule, players=(p,))
        start = clock()
        resolver.run(iterations)
        out[m, p, r] = clock() - start
        progress.step()
    return {"seconds": out}


def run(job: Job) -> None:
    """Run the stage."""
    config, cut, rule = job.config, artifacts.decomposition(job), artifacts.rule(job)
    arrays = seconds(cut, rule, config["iterations"], config["repeats"])
    meta = {"game": job.key["game"], "iterations": config["iterations"]}
    job.save(artifacts.TIMED, arrays, meta)
