"""figures: the values."""

from cfrlab.papers.fourth import records
from cfrlab.papers.fourth.figures import FIGURES

from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting


def run(job: Job) -> None:
    """Run the stage."""
    plotting.write_all(job.outputs["main"], FIGURES, records.load(job), job.footer)
