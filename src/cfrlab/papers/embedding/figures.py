"""Figure 5 of Fu et al. (2026), and what it does not show: ablations and the sharpness of Phi."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from cfrlab.papers.embedding import comparison, labels
from cfrlab.papers.embedding.comparison import Solvers
from cfrlab.papers.embedding.labels import (
    AVERAGE_COLOURS,
    AVERAGE_MARKERS,
    BASELINE,
    DEFINITION,
    EMBEDDING,
    LOSSLESS,
    SHARPENED,
)
from cfrlab.papers.embedding.records import FIGURE5, of_study
from cfrlab.reporting import plotting
from cfrlab.reporting.plotting import Figured
from cfrlab.solve.rounds.averages import AVERAGES

NAMES = ("embedding_fig5", "embedding_ablation", "embedding_sharpness")
PUBLISHED_RATIO = (0.6, 0.7)
EXPLOITABILITY = "exploitability (half-sum, chips a hand)"
MILLI_ANTES = "exploitability (half-sum, milli-antes a hand)"
_BEST_CLUSTERING = (
    "the best of the paper's clusterings under the same averaging rule and solver, after as many "
    "iterations"
)
_SAME_COLOUR = "best clustering, same colour"
_GREY = "#808080"
LONG_ENTRY = 2.7
"""Width of a legend's column in inches, for names with numbers of advisors."""


def embedding_figures(
    curves: pd.DataFrame, solvers: Solvers, footer: str = ""
) -> dict[str, Figured]:
    """Return every figure of `NAMES`; one whose data the run leaves out says so.

    Args:
        curves: see `records.COLUMNS`.
        solvers: of the configuration.
        footer: a line of provenance to end each caption with.
    """
    with plotting.style():
        drawn = {
            "embedding_fig5": figure5(curves, solvers),
            "embedding_ablation": ablation(curves, solvers),
            "embedding_sharpness": sharpness(curves, solvers),
        }
    return {
        name: replace(figured, caption=f"{figured.caption}\n\n{footer}".rstrip())
        for name, figured in drawn.items()
    }


def _empty(data: pd.DataFrame) -> Figured:
    figure, axes = plotting.panels([""], [""])
    plotting.note(axes[0, 0], "not in this run")
    return Figured(figure, data, "**Not in this run.** The configuration leaves it out.")


def _rules(rows: pd.DataFrame) -> list[str]:
    present = set(rows["averaging"])
    return [rule for rule in AVERAGES if rule in present]


def _rule_handles(rules: list[str], linestyle: Any = "") -> list[Line2D]:
    return [
        Line2D(
            [],
            [],
            color=AVERAGE_COLOURS[rule],
            marker=AVERAGE_MARKERS[rule],
            linestyle=linestyle,
            label=labels.averaging_label(rule),
        )
        for rule in rules
    ]


# Figure 5


def figure5(curves: pd.DataFrame, solvers: Solvers) -> Figured:
    """Exploitability against iterations, a panel for each averaging rule (and game).

    Below each panel, the same in times the best clustering.
    """
    shown = comparison.with_roles(of_study(curves, FIGURE5), solvers)
    if shown.empty:
        return _empty(shown)
    data = _marked(_relative(shown, curves, solvers))
    games, rules = list(dict.fromkeys(data["game"])), _rules(data)
    titles = [labels.averaging_label(rule) for rule in rules]
    names = games if len(games) > 1 else [""]
    figure, axes = plotting.panels(
        [name for name in names for _ in range(2)],
        [title.replace(" (", "\n(").replace(" by ", "\nby ") for title in titles],
        height=2.6,
        heights=[3.2, 2.0] * len(games),
    )
    for i, game in enumerate(games):
        _panels(axes[2 * i : 2 * i + 2], data[data["game"] == game], rules)
    handles = [_handle(method, rows) for method, rows in _by_method(data)]
    span = Patch(color=_GREY, alpha=0.25, label="paper's ratio at 1024")
    plotting.legend(figure, {}, [*handles, span], entry=LONG_ENTRY)
    caption = (
        "**Figure 5: exploitability against iterations.** One averaging rule for all methods in a "
        "panel. Strong: the best of each method's configurations and seeds; thin: the others; in "
        "brackets, effective advisors a hand on flop and turn. Below: in times the mean of the "
        f"best clustering after as many iterations. {_settings(data)} {DEFINITION} "
        f"{_found(comparison.ends(curves, solvers, FIGURE5))}"
    )
    return Figured(figure, data, caption.rstrip())


