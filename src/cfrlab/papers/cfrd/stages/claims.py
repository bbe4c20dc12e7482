"""claims: the paper's claims, each with a verdict computed from this run."""

from __future__ import annotations

from cfrlab.papers import published
from cfrlab.papers.cfrd import claims, records
from cfrlab.pipeline.job import Job
from cfrlab.reporting import claims as shared


def run(job: Job) -> None:
    """Run the stage."""
    judged = claims.evaluate(published("cfrd", "claims.yaml"), records.read(job))
    shared.write(job.output, judged)
