"""Solving imperfect information games using decomposition (CFR-D)."""

from cfrlab.papers.cfrd.plan import CfrdPlan
from cfrlab.papers.cfrd.section import CfrdSection
from cfrlab.reporting.paper import Paper

PAPER = Paper(
    name="CFR-D",
    authors="Burch, Johanson and Bowling",
    title="Solving Imperfect Information Games Using Decomposition",
    year=2014,
    section=CfrdSection,
    plan=CfrdPlan.of,
    intervals="the range over n starts, seeds, equilibria or lengths of the trunk, from the least "
    "to the largest, since the paper shows one case of many",
)
