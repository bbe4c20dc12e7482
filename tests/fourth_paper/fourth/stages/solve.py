"""solve: one game by CFR."""

import numpy as np
from cfrlab.papers.fourth.records import SOLVED

from cfrlab.games.zoo import kuhn
from cfrlab.pipeline.compiled import trees
from cfrlab.pipeline.job import Job
from cfrlab.solve.cfr import CFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule


def run(job: Job) -> None:
    """Run the stage."""
    trees.ensure()
    game = kuhn.build(kuhn.Params(ranks=job.config["ranks"]), np.random.default_rng(0))
    solver = CFR(game, Rule.named(job.config["solver"]))
    solver.run(job.config["iterations"])
    evaluator, average = Evaluator(game), solver.average()
    numbers = {
        "value": np.array(evaluator.value(average)),
        "exploitability": np.array(evaluator.exploitability(average)),
    }
    job.save(SOLVED, numbers, {"ranks": job.config["ranks"]})
