"""ev_features: features of hands, from a warm-up or from the game alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cfrlab import plugins
from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.stages import names
from cfrlab.experiments.stages.game_file import load_game
from cfrlab.experiments.stages.warmup_file import profiles
from cfrlab.logs import Progress

KIND = "features"


def extract(
    games: Sequence[str],
    warmup: str | None,
    feature: str,
    params: Mapping[str, Any],
    out: str,
    made: Provenance,
) -> None:
    """Write the features of both players' hands on every instance (``names.features``).

    Args:
        games: files of a game's instances, in order.
        warmup: file of their warm-ups, or None for a feature that needs none.
        feature, params: name and options of the feature's plug-in.
        out, made: the artifact to write, and its provenance.
    """
    module = plugins.load("cfrlab.abstraction.features", feature, "method")
    options = module.Params(**params)
    warm = [None] * len(games) if warmup is None else profiles(warmup, len(games))
    arrays = {}
    progress = Progress(len(games), "instances")
    for instance, path in enumerate(games):
        game = load_game(path)
        for player in (0, 1):
            values = module.features(game, player, options, warm[instance])
            arrays[names.features(player, instance)] = values
        progress.step()
    store.save(out, KIND, arrays, {"feature": feature}, made)
