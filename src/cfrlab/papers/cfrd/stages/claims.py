"""claims: the paper's claims, each with a verdict computed from this run."""

from __future__ import annotations

from cfrlab.papers import published
from cfrlab.papers.cfrd import measures, records
from cfrlab.pipeline.job import Job
from cfrlab.reporting import claims


def run(job: Job) -> None:
    """Run the stage."""
    stated = claims.load(published("cfrd", "claims.yaml"), measures.MEASURES)
    claims.write(job.output, claims.judge_all(stated, records.read(job)))
