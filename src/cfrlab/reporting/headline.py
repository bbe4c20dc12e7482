"""The README's results: a few numbers of the tracked run, written by machine between two marks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd

from cfrlab.errors import CfrlabError
from cfrlab.papers.embedding import labels as ebd
from cfrlab.papers.weva import labels
from cfrlab.reporting import claims as claims_module
from cfrlab.reporting import report

BEGIN, END = "<!-- results -->", "<!-- end of results -->"
AVERAGING = "simultaneous-uniform"
METHODS = (("equity", None), ("ev-nd", 50))


def headline(results: str | os.PathLike[str]) -> str:
    """Return the Markdown block for a snapshot of a run.

    Args:
        results: folder of the snapshot (`cfrlab.reporting.snapshot`).
    """
    folder = Path(results)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    verdicts = claims_module.read(folder / "claims.csv")
    weva = run["config"]["weva"]
    blocks = [
        f"Put together on {run['date']} by version `{run['version']}`, seed {run['seed']}, code "
        f"`{run['code'][:12]}`, on {run['machine']} ({run['job_time']}). All tables, figures and "
        "claims: [docs/results](docs/results/README.md).",
        _claims(verdicts),
        f"WEVA, exploitability in fractions of the pot (PCFR+, {weva['iterations']} iterations, "
        f"{labels.averaging_label(AVERAGING)}; mean ± standard error over {weva['instances']} "
        f"boards, {weva['kmeans']['seeds']} k-means seeds each):",
        _tables(folder),
        *(_embedding(folder) if run["config"].get("embedding") else []),
    ]
    return "\n\n".join(blocks)


def replace(text: str, block: str) -> str:
    """Put a block between the marks of a text. Raises CfrlabError if they are not there once."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise CfrlabError(f"README.md: needs the lines '{BEGIN}' and '{END}' once, in this order")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{block}\n\n{END}{rest.split(END)[1]}"


def _claims(verdicts: pd.DataFrame) -> str:
    """One line for each paper: how many claims have which verdict."""
    names = list(claims_module.VERDICTS)
    lines = [f"| Claims | {' | '.join(names)} |", "| :--- |" + " ---: |" * len(names)]
    papers = verdicts["paper"].str.split(",").str[0]
    for paper, rows in verdicts.groupby(papers, sort=False):
        counts = report.count_verdicts(rows)
        lines.append(f"| {paper} | {' | '.join(str(counts[name]) for name in names)} |")
    return "\n".join(lines)


def _tables(folder: Path) -> str:
    """Equity and ev-nd beside the paper's, for every game and K."""
    head = [f"{labels.method_label(m, w)} | *paper*" for m, w in METHODS]
    lines = [f"| | K | {' | '.join(head)} |", "| :--- |" + " ---: |" * (1 + 2 * len(METHODS))]
    for number, game in labels.WEVA_TABLES.items():
        table = pd.read_csv(folder / f"tables/weva_table{number}.csv")
        table = table[table["averaging"] == AVERAGING]
        for k in sorted(table["buckets"].unique()):
            cells = [_cell(table[table["buckets"] == k], m, w) for m, w in METHODS]
            lines.append(f"| {labels.game_label(game)} | {k} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(rows: pd.DataFrame, method: str, warmup: int | None) -> str:
    same = rows["warmup"].isna() if warmup is None else rows["warmup"] == warmup
    found = rows[(rows["method"] == method) & same]
    if found.empty:
        return " | "
    cell = found.iloc[0]
    return f"{cell['mean']:.5f} ± {cell['sem']:.5f} | *{cell['published']:.5f}*"


def _embedding(folder: Path) -> list[str]:
    """Figure 5 of Embedding CFR in numbers: where methods end under each averaging rule."""
    curves = pd.read_csv(folder / "figures/embedding_fig5.csv")
    curves = curves[curves["game"] == curves["game"].iloc[0]]
    ends = curves[curves["iteration"] == curves["iteration"].max()]
    present = sorted(set(ends["role"]), key=ebd.family_order)
    head = " | ".join(ebd.family_label(role) for role in present)
    lines = [f"| Average | {head} |", "| :--- |" + " ---: |" * len(present)]
    for rule, rows in ends.groupby("averaging", sort=False):
        cells = [_lowest(rows[rows["role"] == role]) for role in present]
        lines.append(f"| {rule} | {' | '.join(cells)} |")
    about = (
        f"Embedding CFR, exploitability in chips a hand (half-sum) on {ends['game'].iloc[0]} after "
        f"{ends['iteration'].iloc[0]} iterations of CFR; each method's best configuration, "
        "geometric mean over seeds, in brackets effective advisors a hand on flop and turn. The "
        "paper, which averages uniformly, has Embedding CFR at .6 to .7 times the clusterings:"
    )
    return [about, "\n".join(lines)]


def _lowest(ends: pd.DataFrame) -> str:
    """The lowest mean over seeds, with effective advisors of an embedding."""
    if ends.empty:
        return ""
    lines = ends.assign(log=np.log(ends["exploitability"])).groupby(["abstraction", "solver"])
    means = lines[["log", "effective_1", "effective_2"]].mean()
    low = means.loc[means["log"].idxmin()]
    embedding = (ends["family"] == ebd.EMBEDDING).all()
    mixed = f" [{ebd.advisors(low['effective_1'], low['effective_2'])}]" if embedding else ""
    return f"{np.exp(low['log']):.3f}{mixed}"
