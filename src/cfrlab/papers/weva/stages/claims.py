"""claims: the paper's claims, each with a verdict computed from this run."""

from __future__ import annotations

from cfrlab.papers import published
from cfrlab.papers.weva import artifacts, measures, records, tables
from cfrlab.papers.weva.cells import Data
from cfrlab.pipeline.job import Job
from cfrlab.reporting import claims


def run(job: Job) -> None:
    """Run the stage."""
    stated = claims.load(published("weva", "claims.yaml"), measures.MEASURES)
    measures.check_names(stated, tables.published())
    solves = records.solves(job.load_all("records", artifacts.EXPLOITABILITY))
    curves = records.curves(job.load_all("oracle", artifacts.ORACLE))
    data = Data.of(solves, curves, tables.published())
    claims.write(job.output, claims.judge_all(stated, data))
