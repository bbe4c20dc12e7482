"""figures: the values."""

from pathlib import Path

from cfrlab.papers.fourth import figures, records

from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting


def run(job: Job) -> None:
    """Run the stage."""
    plotting.write(Path(job.output).parent, figures.draw(records.load(job), job.footer))
