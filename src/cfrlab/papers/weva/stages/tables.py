"""tables: Tables 1 to 3 and those of the appendix, as data and as Markdown."""

from __future__ import annotations

from pathlib import Path

from cfrlab.papers.weva import artifacts, records, tables
from cfrlab.pipeline.job import Job


def run(job: Job) -> None:
    """Run the stage."""
    solves = records.solves(job.load_all("records", artifacts.EXPLOITABILITY))
    folder = Path(job.output).parent
    tables.write(folder, tables.weva_tables(solves, tables.published(), job.footer))
    tables.write_cells(folder, solves)
