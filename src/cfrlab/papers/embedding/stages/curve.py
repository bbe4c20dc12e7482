"""embedding_curve: one run of a solver, with exact best responses on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER, Progress, duration
from cfrlab.papers.embedding.jit import ensure_compiled
from cfrlab.papers.embedding.phi_file import PhiFile
from cfrlab.papers.embedding.setting import LOSSLESS
from cfrlab.pipeline.checkpoint import SECONDS, Arrays, Checkpoint
from cfrlab.solve.cfr import Rule
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses

B = "curve_b"
"""Name of the measurements in a checkpoint, beside the solver's own arrays."""


def make_solver(
    game: RoundGame,
    phi: PhiFile | None,
    options: Mapping[str, Any],
    seed: int,
    device: str | None = None,
) -> RoundCFR:
    """A fresh solver.

    Args:
        game: the game.
        phi: its abstraction; None for none.
        options: see `section.Solver`.
        seed: of the sampled deals.
        device: torch device of products with a dense Phi; BLAS on one thread unless given.
    """
    ensure_compiled()
    return RoundCFR(
        game,
        Rule.named(options["rule"], options["alternating"], options["averaging"]),
        None if phi is None else phi.abstraction(game),
        averages=options["averages"],
        baseline=options["baseline"],
        dtype=np.float32,
        device=device,
        deals=options["deals"],
        seed=seed,
    )


def about(game: RoundGame, phi: PhiFile | None) -> dict[str, Any]:
    """What a curve says of its game and abstraction; rows and effective rows of every round."""
    first = game.hands[0]
    if phi is None:
        names = {"family": LOSSLESS, "network": "", "phi": ""}
        rows, effective = [*game.hands], [1.0] * game.rounds
    else:
        names = {name: phi.meta[name] for name in ("family", "network", "phi")}
        rows = [first, *(part["rows"] for part in phi.meta["rounds"])]
        effective = [1.0, *(part["effective"] for part in phi.meta["rounds"])]
    return {**names, "ante": game.ante, "rows": rows, "effective": effective}


def follow(
    solver: RoundCFR,
    averages: Sequence[str],
    points: Sequence[int],
    checkpoint: Checkpoint | None = None,
    every_seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Arrays:
    """Run a solver to the last of some points and measure its averages at each.

    Args:
        solver: a fresh solver that keeps the averages.
        averages: A averaging rules.
        points: P numbers of iterations.
        checkpoint: where to go on from, and to keep the state.
        every_seconds: time between two checkpoints.
        clock: monotonic time in seconds.

    Returns:
        ``points`` int64 [P], ascending; ``b`` float64 [A, 2, P], what a best response of either
        player wins against each average, in chips a hand.
    """
    at = sorted(set(points))
    b = np.full((len(averages), 2, len(at)), np.nan)
    if checkpoint and (kept := checkpoint.read()):
        b = kept.pop(B)
        solver.restore(kept)
        LOGGER.info("goes on from iteration %d of %s", solver.iteration, checkpoint.path)
    progress = Progress(at[-1] - solver.iteration, "iterations")
    saved = clock()
    while solver.iteration < at[-1]:
        solver.run(1)
        if solver.iteration in at:
            b[:, :, at.index(solver.iteration)] = _measure(solver, averages)
        progress.step()
        if checkpoint and solver.iteration < at[-1] and clock() - saved >= every_seconds:
            started = clock()
            checkpoint.write({**solver.state(), B: b})
            saved = clock()
            LOGGER.info("checkpoint written in %s", duration(saved - started))
    return {"points": np.array(at, np.int64), "b": b}


def _measure(solver: RoundCFR, averages: Sequence[str]) -> NDArray[np.float64]:
    found = np.array([best_responses(solver.average(name)) for name in averages])
    for name, (b0, b1) in zip(averages, found, strict=True):
        LOGGER.info("iteration %d, %s average: NashConv %.5g", solver.iteration, name, b0 + b1)
    return found
