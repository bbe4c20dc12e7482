"""values: expected values of hands under the average of a short CFR run."""

from __future__ import annotations

from cfrlab.games.rounds import RoundGame
from cfrlab.logs import Progress
from cfrlab.papers.embedding import artifacts
from cfrlab.papers.embedding.artifacts import Values
from cfrlab.pipeline.compiled import rounds
from cfrlab.pipeline.job import Job
from cfrlab.solve.rounds.averages import INFOSET
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.values import expected_values
from cfrlab.solve.rule import Rule


def warm_up(game: RoundGame, rule: Rule, iterations: int) -> Values:
    """Expected values after some iterations without abstraction.

    Returns float32 [classes, features] of every round: a value at each betting decision, both
    seats side by side (`solve.rounds.values`).
    """
    rounds.ensure()
    solver = RoundCFR(game, rule, averages=(INFOSET,))
    progress = Progress(iterations, "iterations")
    for _ in range(iterations):
        solver.run(1)
        progress.step()
    return tuple(expected_values(game, solver.average(INFOSET)))


def run(job: Job) -> None:
    """Run the stage."""
    config = job.config
    rule = Rule.named(config["rule"], config["alternating"], config["averaging"])
    values = warm_up(artifacts.load_game(job), rule, config["iterations"])
    job.save(artifacts.VALUES, {f"values_{r}": array for r, array in enumerate(values)})
