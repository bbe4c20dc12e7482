"""What figures share: one style, panels with one legend, and files with the same bytes each time.

Figures are drawn without pyplot, from the defaults of matplotlib and seaborn and with the font that
matplotlib brings, so that neither a user's settings nor other figures change them. They are saved
without dates and with fixed identifiers, so that equal data give equal bytes.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path as MarkerPath
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogFormatterMathtext,
    LogLocator,
    MaxNLocator,
    NullFormatter,
)
from numpy.typing import NDArray

from cfrlab.pipeline.text import atomic_path
from cfrlab.reporting import markdown
from cfrlab.reporting.palette import BLACK

_INK = "#262626"
# matplotlib types the keys one by one; a plain dictionary of ours has names as keys.
_RC: Any = {
    **sns.plotting_context("paper", font_scale=1.05),
    **sns.axes_style("ticks"),
    "axes.axisbelow": True,
    "axes.edgecolor": _INK,
    "axes.grid": True,
    "axes.labelcolor": _INK,
    "axes.linewidth": 1.0,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "axes.titleweight": "bold",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 9.2,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "mathtext.fontset": "dejavusans",
    "svg.fonttype": "path",
    "svg.hashsalt": "cfrlab",
    "text.color": _INK,
    "xtick.color": _INK,
    "xtick.labelsize": 9.2,
    "ytick.color": _INK,
    "ytick.labelsize": 9.2,
}

_CLIP = re.compile(r'(?<=[#"])p[0-9a-f]{10}(?=[)"])')

P = ParamSpec("P")
Made = TypeVar("Made")
"""What a paper's figures are made of."""

Look = Mapping[str, Any]
"""How a line or a mark is drawn: keyword arguments of matplotlib."""


@dataclass(frozen=True)
class Figured:
    """A figure with the data it shows and its caption (Markdown, one paragraph)."""

    figure: Figure
    data: pd.DataFrame
    caption: str


@contextmanager
def style() -> Iterator[None]:
    """Draw and save under the project's style, whatever the user's is."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def styled(draw: Callable[P, Figured]) -> Callable[P, Figured]:
    """Make a function draw its figure under the project's style."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figured:
        with style():
            return draw(*args, **kwargs)

    return drawn


def panels(
    rows: Sequence[str],
    columns: Sequence[str],
    height: float = 2.3,
    share: Literal["none", "col", "row"] = "none",
    heights: Sequence[float] | None = None,
    width: float = 2.55,
) -> tuple[Figure, NDArray[np.object_]]:
    """Return a figure with a grid of axes: titles on the columns, names at the right of the rows.

    Axes: object array [rows, columns]. ``share``: one vertical axis for each column or row.
    ``height``, ``width``: inches for a row and a column; ``heights``: those of the rows relative to
    each other, if they differ.
    """
    size = (max(width * len(columns), 4.0) + 0.6, height * len(rows) + 0.9)
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


def key(label: str, **look: Any) -> Line2D:
    """A legend's entry that looks like a line or a mark drawn with the same arguments."""
    return Line2D([], [], label=label, **look)


def legend(figure: Figure, entries: Sequence[Any]) -> None:
    """Put one legend below the panels, in as many columns as fit, at most four."""

    def width(columns: int) -> float:
        """Inches of so many columns, filled one after the other: signs and spaces, and letters."""
        lengths = [len(entry.get_label()) for entry in entries]
        parts = np.array_split(np.array(lengths), columns)
        return sum(0.6 + 0.07 * float(part.max()) for part in parts)

    fitting = [n for n in range(1, min(4, len(entries)) + 1) if width(n) < figure.get_figwidth()]
    columns = max(fitting, default=1)
    figure.legend(handles=list(entries), loc="outside lower center", ncols=columns)


def published_look(colour: str = "white") -> Look:
    """How published values are drawn: diamonds with a black edge, of the method's colour inside."""
    return {
        "linestyle": "none",
        "marker": "D",
        "markersize": 4.0,
        "markerfacecolor": colour,
        "markeredgecolor": BLACK,
        "markeredgewidth": 0.8,
        "color": BLACK,
        "zorder": 5,
    }


_TRIANGLES: Mapping[str, Sequence[tuple[float, float]]] = {
    "above": [(-1, 0), (1, 0), (0, 1.6)],
    "below": [(-1, 0), (1, 0), (0, -1.6)],
    "left": [(0, -1), (0, 1), (-1.6, 0)],
    "right": [(0, -1), (0, 1), (1.6, 0)],
}


def bound_look(side: Literal["above", "below", "left", "right"]) -> Look:
    """How a published bound is drawn: a triangle whose base is at it and which points inside."""
    corners = _TRIANGLES[side]
    triangle = MarkerPath([*corners, corners[0]], closed=True)
    return {**published_look(), "marker": triangle, "markersize": 9.0}


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

    Of several ladders the finest is taken whose labels are `gap` of the axis apart or more; where
    none has two numbers inside, equal steps.
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
    steps = [float(tick) for tick in MaxNLocator(4).tick_values(low, high)]
    return [tick for tick in steps if low <= tick <= high]


def write(folder: str | os.PathLike[str], name: str, figured: Figured, footer: str = "") -> None:
    """Write a figure as ``{name}.svg`` and ``{name}.png``, its data and its caption beside.

    ``footer``: a line of provenance to end the caption with.
    """
    for suffix in ("svg", "png"):
        save(Path(folder) / f"{name}.{suffix}", figured.figure)
    markdown.write(folder, name, figured.data, figured.caption, footer)


def write_all(
    outputs: Sequence[str],
    figures: Mapping[str, Callable[[Made], Figured]],
    made: Made,
    footer: str,
) -> None:
    """Draw and write the figures that some output files are of; see `write`."""
    for folder, name in dict.fromkeys((Path(path).parent, Path(path).stem) for path in outputs):
        write(folder, name, figures[name](made), footer)


def save(path: Path, figure: Figure) -> None:
    """Save a figure as SVG or PNG by its suffix, whole or not at all, without date or software."""
    metadata: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    with style(), atomic_path(path) as temporary:
        figure.savefig(temporary, dpi=200, metadata=metadata)
        if path.suffix == ".svg":
            temporary.write_text(_numbered(temporary.read_text("utf-8")), "utf-8", newline="\n")


def _numbered(svg: str) -> str:
    """Number the regions that clip lines: matplotlib names them by their coordinates' last bits."""
    names: dict[str, str] = {}
    return _CLIP.sub(lambda match: names.setdefault(match[0], f"clip-{len(names) + 1}"), svg)
