"""Kinds of artifacts, names of cases, and how stages read what the configuration says."""

from __future__ import annotations

from cfrlab.decomposition.subgames import Decomposition
from cfrlab.papers.cfrd.game_cut import GameCut
from cfrlab.pipeline.job import Job
from cfrlab.solve.rule import Rule

RUN = "run"
GRID = "grid"
CURVE = "curve"
IMPROVED = "improved"
MEASURED = "measured"
SCALED = "scaled"
TIMED = "timed"

UNIFORM = "uniform"
"""The case of Figure 3 that starts from uniform strategies and does not sample."""
VERTEX, CFR_PLUS = "lp", "cfr-plus"
"""Equilibria of Figure 5 that are not random."""
MODES = ("cfr", "cfr-d")
"""Whose memory is measured."""


def cases(starts: int, samples: int) -> list[str]:
    """Cases of Figure 3: ``uniform``, ``start-1`` ... (random starts), ``sample-1`` ... (seeds)."""
    return [
        UNIFORM,
        *(f"start-{i + 1}" for i in range(starts)),
        *(f"sample-{i + 1}" for i in range(samples)),
    ]


def equilibria(count: int) -> list[str]:
    """Abstract equilibria: of the linear program, of CFR+, and random ones."""
    return [VERTEX, CFR_PLUS, *(f"random-{i + 1}" for i in range(count))]


def decomposition(job: Job) -> Decomposition:
    """The game that a job is about, cut."""
    return GameCut(**job.config["game"]).decomposition


def rule(job: Job) -> Rule:
    """The update rule that a job uses."""
    return Rule.named(job.config["solver"])
