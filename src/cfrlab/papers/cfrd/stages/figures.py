"""figures: the figures, with the data they show and their captions."""

from __future__ import annotations

from cfrlab.papers.cfrd import records
from cfrlab.papers.cfrd.figures import FIGURES, Results
from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting
from cfrlab.reporting.published import of


def run(job: Job) -> None:
    """Run the stage."""
    results = Results(records.read(job), of("cfrlab.papers.cfrd"))
    plotting.write_all(job.outputs["main"], FIGURES, results, job.footer)
