"""tables: Tables 1 to 3 and those of the appendix, as data and as Markdown."""

from __future__ import annotations

from cfrlab.papers.weva import artifacts, records
from cfrlab.papers.weva.tables import TABLES, Results, all_cells, published
from cfrlab.pipeline.job import Job
from cfrlab.reporting import markdown
from cfrlab.reporting.published import of


def run(job: Job) -> None:
    """Run the stage; its last output is the table of all cells."""
    solves = records.solves(job.load_all("records", artifacts.EXPLOITABILITY))
    *tables, cells = job.outputs["main"]
    results = Results(solves, published(), of("cfrlab.papers.weva"))
    markdown.write_all(tables, TABLES, results, job.footer)
    markdown.write_csv(cells, all_cells(solves))
