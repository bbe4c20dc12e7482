"""tables: where curves end and what every Phi is like, as data and as Markdown."""

from __future__ import annotations

from cfrlab.papers.embedding import artifacts, neighbours, records
from cfrlab.papers.embedding.comparison import Results
from cfrlab.papers.embedding.tables import TABLES
from cfrlab.pipeline.job import Job
from cfrlab.reporting import markdown
from cfrlab.reporting.published import of


def run(job: Job) -> None:
    """Run the stage."""
    curves = records.curves(job.load_all("curves", artifacts.CURVE), job.config["studies"])
    phis = records.phis(job.load_all("phis", artifacts.PHI))
    near = neighbours.load(job.load_all("near", artifacts.PHI))
    numbers = of("cfrlab.papers.embedding")
    results = Results(curves, job.config["solvers"], numbers, phis, near)
    markdown.write_all(job.outputs["main"], TABLES, results, job.footer)
