"""run: CFR-D with one number of subgame iterations, and what it leaves (Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.papers.cfrd import artifacts
from cfrlab.pipeline.checkpoint import Arrays, Checkpoint, follow
from cfrlab.pipeline.compiled import decomposition
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.text import JSON
from cfrlab.solve.rule import Rule

STEP = 100
"""Trunk iterations between two looks at the clock."""


def solve(
    cut: Decomposition,
    rule: Rule,
    variant: Variant,
    at: Sequence[int],
    checkpoint: Checkpoint | None = None,
) -> Arrays:
    """Run CFR-D once and keep what it leaves at some trunk iterations (C of them).

    Returns:
        ``iterations`` int64 [C]; for each player p ``trunk_p`` float64 [C, rows, n] (uniform inside
        subgames) and ``values_p`` float64 [C, roots, n].
    """
    decomposition.ensure()
    process = CFRD(cut, rule, variant)

    def left() -> Arrays:
        trunk, values = process.trunk_average(), process.root_values()
        names = {"trunk": trunk, "values": values}
        return {f"{name}_{p}": pair[p].copy() for name, pair in names.items() for p in (0, 1)}

    return follow(process, at, left, STEP, checkpoint)


def run(job: Job) -> None:
    """Run the stage."""
    config, rule, cut = job.config, artifacts.rule(job), artifacts.decomposition(job)
    variant = Variant(config["subgame_iterations"], rule, config["start"], config["values"])
    arrays = solve(cut, rule, variant, config["trunk_iterations"], job.checkpoint)
    meta: dict[str, JSON] = {
        "game": job.key["game"],
        "variant": job.key["variant"],
        "subgame_iterations": variant.iterations,
    }
    job.save(artifacts.RUN, arrays, meta)
