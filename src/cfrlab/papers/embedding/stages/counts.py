"""counts: how many classes of hands there are, and the published counts beside."""

from __future__ import annotations

from cfrlab.papers import published
from cfrlab.papers.embedding import artifacts, counts
from cfrlab.pipeline.job import Job
from cfrlab.reporting import markdown


def run(job: Job) -> None:
    """Run the stage."""
    expected = counts.load_published(published("embedding", "counts.csv"))
    table = counts.counts_table(counts.count(dict(artifacts.load_games(job)), expected))
    markdown.write_all(job.outputs["main"], {"embedding_counts": lambda _: table}, None, job.footer)
