"""Figures 1, 2, 3, 5 and 6 of the WEVA paper, published values marked where there are any.

Each figure is a function of data frames. The averaging rule comes in rows where it matters.
(Figure 4 of the paper, whose numbers are not in the text we have, shows DCFR as Figure 2 shows
PCFR+; `cfrlab.papers.weva.tables` prints ours.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cfrlab.papers.weva import labels
from cfrlab.papers.weva.labels import Style
from cfrlab.papers.weva.tables import variants
from cfrlab.reporting import plotting, statistics
from cfrlab.reporting.plotting import Figured

NAMES = ("weva_fig1", "weva_fig2", "weva_fig3", "weva_fig5", "weva_fig6")
SOLVER = "pcfr-plus"
PUBLISHED_RHO = 0.996
PUBLISHED_RHO_ITERATION = 10
PUBLISHED_ORACLE = 50000

_EXPLOITABILITY = "exploitability\n(fraction of the pot)"
_DIAMONDS = (
    "Diamonds: the paper's values, the same in both rows, since it does not say how it averages. "
)
_RATIO_DIAMONDS = "Diamonds: ratio of the paper's means. "
_END_DIAMONDS = "Diamonds beyond the end: the paper's final values, in the method's colour. "
_ROOT_COLOUR, _INNER_COLOUR = "#0072b2", "#d55e00"


def weva_figures(
    records: pd.DataFrame, oracle: pd.DataFrame, published: pd.DataFrame, footer: str = ""
) -> dict[str, Figured]:
    """Return every figure of `NAMES`.

    A figure whose data the run's configuration leaves out says so.

    Args:
        records, oracle: see `cfrlab.papers.weva.records`.
        published: see `tables.load_published`.
    """
    boards = _boards(records)
    first_seed = records[records["kmeans_seed"] == records["kmeans_seed"].min()]
    curves = _boards(first_seed)
    finals = set(statistics.final(records)["iteration"])
    ends = boards[boards["iteration"].isin(finals)]
    theirs = _label(published[(published["solver"] == SOLVER)])
    theirs = theirs[theirs["iterations"].isin(finals)]
    with plotting.style():
        drawn = {
            "weva_fig1": rank_correlation(oracle),
            "weva_fig2": bars(ends, theirs),
            "weva_fig3": normalised(ends, theirs),
            "weva_fig5": by_board(ends),
            "weva_fig6": convergence(curves, theirs),
        }
    return {
        name: replace(figured, caption=f"{figured.caption}\n\n{footer}".rstrip())
        for name, figured in drawn.items()
    }


def panel_games(games: pd.Series) -> list[str]:
    """Return the games that get a panel: the paper's first, variants of a game by size left out."""
    present = sorted(set(games))
    extra = {v for game in present for v in list(variants(game, present))[1:]}
    known = [game for game in labels.WEVA_GAMES if game in present]
    return [*known, *(game for game in present if game not in known and game not in extra)]


def rank_correlation(oracle: pd.DataFrame) -> Figured:
    """Figure 1: Spearman's rho with the oracle, and exploitability, against warm-up iterations."""
    games = panel_games(oracle["game"])
    if not games:
        return _empty("oracle curves")
    data = _oracle_summary(oracle[oracle["game"].isin(games)])
    last = int(oracle["iteration"].max())
    published = last >= PUBLISHED_ORACLE
    figure, axes = plotting.panels(["", ""], [labels.game_label(game) for game in games], 2.2)
    for column, game in enumerate(games):
        rows = data[data["game"] == game]
        _draw_rho(axes[0, column], rows, published=published)
        _draw_oracle_exploitability(axes[1, column], rows)
        for axis in axes[:, column]:
            axis.set_xlim(rows["iteration"].min() / 1.5, rows["iteration"].max() * 1.5)
            plotting.log_axis(axis, "x")
            axis.set_xlabel("warm-up iterations")
    axes[0, 0].set_ylabel("Spearman's ρ with the oracle")
    axes[1, 0].set_ylabel(_EXPLOITABILITY)
    handles = [
        Line2D([], [], color=_ROOT_COLOUR, label="values at the root"),
        Line2D([], [], color=_INNER_COLOUR, linestyle="--", label="values at inner nodes (mean)"),
        Line2D([], [], color="#4d4d4d", label="exploitability"),
    ]
    if published:
        handles.append(plotting.published_handle("paper: ρ over .996 at 10"))
    plotting.legend(figure, {}, handles)
    n = oracle["instance"].nunique()
    caption = (
        f"**Rank correlation and exploitability against warm-up iterations.** Top: Spearman's rank "
        f"correlation between hands' expected values under the average strategy and those after "
        f"{last} iterations, at the root and at inner decision nodes (mean over the player's "
        f"nodes); the axis is logarithmic in 1 - ρ. Bottom: exploitability of the average strategy "
        f"in the full game, half-sum, in fractions of the initial pot. Lines: means over {n} "
        f"boards and both players; bands: lowest to highest board. Compare inner nodes, which "
        f"ev-nd uses, with the root, which the paper shows."
    )
    return Figured(figure, data, caption)


