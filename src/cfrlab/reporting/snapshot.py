"""A tracked copy of the small final files of a run, with an index that shows the claims."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from cfrlab.config import Config
from cfrlab.pipeline import checksums
from cfrlab.pipeline.text import write_text_atomic
from cfrlab.reporting import manifest, report
from cfrlab.reporting.plan import CLAIMS, RUN, report_recipe


def take(config: Config, target: str | os.PathLike[str]) -> list[str]:
    """Copy tables, figures, claims, configuration and manifest of a run; replace an older copy.

    Args:
        config: the present configuration. All that is copied must be made from it by the present
            code, and from inputs that were: there is no mixture of runs.
        target: folder of the copy; replaced as a whole, and only once the copy is complete.

    Returns:
        The copied files' paths relative to `target`, sorted.

    Raises:
        CfrlabError: a file is missing, altered, or of another configuration or other code.
    """
    results, target = Path(config.results_dir), Path(target)
    page = report_recipe(config)
    for one in (*(writer for many in page.inputs.values() for writer in many), page):
        checksums.verify(results / one.listing, one.identity())
    run = manifest.read(results / RUN)
    chapters = [report.chapter(name, plan, results) for name, plan in config.plans.items()]
    files = {CLAIMS: results / CLAIMS, "run.json": results / RUN}
    files |= {name: results / name for name in _shown(config)}
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".snapshot") as temporary:
        copy = Path(temporary) / "new"
        for name, source in files.items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy / name)
        text = yaml.safe_dump(config.mapping, sort_keys=False, allow_unicode=True)
        write_text_atomic(copy / "config.yaml", text)
        write_text_atomic(copy / "README.md", index(run, chapters))
        if target.exists():
            target.replace(Path(temporary) / "old")
        copy.replace(target)
    return sorted([*files, "config.yaml", "README.md"])


def index(run: Mapping[str, Any], chapters: Sequence[report.Chapter]) -> str:
    """Return the index page as Markdown: the run, then each paper's claims, tables and figures."""
    blocks = [
        "# Results of a run",
        f"One version, one configuration, one go: version `{run['version']}`, configuration "
        f"`{run['config_hash'][:12]}` ([config.yaml](config.yaml)), seed {run['seed']}, code "
        f"`{run['code'][:12]}`, put together on {run['date']} on {run['machine']}; jobs took "
        f"{run['job_time']}. The copy is refused unless every file in it is of this configuration "
        "and code. [run.json](run.json) has the hash of each stage's code and the versions of "
        "libraries. A run of your own writes the same files into `results/` (see its README).",
        "[claims.csv](claims.csv) has all claims, with evidence and n; verdicts are computed from "
        "the numbers beside them.",
        *(block for one in chapters for block in _chapter(one)),
    ]
    return "\n\n".join(blocks) + "\n"


def _shown(config: Config) -> Iterator[str]:
    """Tables and figures of all papers, in the folder of results."""
    for plan in config.plans.values():
        for stage, files in plan.texts().items():
            yield from files if stage != "claims" else ()


def _chapter(one: report.Chapter) -> Iterator[str]:
    yield f"## {one.paper.name}"
    yield f"{one.paper.authors}, *{one.paper.title}*, {one.paper.year}."
    yield from one.headline
    for part, claims in one.parts:
        counts = ", ".join(f"{n} {v}" for v, n in report.count_verdicts(claims).items() if n)
        yield f"### {one.paper.name}: {part}"
        yield f"{len(claims)} {'claim' if len(claims) == 1 else 'claims'}: {counts}."
        yield _claims_table(claims)
    if one.parts:
        yield f"In brackets: {one.paper.intervals}. A single value has none."
    if one.tables or one.data:
        yield f"### {one.paper.name}: tables"
        lines = [
            f"- [{t.title}](tables/{t.name}.md) ([data](tables/{t.name}.csv))" for t in one.tables
        ]
        lines += [f"- [{what}](tables/{name}.csv)" for name, what in one.data.items()]
        yield "\n".join(lines)
    if one.figures:
        yield f"### {one.paper.name}: figures"
    for figure in one.figures:
        links = f"([SVG](figures/{figure.name}.svg), [data](figures/{figure.name}.csv))"
        yield f"![{figure.title}](figures/{figure.name}.png)"
        yield f"**{figure.title}.** {figure.text} {links}"


def _claims_table(verdicts: pd.DataFrame) -> str:
    lines = [
        "| Verdict | Claim | Paper | Ours [interval] | Unit |",
        "| :--- | :--- | ---: | ---: | :--- |",
    ]
    for claim in verdicts.itertuples():
        ours = " ".join(report.estimate(claim)).strip()
        cells = [claim.verdict, claim.claim, claim.published, ours, claim.unit]
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)
