"""tables: the values."""

from cfrlab.papers.fourth import records
from cfrlab.papers.fourth.tables import TABLES

from cfrlab.pipeline.job import Job
from cfrlab.reporting import markdown


def run(job: Job) -> None:
    """Run the stage."""
    markdown.write_all(job.outputs["main"], TABLES, records.load(job), job.footer)
