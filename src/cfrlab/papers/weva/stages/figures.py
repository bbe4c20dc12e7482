"""figures: the figures, with the data they show and their captions."""

from __future__ import annotations

from cfrlab.papers.weva import artifacts, records
from cfrlab.papers.weva.figures import FIGURES
from cfrlab.papers.weva.tables import Results, published
from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting
from cfrlab.reporting.published import of


def run(job: Job) -> None:
    """Run the stage."""
    solves = records.solves(job.load_all("records", artifacts.EXPLOITABILITY))
    curves = records.curves(job.load_all("oracle", artifacts.ORACLE))
    results = Results(solves, published(), of("cfrlab.papers.weva"), curves)
    plotting.write_all(job.outputs["main"], FIGURES, results, job.footer)
