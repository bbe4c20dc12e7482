"""report: the claims of all papers in one file, and one page with everything."""

from __future__ import annotations

from pathlib import Path

from cfrlab.config import load
from cfrlab.pipeline.job import Job
from cfrlab.reporting import claims, manifest, report


def run(job: Job) -> None:
    """Run the stage.

    Raises CfrlabError for a file that was altered, or made from anything but what the plan says.
    """
    config = load(job.config)
    for name in config.plans:
        job.verify_all(name)
    results = Path(config.results_dir)
    chapters = [report.chapter(name, plan, results) for name, plan in config.plans.items()]
    claims.write(job.output, report.all_claims(chapters))
    report.build(results / "report", chapters, manifest.collect(config))
