"""What Figure 5 of Embedding CFR does not show: ablations, and the sharpness of Phi."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cfrlab.papers.embedding import comparison, labels
from cfrlab.papers.embedding.comparison import Results
from cfrlab.papers.embedding.labels import DEFINITION, EMBEDDING
from cfrlab.papers.embedding.records import FIGURE5
from cfrlab.papers.embedding.styles import AVERAGE_COLOURS, rule_keys, rule_look, rules
from cfrlab.reporting import plotting
from cfrlab.reporting.markdown import require, span
from cfrlab.reporting.palette import GREY
from cfrlab.reporting.plotting import Figured, Look, key, styled

EXPLOITABILITY = "exploitability\n(half-sum, chips a hand)"
_MILLI_ANTES = "exploitability (half-sum, milli-antes a hand)"
_COMPARED = (
    "the best of the paper's clusterings under the same averaging rule and solver, after as many "
    "iterations"
)
_COMPARED_KEY = "best of the paper's clusterings, same colour"
_STROKE: Look = {
    "marker": "|",
    "markersize": 9,
    "markeredgewidth": 1.4,
    "linestyle": "none",
}
LINE, SHIFT = 0.34, 0.26
"""Inches for a line of the ablations, and the distance of its averaging rules in lines."""


# Ablations


@styled
def ablation(results: Results) -> Figured:
    """Where each line of each ablation ends, under each averaging rule."""
    curves, solvers = results.curves, results.solvers
    parts = {
        study: _named(comparison.means(comparison.ends(curves, solvers, study)))
        for study in comparison.studies(curves)
        if study != FIGURE5
    }
    columns = [rows.assign(study=study) for study, rows in parts.items()]
    data = pd.concat(columns, ignore_index=True) if parts else pd.DataFrame()
    require(data, "ablations of Embedding CFR")
    figure, axes = _stacks({study: rows["line"].nunique() for study, rows in parts.items()})
    for study, axis in axes.items():
        axis.set_title(f"{labels.study_label(study)}: {_after(parts[study])}", loc="right")
        _draw_dots(axis, parts[study])
        plotting.log_axis(axis, "x")
    plotting.legend(figure, [*rule_keys(data), key(_COMPARED_KEY, color=GREY, **_STROKE)])
    caption = (
        "**Embedding CFR, ablations: where each line ends.** A panel for each study of the "
        "configuration, with an axis of its own; a line for each abstraction and solver; in "
        "parentheses, how many advisors a hand mixes in effect on flop and turn. Marks: geometric "
        f"mean over seeds; bars: from the best to the worst seed. Strokes: {_COMPARED}. "
        f"{DEFINITION} {_below(data)}{_reversals(results, data)}"
    )
    return Figured(figure, data.drop(columns="line"), caption.rstrip())


def _stacks(lines: Mapping[str, int]) -> tuple[Figure, dict[str, Axes]]:
    """Lay out a panel for each study, with room for its lines, in two columns of like height."""
    stacks: list[list[str]] = [[], []]
    heights = [0.0, 0.0]
    for study, count in sorted(lines.items(), key=lambda item: (-item[1], item[0])):
        shorter = heights.index(min(heights))
        stacks[shorter].append(study)
        heights[shorter] += LINE * (count + 1) + 0.6
    stacks = [sorted(stack) for stack in stacks if stack]
    size = (7.0 * len(stacks), max(heights) + 1.0)
    figure = Figure(figsize=size, layout="constrained")
    axes: dict[str, Axes] = {}
    outer = figure.add_gridspec(1, len(stacks))
    for column, stack in enumerate(stacks):
        ratios = [lines[study] + 1 for study in stack]
        grid = outer[0, column].subgridspec(len(stack), 1, height_ratios=ratios)
        axes |= {study: figure.add_subplot(grid[i, 0]) for i, study in enumerate(stack)}
        axes[stack[-1]].set_xlabel(_MILLI_ANTES)
    return figure, dict(sorted(axes.items()))


def _named(means: pd.DataFrame) -> pd.DataFrame:
    """Name each line by what differs within the study, with its effective advisors."""
    many = {column: means[column].nunique() > 1 for column in ("game", "solver")}
    names = []
    for row in means.itertuples():
        name = labels.abstraction_label(str(row.abstraction))
        if row.family == EMBEDDING:
            name += f" ({labels.advisors(row.effective_1, row.effective_2)})"
        below = [labels.solver_label(str(row.solver))] if many["solver"] else []
        below += [labels.game_label(str(row.game))] if many["game"] else []
        names.append("\n".join([name, ", ".join(below)]) if below else name)
    return means.assign(line=names)


def _draw_dots(axis: Axes, rows: pd.DataFrame) -> None:
    present = rules(rows)
    order = list(rows.groupby("line")["milli_antes"].min().sort_values().index)
    for row in rows.itertuples():
        y = order.index(row.line) + SHIFT * (present.index(row.averaging) - (len(present) - 1) / 2)
        colour, each = AVERAGE_COLOURS[row.averaging], row.milli_antes / row.exploitability
        if pd.notna(row.best_value):
            axis.plot([row.best_value * each], [y], color=colour, **_STROKE)
        axis.plot([row.low * each, row.high * each], [y, y], color=colour, linewidth=1.0)
        axis.plot([row.milli_antes], [y], **rule_look(row.averaging))
    axis.set_yticks(range(len(order)), order, fontsize="small")
    axis.set_ylim(len(order) - 0.4, -0.6)
    axis.grid(visible=False, axis="y")
    for place in range(1, len(order)):
        axis.axhline(place - 0.5, color="#e4e4e4", linewidth=0.6, zorder=0)


def _below(means: pd.DataFrame) -> str:
    """Say which embedding comes lowest against the best clustering, for each averaging rule."""
    line = [*comparison.KEY, "iteration"]
    ours = means[(means["family"] == EMBEDDING) & means["ratio"].notna()].drop_duplicates(line)
    if ours.empty:
        return ""
    sentences = []
    for rule in rules(ours):
        rows = ours[ours["averaging"] == rule]
        low = rows.loc[rows["ratio"].idxmin()]
        sentences.append(
            f"{rule}: {int((rows['ratio'] < 1).sum())} of {len(rows)}, the lowest "
            f"{labels.abstraction_label(low['abstraction'])} by "
            f"{labels.solver_label(low['solver'])}, {low['ratio']:.2f} times it"
        )
    return (
        "**What to see:** embeddings below the best clustering, by averaging rule: "
        + "; ".join(sentences)
        + "."
    )


# Sharpness


@styled
def sharpness(results: Results) -> Figured:
    """Exploitability against effective advisors, where a study has several Phi of a network."""
    curves, solvers = results.curves, results.solvers
    ends = [comparison.ends(curves, solvers, study) for study in comparison.studies(curves)]
    swept = [_swept(comparison.means(rows)) for rows in ends]
    data = pd.concat(swept) if swept else pd.DataFrame()
    require(data, "study with two Phi of one network by one solver")
    data = data.drop_duplicates([*comparison.KEY, "iteration"])
    data = data[data["game"] == data["game"].iloc[0]].reset_index(drop=True)
    names, shown = sorted(set(data["solver"])), data[["exploitability", "best_value"]].stack()
    titles = [labels.solver_label(name) for name in names]
    if data["iteration"].nunique() > 1:
        each = [data[data["solver"] == name] for name in names]
        titles = [f"{t}\n{_after(rows)}" for t, rows in zip(titles, each, strict=True)]
    figure, axes = plotting.panels(titles, ["", ""], height=2.9, width=3.4)
    for i, solver in enumerate(names):
        rows = data[data["solver"] == solver]
        for r, axis in enumerate(axes[i], start=1):
            _draw_sweep(axis, rows, f"effective_{r}")
            axis.set_xlabel(f"effective advisors a hand on the {labels.ROUNDS[r]}")
            low, high = data[f"effective_{r}"].min(), data[f"effective_{r}"].max()
            axis.set_xlim(0.8 * low, 1.25 * high)
            # Room for the names above the marks.
            axis.set_ylim(0.96 * shown.min(), (shown.max() / shown.min()) ** 0.45 * shown.max())
            plotting.log_axis(axis, "x")
            plotting.log_axis(axis, "y")
        _name_phis(axes[i, 0], rows)
        axes[i, 0].set_ylabel(EXPLOITABILITY)
    dotted = key(_COMPARED_KEY, color=GREY, linestyle=":")
    plotting.legend(figure, [*rule_keys(data), dotted])
    figure.suptitle(f"{labels.game_label(data['game'].iloc[0])}, {_after(data)}", weight="bold")
    caption = (
        f"**Embedding CFR: exploitability against the sharpness of Phi, {_after(data)}.** Each "
        "mark is a Phi, as trained or transformed, at the effective number of advisors that a hand "
        "mixes; with 1, Phi is a clustering. A row for each solver; geometric means over seeds. "
        f"Dotted: {_COMPARED}. {DEFINITION} {_steps(data)}{_reversals(results, data)}"
    )
    return Figured(figure, data, caption)


def _swept(means: pd.DataFrame) -> pd.DataFrame:
    """The embeddings of a study, where it has two or more Phi of one network by one solver."""
    ours = means[means["family"] == EMBEDDING]
    group = ["game", "solver", "averaging"]
    several = ours.groupby([*group, "network"])["phi"].transform("nunique") > 1
    chosen = several.groupby([ours[column] for column in group]).transform("any")
    return ours[chosen.astype(bool)]


def _draw_sweep(axis: Axes, data: pd.DataFrame, effective: str) -> None:
    for rule in rules(data):
        rows = data[data["averaging"] == rule]
        axis.plot(rows[effective], rows["exploitability"], **rule_look(rule))
        for value in rows["best_value"].dropna().unique():
            axis.axhline(value, color=AVERAGE_COLOURS[rule], linestyle=":", linewidth=1.0)


def _name_phis(axis: Axes, rows: pd.DataFrame) -> None:
    """Write the name of each Phi above its marks."""
    main = rows["network"].mode().iloc[0]
    for abstraction, marks in rows.groupby("abstraction"):
        first = marks.iloc[0]
        same = first["network"] == main
        name = labels.phi_label(first["phi"]) if same else labels.abstraction_label(abstraction)
        axis.annotate(
            name.removeprefix("network with "),
            (first["effective_1"], marks["exploitability"].max()),
            (0, 6),
            textcoords="offset points",
            rotation=90,
            ha="center",
            va="bottom",
            fontsize="x-small",
        )


def _steps(data: pd.DataFrame) -> str:
    """Say what Phi as trained and the best one come to, over averaging rules."""
    sentences = []
    for solver, rows in data.groupby("solver", sort=False):
        phis = rows.groupby("abstraction")
        best = rows.loc[rows["exploitability"].idxmin(), "abstraction"]
        wide = rows.loc[rows["effective_2"].idxmax(), "abstraction"]
        parts = []
        for name, abstraction in (("the widest Phi", wide), ("the best Phi", best)):
            lines = phis.get_group(abstraction)
            advisors = labels.advisors(*lines[["effective_1", "effective_2"]].iloc[0])
            parts.append(
                f"{name} ({advisors} advisors) {span(lines['exploitability'], '.3g')} chips"
            )
        if rows["best_value"].notna().any():
            parts.append(f"the best clustering {span(rows['best_value'], '.3g')}")
        sentences.append(f"{labels.solver_label(str(solver))}: {', '.join(parts)}")
    return f"**What to see:** {'; '.join(sentences)}, depending on the averaging rule."


# Both


def _after(means: pd.DataFrame) -> str:
    """Say after how many iterations lines end."""
    counts = sorted(set(means["iteration"]))
    return f"after {' or '.join(f'{count:,}' for count in counts)} iterations"


def _reversals(results: Results, means: pd.DataFrame) -> str:
    """Say for which embeddings of Figure 5 the order is another at the end of their curves."""
    iteration = int(means["iteration"].mode().iloc[0])
    reversed_lines = comparison.reversals(results.curves, results.solvers, iteration)
    sentences = [
        f"{labels.abstraction_label(abstraction)}, by {labels.solver_label(solver)}, goes from "
        f"{span(lines['ratio'], '.3g')} times the best clustering after {iteration:,} iterations "
        f"to {span(lines['later_ratio'], '.3g')} times after {lines['later_iteration'].iloc[0]:,}"
        for (abstraction, solver), lines in reversed_lines.groupby(["abstraction", "solver"])
    ]
    if not sentences:
        return ""
    return (
        f" These are early iterations; in Figure 5 the order still changes: {'; '.join(sentences)}."
    )