def _panels(axes: Any, data: pd.DataFrame, rules: list[str]) -> None:
    """Draw the two rows of panels of a game."""
    low, high = data["exploitability"].min(), data["exploitability"].max()
    near = data[data["role"] != LOSSLESS]["relative"]
    for (above, below), rule in zip(axes.T, rules, strict=True):
        rows = data[data["averaging"] == rule]
        _curves(above, rows, "exploitability")
        above.set_ylim(0.93 * low, 1.07 * high)
        plotting.log_axis(above, "x")
        plotting.log_axis(above, "y")
        if near.notna().any():
            _curves(below, rows[rows["role"] != LOSSLESS], "relative")
            below.axhspan(*PUBLISHED_RATIO, color=_GREY, alpha=0.25, linewidth=0)
            below.set_ylim(0, 1.05 * max(near.max(), 1.0))
            below.set_xlim(above.get_xlim())
            plotting.log_axis(below, "x")
            below.set_xlabel("iterations")
        else:
            plotting.note(below, "no clustering")
    axes[0, 0].set_ylabel(EXPLOITABILITY.replace(" (", "\n("))
    axes[1, 0].set_ylabel("times the\nbest clustering")
    _milli_antes(axes[0, -1], data)


def _relative(shown: pd.DataFrame, curves: pd.DataFrame, solvers: Solvers) -> pd.DataFrame:
    """Add the ratio to the best clustering at each point, NaN where there is none."""
    lowest = comparison.lowest_clustering(curves, solvers)
    places = shown[["game", "solver", "averaging", "iteration"]].itertuples(index=False, name=None)
    values = [line.mean if (line := lowest(*place)) else np.nan for place in places]
    return shown.assign(relative=shown["exploitability"] / values)


def _marked(curves: pd.DataFrame) -> pd.DataFrame:
    """Mark each method's best curve under each rule."""
    keys = [*comparison.KEY, "seed"]
    finals = curves[curves["iteration"] == curves.groupby(keys)["iteration"].transform("max")]
    lowest = finals.loc[finals.groupby(["game", "averaging", "role"])["exploitability"].idxmin()]
    chosen = set(lowest[keys].itertuples(index=False, name=None))
    marks = [key in chosen for key in curves[keys].itertuples(index=False, name=None)]
    return curves.assign(best=marks)


