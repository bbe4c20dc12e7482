"""transform: a sharper Phi from a trained one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction.embedding.sharpen import sharpen
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER
from cfrlab.papers.embedding import artifacts
from cfrlab.papers.embedding.artifacts import NAMES
from cfrlab.papers.embedding.phi_report import about_matrix
from cfrlab.pipeline.job import Job

Matrix = NDArray[np.float32]

LEARNED = ("r2", "r2_by_group")
"""What only a network's training tells; a transform leaves it as it is."""


def transform(
    game: RoundGame,
    matrices: Sequence[Matrix],
    before: Sequence[dict[str, Any]],
    power: float,
    top: int | None,
    cut: float,
) -> tuple[list[Matrix], list[dict[str, Any]]]:
    """Sharpen the Phi of every round but the first, and say what is known of the result.

    Args:
        game: the game.
        matrices: float32 [m, n] each.
        before: what is known of them.
        power, top, cut: see `abstraction.embedding.sharpen`.
    """
    sharper, after = [], []
    for r, (phi, known) in enumerate(zip(matrices, before, strict=True), start=1):
        sharper.append(sharpen(phi, power, top, cut).phi)
        learned = {name: known[name] for name in LEARNED}
        after.append({**about_matrix(game, r, sharper[-1]), **learned})
        LOGGER.info(
            "round %d: a hand trusts %.1f advisors, %.1f before",
            r + 1,
            after[-1]["effective"],
            known["effective"],
        )
    return sharper, after


def run(job: Job) -> None:
    """Run the stage."""
    game = artifacts.load_game(job)
    trained = artifacts.load_phi(job, game)
    sharper, after = transform(game, trained.arrays, trained.meta["rounds"], **job.config)
    network, label = job.key["network"], job.key["transform"]
    names = {name: trained.meta[name] for name in NAMES}
    names |= {"abstraction": f"{network}/{label}", "phi": label}
    artifacts.save_phi(job, game, sharper, names, after)
