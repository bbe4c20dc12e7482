"""What the README says of the WEVA paper: equity and ev-nd beside the paper's numbers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from cfrlab.papers.weva import labels
from cfrlab.papers.weva.section import WEVA_TABLES
from cfrlab.reporting.markdown import pipe_table

AVERAGING = "simultaneous-uniform"
METHODS = (("equity", None), ("ev-nd", 50))


def lines(folder: Path) -> list[str]:
    """Markdown blocks for the results in a folder; none if it has no tables of the paper."""
    tables = {
        game: pd.read_csv(path)
        for number, game in WEVA_TABLES.items()
        if (path := folder / f"tables/weva_table{number}.csv").is_file()
    }
    rows = []
    for game, table in tables.items():
        table = table[table["averaging"] == AVERAGING]
        for k in sorted(table["buckets"].unique()):
            cells = [text for m in METHODS for text in _cell(table[table["buckets"] == k], *m)]
            rows.append([labels.game_label(game), str(k), *cells])
    if not rows:
        return []
    run = pd.read_csv(folder / "tables/weva_cells.csv")
    run = run[run["game"].isin(list(tables)) & (run["solver"] == "pcfr-plus")]
    about = (
        f"WEVA, exploitability in fractions of the pot (PCFR+, {run['iterations'].max()} "
        f"iterations, {labels.averaging_label(AVERAGING)}; mean ± standard error over "
        f"{run['n'].max()} boards, {run['seeds'].max()} k-means seeds each):"
    )
    names = [text for m in METHODS for text in (labels.method_label(*m), "*paper*")]
    return [about, pipe_table(["Game", "K", *names], rows)]


def _cell(rows: pd.DataFrame, method: str, warmup: int | None) -> tuple[str, str]:
    """Ours and the paper's; empty where there is none."""
    same = rows["warmup"].isna() if warmup is None else rows["warmup"] == warmup
    cells = rows[(rows["method"] == method) & same]
    if cells.empty:
        return "", ""
    cell = cells.iloc[0]
    published = "" if pd.isna(cell["published"]) else f"*{cell['published']:.5f}*"
    return f"{cell['mean']:.5f} ± {cell['sem']:.5f}", published
