"""A tracked copy of the small final files of a run, with an index that shows the claims."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd import figures as cfrd_figures
from cfrlab.papers.embedding import figures as embedding_figures
from cfrlab.papers.embedding import tables as embedding_tables
from cfrlab.papers.weva import figures, tables
from cfrlab.reporting import claims as claims_module
from cfrlab.reporting import manifest, report


def figure_names(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the figures that a configuration makes."""
    cfrd = cfrd_figures.NAMES if config.get("cfrd") else ()
    return (*figures.NAMES, *cfrd, *(embedding_figures.NAMES if config.get("embedding") else ()))


def table_names(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the tables that a configuration makes, those to read."""
    embedding = embedding_tables.NAMES if config.get("embedding") else ()
    return (*tables.NAMES, *embedding)


def data_names(config: Mapping[str, Any]) -> dict[str, str]:
    """What there is as data alone, by the name of its table."""
    embedding = embedding_tables.DATA if config.get("embedding") else {}
    return {"weva_cells": "every cell of the run", **embedding}


def take(
    results: str | os.PathLike[str], config: Mapping[str, Any], target: str | os.PathLike[str]
) -> list[str]:
    """Copy tables, figures, claims, configuration and manifest of a run; replace an older copy.

    Args:
        results: folder of the run's results.
        config: the present configuration, which the run must have been made from.
        target: folder of the copy; replaced as a whole, and only once the copy is complete.

    Returns:
        The copied files' paths relative to `target`, sorted.

    Raises:
        CfrlabError: a file is missing, or the run was made from another configuration.
    """
    results, target = Path(results), Path(target)
    run = manifest.read(results / "report" / "run.json")
    if run["config"] != json.loads(json.dumps(config)):
        raise CfrlabError(
            f"{results}: made from another configuration than the present one "
            f"({_difference(run['config'], config)}); run: snakemake"
        )
    files = {name: results / name for name in _files(config)}
    files["run.json"] = results / "report" / "run.json"
    missing = [str(path) for path in files.values() if not path.is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise CfrlabError(f"{missing[0]}{more}: missing, the run is incomplete; run: snakemake")
    verdicts = claims_module.read(files["claims.csv"])
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".snapshot") as temporary:
        copy = Path(temporary) / "new"
        for name, source in files.items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy / name)
        text = yaml.safe_dump(run["config"], sort_keys=False, allow_unicode=True)
        (copy / "config.yaml").write_text(text, encoding="utf-8")
        (copy / "README.md").write_text(index(run, verdicts, results), encoding="utf-8")
        if target.exists():
            target.replace(Path(temporary) / "old")
        copy.replace(target)
    return sorted([*files, "config.yaml", "README.md"])


def index(run: Mapping[str, Any], verdicts: pd.DataFrame, results: str | os.PathLike[str]) -> str:
    """Return the index page as Markdown: the run, the claims, then tables and figures."""
    counts = ", ".join(f"{n} {v}" for v, n in report.count_verdicts(verdicts).items() if n)
    blocks = [
        "# Results of a run",
        f"Put together on {run['date']} by version `{run['version']}` on {run['machine']}; jobs "
        f"took {run['job_time']}. Each table and figure names the configuration, seed and code "
        "that it was made from, which may be earlier code. [config.yaml](config.yaml) is the whole "
        "configuration, [run.json](run.json) adds seed, hash of the code and library versions. "
        "These files are a copy; a run of your own writes the same into `results/` (see its "
        "README).",
        "## Claims",
        f"{len(verdicts)} claims: {counts}. Verdicts are computed from the numbers beside them; "
        f"[claims.csv](claims.csv) has the evidence and n. {report.intervals(verdicts)}",
        _claims_table(verdicts),
        "## Tables",
        "\n".join(
            f"- [{_title(Path(results) / f'tables/{name}.md', name)}](tables/{name}.md) "
            f"([data](tables/{name}.csv))"
            for name in table_names(run["config"])
        )
        + "".join(
            f"\n- [{what}](tables/{name}.csv)" for name, what in data_names(run["config"]).items()
        ),
        "## Figures",
        *(_figure(Path(results), name) for name in figure_names(run["config"])),
    ]
    return "\n\n".join(blocks) + "\n"


def _files(config: Mapping[str, Any]) -> list[str]:
    return [
        "claims.csv",
        *(f"tables/{name}.csv" for name in data_names(config)),
        *(f"tables/{name}.{suffix}" for name in table_names(config) for suffix in ("csv", "md")),
        *(
            f"figures/{name}.{suffix}"
            for name in figure_names(config)
            for suffix in ("svg", "png", "csv", "md")
        ),
    ]


def _difference(before: Any, now: Any, key: str = "") -> str:
    """Name the first key at which two configurations differ."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name in [*before, *now]:
            if name not in before or name not in now:
                return f"{key}{name} is only in one"
            if before[name] != now[name]:
                return _difference(before[name], now[name], f"{key}{name}.")
    return f"{key.rstrip('.')} differs"


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


def _title(path: Path, name: str) -> str:
    """The title of a table's Markdown file, without its own name."""
    first = path.read_text(encoding="utf-8").splitlines()[0]
    return first.removeprefix("# ").removeprefix(f"{name}: ")


def _figure(results: Path, name: str) -> str:
    caption = (results / f"figures/{name}.md").read_text(encoding="utf-8").strip()
    links = f"([SVG](figures/{name}.svg), [data](figures/{name}.csv))"
    return f"![{name}](figures/{name}.png)\n\n{caption} {links}"
