"""neighbours: which hands some networks make play alike, as a table of data."""

from __future__ import annotations

from cfrlab.papers.embedding import artifacts, neighbours, records
from cfrlab.pipeline.job import Job


def run(job: Job) -> None:
    """Run the stage."""
    records.write(job.output, neighbours.load(job.load_all("near", artifacts.PHI)))
