"""claims: the paper's claims, judged."""

from cfrlab.papers.fourth import measures, records

from cfrlab.papers import published
from cfrlab.pipeline.job import Job
from cfrlab.reporting import claims, stated


def run(job: Job) -> None:
    """Run the stage."""
    file = published("fourth", "claims.yaml")
    claims.write(job.output, stated.evaluate(file, measures.MEASURES, records.load(job)))
