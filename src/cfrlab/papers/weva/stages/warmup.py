"""warmup: a short run of CFR on the full game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cfrlab.games.game import Game, Profile
from cfrlab.logs import Progress
from cfrlab.papers.weva import artifacts
from cfrlab.pipeline.compiled import trees
from cfrlab.pipeline.job import Job
from cfrlab.solve.cfr import CFR
from cfrlab.solve.rule import Rule


def warm_up(games: Iterable[Game], count: int, rule: Rule, iterations: int) -> Iterator[Profile]:
    """Yield the average profile of each of `count` games after `iterations` of a rule."""
    trees.ensure()
    progress = Progress(count, "instances")
    for game in games:
        solver = CFR(game, rule)
        solver.run(iterations)
        yield solver.average()
        progress.step()


def run(job: Job) -> None:
    """Run the stage."""
    config = job.config
    rule = Rule.named(config["solver"], config["alternating"], config["averaging"])
    count = len(job.inputs["games"])
    averages = list(warm_up(artifacts.load_games(job), count, rule, config["iterations"]))
    arrays = {
        artifacts.profile(player, instance): rows
        for instance, profile in enumerate(averages)
        for player, rows in enumerate(profile)
    }
    job.save(artifacts.WARMUP, arrays, {"instances": count})