def bars(ends: pd.DataFrame, published: pd.DataFrame) -> Figured:
    """Figure 2: the cells of Tables 1-3 as bars, published values as diamonds."""
    if ends.empty:
        return _empty("records of PCFR+")
    cells = _label(statistics.cell_means(ends))
    data = _beside(cells, published)
    span = data.groupby("game")[["mean", "published"]].agg(["min", "max"])
    lowest, highest = span.min(axis=1) / 2, span.max(axis=1) * 1.5

    def draw(axis: Axes, rows: pd.DataFrame, styles: dict[str, Style]) -> None:
        for row, x, width in _dodged(rows, styles):
            colour = styles[row.label].colour
            axis.bar(x, row.mean, width, color=colour, edgecolor="white", linewidth=0.4)
            axis.errorbar(x, row.mean, row.sem, color="#222222", linewidth=0.8, capsize=1.5)
            plotting.published_marks(axis, [x], [row.published])
        game = rows["game"].iloc[0]
        axis.set_ylim(lowest[game], highest[game])

    marked = bool(data["published"].notna().any())
    figure = _grid(data, draw, _EXPLOITABILITY, "bar", marked)
    caption = (
        f"**Exploitability of every method, game and K (Tables 1 to 3).** {_solved(ends)} Bars: "
        f"mean over {_n(cells)} boards, with its standard error. "
        f"{_DIAMONDS * marked}The axis is logarithmic: compare tops, not lengths. Compare the rows "
        f"at the largest K, where averaging rather than abstraction can set the floor."
    )
    return Figured(figure, data.drop(columns="label"), caption)


def normalised(ends: pd.DataFrame, published: pd.DataFrame) -> Figured:
    """Figure 3: exploitability over that of equity, board by board, with 95% intervals."""
    baseline = ends[ends["method"] == "equity"]
    if baseline.empty:
        return _empty("records of equity")
    data = _ratios_to(baseline, ends[ends["method"] != "equity"], published)

    def draw(axis: Axes, rows: pd.DataFrame, styles: dict[str, Style]) -> None:
        axis.axhline(1, color=line.get_color(), linewidth=line.get_linewidth())
        for row, x, width in _dodged(rows, styles):
            look = styles[row.label]
            error = [[row.ratio - row.ci_low], [row.ci_high - row.ratio]]
            axis.errorbar(
                x, row.ratio, error, color=look.colour, marker=look.marker, linewidth=1, capsize=2
            )
            plotting.published_marks(axis, [x + width / 3], [row.published])

    styles_all = labels.styles(zip(ends["method"], ends["warmup"], strict=True))
    line = Line2D([], [], color=styles_all["equity"].colour, linewidth=1.2, label="equity")
    marked = bool(data["published"].notna().any())
    figure = _grid(
        data, draw, "exploitability /\nthat of equity", "point", marked, styles_all, [line]
    )
    caption = (
        f"**Exploitability normalised to equity.** {_solved(ends)} Points: geometric mean over "
        f"{_n(data)} boards of the ratio to equity on the same board; bars: 95% t interval of its "
        f"logarithm. {_RATIO_DIAMONDS * marked}Below the line a method beats equity. "
        f"See which intervals stay on one side of the line."
    )
    return Figured(figure, data.drop(columns="label"), caption)


