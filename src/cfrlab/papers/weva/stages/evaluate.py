"""evaluate: lift bucketed strategies to all hands, and meet best responses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.logs import Progress
from cfrlab.papers.weva import artifacts
from cfrlab.pipeline.compiled import trees
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.text import canonical_json
from cfrlab.solve.compress import lift
from cfrlab.solve.response import Evaluator

COLUMNS = (
    "instance",
    "buckets",
    "kmeans_seed",
    "k_effective_0",
    "k_effective_1",
    "averaging",
    "iteration",
    "exploitability",
    "value",
)


def evaluate(
    games: Iterable[Game],
    labels: Mapping[str, NDArray[np.int32]],
    strategies: Mapping[str, NDArray[np.float64]],
    runs: Sequence[Mapping[str, Any]],
    averaging: Sequence[str],
) -> dict[str, NDArray[Any]]:
    """One record for every run, averaging rule and iteration kept, as columns of equal length.

    Instances that are the same game (nothing is drawn in high card or Kuhn poker) are recorded as
    one, the first of them: they are not independent, and statistics count instances.

    Exploitability (half-sum) and player 0's value are exact in the full game, and fractions of the
    initial pot.

    Args:
        games: the instances in order.
        labels: bucket maps by ``labels``.
        strategies: strategies of buckets by ``strategies``.
        runs: what was solved: mappings with instance, buckets, seed and iterations.
        averaging: names of the averaging rules, in order of the strategies' first axis.
    """
    trees.ensure()
    seen: dict[str, int] = {}
    count = len(averaging) * sum(len(run["iterations"]) for run in runs)
    progress = Progress(count, "profiles")
    records = []
    for instance, game in enumerate(games):
        evaluator = Evaluator(game)
        board = seen.setdefault(_digest(game), instance)
        for run in (run for run in runs if run["instance"] == instance):
            key = (instance, run["buckets"], run["seed"])
            maps = labels[artifacts.labels(0, *key)], labels[artifacts.labels(1, *key)]
            rows = (
                strategies[artifacts.strategies(0, *key)],
                strategies[artifacts.strategies(1, *key)],
            )
            for (a, rule), (i, t) in product(enumerate(averaging), enumerate(run["iterations"])):
                measured = _measure(evaluator, lift((rows[0][a, i], rows[1][a, i]), maps))
                columns = (
                    board,
                    *key[1:],
                    rows[0].shape[-1],
                    rows[1].shape[-1],
                    rule,
                    t,
                    *measured,
                )
                records.append(dict(zip(COLUMNS, columns, strict=True)))
                progress.step()
    return {name: np.array([record[name] for record in records]) for name in COLUMNS}


def _digest(game: Game) -> str:
    """Hash of all that a game consists of."""
    arrays, meta = game.to_arrays()
    parts = (canonical_json(meta).encode(), *(arrays[name].tobytes() for name in sorted(arrays)))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _measure(evaluator: Evaluator, profile: Profile) -> tuple[float, float]:
    """Exploitability and value, in fractions of the initial pot."""
    pot = evaluator.game.pot
    return evaluator.exploitability(profile) / pot, evaluator.value(profile) / pot


def run(job: Job) -> None:
    """Run the stage."""
    labels = job.load("buckets", artifacts.BUCKETS).arrays
    solved = job.load("solutions", artifacts.SOLUTIONS)
    runs, averaging = solved.meta["runs"], solved.meta["averaging"]
    columns = evaluate(artifacts.load_games(job), labels, solved.arrays, runs, averaging)
    job.save(
        artifacts.EXPLOITABILITY, columns, {**job.config, "iterations": solved.meta["iterations"]}
    )
