"""Kinds of artifacts, and names of the arrays that stages hand to each other in them."""

from __future__ import annotations

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
