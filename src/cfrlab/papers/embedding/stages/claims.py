"""claims: the paper's claims, each with a verdict computed from this run."""

from __future__ import annotations

from cfrlab.papers import published
from cfrlab.papers.embedding import artifacts, claims, counts, records
from cfrlab.pipeline.job import Job
from cfrlab.reporting.claims import write


def run(job: Job) -> None:
    """Run the stage."""
    curves = records.curves(job.load_all("curves", artifacts.CURVE), job.config["studies"])
    theirs = counts.load_published(published("embedding", "counts.csv"))
    table = counts.count(dict(artifacts.load_games(job)), theirs)
    stated = published("embedding", "claims.yaml")
    write(job.output, claims.evaluate(stated, curves, table, job.config["solvers"]))