def by_board(ends: pd.DataFrame) -> Figured:
    """Figure 5: exploitability on each board, one row for each K."""
    if ends.empty:
        return _empty("records of PCFR+")
    averaging = min(ends["averaging"], key=labels.averaging_order)
    rows = ends[ends["averaging"] == averaging]
    games, buckets = panel_games(rows["game"]), sorted(set(rows["buckets"]))
    styles = labels.styles(zip(rows["method"], rows["warmup"], strict=True))
    figure, axes = plotting.panels(
        [f"K = {k}" for k in buckets], [labels.game_label(game) for game in games], 2.0
    )
    for i, k in enumerate(buckets):
        for j, game in enumerate(games):
            axis = axes[i, j]
            panel = rows[(rows["buckets"] == k) & (rows["game"] == game)]
            for name, group in panel.groupby("label", sort=False):
                axis.plot(
                    group["instance"] + 1,
                    group["exploitability"],
                    color=styles[name].colour,
                    marker=styles[name].marker,
                    linewidth=0.6,
                )
            axis.set_xticks(sorted(set(panel["instance"] + 1)))
            plotting.log_axis(axis, "y")
        axes[i, 0].set_ylabel(_EXPLOITABILITY)
    for axis in axes[-1]:
        axis.set_xlabel("board")
    plotting.legend(figure, styles)
    caption = (
        f"**Exploitability by board.** {_solved(ends)} Averaging: "
        f"{labels.averaging_label(averaging)}; mean over k-means seeds. Boards are independent; "
        f"lines only guide the eye. Logarithmic axes, one for each panel. Compare the spread "
        f"between boards with that between methods, and the order of methods from board to board."
    )
    columns = ["game", "method", "warmup", "buckets", "averaging", "instance", "exploitability"]
    return Figured(figure, rows[[*columns, "seed_sd", "seeds"]], caption)


def convergence(boards: pd.DataFrame, published: pd.DataFrame) -> Figured:
    """Figure 6: exploitability against iterations at the K that has intermediate points.

    Args:
        boards: board means of one k-means seed.
        published: labelled published tables.
    """
    points = boards.groupby("buckets")["iteration"].nunique() if len(boards) else pd.Series()
    if points.empty or points.max() < 2:
        return _empty("records between the first and the last iteration")
    k = int(points.idxmax())
    cells = _label(statistics.cell_means(boards[boards["buckets"] == k]))
    theirs = published[published["buckets"] == k]
    marked = len(theirs) > 0

    def draw(axis: Axes, rows: pd.DataFrame, styles: dict[str, Style]) -> None:
        for name, group in rows.groupby("label", sort=False):
            line = group.sort_values("iteration")
            t, mean, sem = (line[c].to_numpy(dtype=float) for c in ("iteration", "mean", "sem"))
            axis.plot(t, mean, color=styles[name].colour)
            low = np.maximum(mean - sem, mean / 10)
            axis.fill_between(
                t, low, mean + sem, color=styles[name].colour, alpha=0.15, linewidth=0
            )
        game = theirs[theirs["game"] == rows["game"].iloc[0]]
        for mark in game.itertuples():
            if mark.label in styles:
                axis.plot(
                    [mark.iterations * 1.25],
                    [mark.exploitability],
                    linestyle="none",
                    marker="D",
                    markersize=3.6,
                    markerfacecolor=styles[mark.label].colour,
                    markeredgecolor=plotting.PUBLISHED_COLOUR,
                    markeredgewidth=0.7,
                )
        plotting.log_axis(axis, "x")
        axis.set_xlabel("iterations")

    figure = _grid(cells, draw, _EXPLOITABILITY, "line", marked)
    caption = (
        f"**Convergence at K = {k}.** Exploitability in the full game of the average strategy of "
        f"the bucketed game, PCFR+, half-sum, in fractions of the initial pot, against iterations; "
        f"both axes logarithmic. Lines: mean over {_n(cells)} boards, one k-means seed on each; "
        f"bands: standard error. {_END_DIAMONDS * marked}"
        f"Where a curve is flat, the abstraction is what is left, not the solver's convergence."
    )
    return Figured(figure, cells.drop(columns="label"), caption)


