"""buckets: hands grouped by a plug-in, for every round but the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab import plugins
from cfrlab.abstraction.quality import quality
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER
from cfrlab.papers.embedding import artifacts
from cfrlab.papers.embedding.artifacts import Values
from cfrlab.pipeline.job import Job
from cfrlab.seeds import rng_for

Labels = tuple[NDArray[np.int32], ...]


def cluster(
    game: RoundGame,
    clustering: str,
    budgets: Sequence[int],
    params: Mapping[str, Any],
    rng: np.random.Generator,
    values: Values | None,
) -> tuple[Labels, list[dict[str, Any]]]:
    """Buckets of every round but the first, and what is known of them (`artifacts.save_phi`).

    Raises CfrlabError for an unknown clustering and for budgets that do not fit the game.
    """
    module = plugins.load("cfrlab.abstraction.clusterings", clustering, "clustering")
    labels: Labels = module.buckets(game, budgets, module.Params(**params), rng, values)
    known = []
    for of_round, budget, alike in zip(labels, budgets, quality(game, labels), strict=True):
        known.append({**about_labels(of_round, budget), "quality": alike})
        LOGGER.info(
            "round %d: %d buckets in effect of %d", alike["round"], known[-1]["rows"], budget
        )
    return labels, known


def about_labels(labels: NDArray[np.int32], budget: int) -> dict[str, Any]:
    """What is known of the buckets of a round; every hand trusts one."""
    rows = int(labels.max()) + 1
    return {
        "classes": len(labels),
        "budget": budget,
        "rows": rows,
        "effective": 1.0,
        "dead": budget - rows,
    }


def run(job: Job) -> None:
    """Run the stage."""
    label, seed = job.key["clustering"], job.key["seed"]
    game = artifacts.load_game(job)
    rng = rng_for(job.seed, "embedding", "clustering", label, seed)
    labels, known = cluster(game, **job.config, rng=rng, values=artifacts.load_values(job))
    names = {
        "game": job.key["game"],
        "abstraction": label,
        "family": job.config["clustering"],
        "network": "",
        "phi": "",
        "seed": int(seed),
    }
    artifacts.save_phi(job, game, labels, names, known)
