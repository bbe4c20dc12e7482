"""claims: the paper's claims, judged."""

from cfrlab.papers.fourth import measures, records

from cfrlab.papers import published
from cfrlab.pipeline.job import Job
from cfrlab.reporting import claims


def run(job: Job) -> None:
    """Run the stage."""
    stated = claims.load(published("fourth", "claims.yaml"), measures.MEASURES)
    claims.write(job.output, claims.judge_all(stated, records.load(job)))
