"""Figures 3 to 5 of Burch, Johanson and Bowling (2014) and the memory claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cfrlab.papers.cfrd import records as records_module
from cfrlab.papers.weva.labels import shades
from cfrlab.reporting import plotting
from cfrlab.reporting.plotting import Figured

NAMES = ("cfrd_fig3", "cfrd_fig4", "cfrd_fig5", "cfrd_memory")
EXPLOITABILITY = "exploitability\n(chips a hand)"
PAPER_UNSAFE, PAPER_ABSTRACT, PAPER_GIGABYTES = 0.080, 0.382, 16
_COLOURS = {"safe": "#0072b2", "unsafe": "#d55e00"}
_DEFINITION = "Exploitability is the half-sum (b1 + b2) / 2 in chips a hand, lower is better."


def cfrd_figures(records: pd.DataFrame, footer: str = "") -> dict[str, Figured]:
    """Return every figure of `NAMES`; one whose data the run leaves out says so.

    Args:
        records: see `records.load`.
    """
    with plotting.style():
        drawn = {
            "cfrd_fig3": figure3(_of(records, "fig3")),
            "cfrd_fig4": figure4(_of(records, "fig4")),
            "cfrd_fig5": figure5(_of(records, "fig5")),
            "cfrd_memory": memory(_of(records, "memory")),
        }
    return {
        name: replace(figured, caption=f"{figured.caption}\n\n{footer}".rstrip())
        for name, figured in drawn.items()
    }


def _of(records: pd.DataFrame, figure: str) -> pd.DataFrame:
    return records[records["figure"] == figure].reset_index(drop=True)


def _empty(data: pd.DataFrame) -> Figured:
    figure, axes = plotting.panels([""], [""])
    plotting.note(axes[0, 0], "not in this run")
    return Figured(figure, data, "**Not in this run.** The configuration leaves it out.")


def figure3(data: pd.DataFrame) -> Figured:
    """Exploitability against re-solving iterations, safe and unsafe, all starts and seeds."""
    if data.empty:
        return _empty(data)
    games = sorted(set(data["game"]))
    figure, axes = plotting.panels(["every outcome", "sampled outcome"], games, height=2.6)
    for i, sampled in enumerate((False, True)):
        for axis, game in zip(axes[i], games, strict=True):
            rows = data[
                (data["game"] == game)
                & (data["quantity"] == "exploitability")
                & (data["case"].str.startswith("sample") == sampled)
            ]
            if rows.empty:
                plotting.note(axis, "not in this run")
                continue
            _curves(axis, rows, PAPER_UNSAFE if game == "leduc" else None)
    handles = [
        *(Line2D([], [], color=colour, label=name) for name, colour in _COLOURS.items()),
        Line2D([], [], color="#808080", linestyle="--", label="slope −1/2"),
    ]
    if "leduc" in games:
        handles.append(Line2D([], [], color="#000000", linestyle=":", label="paper, unsafe"))
    plotting.legend(figure, {}, handles)
    caption = (
        "**Figure 3: re-solving every subgame of an exact equilibrium.** "
        f"{_cases(data)} {_DEFINITION}{_exact_note(data)}"
    )
    return Figured(figure, data, caption)


def _count(number: int, noun: str) -> str:
    """``1 seed``, ``4 seeds``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _cases(data: pd.DataFrame) -> str:
    """Say how many starts and seeds Figure 3 shows, and how."""
    names = set(data["case"])
    starts, seeds = (sum(n.startswith(kind) for n in names) for kind in ("start", "sample"))
    parts = ["Every outcome: thick from uniform strategies (1 start)"]
    if starts:
        parts[0] += f", thin from random initial regrets ({_count(starts, 'start')})"
    if seeds:
        thick = "" if seeds == 1 else ", the first thick"
        parts.append(f"public chance sampling: {_count(seeds, 'seed')}{thick}")
    text = "; ".join(parts) + "."
    if starts and "leduc" in set(data["game"]):
        text += (
            " Where unsafe re-solving settles depends on the start: the paper's line is one case "
            "of many."
        )
    return text


def _exact_note(data: pd.DataFrame) -> str:
    safe = data[(data["quantity"] == "exact") & (data["method"] == "safe")]["value"]
    return f" Exact safe re-solving (linear program) leaves {safe.max():.1e}." if len(safe) else ""


def _curves(axis: Axes, rows: pd.DataFrame, paper: float | None) -> None:
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
    t = np.array(sorted(set(rows["iterations"])), float)
    safe = rows[(rows["method"] == "safe") & (rows["iterations"] == t[0])]["value"]
    if len(safe):
        axis.plot(t, safe.median() * np.sqrt(t[0] / t), color="#808080", linestyle="--", lw=0.9)
    if paper is not None:
        axis.axhline(paper, color="#000000", linestyle=":", linewidth=1.0)
    axis.set_xlabel("re-solving iterations")
    axis.set_ylabel(EXPLOITABILITY)
    plotting.log_axis(axis, "x")
    plotting.log_axis(axis, "y")


