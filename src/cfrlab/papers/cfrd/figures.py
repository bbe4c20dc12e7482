"""Figures 3 to 5 of Burch, Johanson and Bowling (2014) and the memory claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cfrlab.papers.cfrd.labels import PAPERS_GAME, game_label, variant_label
from cfrlab.papers.cfrd.memory_figure import draw_memory
from cfrlab.reporting import palette, plotting
from cfrlab.reporting.markdown import count, require
from cfrlab.reporting.palette import BLACK, GREY, shades
from cfrlab.reporting.plotting import Figured, Look, key, published_look, styled
from cfrlab.reporting.published import Numbers

EXPLOITABILITY = "exploitability\n(half-sum, chips a hand)"
_DEFINITION = "Exploitability is the half-sum (b1 + b2) / 2 in chips a hand, lower is better."
_COLOURS = {"safe": palette.BLUE, "unsafe": palette.VERMILION}
_PAPER_LINE: Look = {"color": BLACK, "linestyle": ":", "linewidth": 1.2, "zorder": 4}
_RATE_LINE: Look = {"color": GREY, "linestyle": "--", "linewidth": 1.0}
_ABSTRACT_LINE: Look = {"color": GREY, "linewidth": 0.6}


@dataclass(frozen=True)
class Results:
    """What the figures are made of.

    Attributes:
        records: see `records.COLUMNS`.
        numbers: what the paper states; see `cfrlab.reporting.published`.
    """

    records: pd.DataFrame
    numbers: Numbers


@styled
def figure3(results: Results) -> Figured:
    """Exploitability against re-solving iterations, safe and unsafe, all starts and seeds."""
    data = _of(results, "fig3")
    games = sorted(set(data["game"]))
    sampled = data["case"].str.startswith("sample")
    columns = {"all public cards in each iteration": ~sampled, "one sampled public card": sampled}
    columns = {title: chosen for title, chosen in columns.items() if chosen.any()}
    figure, axes = plotting.panels(
        [game_label(game) for game in games], list(columns), 2.9, share="row", width=3.6
    )
    for i, game in enumerate(games):
        for axis, chosen in zip(axes[i], columns.values(), strict=True):
            here = data[chosen & (data["game"] == game) & (data["quantity"] == "exploitability")]
            _curves(axis, here)
            if game == PAPERS_GAME:
                _draw_rate(axis, here, results.numbers["safe-rate"].value)
                axis.axhline(results.numbers["unsafe-limit"].value, **_PAPER_LINE)
            axis.set_xlabel("iterations of CFR in re-solving")
            plotting.log_axis(axis, "x")
        _log_row(axes[i])
    entries = _method_keys()
    if PAPERS_GAME in games:
        limit = results.numbers["unsafe-limit"].value
        entries += [
            key(f"paper: unsafe settles at about {limit:.3f}", **_PAPER_LINE),
            key("paper: safe falls as 1/√T (slope alone)", **_RATE_LINE),
        ]
    plotting.legend(figure, entries)
    caption = (
        f"**CFR-D, Figure 3: re-solving every subgame of an exact equilibrium.** {_cases(data)} "
        f"{_DEFINITION} {_exact(data, results.numbers)}"
    )
    return Figured(figure, data, caption)


@styled
def figure4(results: Results) -> Figured:
    """Exploitability of CFR-D against subgame iterations, a line for each length of the trunk."""
    data = _of(results, "fig4")
    games, variants = sorted(set(data["game"])), list(dict.fromkeys(data["method"]))
    figure, axes = plotting.panels(
        [game_label(game) for game in games],
        [variant_label(variant) for variant in variants],
        2.9,
        share="row",
        width=2.8,
    )
    lengths = sorted(set(data["trunk"]))
    colours = dict(zip(lengths, shades("Blues", len(lengths)), strict=True))
    looks: dict[str, Look] = {
        "exploitability": {"marker": "o"},
        "exact": {"linestyle": ":", "linewidth": 1.0},
    }
    for i, game in enumerate(games):
        for axis, variant in zip(axes[i], variants, strict=True):
            rows = data[(data["game"] == game) & (data["method"] == variant)]
            for (trunk, quantity), line in rows.groupby(["trunk", "quantity"]):
                line = line.sort_values("subgame")
                axis.plot(line["subgame"], line["value"], color=colours[trunk], **looks[quantity])
            axis.set_xlabel("iterations in each subgame")
            plotting.log_axis(axis, "x")
        _log_row(axes[i])
    entries = [key(f"trunk of {t:,} iterations", color=c, marker="o") for t, c in colours.items()]
    plotting.legend(figure, [*entries, key("re-solved exactly", color=GREY, **looks["exact"])])
    iterations = ", ".join(f"{t:,}" for t in sorted(set(data["iterations"])))
    caption = (
        "**CFR-D, Figure 4: exploitability by iterations of the trunk and in each subgame.** "
        f"Subgames are then re-solved from the trunk and the root values, with {iterations} "
        "iterations of CFR (marks) or exactly by a linear program (dotted); the difference is "
        "re-solving's own share. Every point is one run from uniform strategies. The paper gives "
        f"no numbers for this figure. {_DEFINITION}{_variants(variants)} **What to see:** the "
        "paper's lines fall, then level off at an error that the trunk and re-solving set."
    )
    return Figured(figure, data, caption)


@styled
def figure5(results: Results) -> Figured:
    """An abstract strategy with re-solved subgames: exploitability and one-on-one value."""
    data = _of(results, "fig5")
    papers = PAPERS_GAME in set(data["game"])
    figure, axes = plotting.panels([""], ["", ""], 3.2, width=3.6)
    labels = {
        "exploitability": EXPLOITABILITY,
        "gain": "one-on-one gain over the\nabstract strategy (chips a hand)",
    }
    for axis, (quantity, label) in zip(axes[0], labels.items(), strict=True):
        for method, lines in data[data["quantity"] == quantity].groupby("method"):
            colour = _COLOURS[str(method)]
            for _, line in lines.groupby("case"):
                line = line.sort_values("iterations")
                axis.plot(line["iterations"], line["value"], color=colour, lw=0.6, alpha=0.4)
            middle = lines.groupby("iterations")["value"].median()
            axis.plot(middle.index, middle.to_numpy(), color=colour, lw=2.0)
        axis.set_xlabel("iterations of CFR in re-solving")
        axis.set_ylabel(label)
        plotting.log_axis(axis, "x")
    for value in data[data["quantity"] == "original"]["value"]:
        axes[0, 0].axhline(value, **_ABSTRACT_LINE)
    entries = [*_method_keys(), key("ours: abstract strategies", **_ABSTRACT_LINE)]
    if papers:
        _draw_papers_points(axes[0, 0], results.numbers)
        original = results.numbers["abstract"].value
        entries += [
            key(f"paper: abstract strategy, {original:g}", **_PAPER_LINE),
            key("paper: after re-solving, same colour", **published_look()),
        ]
    plotting.legend(figure, entries)
    caption = (
        "**CFR-D, Figure 5: an abstract strategy improved by re-solving unabstracted subgames.** "
        f"{_equilibria(data)} {_DEFINITION} {_points(results.numbers) if papers else ''}"
        f"{_safe_note(data)} Right: what the re-solved strategy wins from the original one on "
        f"one, mean over both seats. {_edge(data, results.numbers) if papers else ''}"
    )
    return Figured(figure, data, caption.rstrip())


@styled
def memory(results: Results) -> Figured:
    """CFR against CFR-D for every split of limit hold'em, and measured on a larger Leduc."""
    return draw_memory(_of(results, "memory"), results.numbers)


