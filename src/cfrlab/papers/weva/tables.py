"""Tables 1-3 of the WEVA paper, ours beside the published numbers, as data and as Markdown."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from cfrlab.errors import CfrlabError
from cfrlab.papers.weva import labels
from cfrlab.pipeline.text import write_text_atomic
from cfrlab.reporting import statistics

#: Columns of a table, in order.
COLUMNS = [
    "method",
    "warmup",
    "buckets",
    "averaging",
    "mean",
    "sem",
    "n",
    "unit",
    "published",
    "published_pm",
    "ratio",
]
UNIT = "fraction of the pot"

#: Columns of the table of all cells, in order.
CELL_COLUMNS = [
    *statistics.CELL,
    "iterations",
    *("mean", "sem", "n", "ci_low", "ci_high"),
    *("seed_sd", "seeds", "k_effective", "unit"),
]

#: Solver and game of each table, by name.
WEVA_TABLES: Mapping[str, tuple[str, str]] = {
    **{f"weva_table{k}": ("pcfr-plus", game) for k, game in labels.WEVA_TABLES.items()},
    **{f"weva_dcfr_table{k}": ("dcfr", game) for k, game in labels.WEVA_TABLES.items()},
}

_SEE = {
    "hunl-river": "whether ev-nd lies below equity at every K, and what more warm-up buys at the "
    "largest K",
    "double-board": "one-dimensional rank against the rest, and ev-nd against the hand-made "
    "rank-2d",
    "random-game": "how far ev-nd and ev-root fall from the smallest K to the largest, against "
    "the paper's fall",
}


def published() -> pd.DataFrame:
    """The published tables; see `load_published`."""
    return load_published(Path(__file__).parent / "published/tables.csv")


def load_published(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read the published tables.

    Returns:
        Columns paper, table, game, solver, iterations, method, warmup (Int64), buckets,
        exploitability, plus_minus (both in fractions of the pot).

    Raises:
        CfrlabError: the file is missing or lacks a column.
    """
    needed = ["paper", "table", "game", "solver", "iterations", "method", "warmup", "buckets"]
    try:
        frame = pd.read_csv(path, dtype={"warmup": "Int64"})
        return frame[[*needed, "exploitability", "plus_minus"]]
    except (OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise CfrlabError(f"{path}: not a table of published numbers ({reason})") from None


def weva_table(
    records: pd.DataFrame, game: str, solver: str, published: pd.DataFrame
) -> pd.DataFrame:
    """Return one table with columns `COLUMNS`, one row for each method, warm-up, K and averaging.

    ``published`` is empty where the paper gives no number for the cell at the same number of
    iterations. ``ratio`` is ours over published. A game named ``{game}-{number}`` counts as the
    same game with that many hands; its rows carry the label ``[{number} hands]``.
    """
    return _cells(records, game, solver, published)[COLUMNS]


def weva_tables(
    records: pd.DataFrame, published: pd.DataFrame, footer: str
) -> dict[str, tuple[pd.DataFrame, str]]:
    """Return every table of `WEVA_TABLES` and its Markdown, by name.

    A table whose game or solver is not among the records has no rows, and its Markdown says so.

    Args:
        records: see `cfrlab.papers.weva.records`.
        published: see `load_published`.
        footer: a line of provenance to end each Markdown file with.
    """
    result = {}
    for name, (solver, game) in WEVA_TABLES.items():
        cells = _cells(records, game, solver, published)
        result[name] = (cells[COLUMNS], _markdown(name, cells, game, solver, footer))
    return result


def all_cells(records: pd.DataFrame) -> pd.DataFrame:
    """Return every final cell of a run, whatever its game and solver.

    Columns `CELL_COLUMNS`: exploitability in fractions of the pot (mean, sem, 95% interval, spread
    between k-means seeds), one row for each game, solver, method, warm-up, K and averaging rule.
    """
    cells = statistics.cell_means(statistics.board_means(statistics.final(records)))
    cells = cells.rename(columns={"iteration": "iterations"}).assign(unit=UNIT)
    return cells[CELL_COLUMNS]


def write(folder: str | os.PathLike[str], tables: Mapping[str, tuple[pd.DataFrame, str]]) -> None:
    """Write each table as ``{name}.csv`` and ``{name}.md`` in `folder`."""
    for name, (frame, markdown) in tables.items():
        text = frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")
        write_text_atomic(Path(folder) / f"{name}.csv", text)
        write_text_atomic(Path(folder) / f"{name}.md", markdown)


def write_cells(folder: str | os.PathLike[str], records: pd.DataFrame) -> None:
    """Write `all_cells` as ``weva_cells.csv`` in `folder`."""
    text = all_cells(records).to_csv(index=False, float_format="%.6g", lineterminator="\n")
    write_text_atomic(Path(folder) / "weva_cells.csv", text)


def variants(game: str, games: list[str]) -> dict[str, str]:
    """Return the games that count as `game`, with the label of their rows (empty for itself)."""
    found = {name: re.fullmatch(rf"{re.escape(game)}-(\d+)", name) for name in games}
    numbered = {name: f" [{match[1]} hands]" for name, match in found.items() if match}
    return {game: "", **dict(sorted(numbered.items()))}


def _cells(records: pd.DataFrame, game: str, solver: str, published: pd.DataFrame) -> pd.DataFrame:
    """Return the table's rows with all that `statistics.cell_means` knows of them."""
    suffixes = variants(game, sorted(set(records["game"])))
    rows = records[records["game"].isin(suffixes) & (records["solver"] == solver)]
    cells = statistics.cell_means(statistics.board_means(statistics.final(rows)))
    theirs = published[(published["game"] == game) & (published["solver"] == solver)].rename(
        columns={"exploitability": "published", "plus_minus": "published_pm"}
    )
    cells["iterations"] = cells["iteration"]
    on = ["method", "warmup", "buckets", "iterations"]
    cells = cells.merge(theirs[[*on, "published", "published_pm"]], on=on, how="left")
    cells["ratio"] = cells["mean"] / cells["published"]
    cells["unit"] = UNIT
    cells["method"] = cells["method"] + cells["game"].map(suffixes)
    cells["_method"] = cells["method"].map(labels.method_order)
    cells["_averaging"] = cells["averaging"].map(labels.averaging_order)
    order = ["_averaging", "_method", "warmup", "buckets"]
    return cells.sort_values(order, na_position="first").reset_index(drop=True)


def _markdown(name: str, cells: pd.DataFrame, game: str, solver: str, footer: str) -> str:
    title = f"# {name}: {labels.game_label(game)}, {labels.solver_label(solver)}"
    if cells.empty:
        blocks = [title, "This run's configuration has no such game or solver.", footer]
        return "\n\n".join(blocks) + "\n"
    blocks = [title, _caption(cells, game, solver)]
    for averaging, rows in cells.groupby("averaging", sort=False):
        blocks += [f"## {_capital(labels.averaging_label(averaging))}", _distance(rows)]
        blocks.append(_pivot(rows, _ours_and_paper(rows)))
    blocks += _seed_spread(cells)
    blocks += _fewer_buckets(cells)
    return "\n\n".join(block for block in [*blocks, footer] if block) + "\n"


def _caption(cells: pd.DataFrame, game: str, solver: str) -> str:
    iterations = ", ".join(str(t) for t in sorted(set(cells["iteration"])))
    text = (
        f"Exploitability in fractions of the initial pot, half-sum (b1 + b2) / 2, lower is better: "
        f"{iterations} iterations of {labels.solver_label(solver)} on the bucketed game, the "
        f"strategy lifted to all hands and met by exact best responses. Ours: mean ± standard "
        f"error over {_span(cells['n'])} boards, the {_span(cells['seeds'])} k-means seeds of a "
        f"board averaged first."
    )
    compared = bool(cells["published"].notna().any())
    if compared:
        number = next(k for k, other in labels.WEVA_TABLES.items() if other == game)
        text += (
            f" Columns *paper*: the paper's Table {number}, which does not say how it averages, "
            f"beside both rules."
        )
    else:
        text += " The paper's numbers for this table are not available."
    if cells["method"].str.contains("[", regex=False).any():
        beside = " beside the same published numbers" if compared else ""
        text += (
            f" Rows with a label in brackets are not the paper's setting: they show the same game "
            f"with another number of hands{beside}."
        )
    return f"{text} **What to see:** {_SEE[game]}."


def _distance(rows: pd.DataFrame) -> str:
    """Say how far the rows are from the published ones, variants apart."""
    parts = []
    variant = rows["method"].str.extract(r"\[(.*)\]", expand=False).fillna("")
    for label, group in rows.groupby(variant):
        logs = np.log(group["ratio"].dropna().to_numpy(dtype=np.float64))
        if len(logs):
            where = f" with {label}" if label else ""
            within = int(np.sum(np.abs(logs) <= np.log(1.25)))
            parts.append(
                f"{within} of {len(logs)} cells{where} are within a factor of 1.25 of the paper; "
                f"mean |log(ours / paper)| = {np.mean(np.abs(logs)):.3f}."
            )
    return " ".join(parts)


def _ours_and_paper(rows: pd.DataFrame) -> dict[str, pd.Series]:
    columns = {"": _plus_minus(rows["mean"], rows["sem"])}
    if rows["published"].notna().any():
        columns["paper"] = _plus_minus(rows["published"], rows["published_pm"])
    return columns


def _seed_spread(cells: pd.DataFrame) -> list[str]:
    """Pivot the spread between k-means seeds; nothing to show with one seed."""
    if cells["seed_sd"].isna().all():
        return []
    blocks = [
        "## Spread from k-means seeds alone",
        "Standard deviation between k-means seeds on one board (root mean square over boards), in "
        "percent of the cell's mean.",
    ]
    for averaging, rows in cells.groupby("averaging", sort=False):
        percent = (100 * rows["seed_sd"] / rows["mean"]).map("{:.0f}%".format)
        blocks += [f"{_capital(labels.averaging_label(averaging))}:", _pivot(rows, {"": percent})]
    return blocks


def _fewer_buckets(cells: pd.DataFrame) -> list[str]:
    """Note cells with fewer buckets than asked for, where hands have fewer distinct features."""
    short = cells[cells["k_effective"] < cells["buckets"]]
    short = short.drop_duplicates(["method", "warmup", "buckets"])
    notes = [
        f"{labels.method_label(row.method, row.warmup)} K = {row.buckets}: {row.k_effective:.1f}"
        for row in short.itertuples()
    ]
    if not notes:
        return []
    return ["Fewer distinct features than K; buckets in effect (mean): " + "; ".join(notes) + "."]


def _pivot(rows: pd.DataFrame, columns: Mapping[str, pd.Series]) -> str:
    """Lay out rows as in the paper: a line for each method, columns for each K."""
    buckets = sorted(set(rows["buckets"]))
    header = ["Method"] + [_head(k, title) for k in buckets for title in columns]
    lines = [header, [":---"] + ["---:"] * (len(header) - 1)]
    names = [
        labels.method_label(*pair) for pair in zip(rows["method"], rows["warmup"], strict=True)
    ]
    for name in dict.fromkeys(names):
        line = [name]
        for k in buckets:
            place = rows.index[(np.array(names) == name) & (rows["buckets"] == k)]
            line += [str(text.loc[place[0]]) if len(place) else "" for text in columns.values()]
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _head(buckets: int, title: str) -> str:
    return f"*{title}*" if title else f"K = {buckets}"


def _plus_minus(mean: pd.Series, spread: pd.Series) -> pd.Series:
    """Format as the paper does: ``.00531 ± .00023``; empty where there is no mean."""

    def text(value: float, error: float) -> str:
        if pd.isna(value):
            return ""
        places = _places(value if pd.isna(error) else error)
        end = "" if pd.isna(error) else f" ± {_decimal(error, places)}"
        return _decimal(value, places) + end

    pairs = zip(mean, spread, strict=True)
    return pd.Series([text(value, error) for value, error in pairs], index=mean.index)


def _places(value: float) -> int:
    """Return the decimal places that show `value`: the paper's five, more where it is smaller."""
    return 5 if value <= 0 else min(max(5, -math.floor(math.log10(value))), 8)


def _decimal(value: float, places: int) -> str:
    return f"{value:.{places}f}".replace("0.", ".", 1)


def _span(values: pd.Series) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low} to {high}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
