"""Figure 1 of the WEVA paper: how soon hands are in their final order, and play is good."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from cfrlab.papers.weva import labels
from cfrlab.papers.weva.tables import Results, panel_games
from cfrlab.reporting import palette, plotting
from cfrlab.reporting.markdown import require
from cfrlab.reporting.plotting import Figured, Look, bound_look, key, styled
from cfrlab.reporting.published import Number

_PLACES: Mapping[str, Look] = {
    "root": {"color": palette.BLUE, "linestyle": "-"},
    "inner": {"color": palette.VERMILION, "linestyle": "--"},
}
_EXPLOITABILITY: Look = {"color": palette.DARK_GREY}


@styled
def rank_correlation(results: Results) -> Figured:
    """Spearman's rho with the oracle, and exploitability, against warm-up iterations."""
    oracle = results.oracle
    require(oracle, "oracle curves")
    games = panel_games(oracle["game"])
    data = _summary(oracle[oracle["game"].isin(games)])
    last = int(oracle["iteration"].max())
    # The paper's bound is about values after as many iterations, or more.
    comparable = last >= results.numbers["oracle-iterations"].value
    bound = results.numbers["rank-correlation"] if comparable else None
    figure, axes = plotting.panels(["", ""], [labels.game_label(game) for game in games], 2.2)
    for column, game in enumerate(games):
        rows = data[data["game"] == game]
        _draw_rho(axes[0, column], rows, bound)
        _draw_exploitability(axes[1, column], rows)
        for axis in axes[:, column]:
            axis.set_xlim(rows["iteration"].min() / 1.5, rows["iteration"].max() * 1.5)
            plotting.log_axis(axis, "x")
        axes[1, column].set_xlabel("warm-up iterations of CFR")
    axes[0, 0].set_ylabel("Spearman's ρ\nwith the oracle")
    axes[1, 0].set_ylabel("exploitability\n(fraction of the pot)")
    entries = [
        key("values at the root", **_PLACES["root"]),
        key("values at inner nodes (mean)", **_PLACES["inner"]),
        key("exploitability", **_EXPLOITABILITY),
    ]
    if bound:
        words = f"paper: ρ above {bound.value:g} after {bound.iterations} iterations"
        entries.append(key(words, **bound_look("above")))
    plotting.legend(figure, entries)
    triangle = (
        " Triangle: the paper's lower bound, which points to where ρ must lie." if bound else ""
    )
    caption = (
        "**WEVA, Figure 1: rank correlation and exploitability against warm-up iterations.** Top: "
        "Spearman's rank correlation between hands' expected values under the average strategy "
        f"and those after {last:,} iterations (the oracle), at the root and at inner decision "
        f"nodes (mean over the player's nodes); the axis is logarithmic in 1 - ρ.{triangle} "
        "Bottom: exploitability of the average strategy in the full game, half-sum in fractions "
        f"of the initial pot. Lines: means over {oracle['instance'].nunique()} boards and both "
        "players; bands: lowest to highest board. **What to see:** how much later than at the "
        "root, which the paper shows, hands come into their final order at inner nodes, whose "
        "values ev-nd uses too."
    )
    return Figured(figure, data, caption)


def _summary(oracle: pd.DataFrame) -> pd.DataFrame:
    """Mean and range over boards of rho and of exploitability, for each game, place and point."""
    where = ["game", "where", "iteration"]
    boards = oracle.groupby([*where, "instance"])[["rho", "exploitability"]].mean().reset_index()
    return (
        boards.groupby(where)
        .agg(
            rho=("rho", "mean"),
            rho_low=("rho", "min"),
            rho_high=("rho", "max"),
            exploitability=("exploitability", "mean"),
            exploitability_low=("exploitability", "min"),
            exploitability_high=("exploitability", "max"),
            n=("instance", "size"),
        )
        .reset_index()
    )


def _draw_rho(axis: Axes, rows: pd.DataFrame, bound: Number | None) -> None:
    """Plot 1 - rho on a logarithmic axis that points down and is labelled with rho."""
    # At its last point the oracle is compared with itself.
    rows = rows[rows["iteration"] < rows["iteration"].max()]
    nearest = 1.0
    for where, look in _PLACES.items():
        line = rows[rows["where"] == where].sort_values("iteration")
        distance = {c: (1 - line[c]).clip(lower=1e-6) for c in ("rho", "rho_low", "rho_high")}
        axis.plot(line["iteration"], distance["rho"], **look)
        band = (line["iteration"], distance["rho_high"], distance["rho_low"])
        axis.fill_between(*band, color=look["color"], alpha=0.18, linewidth=0)
        nearest = min(nearest, distance["rho_high"].min())
    if bound:
        axis.plot([bound.iterations], [1 - bound.value], **bound_look("above"))
    axis.set_yscale("log")
    shown = np.array([0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999])
    axis.set_yticks(1 - shown, [f"{rho:g}" for rho in shown])
    axis.minorticks_off()
    axis.set_ylim(1.5, nearest / 1.5)


def _draw_exploitability(axis: Axes, rows: pd.DataFrame) -> None:
    line = rows[rows["where"] == "root"].sort_values("iteration")
    axis.plot(line["iteration"], line["exploitability"], **_EXPLOITABILITY)
    band = (line["iteration"], line["exploitability_low"], line["exploitability_high"])
    axis.fill_between(*band, **_EXPLOITABILITY, alpha=0.18, linewidth=0)
    plotting.log_axis(axis, "y")
