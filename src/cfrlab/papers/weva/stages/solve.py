"""solve: solve bucketed games, compressed to one hand for each bucket."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game
from cfrlab.logs import Progress
from cfrlab.papers.weva import artifacts
from cfrlab.pipeline.compiled import trees
from cfrlab.pipeline.job import Job
from cfrlab.solve.cfr import CFR
from cfrlab.solve.compress import Maps, compress
from cfrlab.solve.rule import Rule
from cfrlab.solve.treeplex import compile_game


@dataclass(frozen=True)
class Run:
    """One bucketed game to solve.

    Attributes:
        instance: number of the game's instance.
        buckets: K asked for.
        seed: number of the k-means seed.
        iterations: at which the average strategy is kept, ascending.
    """

    instance: int
    buckets: int
    seed: int
    iterations: list[int]


def plan(
    instances: int,
    buckets: Sequence[int],
    seeds: int,
    iterations: int,
    curve: Mapping[str, Sequence[int]],
) -> list[Run]:
    """All runs of one method; those with K in `curve`, first seed, keep its iterations too."""
    return [
        Run(i, k, s, sorted({iterations, *(curve.get(str(k), []) if s == 0 else [])}))
        for i in range(instances)
        for k in buckets
        for s in range(seeds)
    ]


def solve(
    games: Iterable[Game],
    labels: Mapping[str, NDArray[np.int32]],
    runs: Sequence[Run],
    rules: Sequence[Rule],
) -> dict[str, NDArray[np.float64]]:
    """Average strategies of buckets (``strategies``), every run under every rule.

    Args:
        games: the instances in order.
        labels: bucket maps by ``labels``.
        runs: what to solve.
        rules: update rules with their schedules.
    """
    trees.ensure()
    progress = Progress(len(runs) * len(rules), "solves")
    arrays = {}
    for instance, game in enumerate(games):
        for run in (run for run in runs if run.instance == instance):
            key = (run.instance, run.buckets, run.seed)
            maps = labels[artifacts.labels(0, *key)], labels[artifacts.labels(1, *key)]
            kept = _solve(game, maps, run.iterations, rules, progress)
            for player in (0, 1):
                arrays[artifacts.strategies(player, *key)] = kept[player]
    return arrays


def _solve(
    game: Game, maps: Maps, iterations: Sequence[int], rules: Sequence[Rule], progress: Progress
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both players' strategies, float64 [rules, iterations, rows, buckets]."""
    small = compress(game, maps)
    compiled = compile_game(small)
    kept = []
    for rule in rules:
        solver = CFR(small, rule, compiled=compiled)
        kept.append([solver.average() for _ in solver.checkpoints(iterations)])
        progress.step()
    first, second = (np.array([[at[p] for at in curve] for curve in kept]) for p in (0, 1))
    return first, second


def run(job: Job) -> None:
    """Run the stage."""
    config = job.config
    rules = [
        Rule.named(config["solver"], schedule["alternating"], schedule["power"])
        for schedule in config["averaging"].values()
    ]
    runs = plan(*(config[key] for key in ("instances", "buckets", "seeds", "iterations", "curve")))
    labels = job.load("buckets", artifacts.BUCKETS).arrays
    strategies = solve(artifacts.load_games(job), labels, runs, rules)
    meta = {
        "averaging": list(config["averaging"]),
        "iterations": config["iterations"],
        "runs": [asdict(run) for run in runs],
    }
    job.save(artifacts.SOLUTIONS, strategies, meta)