def figure4(data: pd.DataFrame) -> Figured:
    """Exploitability of CFR-D against subgame iterations, a line for each length of the trunk."""
    if data.empty:
        return _empty(data)
    games, variants = sorted(set(data["game"])), list(dict.fromkeys(data["method"]))
    figure, axes = plotting.panels(variants, games, height=2.5)
    lengths = sorted(set(data["trunk"]))
    colours = dict(zip(lengths, shades("Blues", len(lengths)), strict=True))
    for i, variant in enumerate(variants):
        for axis, game in zip(axes[i], games, strict=True):
            rows = data[(data["game"] == game) & (data["method"] == variant)]
            for (trunk, quantity), line in rows.groupby(["trunk", "quantity"]):
                line = line.sort_values("subgame")
                exact = quantity == "exact"
                axis.plot(
                    line["subgame"],
                    line["value"],
                    color=colours[trunk],
                    linestyle=":" if exact else "-",
                    marker="" if exact else "o",
                    linewidth=0.9 if exact else 1.5,
                )
            axis.set_xlabel("iterations in each subgame")
            axis.set_ylabel(EXPLOITABILITY)
            plotting.log_axis(axis, "x")
            plotting.log_axis(axis, "y")
    handles = [
        *(Line2D([], [], color=c, marker="o", label=f"trunk {t}") for t, c in colours.items()),
        Line2D([], [], color="#808080", linestyle=":", label="re-solved exactly"),
    ]
    plotting.legend(figure, {}, handles)
    iterations = ", ".join(f"{t:,}" for t in sorted(set(data["iterations"])))
    caption = (
        "**Figure 4: CFR-D by iterations of the trunk and in each subgame.** Subgames are then "
        f"re-solved from the trunk and the root values with {iterations} iterations of CFR; "
        "dotted, exactly, which shows re-solving's own share. Every point is 1 run from uniform "
        f"strategies (1 start, no seeds). {_DEFINITION}{_variants(variants)}"
    )
    return Figured(figure, data, caption)


_VARIANTS = {
    "paper": "the paper's algorithm, with average root values",
    "warm": "subgames that keep their regrets between trunk iterations (more memory)",
    "best-response-values": "root values of best responses",
}


def _variants(names: Sequence[str]) -> str:
    """Say what the rows of Figure 4 are; a variant of the reader's own keeps its name alone."""
    known = [f"`{name}`: {_VARIANTS[name]}" for name in names if name in _VARIANTS]
    return f" Rows: {'; '.join(known)}." if known else ""


def figure5(data: pd.DataFrame) -> Figured:
    """An abstract strategy with re-solved subgames: exploitability and one-on-one value."""
    if data.empty:
        return _empty(data)
    figure, axes = plotting.panels([""], ["exploitability", "one-on-one gain"])
    for axis, quantity in zip(axes[0], ("exploitability", "gain"), strict=True):
        rows = data[data["quantity"] == quantity]
        if rows.empty:
            plotting.note(axis, "not in this run")
            continue
        for method, lines in rows.groupby("method"):
            for _, line in lines.groupby("case"):
                line = line.sort_values("iterations")
                colour = _COLOURS[str(method)]
                axis.plot(line["iterations"], line["value"], color=colour, lw=0.6, alpha=0.45)
            middle = lines.groupby("iterations")["value"].median()
            axis.plot(middle.index, middle.to_numpy(), color=_COLOURS[str(method)], lw=2.0)
        axis.set_xlabel("re-solving iterations")
        axis.set_ylabel("chips a hand")
        plotting.log_axis(axis, "x")
    original = data[data["quantity"] == "original"]["value"]
    for value in original:
        axes[0, 0].axhline(value, color="#808080", linewidth=0.6)
    handles = [
        *(Line2D([], [], color=colour, label=name) for name, colour in _COLOURS.items()),
        Line2D([], [], color="#808080", linewidth=0.6, label="abstract strategies"),
    ]
    if "leduc" in set(data["game"]):
        axes[0, 0].axhline(PAPER_ABSTRACT, color="#000000", linestyle=":", linewidth=1.0)
        handles.append(Line2D([], [], color="#000000", linestyle=":", label="paper's, .382"))
    plotting.legend(figure, {}, handles)
    caption = (
        "**Figure 5: an abstract strategy improved by re-solving unabstracted subgames.** "
        f"{_equilibria(data)} {_DEFINITION}{_safe_note(data)} "
        "Right: one-on-one value against the original, mean over both seats."
    )
    return Figured(figure, data, caption)