FIGURES: Mapping[str, Callable[[Results], Figured]] = {
    "cfrd_fig3": figure3,
    "cfrd_fig4": figure4,
    "cfrd_fig5": figure5,
    "cfrd_memory": memory,
}
NAMES = tuple(FIGURES)


def _of(results: Results, figure: str) -> pd.DataFrame:
    """The rows of a figure. Raises CfrlabError if there is none."""
    records = results.records
    rows = records[records["figure"] == figure].reset_index(drop=True)
    require(rows, f"records of CFR-D's {figure}")
    return rows


def _log_row(axes: Sequence[Axes]) -> None:
    """Make the vertical axis that a row of panels shares logarithmic."""
    axes[0].set_ylabel(EXPLOITABILITY)
    for axis in axes:
        plotting.log_axis(axis, "y")


def _method_keys() -> list[Line2D]:
    return [key(f"ours: {name} re-solving", color=c) for name, c in _COLOURS.items()]


# Figure 3


def _curves(axis: Axes, rows: pd.DataFrame) -> None:
    for (method, case), line in rows.groupby(["method", "case"]):
        line = line.sort_values("iterations")
        thick = case in ("uniform", "sample-1")
        axis.plot(
            line["iterations"],
            line["value"],
            color=_COLOURS[str(method)],
            linewidth=1.8 if thick else 0.7,
            alpha=1.0 if thick else 0.6,
        )


def _draw_rate(axis: Axes, rows: pd.DataFrame, slope: float) -> None:
    """Draw the paper's rate, which has no level of its own, from our first safe point on."""
    t = np.array(sorted(set(rows["iterations"])), float)
    first = rows[(rows["method"] == "safe") & (rows["iterations"] == t[0])]["value"]
    axis.plot(t, first.median() * (t / t[0]) ** slope, **_RATE_LINE)


