"""features: features of hands, from a warm-up or from the game alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab import plugins
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.logs import LOGGER
from cfrlab.papers.weva import artifacts
from cfrlab.pipeline.job import Job


def extract(
    games: Iterable[tuple[Game, Profile | None]], feature: str, params: Mapping[str, Any]
) -> dict[str, NDArray[np.float64]]:
    """Features of both players' hands on every instance (``features``).

    Args:
        games: the instances in order, each with its warm-up where the feature needs one.
        feature, params: name and options of the feature's plug-in.

    Raises CfrlabError for a game that the feature is not made for.
    """
    module = plugins.load("cfrlab.abstraction.features", feature, "method")
    options = module.Params(**params)
    arrays = {}
    for instance, (game, profile) in enumerate(games):
        for player in (0, 1):
            values = np.asarray(module.features(game, player, options, profile))
            shape = (game.n[player], *values.shape[1:])
            if values.ndim != 2 or values.shape != shape or not np.all(np.isfinite(values)):
                raise CfrlabError(
                    f"feature {feature}: must be finite numbers of shape [{game.n[player]} hands, "
                    f"d] for player {player} of {game.name}, got shape {values.shape}"
                    f"{'' if np.all(np.isfinite(values)) else ' with numbers that are not finite'}"
                )
            arrays[artifacts.features(player, instance)] = values
        LOGGER.info("instance %d: %s numbers a hand", instance, values.shape[1])
    return arrays


def run(job: Job) -> None:
    """Run the stage."""
    count = len(job.inputs["games"])
    warmups: list[Profile | None] = [None] * count
    if job.has("warmup"):
        warmups = [*artifacts.profiles(job.load("warmup", artifacts.WARMUP))]
    games = zip(artifacts.load_games(job), warmups, strict=True)
    job.save(artifacts.FEATURES, extract(games, **job.config))
