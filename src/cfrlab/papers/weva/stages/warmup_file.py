"""Warm-ups as artifacts: the average profile of every instance of a game."""

from __future__ import annotations

from collections.abc import Sequence

from cfrlab.games.game import Profile
from cfrlab.papers.weva.stages import names
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance


def save_profiles(path: str, profiles: Sequence[Profile], made: Provenance) -> None:
    """Write the profile of each instance, in order."""
    arrays = {
        names.profile(player, instance): rows
        for instance, profile in enumerate(profiles)
        for player, rows in enumerate(profile)
    }
    store.save(path, names.WARMUP, arrays, {"instances": len(profiles)}, made)


def load_profiles(path: str) -> list[Profile]:
    """Read the profile of each instance; raises CfrlabError for a damaged file."""
    warmup = store.load(path, names.WARMUP)
    return [
        (warmup.arrays[names.profile(0, i)], warmup.arrays[names.profile(1, i)])
        for i in range(warmup.meta["instances"])
    ]
