"""Tables 1-3 of the WEVA paper, ours beside the published numbers, as data and as Markdown."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from cfrlab.errors import CfrlabError
from cfrlab.papers.weva import labels
from cfrlab.papers.weva.section import WEVA_SOLVERS, WEVA_TABLES
from cfrlab.reporting import statistics
from cfrlab.reporting.markdown import Table, pipe_table, require, span
from cfrlab.reporting.published import Numbers

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


@dataclass(frozen=True)
class Results:
    """What tables and figures are made of.

    Attributes:
        records: of solves; see `cfrlab.papers.weva.records.load`.
        published: the paper's tables; see `load_published`.
        numbers: what else the paper states; see `cfrlab.reporting.published`.
        oracle: see `cfrlab.papers.weva.records.load_oracle`; empty in a run without Figure 1.
    """

    records: pd.DataFrame
    published: pd.DataFrame
    numbers: Numbers
    oracle: pd.DataFrame = field(default_factory=pd.DataFrame)


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


def weva_table(results: Results, number: int, solver: str) -> Table:
    """The paper's table of a number, or the same by another solver, ours beside the published one.

    Columns `COLUMNS`, one row for each method, warm-up, K and averaging rule. ``published`` is
    empty where the paper gives no number for the cell at the same number of iterations; ``ratio``
    is ours over published. A game named ``{game}-{number}`` counts as the same game with that many
    hands; its rows carry the label ``[{number} hands]``.

    Raises CfrlabError if the run has no such game by this solver.
    """
    game = WEVA_TABLES[number]
    cells = _cells(results, game, solver)
    require(cells, f"records of {labels.game_label(game)} by {labels.solver_label(solver)}")
    return Table(cells[COLUMNS], _markdown(cells, number, solver))


TABLES: Mapping[str, Callable[[Results], Table]] = {
    f"weva_{infix}table{number}": partial(weva_table, number=number, solver=solver)
    for solver, infix in WEVA_SOLVERS.items()
    for number in WEVA_TABLES
}
NAMES = tuple(TABLES)


def all_cells(records: pd.DataFrame) -> pd.DataFrame:
    """Return every final cell of a run, whatever its game and solver.

    Columns `CELL_COLUMNS`: exploitability in fractions of the pot (mean, sem, 95% interval, spread
    between k-means seeds), one row for each game, solver, method, warm-up, K and averaging rule.
    """
    cells = statistics.cell_means(statistics.board_means(statistics.final(records)))
    cells = cells.rename(columns={"iteration": "iterations"}).assign(unit=UNIT)
    return cells[CELL_COLUMNS]


def variants(game: str, games: list[str]) -> dict[str, str]:
    """Return the games that count as `game`, with the label of their rows (empty for itself)."""
    found = {name: re.fullmatch(rf"{re.escape(game)}-(\d+)", name) for name in games}
    numbered = {name: f" [{match[1]} hands]" for name, match in found.items() if match}
    return {game: "", **dict(sorted(numbered.items()))}


def panel_games(games: pd.Series) -> list[str]:
    """Return the games that get a panel: the paper's first, variants of a game by size left out."""
    present = sorted(set(games))
    extra = {v for game in present for v in list(variants(game, present))[1:]}
    known = [game for game in labels.WEVA_GAMES if game in present]
    return [*known, *(game for game in present if game not in known and game not in extra)]


def _cells(results: Results, game: str, solver: str) -> pd.DataFrame:
    """Return the table's rows with all that `statistics.cell_means` knows of them."""
    records, published = results.records, results.published
    suffixes = variants(game, sorted(set(records["game"])))
    rows = records[records["game"].isin(suffixes) & (records["solver"] == solver)]
    cells = statistics.cell_means(statistics.board_means(statistics.final(rows)))
    same = (published["game"] == game) & (published["solver"] == solver)
    names = {"exploitability": "published", "plus_minus": "published_pm"}
    cells["iterations"] = cells["iteration"]
    on = ["method", "warmup", "buckets", "iterations"]
    cells = cells.merge(published.loc[same, [*on, *names]].rename(columns=names), on=on, how="left")
    cells["ratio"] = cells["mean"] / cells["published"]
    cells["unit"] = UNIT
    cells["method"] = cells["method"] + cells["game"].map(suffixes)
    cells["_method"] = cells["method"].map(labels.method_order)
    cells["_averaging"] = cells["averaging"].map(labels.averaging_order)
    order = ["_averaging", "_method", "warmup", "buckets"]
    return cells.sort_values(order, na_position="first").reset_index(drop=True)


def _markdown(cells: pd.DataFrame, number: int, solver: str) -> str:
    game = WEVA_TABLES[number]
    title = f"WEVA, Table {number} with {labels.solver_label(solver)}: {labels.game_label(game)}"
    blocks = [f"# {title}", _caption(cells, number, solver)]
    for averaging, rows in cells.groupby("averaging", sort=False):
        blocks += [f"## {_capital(labels.averaging_label(averaging))}", _distance(rows)]
        blocks.append(_pivot(rows, _ours_and_paper(rows)))
    blocks += _seed_spread(cells)
    blocks += _fewer_buckets(cells)
    return "\n\n".join(block for block in blocks if block)


def _caption(cells: pd.DataFrame, number: int, solver: str) -> str:
    iterations = ", ".join(str(t) for t in sorted(set(cells["iteration"])))
    text = (
        f"Exploitability in fractions of the initial pot, half-sum (b1 + b2) / 2, lower is better: "
        f"{iterations} iterations of {labels.solver_label(solver)} on the bucketed game, the "
        f"strategy lifted to all hands and met by exact best responses. Ours: mean ± standard "
        f"error over {span(cells['n'])} boards, the {span(cells['seeds'])} k-means seeds of a "
        f"board averaged first."
    )
    compared = bool(cells["published"].notna().any())
    if compared:
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
    return f"{text} **What to see:** {_SEE[WEVA_TABLES[number]]}."


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
    lines = []
    names = [
        labels.method_label(*pair) for pair in zip(rows["method"], rows["warmup"], strict=True)
    ]
    for name in dict.fromkeys(names):
        line = [name]
        for k in buckets:
            place = rows.index[(np.array(names) == name) & (rows["buckets"] == k)]
            line += [str(text.loc[place[0]]) if len(place) else "" for text in columns.values()]
        lines.append(line)
    return pipe_table(header, lines)


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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
