"""The memory claim of the CFR-D paper: calculated for limit hold'em, measured on a larger Leduc."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from cfrlab.papers.cfrd import records as records_module
from cfrlab.reporting import palette, plotting
from cfrlab.reporting.plotting import Figured, Look, bound_look, key
from cfrlab.reporting.published import Number, Numbers

_CALCULATED: Look = {"color": palette.GREY}
_MEASURED: Look = {"color": palette.BLUE}
_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"))


def draw_memory(measured: pd.DataFrame, numbers: Numbers) -> Figured:
    """Draw both parts, one below the other.

    Args:
        measured: rows of the figure ``memory``; see `records.COLUMNS`.
        numbers: what the paper states.
    """
    table = records_module.calculated()
    holdem = table[table["game"] == "limit hold'em"]
    figure, axes = plotting.panels(
        ["", ""], ["two-player limit hold'em, calculated"], 1.8, heights=[2.0, 1.0], width=7.0
    )
    _draw_splits(axes[0, 0], holdem, numbers)
    _draw_measured(axes[1, 0], measured)
    entries = [
        key("calculated", marker="s", linestyle="none", markersize=7, **_CALCULATED),
        key("measured", marker="s", linestyle="none", markersize=7, **_MEASURED),
        key(_paper(numbers["strategy-memory"]), **bound_look("right")),
        key(_paper(numbers["memory"]), **bound_look("left")),
    ]
    plotting.legend(figure, entries)
    best = holdem.loc[holdem["cfrd_bytes"].idxmin()]
    caption = (
        "**CFR-D, the conclusion's claim: memory of CFR and CFR-D.** Top: two-player limit "
        "hold'em, hands that differ in suits alone taken as one, double precision. "
        f"{best['canonical_infoset_actions']:,} infoset-actions make "
        f"{_bytes(best['strategy_bytes'])} for a strategy alone; CFR-D with a trunk of "
        f"{best['trunk_rounds']} rounds needs {_bytes(best['cfrd_trunk_bytes'])} for the trunk, "
        f"{_bytes(best['cfrd_root_values_bytes'])} for root values and "
        f"{_bytes(best['cfrd_subgame_bytes'])} for the largest subgame, "
        f"{_bytes(best['cfrd_bytes'])} in all. Triangles: the paper's bounds, which point to where "
        f"the value must lie. {_paid(measured)}"
    )
    return Figured(figure, pd.concat([table, measured], ignore_index=True), caption)


def _draw_splits(axis: Axes, holdem: pd.DataFrame, numbers: Numbers) -> None:
    """Draw a strategy alone, CFR, and CFR-D for each number of rounds in the trunk."""
    sizes = {
        "a strategy alone": float(holdem["strategy_bytes"].iloc[0]),
        "CFR": float(holdem["cfr_bytes"].iloc[0]),
    }
    for row in holdem.itertuples():
        rounds = f"{row.trunk_rounds} round" + "s" * (row.trunk_rounds > 1)
        sizes[f"CFR-D, trunk of {rounds}"] = float(row.cfrd_bytes)
    names = list(sizes)
    for place, size in enumerate(sizes.values()):
        axis.plot([size], [place], "o", markersize=7, **_CALCULATED)
        axis.annotate(_bytes(size), (size, place), (0, 6), textcoords="offset points", ha="center")
    smallest = min(names[2:], key=lambda name: sizes[name])
    scale = {unit: factor for factor, unit in _UNITS}
    for name, where, look in (
        ("strategy-memory", names[0], bound_look("right")),
        ("memory", smallest, bound_look("left")),
    ):
        value = scale[numbers[name].unit] * numbers[name].value
        axis.plot([value], [names.index(where) + 0.3], **look)
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.5, -0.8)
    axis.set_xscale("log")
    axis.set_xlim(0.3 * min(sizes.values()), 4 * max(sizes.values()))
    axis.xaxis.set_major_formatter(lambda value, _: _bytes(value))
    axis.set_xlabel("memory (logarithmic)")


def _draw_measured(axis: Axes, measured: pd.DataFrame) -> None:
    """Draw bars from zero: what the calculator gives, and the peak."""
    value = measured.pivot_table(index="method", columns="quantity", values="value")
    names = {"cfr": "CFR", "cfr-d": "CFR-D"}
    for place, mode in enumerate(names):
        axis.barh(place - 0.2, value.loc[mode, "predicted_bytes"] / 1e6, 0.38, **_CALCULATED)
        axis.barh(place + 0.2, value.loc[mode, "peak_bytes"] / 1e6, 0.38, **_MEASURED)
    axis.set_title(f"{_game(measured)}, our solvers")
    axis.set_yticks(range(len(names)), list(names.values()))
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("memory (MB)")


def _game(measured: pd.DataFrame) -> str:
    return str(measured["game"].iloc[0]).replace("leduc", "Leduc hold'em")


def _bytes(number: float) -> str:
    """Write a number of bytes in the largest decimal unit: ``14.6 GB``."""
    for factor, unit in _UNITS:
        if number >= factor:
            return f"{number / factor:.4g} {unit}"
    return f"{number:.0f} bytes"


def _paper(number: Number) -> str:
    return f"paper: {number.words} {number.unit}"


def _paid(measured: pd.DataFrame) -> str:
    value = measured.pivot_table(index="method", columns="quantity", values="value")
    cfr, cfrd = value.loc["cfr"], value.loc["cfr-d"]
    return (
        f"Bottom: peak resident memory of our solvers on {_game(measured)}, "
        f"{cfr['peak_bytes'] / 1e6:.0f} MB for CFR against {cfrd['peak_bytes'] / 1e6:.0f} MB for "
        f"CFR-D. What the calculator gives is for the {records_module.ENGINE_NUMBERS} numbers "
        "that this engine keeps for an infoset and action; the rest is the compiled game. CFR "
        f"takes {cfr['seconds_each']:.2g} s for an iteration; CFR-D takes "
        f"{cfrd['seconds_each']:.2g} s for one in every subgame, and it needs many of them for "
        "each iteration of the trunk."
    )
