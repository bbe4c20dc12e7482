"""records: all curves, and all abstractions beneath them, as two tables of data."""

from __future__ import annotations

from cfrlab.papers.embedding import artifacts, records
from cfrlab.pipeline.job import Job


def run(job: Job) -> None:
    """Run the stage."""
    curves, phis = job.outputs["main"]
    studies = job.config["studies"]
    records.write(curves, records.curves(job.load_all("curves", artifacts.CURVE), studies))
    records.write(phis, records.phis(job.load_all("phis", artifacts.PHI)))
