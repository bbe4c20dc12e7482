"""A simplified two-person poker (Kuhn)."""

from cfrlab.papers.fourth.plan import FourthPlan
from cfrlab.papers.fourth.section import FourthSection

from cfrlab.reporting.paper import Paper

PAPER = Paper(
    name="Fourth",
    authors="Kuhn",
    title="A Simplified Two-Person Poker",
    year=1950,
    section=FourthSection,
    plan=FourthPlan.of,
    intervals="none, since nothing is random",
)
