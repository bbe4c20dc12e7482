"""Soft abstraction by learned embeddings of hands (Embedding CFR)."""

from cfrlab.abstraction.embedding.requirements import LIBRARIES
from cfrlab.papers.embedding.plan import EmbeddingPlan
from cfrlab.papers.embedding.section import EmbeddingSection
from cfrlab.reporting.paper import Paper

PAPER = Paper(
    name="Embedding CFR",
    authors="Fu, Liu, Xu and Huang",
    title="No-Regret Strategy Solving in Imperfect-Information Games via Pre-Trained Embedding",
    year=2026,
    section=EmbeddingSection,
    plan=EmbeddingPlan.of,
    intervals="95% intervals over n seeds of clusterings and networks (Welch's t on logarithms)",
    libraries=LIBRARIES,
)
