"""Kinds of artifacts, names of the arrays in them, and how stages read games and warm-ups."""

from __future__ import annotations

from collections.abc import Iterator

from cfrlab.games.game import Game, Profile
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.store import Artifact

GAME = "game"
WARMUP = "warmup"
ORACLE = "oracle"
FEATURES = "features"
BUCKETS = "buckets"
SOLUTIONS = "solutions"
EXPLOITABILITY = "exploitability"


def profile(player: int, instance: int) -> str:
    """A strategy of the full game, float64 [rows, hands]."""
    return f"profile_{player}_{instance}"


def features(player: int, instance: int) -> str:
    """Features of a player's hands, float64 [hands, d]."""
    return f"features_{player}_{instance}"


def labels(player: int, instance: int, buckets: int, seed: int) -> str:
    """Bucket of each hand, int32 [hands]; K is the number asked for."""
    return f"labels_{player}_{instance}_{buckets}_{seed}"


def strategies(player: int, instance: int, buckets: int, seed: int) -> str:
    """Strategies of buckets, float64 [averaging rules, iterations, rows, buckets in effect]."""
    return f"strategies_{player}_{instance}_{buckets}_{seed}"


def load_games(job: Job) -> Iterator[Game]:
    """Read the instances that a job is given as ``games``, in order, one at a time."""
    for artifact in job.load_all("games", GAME):
        yield Game.from_arrays(artifact.arrays, artifact.meta)


def profiles(warmup: Artifact) -> list[Profile]:
    """The average profile of each instance that a warm-up holds."""
    return [
        (warmup.arrays[profile(0, i)], warmup.arrays[profile(1, i)])
        for i in range(warmup.meta["instances"])
    ]
