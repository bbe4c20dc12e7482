"""scaling: exploitability of CFR-D by how many subgames are solved apart.

In one game, with the same iterations, some subgames are solved apart and all others together with
the trunk: only the number of subgames changes. Which they are is drawn, and more subgames are those
of fewer and others, so that a choice makes one line. The theorem of Burch, Johanson and Bowling
(2014, Theorem 2) lets the error grow in proportion to the number.
"""

from __future__ import annotations

import numpy as np

from cfrlab.decomposition.cfrd import Variant
from cfrlab.decomposition.gadget import root_infosets
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.logs import Progress
from cfrlab.papers.cfrd import artifacts
from cfrlab.papers.cfrd.stages.resolve_run import resolve
from cfrlab.papers.cfrd.stages.run import solve
from cfrlab.pipeline.checkpoint import Arrays
from cfrlab.pipeline.job import Job
from cfrlab.seeds import rng_for
from cfrlab.solve.rule import Rule


def choose(cut: Decomposition, subgames: int, seed: int, choice: int) -> Decomposition:
    """The same game with the first of its subgames in a drawn order; the others join the trunk."""
    drawn = rng_for(seed, "cfrd", "scaling", choice).permutation(len(cut.subgames))
    return Decomposition(cut.game, tuple(cut.subgames[i] for i in sorted(drawn[:subgames])))


def scale(
    cut: Decomposition,
    rule: Rule,
    subgames: int,
    choices: int,
    iterations: tuple[int, int, int],
    seed: int,
) -> Arrays:
    """Run CFR-D with each of some choices of subgames, and re-solve.

    Args:
        cut: the game and its subgames.
        rule: update rule.
        subgames: how many are solved apart.
        choices: how many times to draw which, R.
        iterations: of the trunk, in each subgame and of re-solving.
        seed: root of the seeds.

    Returns:
        ``exploitability`` and ``exact`` float64 [R], see `stages.resolve_run.resolve`;
        ``root_infosets`` int64 [R], augmented infosets of both players at the roots, hand by hand.
    """
    trunk, inside, resolving = iterations
    progress = Progress(choices, "choices of subgames")
    # The same subgames may be drawn twice; all of them always are.
    solved: dict[tuple[tuple[int, ...], ...], tuple[float, float, int]] = {}
    rows = []
    for choice in range(choices):
        some = choose(cut, subgames, seed, choice)
        if some.subgames not in solved:
            left = solve(some, rule, Variant(inside, rule), [trunk])
            resolved = resolve(some, rule, resolving, left)
            infosets = sum(len(root_infosets(some, p)) * cut.game.n[p] for p in (0, 1))
            errors = resolved["exploitability"][0], resolved["exact"][0]
            solved[some.subgames] = (*errors, infosets)
        rows.append(solved[some.subgames])
        progress.step()
    exploitability, exact, counts = zip(*rows, strict=True)
    return {
        "exploitability": np.array(exploitability),
        "exact": np.array(exact),
        "root_infosets": np.array(counts, np.int64),
    }


def run(job: Job) -> None:
    """Run the stage."""
    config, subgames = job.config, int(job.key["subgames"])
    iterations = (
        config["trunk_iterations"],
        config["subgame_iterations"],
        config["resolving_iterations"],
    )
    cut, rule = artifacts.decomposition(job), artifacts.rule(job)
    arrays = scale(cut, rule, subgames, config["choices"], iterations, job.seed)
    meta = {
        "game": job.key["game"],
        "subgames": subgames,
        **{name: config[name] for name in config if name.endswith("iterations")},
    }
    job.save(artifacts.SCALED, arrays, meta)