def _equilibria(data: pd.DataFrame) -> str:
    """Say how many equilibria and seeds Figure 5 shows, and how."""
    originals = set(data.loc[data["quantity"] == "original", "case"])
    random = sum(name.startswith("random") for name in originals)
    kinds = [
        *(["linear program"] if "lp" in originals else []),
        *(["CFR+"] if "cfr-plus" in originals else []),
        *([_count(random, "random objective")] if random else []),
    ]
    seeds = data.loc[data["case"].str.contains("/"), "case"].str.split("/").str[1].nunique()
    noun = "equilibrium" if len(originals) == 1 else "equilibria"
    return (
        f"Thin: {len(originals)} abstract {noun} ({', '.join(kinds)}), each without sampling"
        + (f" and with {_count(seeds, 'seed')} of public chance sampling" if seeds else "")
        + "; thick: their median."
    )


def _safe_note(data: pd.DataFrame) -> str:
    exact = data[(data["quantity"] == "exact") & (data["method"] == "safe")]["value"]
    if exact.empty:
        return ""
    return (
        f" Exact safe re-solving leaves {exact.min():.3f} to {exact.max():.3f}: the theorem does "
        "not promise a gain, and what is gained comes from which of many optimal gadget strategies "
        "CFR finds."
    )


def memory(measured: pd.DataFrame) -> Figured:
    """CFR against CFR-D for every split of limit hold'em, and measured on a larger Leduc."""
    table = records_module.calculated()
    holdem = table[table["game"] == "limit hold'em"]
    figure, axes = plotting.panels([""], ["limit hold'em, calculated", "measured peak"], height=2.8)
    axis: Axes = axes[0, 0]
    parts = ("trunk", "root_values", "subgame")
    bars = {"CFR": {"all": float(holdem["cfr_bytes"].iloc[0])}}
    for _, row in holdem.iterrows():
        name = f"CFR-D\n{int(row['trunk_rounds'])} round" + "s" * (row["trunk_rounds"] > 1)
        bars[name] = {part: float(row[f"cfrd_{part}_bytes"]) for part in parts}
    for i, split in enumerate(bars.values()):
        total = sum(split.values()) / 1e9
        axis.bar(i, total, color="#bdbdbd" if i == 0 else "#0072b2")
        axis.annotate(f"{total:,.4g}", (i, total), ha="center", va="bottom", fontsize="x-small")
    axis.axhline(PAPER_GIGABYTES, color="#000000", linestyle=":", linewidth=1.0)
    axis.set_xticks(range(len(bars)), list(bars), fontsize="x-small")
    axis.set_ylabel("GB")
    plotting.log_axis(axis, "y")
    _measured_bars(axes[0, 1], measured)
    best = holdem.loc[holdem["cfrd_bytes"].idxmin()]
    caption = (
        "**Memory of CFR and CFR-D.** Left: two-player limit hold'em, hands up to suits, doubles: "
        f"{best['canonical_infoset_actions']:,} infoset-actions make "
        f"{best['strategy_bytes'] / 1e12:.1f} TB for a strategy alone; CFR-D with a trunk of "
        f"{best['trunk_rounds']} rounds needs {best['cfrd_trunk_bytes'] / 1e9:.2f} GB for the "
        f"trunk, {best['cfrd_root_values_bytes'] / 1e9:.2f} GB for root values and "
        f"{best['cfrd_subgame_bytes'] / 1e9:.2f} GB for the largest subgame, "
        f"{best['cfrd_bytes'] / 1e9:.2f} GB in all (dotted: the paper's 16 GB). " + _paid(measured)
    )
    return Figured(figure, pd.concat([table, measured], ignore_index=True), caption)


def _measured_bars(axis: Axes, measured: pd.DataFrame) -> None:
    if measured.empty:
        plotting.note(axis, "not in this run")
        return
    for i, mode in enumerate(dict.fromkeys(measured["method"])):
        rows = measured[measured["method"] == mode].set_index("quantity")["value"]
        axis.bar(i - 0.2, rows["predicted_bytes"] / 1e6, 0.38, color="#bdbdbd")
        axis.bar(i + 0.2, rows["peak_bytes"] / 1e6, 0.38, color="#0072b2")
    axis.set_xticks(range(2), ["CFR", "CFR-D"])
    axis.set_ylabel("MB (grey: calculated)")


def _paid(measured: pd.DataFrame) -> str:
    if measured.empty:
        return ""
    value = measured.pivot_table(index="method", columns="quantity", values="value")
    cfr, cfrd = value.loc["cfr"], value.loc["cfr-d"]
    game = measured["game"].iloc[0]
    return (
        f"Right: peak resident memory of our solvers on {game}, {cfr['peak_bytes'] / 1e6:.0f} MB "
        f"against {cfrd['peak_bytes'] / 1e6:.0f} MB; grey is what the calculator gives for the "
        f"{records_module.ENGINE_NUMBERS} numbers that this engine keeps for an infoset and "
        f"action, the rest is the compiled game. CFR takes {cfr['seconds_each']:.2g} s for an "
        f"iteration; CFR-D {cfrd['seconds_each']:.2g} s for one in every subgame, and it needs "
        "many of them for each iteration of the trunk."
    )