def _by_method(data: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    present = sorted(set(data["role"]), key=labels.family_order)
    return [(method, data[data["role"] == method]) for method in present]


def _dash(method: str) -> Any:
    return {BASELINE: "-.", SHARPENED: "--", LOSSLESS: ":"}.get(method, "-")


def _handle(method: str, rows: pd.DataFrame) -> Line2D:
    name = labels.family_label(method)
    if (rows["family"] == EMBEDDING).all():
        name += f" [{_effective(rows)}]"
    return Line2D([], [], color=labels.family_colour(method), linestyle=_dash(method), label=name)


def _effective(rows: pd.DataFrame) -> str:
    return " and ".join(_span(rows[f"effective_{r}"]) for r in (1, 2))


def _span(values: pd.Series) -> str:
    low, high = f"{values.min():.3g}", f"{values.max():.3g}"
    return low if low == high else f"{low} to {high}"


def _curves(axis: Axes, rows: pd.DataFrame, column: str) -> None:
    for _, line in rows.groupby([*comparison.KEY, "seed"]):
        line = line.sort_values("iteration")
        method, best = str(line["role"].iloc[0]), bool(line["best"].iloc[0])
        axis.plot(
            line["iteration"],
            line[column],
            color=labels.family_colour(method),
            linestyle=_dash(method),
            linewidth=1.9 if best else 0.7,
            alpha=1.0 if best else 0.55,
            zorder=3 if best else 2,
        )


def _milli_antes(axis: Axes, rows: pd.DataFrame) -> None:
    """A second axis at the right, in milli-antes."""
    ratio = float((rows["milli_antes"] / rows["exploitability"]).median())

    def there(chips: Any) -> Any:
        return chips * ratio

    def back(milli_antes: Any) -> Any:
        return milli_antes / ratio

    second = axis.secondary_yaxis("right", functions=(there, back))
    second.set_ylabel("milli-antes a hand")
    low, high = (limit * ratio for limit in axis.get_ylim())
    plotting.log_ticks(second.yaxis, low, high, "y")


def _settings(data: pd.DataFrame) -> str:
    """Say how many configurations and seeds of each method there are."""
    parts = []
    for method, rows in _by_method(data):
        seeds = rows.groupby(["game", "abstraction", "solver"])["seed"].nunique()
        names, least, most = rows["abstraction"].nunique(), seeds.min(), seeds.max()
        text = f"{labels.family_label(method)}: {_count(names, 'configuration')}"
        parts.append(f"{text}, {'' if least == most else f'{least} to '}{_count(most, 'seed')}")
    return "; ".join(parts) + "."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


_VARIANTS = {EMBEDDING: "as trained", BASELINE: "with advisor baseline", SHARPENED: "sharpened"}


def _found(ends: pd.DataFrame) -> str:
    """Say where Embedding CFR ends against the best clustering, rule by rule."""
    means = comparison.means(ends)
    ours = means[means["ratio"].notna() & (means["family"] == EMBEDDING)]
    if ours.empty:
        return ""
    sentences, order = [], {True: list[str](), False: list[str]()}
    for (game, rule), rows in ours.groupby(["game", "averaging"], sort=False):
        where = f"{rule}, {game}" if ours["game"].nunique() > 1 else str(rule)
        lowest = {role: rows[rows["role"] == role] for role in _VARIANTS}
        parts = [
            _times(name, lowest[role].loc[lowest[role]["ratio"].idxmin()])
            for role, name in _VARIANTS.items()
            if len(lowest[role])
        ]
        sentences.append(f"{where}: {', '.join(parts)}")
        if len(lowest[EMBEDDING]):
            order[bool(lowest[EMBEDDING]["ratio"].min() < 1)].append(where)
    text = (
        "**What to see:** where Embedding CFR ends, in times the best clustering (geometric means "
        f"over seeds; the paper has {PUBLISHED_RATIO[0]} to {PUBLISHED_RATIO[1]}). "
        + "; ".join(sentences)
        + "."
    )
    if order[True]:
        text += f" As trained it ends below every clustering under {', '.join(order[True])}."
    if order[False]:
        text += f" As trained it does not end below them under {', '.join(order[False])}."
    return text


def _times(name: str, line: pd.Series) -> str:
    return f"{name} {line['ratio']:.2f} times `{line['best_clustering']}`"


# Ablations


def ablation(curves: pd.DataFrame, solvers: Solvers) -> Figured:
    """Where each line of each ablation ends, under each averaging rule."""
    parts = {
        study: _named(comparison.means(comparison.ends(curves, solvers, study)))
        for study in _studies(curves)
        if study != FIGURE5
    }
    if not parts:
        return _empty(curves)
    lines = [rows["line"].nunique() for rows in parts.values()]
    height = 0.65 + 0.22 * sum(lines) / len(lines)
    figure, axes = plotting.panels([""] * len(parts), [""], height, heights=[n + 1 for n in lines])
    figure.set_figwidth(7.2)
    data = pd.concat([rows.assign(study=s) for s, rows in parts.items()], ignore_index=True)
    each = data["milli_antes"] / data["exploitability"]
    low = min((data["low"] * each).min(), (data["best_value"] * each).min())
    high = max((data["high"] * each).max(), (data["best_value"] * each).max())
    for axis, (study, part) in zip(axes[:, 0], parts.items(), strict=True):
        axis.set_title(study, loc="left", fontsize="small")
        _dots(axis, part)
        axis.set_xlim(0.9 * low, 1.1 * high)
        plotting.log_axis(axis, "x")
    axes[-1, 0].set_xlabel(MILLI_ANTES)
    best = Line2D(
        [], [], color=_GREY, marker="|", linestyle="", label="best clustering, same colour"
    )
    plotting.legend(figure, {}, [*_rule_handles(_rules(data)), best], entry=LONG_ENTRY)
    caption = (
        "**Ablations: where each line ends.** A panel for each study of the configuration, a line "
        "for each abstraction and solver; in brackets, effective advisors a hand on flop and turn. "
        "Marks: geometric mean over seeds; bars: from the best to the worst seed. Strokes: "
        f"{_BEST_CLUSTERING}. {DEFINITION} {_beaten(data)}"
    )
    return Figured(figure, data.drop(columns="line"), caption.rstrip())


def _studies(curves: pd.DataFrame) -> list[str]:
    return sorted({name for names in curves["studies"].unique() for name in names.split()})


def _named(means: pd.DataFrame) -> pd.DataFrame:
    """Name each line by what differs within the study, with its effective advisors."""
    many = {column: means[column].nunique() > 1 for column in ("game", "solver")}
    names = []
    for row in means.itertuples():
        name = str(row.abstraction)
        name += f", {labels.solver_label(str(row.solver))}" if many["solver"] else ""
        name += f", {row.game}" if many["game"] else ""
        if row.family == EMBEDDING:
            name += f" [{labels.advisors(row.effective_1, row.effective_2)}]"
        names.append(name)
    return means.assign(line=names)


def _dots(axis: Axes, rows: pd.DataFrame) -> None:
    rules = _rules(rows)
    order = rows.groupby("line")["milli_antes"].min().sort_values()
    for row in rows.itertuples():
        place = 0.22 * (rules.index(row.averaging) - (len(rules) - 1) / 2)
        y = list(order.index).index(row.line) + place
        colour, each = AVERAGE_COLOURS[row.averaging], row.milli_antes / row.exploitability
        axis.plot([row.low * each, row.high * each], [y, y], color=colour, linewidth=0.9)
        marker = AVERAGE_MARKERS[row.averaging]
        axis.plot([row.milli_antes], [y], color=colour, marker=marker, markersize=3.4)
        if pd.notna(row.best_value):
            axis.plot([row.best_value * each], [y], color=colour, marker="|", markersize=7)
    axis.set_yticks(range(len(order)), list(order.index), fontsize="x-small")
    axis.set_ylim(len(order) - 0.4, -0.6)
    axis.grid(visible=False, axis="y")


def _beaten(means: pd.DataFrame) -> str:
    """Say which embedding comes lowest against the best clustering, for each averaging rule."""
    key = ["game", "abstraction", "solver", "averaging"]
    ours = means[(means["family"] == EMBEDDING) & means["ratio"].notna()].drop_duplicates(key)
    if ours.empty:
        return ""
    sentences = []
    for rule in _rules(ours):
        rows = ours[ours["averaging"] == rule]
        low = rows.loc[rows["ratio"].idxmin()]
        sentences.append(
            f"{rule}: {int((rows['ratio'] < 1).sum())} of {len(rows)}, the lowest "
            f"`{low['abstraction']}` by {labels.solver_label(low['solver'])}, "
            f"{low['ratio']:.2f} times it with "
            f"{labels.advisors(low['effective_1'], low['effective_2'])} effective advisors"
        )
    return (
        "**What to see:** embeddings below the best clustering, by averaging rule: "
        + "; ".join(sentences)
        + "."
    )


# Sharpness


def sharpness(curves: pd.DataFrame, solvers: Solvers) -> Figured:
    """Exploitability against effective advisors, where a study has several Phi of a network."""
    found = [_swept(comparison.ends(curves, solvers, study)) for study in _studies(curves)]
    key = [*comparison.KEY, "iteration"]
    data = pd.concat(found).drop_duplicates(key) if found else pd.DataFrame()
    if data.empty:
        return _empty(curves)
    data = data[data["game"] == data["game"].iloc[0]].reset_index(drop=True)
    names, rules = sorted(set(data["solver"])), _rules(data)
    shown = data[["exploitability", "best_value"]].stack()
    figure, axes = plotting.panels(
        [labels.solver_label(name) for name in names], ["flop", "turn"], height=2.8
    )
    for i, solver in enumerate(names):
        of_solver = data[data["solver"] == solver]
        for axis, effective in zip(axes[i], ("effective_1", "effective_2"), strict=True):
            for rule in rules:
                _sweep(axis, of_solver[of_solver["averaging"] == rule], effective, rule)
            axis.set_xlabel("effective advisors a hand")
            axis.set_xlim(0.85 * data[effective].min(), 1.18 * data[effective].max())
            axis.set_ylim(0.95 * shown.min(), 1.05 * shown.max())
            plotting.log_axis(axis, "x")
            plotting.log_axis(axis, "y")
        axes[i, 0].set_ylabel(EXPLOITABILITY.replace(" (", "\n("))
    dotted = Line2D([], [], color=_GREY, linestyle=":", label=_SAME_COLOUR)
    plotting.legend(figure, {}, [*_rule_handles(rules, "-"), dotted])
    networks = " or ".join(f"`{name}`" for name in dict.fromkeys(data["network"]))
    caption = (
        "**Exploitability against the sharpness of Phi.** Where Embedding CFR ends with network "
        f"{networks}, as trained and transformed, by the effective number of advisors that a hand "
        "mixes; with 1, Phi is a clustering. A row for each solver; lines join the Phi of one "
        "network; geometric means over seeds. "
        f"Dotted: {_BEST_CLUSTERING}. {DEFINITION} {_steps(data)}"
    )
    return Figured(figure, data, caption)


def _swept(ends: pd.DataFrame) -> pd.DataFrame:
    """The embeddings of a study, where it has two or more Phi of one network by one solver."""
    means = comparison.means(ends)
    ours = means[means["family"] == EMBEDDING]
    group = ["game", "solver", "averaging"]
    several = ours.groupby([*group, "network"])["phi"].transform("nunique") > 1
    kept = several.groupby([ours[column] for column in group]).transform("any")
    return ours[kept.astype(bool)]


def _sweep(axis: Axes, rows: pd.DataFrame, effective: str, rule: str) -> None:
    for _, line in rows.groupby(["network", "iteration"]):
        line = line.sort_values(effective)
        axis.plot(
            line[effective],
            line["exploitability"],
            color=AVERAGE_COLOURS[rule],
            marker=AVERAGE_MARKERS[rule],
            linewidth=0.7,
        )
    for value in rows["best_value"].dropna().unique():
        axis.axhline(value, color=AVERAGE_COLOURS[rule], linestyle=":", linewidth=1.0)


def _steps(data: pd.DataFrame) -> str:
    """Say what the widest Phi and the best one come to."""
    sentences = []
    for (solver, rule), rows in data.groupby(["solver", "averaging"], sort=False):
        low = rows.loc[rows["exploitability"].idxmin()]
        wide = rows.loc[rows["effective_2"].idxmax()]
        text = f"{labels.solver_label(str(solver))}, {rule}: " + ", ".join(
            f"{name} {row['exploitability']:.3g} chips with "
            f"{labels.advisors(row['effective_1'], row['effective_2'])}"
            for name, row in (("widest", wide), ("best", low))
        )
        if pd.notna(low["best_value"]):
            text += f", best clustering {low['best_value']:.3g}"
        sentences.append(text)
    return "**What to see:** " + "; ".join(sentences) + "."
