"""counts: how many classes of hands there are, and the published counts beside."""

from __future__ import annotations

from cfrlab.papers import published
from cfrlab.papers.embedding import artifacts, counts
from cfrlab.pipeline.job import Job


def run(job: Job) -> None:
    """Run the stage."""
    csv, markdown = job.outputs["main"]
    theirs = counts.load_published(published("embedding", "counts.csv"))
    table = counts.count(dict(artifacts.load_games(job)), theirs)
    counts.write(csv, markdown, table, job.footer)
