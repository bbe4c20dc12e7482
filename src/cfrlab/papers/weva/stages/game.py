"""game: build one instance of a game of the zoo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cfrlab import plugins
from cfrlab.games.game import Game
from cfrlab.logs import LOGGER
from cfrlab.papers.weva import artifacts
from cfrlab.pipeline.job import Job


def generate(zoo: str, options: Mapping[str, Any], seed: int) -> Game:
    """The game that module `zoo` builds from its options and a seed.

    Raises CfrlabError for an unknown game, and for cards that cannot be dealt.
    """
    module = plugins.load("cfrlab.games.zoo", zoo, "game")
    game: Game = module.build(module.Params(**options), np.random.default_rng(seed))
    LOGGER.info(
        "%s: %d and %d hands, %d decisions, %d terminals",
        zoo,
        *game.n,
        sum(len(game.tree.decisions(p)) for p in (0, 1)),
        len(game.tree.terminals),
    )
    return game


def run(job: Job) -> None:
    """Run the stage."""
    game = generate(**job.config, seed=job.seed)
    job.save(artifacts.GAME, *game.to_arrays())
