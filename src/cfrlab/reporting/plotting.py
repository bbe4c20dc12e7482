"""What figures share: one style, panels with one legend, and files with the same bytes each time.

Figures are drawn without pyplot, so that no global state is left behind, and saved without dates
and with fixed identifiers, so that equal data give equal bytes.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogFormatterMathtext,
    LogLocator,
    NullFormatter,
)
from numpy.typing import NDArray

from cfrlab.papers.weva.labels import Style
from cfrlab.pipeline.text import atomic_path, write_text_atomic

PUBLISHED_COLOUR = "#000000"

# matplotlib types the keys one by one; a plain dictionary of ours has names as keys.
_RC: Any = {
    **sns.plotting_context("paper", font_scale=1.05),
    **sns.axes_style("ticks"),
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titleweight": "bold",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "cfrlab",
}


@dataclass(frozen=True)
class Figured:
    """A figure with the data it shows and its caption (Markdown, one paragraph)."""

    figure: Figure
    data: pd.DataFrame
    caption: str


@contextmanager
def style() -> Iterator[None]:
    """Draw and save under the project's style."""
    with mpl.rc_context(_RC):
        yield


def panels(
    rows: Sequence[str],
    columns: Sequence[str],
    height: float = 2.3,
    share: Literal["none", "col"] = "none",
    heights: Sequence[float] | None = None,
) -> tuple[Figure, NDArray[np.object_]]:
    """Return a figure with a grid of axes: titles on the columns, names at the right of the rows.

    Axes: object array [rows, columns]. ``share="col"``: one vertical axis for each column.
    ``height``: inches for a row; ``heights``: those of the rows relative to each other, if they
    differ.
    """
    size = (max(2.55 * len(columns), 4.0) + 0.6, height * len(rows) + 0.9)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(
        len(rows), len(columns), squeeze=False, sharey=share, height_ratios=heights
    )
    axes = np.asarray(grid, dtype=object)
    for axis, title in zip(axes[0], columns, strict=True):
        axis.set_title(title)
    for axis, name in zip(axes[:, -1], rows, strict=True):
        if name:
            axis.annotate(
                name,
                (1.03, 0.5),
                xycoords="axes fraction",
                rotation=270,
                va="center",
                ha="left",
                fontsize="small",
            )
    return figure, axes


ENTRY = 2.0
"""Width of a legend's column in inches, that of the longest names."""


def legend(
    figure: Figure,
    styles: Mapping[str, Style],
    extra: Sequence[Any] = (),
    kind: Literal["bar", "line", "point", "both"] = "both",
    entry: float = ENTRY,
) -> None:
    """Put one legend of the methods, drawn as in the panels, and of `extra` handles below them.

    ``entry``: width of a column in inches.
    """
    handles: list[Any] = [_handle(name, look, kind) for name, look in styles.items()]
    columns = min(len(handles) + len(extra), 4, max(2, int(figure.get_figwidth() / entry)))
    figure.legend(
        handles=[*handles, *extra], loc="outside lower center", ncols=columns, fontsize="small"
    )


def _handle(name: str, look: Style, kind: str) -> Any:
    if kind == "bar":
        return Patch(color=look.colour, label=name)
    marker = "" if kind == "line" else look.marker
    return Line2D(
        [],
        [],
        color=look.colour,
        marker=marker,
        linestyle="" if kind == "point" else "-",
        label=name,
    )


def published_handle(label: str = "paper") -> Line2D:
    """Legend entry of published values, drawn by `published_marks`."""
    return Line2D([], [], **_PUBLISHED, label=label)


_PUBLISHED: Mapping[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 3.6,
    "markerfacecolor": "white",
    "markeredgecolor": PUBLISHED_COLOUR,
    "markeredgewidth": 0.9,
}


def published_marks(axis: Axes, x: Sequence[float], y: Sequence[float]) -> None:
    """Mark published values."""
    axis.plot(x, y, **_PUBLISHED, zorder=5)


def log_axis(axis: Axes, which: Literal["x", "y"]) -> None:
    """Make an axis logarithmic and label it: powers of ten on long axes, plain numbers on short.

    Call it after drawing, since it keeps the limits that the data ask for.
    """
    if which == "x":
        axis.set_xscale("log")
        low, high = axis.get_xlim()
        axis.set_xlim(low, high)
        ruler: Any = axis.xaxis
    else:
        axis.set_yscale("log")
        low, high = axis.get_ylim()
        axis.set_ylim(low, high)
        ruler = axis.yaxis
    log_ticks(ruler, low, high, which)


def log_ticks(ruler: Any, low: float, high: float, which: Literal["x", "y"]) -> None:
    """Label an axis that is logarithmic already and goes from `low` to `high`; see `log_axis`."""
    # Labels need more room along the axis than across it.
    ticks = _ticks(low, high, gap=1 / 6 if which == "x" else 1 / 9)
    ruler.set_minor_formatter(NullFormatter())
    if ticks:
        ruler.set_major_locator(FixedLocator(ticks))
        ruler.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        ruler.set_major_locator(LogLocator())
        ruler.set_major_formatter(LogFormatterMathtext())


def _ticks(low: float, high: float, gap: float) -> list[float]:
    """Return round numbers for a short logarithmic axis, [] for one of three decades or more.

    Of several ladders the finest is taken whose labels are `gap` of the axis apart or more.
    """
    if high / low >= 1000:
        return []
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in (
        range(10, 100, 5),
        range(10, 100, 10),
        (10, 20, 30, 50, 70),
        (10, 20, 50),
        (10,),
    ):
        numbers = [digit / 10 * 10.0**decade for decade in decades for digit in digits]
        inside = [number for number in numbers if low <= number <= high]
        gaps = [math.log(b / a) for a, b in itertools.pairwise(inside)]
        if gaps and min(gaps) >= gap * math.log(high / low):
            return inside
    return []


def note(axis: Axes, text: str) -> None:
    """Say in an empty panel why it is empty."""
    axis.set_axis_off()
    axis.text(0.5, 0.5, text, ha="center", va="center", transform=axis.transAxes, wrap=True)


def write(folder: str | os.PathLike[str], figures: Mapping[str, Figured]) -> None:
    """Write each figure as ``{name}.svg`` and ``{name}.png``, its data and its caption beside."""
    for name, figured in figures.items():
        save(Path(folder) / f"{name}.svg", figured.figure)
        save(Path(folder) / f"{name}.png", figured.figure)
        data = figured.data.to_csv(index=False, float_format="%.6g", lineterminator="\n")
        write_text_atomic(Path(folder) / f"{name}.csv", data)
        write_text_atomic(Path(folder) / f"{name}.md", f"{figured.caption}\n")


def save(path: Path, figure: Figure) -> None:
    """Save a figure as SVG or PNG by its suffix, whole or not at all, without date or software."""
    metadata: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    with style(), atomic_path(path) as temporary:
        figure.savefig(temporary, dpi=200, metadata=metadata)
