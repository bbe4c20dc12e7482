"""The README's results: a few numbers of the tracked run, written by machine between two marks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from cfrlab.errors import CfrlabError
from cfrlab.reporting import claims as claims_module
from cfrlab.reporting import report
from cfrlab.reporting.markdown import pipe_table

BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def headline(results: str | os.PathLike[str], papers: Iterable[Callable[[Path], list[str]]]) -> str:
    """Return the Markdown block for a snapshot of a run.

    Args:
        results: folder of the snapshot (`cfrlab.reporting.snapshot`).
        papers: what gives each paper's own blocks for such a folder, none if it is not in the run.
    """
    folder = Path(results)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    about = (
        f"Put together on {run['date']} by version `{run['version']}`, seed {run['seed']}, code "
        f"`{run['code'][:12]}`, on {run['machine']} ({run['job_time']}). All tables, figures and "
        "claims: [docs/results](docs/results/README.md)."
    )
    blocks = [about, tally(claims_module.read(folder / "claims.csv"))]
    return "\n\n".join([*blocks, *(block for lines in papers for block in lines(folder))])


def replace(text: str, block: str) -> str:
    """Put a block between the marks of a text. Raises CfrlabError if they are not there once."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise CfrlabError(f"README.md: needs the lines '{BEGIN}' and '{END}' once, in this order")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{block}\n\n{END}{rest.split(END)[1]}"


def tally(claims: pd.DataFrame) -> str:
    """Count verdicts, a line for each paper's experiments, calculations, theorems, and for ours."""
    lines = []
    papers = claims["paper"].str.split(",").str[0]
    for paper, rows in claims.groupby(papers, sort=False):
        for part, chosen in report.parts(rows):
            counts = report.count_verdicts(chosen)
            lines.append([f"{paper}, {part}", *(str(n) for n in counts.values())])
    return pipe_table(["Claims", *claims_module.VERDICTS], lines)
