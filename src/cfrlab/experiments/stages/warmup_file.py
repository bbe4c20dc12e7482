"""Warm-up profiles as an artifact."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.stages import names
from cfrlab.games.game import Profile

KIND = "warmup"


def save_profiles(path: str | Path, profiles: Sequence[Profile], made: Provenance) -> None:
    """Write the profile of each instance."""
    arrays = {
        names.profile(player, instance): rows
        for instance, profile in enumerate(profiles)
        for player, rows in enumerate(profile)
    }
    store.save(path, KIND, arrays, {"instances": len(profiles)}, made)


def load_profiles(path: str | Path) -> list[Profile]:
    """Read the profile of each instance; raises CfrlabError for a damaged file."""
    warmup = store.load(path, KIND)
    return [
        (warmup.arrays[names.profile(0, i)], warmup.arrays[names.profile(1, i)])
        for i in range(warmup.meta["instances"])
    ]
