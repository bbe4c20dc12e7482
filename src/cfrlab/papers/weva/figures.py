"""Figures 1, 2, 3, 5 and 6 of the WEVA paper, published values marked where there are any.

Each figure is a function of a run's results (`tables.Results`). Averaging rules come in rows where
they matter. Figure 4 of the paper, whose numbers are not in the text we have, shows DCFR as Figure
2 shows PCFR+; `cfrlab.papers.weva.tables` prints ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cfrlab.papers.weva import labels
from cfrlab.papers.weva.oracle_figure import rank_correlation
from cfrlab.papers.weva.styles import Style, styles
from cfrlab.papers.weva.tables import Results, panel_games
from cfrlab.reporting import plotting, statistics
from cfrlab.reporting.markdown import require, span
from cfrlab.reporting.plotting import Figured, key, published_look, styled

SOLVER = "pcfr-plus"
EXPLOITABILITY = "exploitability\n(fraction of the pot)"
_PAPER = "paper, in the method's colour"
_SAME_IN_BOTH = " They are the same in all rows, since the paper does not say how it averages."

Styles = Mapping[str, Style]


@styled
def levels(results: Results) -> Figured:
    """Figure 2: the cells of Tables 1 to 3, published values beside them."""
    ends = _ends(results)
    data = _beside(_label(statistics.cell_means(ends)), _published(results, ends))

    def draw(axis: Axes, rows: pd.DataFrame, look: Styles) -> None:
        for row, x, step in _dodged(rows, look, "buckets"):
            # A logarithmic axis has no zero for a bar to reach.
            error = [[np.minimum(row.sem, 0.9 * row.mean)], [row.sem]]
            _mark(axis, x, row.mean, error, look[row.label])
            _diamond(axis, x + step / 3, row.published, look[row.label])
        _buckets(axis, rows)

    marked = bool(data["published"].notna().any())
    clipped = " A bar that would reach zero ends at a tenth of the mean." * bool(
        (data["sem"] > 0.9 * data["mean"]).any()
    )
    diamonds = f" Diamonds: the paper's means.{_SAME_IN_BOTH}" if marked else ""
    caption = (
        "**WEVA, Figure 2: exploitability of every method, game and number of buckets K.** "
        f"{_solved(ends)} Marks: mean over {span(data['n'])} boards; bars: its standard "
        f"error.{clipped}{diamonds} The axes are logarithmic. **What to see:** which methods lie "
        "below equity at each K, and how far the averaging rule alone moves the level at the "
        "largest K."
    )
    figure = _grid(data, draw, EXPLOITABILITY, marked)
    return Figured(figure, data.drop(columns="label"), caption)


@styled
def normalised(results: Results) -> Figured:
    """Figure 3: exploitability over that of equity, board by board, with 95% intervals."""
    ends = _ends(results)
    baseline = ends[ends["method"] == "equity"]
    require(baseline, "records of equity by PCFR+")
    others = ends[ends["method"] != "equity"]
    data = _ratios_to(baseline, others, _published(results, ends))
    look = styles(zip(ends["method"], ends["warmup"], strict=True))

    def draw(axis: Axes, rows: pd.DataFrame, look: Styles) -> None:
        axis.axhline(1, color=look["equity"].colour, linewidth=1.2)
        for row, x, step in _dodged(rows, look, "buckets"):
            error = [[row.ratio - row.ci_low], [row.ci_high - row.ratio]]
            _mark(axis, x, row.ratio, error, look[row.label])
            _diamond(axis, x + step / 3, row.published, look[row.label])
        _buckets(axis, rows)

    marked = bool(data["published"].notna().any())
    diamonds = f" Diamonds: ratios of the paper's means.{_SAME_IN_BOTH}" if marked else ""
    caption = (
        f"**WEVA, Figure 3: exploitability as a multiple of that of equity.** {_solved(ends)} "
        f"Marks: geometric mean over {span(data['n'])} boards of the ratio to equity on the same "
        f"board; bars: 95% interval (Student's t on logarithms).{diamonds} **What to see:** a "
        "method is better than equity where it lies below the line, and clearly so where its "
        "whole bar does."
    )
    line = key("equity", color=look["equity"].colour, linewidth=1.2)
    figure = _grid(data, draw, "exploitability\n(multiple of equity's)", marked, look, [line])
    return Figured(figure, data.drop(columns="label"), caption)


@styled
def by_board(results: Results) -> Figured:
    """Figure 5: exploitability on each board, one row for each K."""
    ends = _ends(results)
    averaging = min(ends["averaging"], key=labels.averaging_order)
    rows = ends[ends["averaging"] == averaging].assign(board=ends["instance"] + 1)
    games, buckets = panel_games(rows["game"]), sorted(set(rows["buckets"]))
    look = styles(zip(rows["method"], rows["warmup"], strict=True))
    figure, axes = plotting.panels(
        [f"K = {k}" for k in buckets], [labels.game_label(game) for game in games], 2.0, width=3.2
    )
    for i, k in enumerate(buckets):
        for j, game in enumerate(games):
            axis = axes[i, j]
            panel = rows[(rows["buckets"] == k) & (rows["game"] == game)]
            for row, x, _ in _dodged(panel, look, "board"):
                _mark(axis, x, row.exploitability, None, look[row.label])
            boards = sorted(set(panel["board"]))
            axis.set_xticks(range(len(boards)), [str(board) for board in boards])
            axis.grid(visible=False, axis="x")
            for place in range(1, len(boards)):
                axis.axvline(place - 0.5, color="#e4e4e4", linewidth=0.6, zorder=0)
            axis.set_xlim(-0.6, len(boards) - 0.4)
            plotting.log_axis(axis, "y")
        axes[i, 0].set_ylabel(EXPLOITABILITY)
    for axis in axes[-1]:
        axis.set_xlabel("board")
    plotting.legend(figure, [_method_key(name, style) for name, style in look.items()])
    caption = (
        f"**WEVA, Figure 5: exploitability on each board.** {_solved(ends)} Here with "
        f"{labels.averaging_label(averaging)}; mean over k-means seeds. Boards are independent "
        "draws in no order. Every panel has a logarithmic axis of its own. **What to see:** how "
        "far boards are apart beside how far methods are, and how the order of methods changes "
        "between boards."
    )
    columns = ["game", "method", "warmup", "buckets", "averaging", "instance", "exploitability"]
    return Figured(figure, rows[[*columns, "seed_sd", "seeds"]], caption)


@styled
def convergence(results: Results) -> Figured:
    """Figure 6: exploitability against iterations at the K that has intermediate points."""
    records = results.records
    first_seed = records[records["kmeans_seed"] == records["kmeans_seed"].min()]
    boards = _boards(first_seed)
    points = boards.groupby("buckets")["iteration"].transform("nunique")
    curves = boards[(points > 1) & (points == points.max())]
    require(curves, "records of PCFR+ between the first and the last iteration")
    k = int(curves["buckets"].min())
    data = _label(statistics.cell_means(curves[curves["buckets"] == k]))
    published = _published(results, _ends(results))
    published = published[published["buckets"] == k]

    def draw(axis: Axes, rows: pd.DataFrame, look: Styles) -> None:
        for name, group in rows.groupby("label", sort=False):
            line, colour = group.sort_values("iteration"), look[name].colour
            t, mean, sem = (line[c].to_numpy(dtype=float) for c in ("iteration", "mean", "sem"))
            axis.plot(t, mean, color=colour)
            low = np.maximum(mean - sem, mean / 10)
            axis.fill_between(t, low, mean + sem, color=colour, alpha=0.15, linewidth=0)
        game = published[published["game"] == rows["game"].iloc[0]]
        for mark in game[game["label"].isin(list(look))].itertuples():
            _diamond(axis, 1.25 * mark.iterations, mark.exploitability, look[mark.label])
        plotting.log_axis(axis, "x")
        axis.set_xlabel("iterations of PCFR+")

    diamonds = " Diamonds just beyond the end: the paper's final means." * (len(published) > 0)
    caption = (
        f"**WEVA, Figure 6: convergence with K = {k} buckets.** Exploitability in the full game of "
        "the average strategy of the bucketed game, half-sum in fractions of the initial pot, "
        "against iterations of PCFR+; both axes are logarithmic. Lines: mean over "
        f"{span(data['n'])} boards, one k-means seed on each; bands: its standard error.{diamonds} "
        "**What to see:** where a curve is flat, what is left is due to the abstraction; where it "
        "still falls, more iterations would lower it."
    )
    figure = _grid(data, draw, EXPLOITABILITY, len(published) > 0, lines=True)
    return Figured(figure, data.drop(columns="label"), caption)


FIGURES: Mapping[str, Callable[[Results], Figured]] = {
    "weva_fig1": rank_correlation,
    "weva_fig2": levels,
    "weva_fig3": normalised,
    "weva_fig5": by_board,
    "weva_fig6": convergence,
}
NAMES = tuple(FIGURES)


def _boards(records: pd.DataFrame) -> pd.DataFrame:
    """Board means by PCFR+ of the games that get a panel."""
    boards = _label(statistics.board_means(records[records["solver"] == SOLVER]))
    return boards[boards["game"].isin(panel_games(boards["game"]))]


def _ends(results: Results) -> pd.DataFrame:
    """Board means after the last iteration."""
    ends = _boards(statistics.final(results.records))
    require(ends, "records of PCFR+")
    return ends


def _published(results: Results, ends: pd.DataFrame) -> pd.DataFrame:
    """The paper's tables of PCFR+ after as many iterations as ours."""
    tables = results.published
    same = tables["iterations"].isin(set(ends["iteration"]))
    return _label(tables[(tables["solver"] == SOLVER) & same])


