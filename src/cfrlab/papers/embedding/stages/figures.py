"""figures: the figures, with the data they show and their captions."""

from __future__ import annotations

from cfrlab.papers.embedding import artifacts, records
from cfrlab.papers.embedding.comparison import Results
from cfrlab.papers.embedding.figures import FIGURES
from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting
from cfrlab.reporting.published import of


def run(job: Job) -> None:
    """Run the stage."""
    curves = records.curves(job.load_all("curves", artifacts.CURVE), job.config["studies"])
    results = Results(curves, job.config["solvers"], of("cfrlab.papers.embedding"))
    plotting.write_all(job.outputs["main"], FIGURES, results, job.footer)
