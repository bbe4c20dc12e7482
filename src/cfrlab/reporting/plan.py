"""What a run makes of all papers together: one page, and one file of claims."""

from __future__ import annotations

from collections.abc import Mapping

from cfrlab.config import Config
from cfrlab.pipeline.plan import Plan
from cfrlab.pipeline.recipe import Recipe

CLAIMS, PAGE, PAGE_CLAIMS, RUN = (
    "claims.csv",
    "report/index.html",
    "report/claims.csv",
    "report/run.json",
)


def report_recipe(config: Config) -> Recipe:
    """The recipe of the page; behind it is everything."""
    return Recipe(
        "",
        "report",
        config=config.mapping,
        seed=config.seed,
        plugins=tuple(f"cfrlab.papers.{name}.paper" for name in config.plans),
        inputs={name: tuple(plan.writers()) for name, plan in config.plans.items()},
    )


def report_files(config: Config) -> list[str]:
    """Files of the page, in the folder of results: its text, and copies of all that it shows."""
    shown = [path for plan in config.plans.values() for path in page_copies(plan)]
    return [CLAIMS, PAGE, PAGE_CLAIMS, RUN, *(f"report/{path}" for path in shown)]


def page_copies(plan: Plan) -> list[str]:
    """Files of a paper that the page shows or links to."""
    return [
        *(f"tables/{name}.csv" for name in (*plan.tables, *plan.data)),
        *(f"figures/{name}.{suffix}" for name in plan.figures for suffix in ("svg", "csv")),
    ]


def recipes(config: Config) -> list[Recipe]:
    """Recipes of all jobs, inputs before what is made of them."""
    report = report_recipe(config)
    every = [one for plan in config.plans.values() for one in plan.jobs()]
    return list({one.job: one for one in (*every, *report.behind())}.values())


def text_files(config: Config) -> Mapping[str, list[str]]:
    """Files for people, in the folder of results, by the rule that writes them."""
    return {
        **{
            f"{name}_{stage}": list(files)
            for name, plan in config.plans.items()
            for stage, files in plan.texts().items()
        },
        "report": report_files(config),
    }


def further_files(config: Config) -> list[str]:
    """Files that jobs leave beside their artifacts, in the folder of results."""
    return [path for plan in config.plans.values() for path in plan.further()]