def _label(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the display name of each row's method, and sort as in the legend."""
    pairs = list(zip(frame["method"], frame["warmup"], strict=True))
    order = {pair: place for place, pair in enumerate(labels.sort_methods(pairs))}
    places = [order[method, None if pd.isna(w) else int(w)] for method, w in pairs]
    labelled = frame.assign(label=[labels.method_label(*pair) for pair in pairs], _place=places)
    return labelled.sort_values("_place", kind="stable").drop(columns="_place")


def _beside(cells: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Add the published value and its spread to each cell (NaN where there is none)."""
    on = ["game", "method", "warmup", "buckets"]
    names = {"exploitability": "published", "plus_minus": "published_pm"}
    return cells.merge(published[[*on, *names]].rename(columns=names), on=on, how="left")


def _ratios_to(
    baseline: pd.DataFrame, others: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Compare every cell with the baseline's of the same game, K and averaging rule."""
    where = ["game", "averaging", "buckets"]
    bases = {place: group.set_index("instance") for place, group in baseline.groupby(where)}
    rows = []
    keys = [*where, "method", "warmup", "label"]
    for cell, group in others.groupby(keys, dropna=False, sort=False):
        if cell[:3] not in bases:
            continue
        ours, base = group.set_index("instance"), bases[cell[:3]]
        summary = statistics.paired_log_ratio(ours["exploitability"], base["exploitability"])
        ratio, low, high = summary.transformed(np.exp)
        numbers = {"ratio": ratio, "ci_low": low, "ci_high": high, "n": summary.n}
        rows.append({**dict(zip(keys, cell, strict=True)), **numbers})
    frame = pd.DataFrame(rows, columns=[*keys, "ratio", "ci_low", "ci_high", "n"])
    require(frame, "records to compare with those of equity")
    frame = _beside(frame.astype({"warmup": "Int64"}), published).drop(columns="published_pm")
    equity = published[published["method"] == "equity"].set_index(["game", "buckets"])
    base = equity["exploitability"].reindex(pd.MultiIndex.from_frame(frame[["game", "buckets"]]))
    return frame.assign(published=frame["published"] / base.to_numpy())


def _dodged(rows: pd.DataFrame, look: Styles, column: str) -> Iterator[tuple[Any, float, float]]:
    """Yield each row with its place on the axis and the distance of neighbours there.

    The values of `column` stand in order, and at each the methods side by side.
    """
    present = [name for name in look if name in set(rows["label"])]
    values = sorted(set(rows[column]))
    step = 0.84 / max(len(present), 1)
    for row in rows.itertuples():
        shift = (present.index(row.label) - (len(present) - 1) / 2) * step
        yield row, values.index(getattr(row, column)) + shift, step


def _mark(axis: Axes, x: float, y: float, error: Any, style: Style) -> None:
    axis.errorbar(
        x, y, error, color=style.colour, marker=style.marker, linewidth=1, capsize=1.5, capthick=1
    )


def _diamond(axis: Axes, x: float, y: float, style: Style) -> None:
    axis.plot([x], [y], **published_look(style.colour))


def _buckets(axis: Axes, rows: pd.DataFrame) -> None:
    """Label an axis on which methods stand side by side at every K."""
    buckets = sorted(set(rows["buckets"]))
    axis.set_xticks(range(len(buckets)), [f"K = {k}" for k in buckets])
    axis.set_xlim(-0.55, len(buckets) - 0.45)
    axis.grid(visible=False, axis="x")


def _method_key(name: str, style: Style, lines: bool = False) -> Line2D:
    look = {"linestyle": "-"} if lines else {"linestyle": "none", "marker": style.marker}
    return key(name, color=style.colour, **look)


def _grid(
    data: pd.DataFrame,
    draw: Callable[[Axes, pd.DataFrame, Styles], None],
    ylabel: str,
    marked: bool,
    look: Styles | None = None,
    extra: Sequence[Line2D] = (),
    lines: bool = False,
) -> Figure:
    """Draw a panel for each averaging rule (rows) and game (columns), with one legend.

    ``marked``: whether published values are drawn; ``lines``: whether methods are.
    """
    games = panel_games(data["game"])
    averaging = sorted(set(data["averaging"]), key=labels.averaging_order)
    look = look or styles(zip(data["method"], data["warmup"], strict=True))
    figure, axes = plotting.panels(
        [labels.averaging_label(name).replace(", ", ",\n") for name in averaging],
        [labels.game_label(game) for game in games],
        share="col",
    )
    for i, rule in enumerate(averaging):
        for j, game in enumerate(games):
            draw(axes[i, j], data[(data["averaging"] == rule) & (data["game"] == game)], look)
        axes[i, 0].set_ylabel(ylabel)
    # Rows share their vertical axes, so limits are known only now.
    for axis in figure.axes:
        plotting.log_axis(axis, "y")
    shown = [name for name in look if name in set(data["label"])]
    marks = [key(_PAPER, **published_look())] if marked else []
    methods = [_method_key(name, look[name], lines) for name in shown]
    plotting.legend(figure, [*methods, *extra, *marks])
    return figure


def _solved(ends: pd.DataFrame) -> str:
    iterations = ", ".join(f"{t:,}" for t in sorted(set(ends["iteration"])))
    return (
        f"After {iterations} iterations of {labels.solver_label(SOLVER)} on the bucketed game; "
        f"half-sum in fractions of the initial pot, lower is better."
    )
