"""A folder of results of WEVA as the workflow leaves it, from synthetic records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from cfrlab import config as config_module
from cfrlab.config import Config
from cfrlab.papers.weva import figures, measures, tables
from cfrlab.papers.weva.cells import Data
from cfrlab.pipeline import checksums
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.recipe import Recipe
from cfrlab.reporting import claims, markdown, plotting
from cfrlab.reporting.plan import report_files, report_recipe
from cfrlab.reporting.stages import report as stage
from synthetic_records import (
    PUBLISHED,
    PUBLISHED_FOLDER,
    as_published,
    make_oracle,
    make_records,
    make_results,
)

SMOKE = Path(__file__).parent / "smoke.yaml"


def load(results: Path, **changes: Any) -> Config:
    """The configuration of the synthetic run: WEVA alone."""
    given = yaml.safe_load(SMOKE.read_text(encoding="utf-8"))
    kept = {"seed": given["seed"], "results_dir": str(results), "weva": given["weva"]}
    return config_module.load({**kept, **changes})


def vouch(results: Path, recipe: Recipe, files: list[str], **changes: Any) -> None:
    """Leave checksums of files for people as the job of a recipe would."""
    made = Provenance(**recipe.identity() | changes)
    checksums.write(results / recipe.listing, [str(results / file) for file in files], made)


def run_stage(config: Config) -> None:
    """The job of the page, as the workflow runs it."""
    results, recipe = Path(config.results_dir), report_recipe(config)
    inputs = {
        name: [str(results / one.listing) for one in many] for name, many in recipe.inputs.items()
    }
    outputs = {"main": [str(results / file) for file in report_files(config)]}
    stage.run(Job(inputs, outputs, recipe.parameters()))
    vouch(results, recipe, report_files(config))


def make(folder: Path) -> None:
    """Write the files of a run into a folder, with their checksums, and its page."""
    records, oracle = make_records(as_published, noise=0.2), make_oracle()
    results = make_results(records)
    for name, lay_out in tables.TABLES.items():
        table = lay_out(results)
        markdown.write(folder / "tables", name, table.data, table.text, "Made from `abc`.")
    markdown.write_csv(folder / "tables/weva_cells.csv", tables.all_cells(records))
    river = make_results(records[records["game"] == "hunl-river"], oracle)
    for name, draw in figures.FIGURES.items():
        plotting.write(folder / "figures", name, draw(river), "Made from `abc`.")
    stated = claims.load(PUBLISHED_FOLDER / "claims.yaml", measures.MEASURES)
    verdicts = claims.judge_all(stated, Data.of(records, oracle, PUBLISHED))
    verdicts.loc[0, "claim"] = "less <script>alert(1)</script> & more"
    claims.write(folder / "claims/weva.csv", verdicts)
    config = load(folder)
    for name, plan in config.plans.items():
        for writer in plan.writers():
            vouch(folder, writer, list(config.plans[name].texts()[writer.stage]))
    run_stage(config)
