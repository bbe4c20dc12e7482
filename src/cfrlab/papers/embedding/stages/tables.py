"""tables: where curves end and what every Phi is like, as data and as Markdown."""

from __future__ import annotations

from pathlib import Path

from cfrlab.papers.embedding import artifacts, neighbours, records
from cfrlab.papers.embedding.tables import embedding_tables
from cfrlab.papers.weva import tables
from cfrlab.pipeline.job import Job


def run(job: Job) -> None:
    """Run the stage."""
    curves = records.curves(job.load_all("curves", artifacts.CURVE), job.config["studies"])
    phis = records.phis(job.load_all("phis", artifacts.PHI))
    near = neighbours.load(job.load_all("near", artifacts.PHI))
    drawn = embedding_tables(curves, phis, near, job.config["solvers"], job.footer)
    tables.write(Path(job.output).parent, drawn)
