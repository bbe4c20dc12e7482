"""figures: the figures, with the data they show and their captions."""

from __future__ import annotations

from pathlib import Path

from cfrlab.papers.embedding import artifacts, figures, records
from cfrlab.pipeline.job import Job
from cfrlab.reporting import plotting


def run(job: Job) -> None:
    """Run the stage."""
    curves = records.curves(job.load_all("curves", artifacts.CURVE), job.config["studies"])
    drawn = figures.embedding_figures(curves, job.config["solvers"], job.footer)
    wanted = {Path(path).stem for path in job.outputs["main"]}
    shown = {name: figure for name, figure in drawn.items() if name in wanted}
    plotting.write(Path(job.output).parent, shown)
