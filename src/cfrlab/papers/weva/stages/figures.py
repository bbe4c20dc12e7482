"""figures: the figures, with the data they show and their captions."""

from __future__ import annotations

from pathlib import Path

from cfrlab.papers.weva import artifacts, figures, records, tables
from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting


def run(job: Job) -> None:
    """Run the stage."""
    solves = records.solves(job.load_all("records", artifacts.EXPLOITABILITY))
    curves = records.curves(job.load_all("oracle", artifacts.ORACLE))
    drawn = figures.weva_figures(solves, curves, tables.published(), job.footer)
    plotting.write(Path(job.output).parent, drawn)
