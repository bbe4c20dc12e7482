"""ev_features: features of hands, from a warm-up or from the game alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab import plugins
from cfrlab.experiments.stages import names
from cfrlab.games.game import Game, Profile
from cfrlab.logs import LOGGER


def extract(
    games: Iterable[tuple[Game, Profile | None]], feature: str, params: Mapping[str, Any]
) -> dict[str, NDArray[np.float64]]:
    """Features of both players' hands on every instance (``names.features``).

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
            values = module.features(game, player, options, profile)
            arrays[names.features(player, instance)] = values
        LOGGER.info("instance %d: %s numbers a hand", instance, values.shape[1])
    return arrays
