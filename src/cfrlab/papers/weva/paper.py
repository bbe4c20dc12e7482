"""Information abstraction from a short CFR warm-up (WEVA)."""

from cfrlab.papers.weva.plan import WevaPlan
from cfrlab.papers.weva.section import WevaSection
from cfrlab.reporting.paper import Paper

PAPER = Paper(
    name="WEVA",
    authors="Li and Huang",
    title="Effective, Efficient, and General Information Abstraction for Imperfect-Information "
    "Extensive-Form Games",
    year=2026,
    section=WevaSection,
    plan=WevaPlan.of,
    intervals="95% intervals over n boards (Student's t; bootstrap or Clopper and Pearson's where "
    "a claim counts or compares cells)",
)