def _cases(data: pd.DataFrame) -> str:
    """Say how many starts and seeds Figure 3 shows, and how."""
    names = set(data["case"])
    starts, seeds = (sum(n.startswith(kind) for n in names) for kind in ("start", "sample"))
    text = "All public cards in each iteration: the thick line starts from uniform strategies"
    text += f", thin lines from random initial regrets ({count(starts, 'start')})." * bool(starts)
    text = text.rstrip(".") + "."
    if seeds:
        text += f" Public chance sampling: {count(seeds, 'seed')}"
        text += "." if seeds == 1 else ", the first of them thick."
    if starts and PAPERS_GAME in set(data["game"]):
        text += (
            " **What to see:** where unsafe re-solving settles depends on its start, so the "
            "paper's line is one case of many."
        )
    return text


def _exact(data: pd.DataFrame, numbers: Numbers) -> str:
    """Say how exploitable the equilibrium is, before and after exact re-solving."""
    parts = []
    stored = data[data["quantity"] == "equilibrium"]["value"]
    if len(stored):
        text = f"the stored equilibrium is exploitable by {stored.max():.1e}"
        if PAPERS_GAME in set(data["game"]):
            text += f" (paper: less than {numbers['stored-equilibrium'].value:.1e})"
        parts.append(text)
    safe = data[(data["quantity"] == "exact") & (data["method"] == "safe")]["value"]
    if len(safe):
        parts.append(f"exact safe re-solving by a linear program leaves {safe.max():.1e}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


# Figure 4

_MEANING = {
    "warm": "subgames keep their regrets between trunk iterations, which takes more memory",
    "best-response-values": "root values are those of best responses, not of the average",
}


def _variants(names: Sequence[str]) -> str:
    """Say what variants of ours in Figure 4 are; one of the reader's own explains itself."""
    known = [f"in '{variant_label(n)}' {_MEANING[n]}" for n in names if n in _MEANING]
    return f" Variants of ours: {'; '.join(known)}." if known else ""


# Figure 5


def _draw_papers_points(axis: Axes, numbers: Numbers) -> None:
    """Draw the abstract strategy's level, two points, and a range that holds to the axis's end."""
    axis.axhline(numbers["abstract"].value, **_PAPER_LINE)
    for name, method in (("safe-early", "safe"), ("unsafe", "unsafe")):
        look = published_look(_COLOURS[method])
        axis.plot([numbers[name].iterations], [numbers[name].value], **look)
    late, (_, end) = numbers["safe-late"], axis.get_xlim()
    start = late.iterations
    axis.fill_between([start, end], *late.range, color=_COLOURS["safe"], alpha=0.15, linewidth=0)
    for limit in late.range:
        axis.plot([start, end], [limit, limit], color=BLACK, linewidth=0.8, zorder=4)
    axis.plot([start, start], late.range, color=BLACK, linewidth=0.8, zorder=4)


def _points(numbers: Numbers) -> str:
    """Say what the paper's points are."""
    early, late, unsafe = (numbers[name] for name in ("safe-early", "safe-late", "unsafe"))
    return (
        f"The paper has {early.words} after {early.iterations:,} iterations of safe re-solving, "
        f"{late.words} from {late.iterations:,} on (the framed band), and {unsafe.words} after "
        f"{unsafe.iterations:,} of unsafe re-solving. "
    )


def _equilibria(data: pd.DataFrame) -> str:
    """Say how many equilibria and seeds Figure 5 shows, and how."""
    originals = set(data.loc[data["quantity"] == "original", "case"])
    random = sum(name.startswith("random") for name in originals)
    kinds = [
        *(["linear program"] if "lp" in originals else []),
        *(["CFR+"] if "cfr-plus" in originals else []),
        *([count(random, "random objective")] if random else []),
    ]
    seeds = data.loc[data["case"].str.contains("/"), "case"].str.split("/").str[1].nunique()
    noun = "equilibrium" if len(originals) == 1 else "equilibria"
    return (
        f"Thin lines: {len(originals)} abstract {noun} ({', '.join(kinds)}), each without sampling"
        + (f" and with {count(seeds, 'seed')} of public chance sampling" if seeds else "")
        + "; thick lines: their median."
    )


def _safe_note(data: pd.DataFrame) -> str:
    exact = data[(data["quantity"] == "exact") & (data["method"] == "safe")]["value"]
    if exact.empty:
        return ""
    return (
        f"**What to see:** exact safe re-solving leaves {exact.min():.3f} to {exact.max():.3f}. "
        "The theorem does not promise a gain; what is gained comes from which of many optimal "
        "gadget strategies CFR finds."
    )


def _edge(data: pd.DataFrame, numbers: Numbers) -> str:
    """Say how much more unsafe re-solving wins than safe re-solving in the end."""
    gain = data[(data["quantity"] == "gain") & (data["iterations"] == data["iterations"].max())]
    by_method = gain.pivot_table(index="case", columns="method", values="value").dropna()
    if not {"safe", "unsafe"} <= set(by_method):
        return ""
    edge = by_method["unsafe"] - by_method["safe"]
    return (
        f"In the end unsafe re-solving wins {edge.median():.3f} more than safe re-solving, the "
        f"median of {edge.min():.3f} to {edge.max():.3f}; the paper has about "
        f"{numbers['edge'].value:g}."
    )
