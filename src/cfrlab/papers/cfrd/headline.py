"""What the README says of the CFR-D paper: its own numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from cfrlab.papers.cfrd.labels import PAPERS_GAME, game_label
from cfrlab.reporting import published
from cfrlab.reporting.markdown import pipe_table
from cfrlab.reporting.published import Number, Numbers

_SAFE = {"quantity": "exploitability", "method": "safe"}
_UNSAFE = {"quantity": "exploitability", "method": "unsafe"}
_QUOTED = (
    ("cfrd_fig3", "unsafe-limit", "an equilibrium, unsafely re-solved, in the end", _UNSAFE),
    ("cfrd_fig5", "abstract", "an abstract strategy", {"quantity": "original"}),
    ("cfrd_fig5", "safe-early", "the same, safely re-solved", _SAFE),
    ("cfrd_fig5", "safe-late", "the same, safely re-solved", _SAFE),
    ("cfrd_fig5", "unsafe", "the same, unsafely re-solved", _UNSAFE),
)
"""Figure, published number, what it is, and rows of the figure's data that are ours of it."""
_MEMORY = (
    ("memory", "cfrd_bytes", "memory of CFR-D", 1e9),
    ("strategy-memory", "strategy_bytes", "memory of a strategy alone", 1e12),
)


def lines(folder: Path) -> list[str]:
    """Markdown blocks for the results in a folder; none if it has no figures of the paper."""
    numbers = published.of("cfrlab.papers.cfrd")
    rows = [*_quoted(folder, numbers), *_memory(folder, numbers)]
    if not rows:
        return []
    about = (
        f"CFR-D on {game_label(PAPERS_GAME)}, exploitability in chips a hand (half-sum; the median "
        "and, in brackets, the range over all our equilibria, starts and seeds), and memory for "
        "two-player limit hold'em:"
    )
    return [about, pipe_table(["Quantity", "ours", "*paper*"], rows)]


def _quoted(folder: Path, numbers: Numbers) -> Iterator[list[str]]:
    for figure, name, words, where in _QUOTED:
        path = folder / f"figures/{figure}.csv"
        if path.is_file():
            data = pd.read_csv(path)
            values = _values(data[data["game"] == PAPERS_GAME], where, numbers[name])
            if len(values):
                after = numbers[name].iterations
                words += f", {after:,} iterations" if after else ""
                yield [words, _spread(values), f"*{numbers[name].words}*"]


def _values(data: pd.DataFrame, where: Mapping[str, str], number: Number) -> pd.Series:
    """Our values after as many iterations as the paper's number, or at the end of each curve."""
    for column, wanted in where.items():
        data = data[data[column] == wanted]
    if number.iterations:
        return data.loc[data["iterations"] == number.iterations, "value"]
    return data.sort_values("iterations").groupby("case")["value"].last()


def _spread(values: pd.Series) -> str:
    text = f"{values.median():.3f}"
    return f"{text} [{values.min():.3f}, {values.max():.3f}]" if len(values) > 1 else text


def _memory(folder: Path, numbers: Numbers) -> Iterator[list[str]]:
    path = folder / "figures/cfrd_memory.csv"
    if path.is_file():
        table = pd.read_csv(path)
        table = table[table["game"] == "limit hold'em"]
        for name, column, words, scale in _MEMORY:
            number = numbers[name]
            ours = f"{table[column].min() / scale:.4g} {number.unit}"
            yield [words, ours, f"*{number.words} {number.unit}*"]