def _boards(records: pd.DataFrame) -> pd.DataFrame:
    """Board means of the games that get a panel."""
    boards = _label(statistics.board_means(records[records["solver"] == SOLVER]))
    return boards[boards["game"].isin(panel_games(boards["game"]))]


def _label(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the display name of each row's method, and sort as in the legend."""
    pairs = list(zip(frame["method"], frame["warmup"], strict=True))
    order = {pair: place for place, pair in enumerate(labels.sort_methods(pairs))}
    places = [order[method, None if pd.isna(w) else int(w)] for method, w in pairs]
    labelled = frame.assign(label=[labels.method_label(*pair) for pair in pairs], _place=places)
    return labelled.sort_values("_place", kind="stable").drop(columns="_place")


def _oracle_summary(oracle: pd.DataFrame) -> pd.DataFrame:
    """Mean and range over boards of rho and of exploitability, for each game, place and point."""
    key = ["game", "where", "iteration"]
    boards = oracle.groupby([*key, "instance"])[["rho", "exploitability"]].mean().reset_index()
    summary = boards.groupby(key).agg(
        rho=("rho", "mean"),
        rho_low=("rho", "min"),
        rho_high=("rho", "max"),
        exploitability=("exploitability", "mean"),
        exploitability_low=("exploitability", "min"),
        exploitability_high=("exploitability", "max"),
        n=("instance", "size"),
    )
    return summary.reset_index()


def _draw_rho(axis: Axes, rows: pd.DataFrame, *, published: bool) -> None:
    """Plot 1 - rho on a logarithmic axis that points down and is labelled with rho."""
    # At its last point the oracle is compared with itself.
    rows = rows[rows["iteration"] < rows["iteration"].max()]
    nearest = 1.0
    for where, colour, dash in (("root", _ROOT_COLOUR, "-"), ("inner", _INNER_COLOUR, "--")):
        line = rows[rows["where"] == where].sort_values("iteration")
        distance = {c: (1 - line[c]).clip(lower=1e-6) for c in ("rho", "rho_low", "rho_high")}
        axis.plot(line["iteration"], distance["rho"], color=colour, linestyle=dash)
        band = (line["iteration"], distance["rho_high"], distance["rho_low"])
        axis.fill_between(*band, color=colour, alpha=0.18, linewidth=0)
        nearest = min(nearest, distance["rho_high"].min())
    if published:
        plotting.published_marks(axis, [PUBLISHED_RHO_ITERATION], [1 - PUBLISHED_RHO])
    axis.set_yscale("log")
    shown = np.array([0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999])
    axis.set_yticks(1 - shown, [f"{rho:g}" for rho in shown])
    axis.minorticks_off()
    axis.set_ylim(1.5, nearest / 1.5)


def _draw_oracle_exploitability(axis: Axes, rows: pd.DataFrame) -> None:
    line = rows[rows["where"] == "root"].sort_values("iteration")
    axis.plot(line["iteration"], line["exploitability"], color="#4d4d4d")
    band = (line["iteration"], line["exploitability_low"], line["exploitability_high"])
    axis.fill_between(*band, color="#4d4d4d", alpha=0.18, linewidth=0)
    plotting.log_axis(axis, "y")


def _beside(cells: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Add the published value and its spread to each cell (NaN where there is none)."""
    on = ["game", "method", "warmup", "buckets"]
    theirs = published[[*on, "exploitability", "plus_minus"]].rename(
        columns={"exploitability": "published", "plus_minus": "published_pm"}
    )
    return cells.merge(theirs, on=on, how="left")


def _ratios_to(
    baseline: pd.DataFrame, others: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Compare every cell with the baseline's of the same game, K and averaging rule."""
    where = ["game", "averaging", "buckets"]
    bases = {key: group.set_index("instance") for key, group in baseline.groupby(where)}
    theirs = published[published["method"] == "equity"].set_index(["game", "buckets"])
    rows = []
    keys = [*where, "method", "warmup", "label"]
    for key, group in others.groupby(keys, dropna=False, sort=False):
        if key[:3] not in bases:
            continue
        ours, base = group.set_index("instance"), bases[key[:3]]
        summary = statistics.paired_log_ratio(ours["exploitability"], base["exploitability"])
        ratio, low, high = summary.transformed(np.exp)
        numbers = {"ratio": ratio, "ci_low": low, "ci_high": high, "n": summary.n}
        rows.append({**dict(zip(keys, key, strict=True)), **numbers})
    frame = pd.DataFrame(rows, columns=[*keys, "ratio", "ci_low", "ci_high", "n"])
    frame = _beside(frame.astype({"warmup": "Int64"}), published).drop(columns="published_pm")
    base = theirs["exploitability"].reindex(pd.MultiIndex.from_frame(frame[["game", "buckets"]]))
    return frame.assign(published=frame["published"] / base.to_numpy())


def _dodged(rows: pd.DataFrame, styles: dict[str, Style]) -> Iterator[tuple[Any, float, float]]:
    """Yield each row with its place on the axis of K, methods side by side, and their distance."""
    present = [name for name in styles if name in set(rows["label"])]
    buckets = sorted(set(rows["buckets"]))
    width = 0.84 / max(len(present), 1)
    for row in rows.itertuples():
        shift = (present.index(row.label) - (len(present) - 1) / 2) * width
        yield row, buckets.index(row.buckets) + shift, width


def _grid(
    data: pd.DataFrame,
    draw: Callable[[Axes, pd.DataFrame, dict[str, Style]], None],
    ylabel: str,
    kind: Literal["bar", "line", "point"],
    published: bool,
    styles: dict[str, Style] | None = None,
    extra: Sequence[Line2D] = (),
) -> Figure:
    """Draw a panel for each averaging rule (rows) and game (columns), with one legend."""
    games = panel_games(data["game"])
    averaging = sorted(set(data["averaging"]), key=labels.averaging_order)
    styles = styles or labels.styles(zip(data["method"], data["warmup"], strict=True))
    figure, axes = plotting.panels(
        [labels.averaging_label(name).replace(", ", ",\n") for name in averaging],
        [labels.game_label(game) for game in games],
        share="col",
    )
    for i, rule in enumerate(averaging):
        for j, game in enumerate(games):
            axis = axes[i, j]
            rows = data[(data["averaging"] == rule) & (data["game"] == game)]
            draw(axis, rows, styles)
            if kind != "line":
                buckets = sorted(set(rows["buckets"]))
                axis.set_xticks(range(len(buckets)), [f"K = {k}" for k in buckets])
                axis.grid(visible=False, axis="x")
        axes[i, 0].set_ylabel(ylabel)
    # Rows share their vertical axes, so limits are known only now.
    for axis in figure.axes:
        plotting.log_axis(axis, "y")
    shown = {name: look for name, look in styles.items() if name in set(data["label"])}
    marks = [plotting.published_handle()] if published else []
    plotting.legend(figure, shown, [*extra, *marks], kind)
    return figure


def _solved(ends: pd.DataFrame) -> str:
    iterations = ", ".join(str(t) for t in sorted(set(ends["iteration"])))
    return (
        f"{iterations} iterations of {labels.solver_label(SOLVER)} on the bucketed game; half-sum "
        f"in fractions of the initial pot."
    )


def _n(cells: pd.DataFrame) -> str:
    low, high = cells["n"].min(), cells["n"].max()
    return str(low) if low == high else f"{low} to {high}"


def _empty(what: str) -> Figured:
    """Return a figure that says what this run has no data of."""
    text = f"This run has no {what}."
    figure, axes = plotting.panels([""], [""])
    plotting.note(axes[0, 0], text)
    return Figured(figure, pd.DataFrame(columns=["game"]), text)
