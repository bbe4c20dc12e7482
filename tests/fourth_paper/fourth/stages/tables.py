"""tables: the values."""

from pathlib import Path

from cfrlab.papers.fourth import records, tables

from cfrlab.pipeline.job import Job


def run(job: Job) -> None:
    """Run the stage."""
    tables.write(Path(job.output).parent, records.load(job), job.footer)
