"""curve: one run of a solver, with exact best responses on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER, Progress, duration
from cfrlab.papers.embedding import artifacts
from cfrlab.papers.embedding.artifacts import LOSSLESS, StoredPhi
from cfrlab.pipeline.checkpoint import SECONDS, Arrays, Checkpoint
from cfrlab.pipeline.compiled import rounds
from cfrlab.pipeline.job import Job
from cfrlab.solve.phi import BucketMap, Identity, Phi, Soft
from cfrlab.solve.rounds.abstraction import RoundAbstraction
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rule import Rule

B = "curve_b"
"""Name of the measurements in a checkpoint, beside the solver's own arrays."""


def abstraction(game: RoundGame, phi: StoredPhi) -> RoundAbstraction:
    """The abstraction of a game, lossless in its first round. Raises CfrlabError for no Phi."""
    phis: list[Phi] = [Identity(game.hands[0])]
    for r, array in enumerate(phi.arrays, start=1):
        try:
            phis.append(BucketMap(array) if array.ndim == 1 else Soft(array))
        except CfrlabError as error:
            raise CfrlabError(f"round {r + 1}: {error}") from None
    return RoundAbstraction(tuple(phis))


def make_solver(
    game: RoundGame,
    phi: RoundAbstraction | None,
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
    rounds.ensure()
    return RoundCFR(
        game,
        Rule.named(options["rule"], options["alternating"], options["averaging"]),
        phi,
        averages=options["averages"],
        baseline=options["baseline"],
        dtype=np.float32,
        device=device,
        deals=options["deals"],
        seed=seed,
    )


def about(game: RoundGame, phi: StoredPhi | None) -> dict[str, Any]:
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
    values = np.array([best_responses(solver.average(name)) for name in averages])
    for name, (b0, b1) in zip(averages, values, strict=True):
        LOGGER.info("iteration %d, %s average: NashConv %.5g", solver.iteration, name, b0 + b1)
    return values


def run(job: Job) -> None:
    """Run the stage."""
    config, options = job.config, job.config["solver"]
    game = artifacts.load_game(job)
    stored = artifacts.load_phi(job, game) if job.has("phi") else None
    try:
        phi = abstraction(game, stored) if stored else None
    except CfrlabError as error:
        artifacts.refuse(job, "phi", str(error))
    seed = 0 if options["deals"] is None else job.seed
    solver = make_solver(game, phi, options, seed, config["device"])
    arrays = follow(solver, options["averages"], config["points"], job.checkpoint)
    meta = {
        **job.key,
        "seed": int(job.key["seed"]),
        "averages": options["averages"],
        **about(game, stored),
    }
    job.save(artifacts.CURVE, arrays, meta)
