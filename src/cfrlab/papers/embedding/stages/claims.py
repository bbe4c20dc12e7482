"""claims: the paper's claims, each with a verdict computed from this run."""

from __future__ import annotations

from cfrlab.papers import published
from cfrlab.papers.embedding import artifacts, counts, measures, records
from cfrlab.pipeline.job import Job
from cfrlab.reporting import claims


def run(job: Job) -> None:
    """Run the stage."""
    curves = records.curves(job.load_all("curves", artifacts.CURVE), job.config["studies"])
    expected = counts.load_published(published("embedding", "counts.csv"))
    table = counts.count(dict(artifacts.load_games(job)), expected)
    stated = claims.load(published("embedding", "claims.yaml"), measures.MEASURES)
    results = measures.Results(curves, table, job.config["solvers"])
    claims.write(job.output, claims.judge_all(stated, results))
