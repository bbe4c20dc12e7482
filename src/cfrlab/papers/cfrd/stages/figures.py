"""figures: the figures, with the data they show and their captions."""

from __future__ import annotations

from pathlib import Path

from cfrlab.papers.cfrd import figures, records
from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting


def run(job: Job) -> None:
    """Run the stage."""
    drawn = figures.cfrd_figures(records.read(job), job.footer)
    wanted = {Path(path).stem for path in job.outputs["main"]}
    folder = Path(job.output).parent
    plotting.write(folder, {name: drawn[name] for name in drawn if name in wanted})
