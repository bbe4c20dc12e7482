"""Figure 5 of Fu et al. (2026), and the list of all figures of Embedding CFR."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cfrlab.papers.embedding import comparison, labels
from cfrlab.papers.embedding.ablation_figures import EXPLOITABILITY, ablation, sharpness
from cfrlab.papers.embedding.comparison import Results, Solvers
from cfrlab.papers.embedding.labels import BASELINE, DEFINITION, EMBEDDING, LOSSLESS, SHARPENED
from cfrlab.papers.embedding.records import FIGURE5, of_study
from cfrlab.papers.embedding.styles import role_look, rules
from cfrlab.reporting import plotting
from cfrlab.reporting.markdown import count, require, span
from cfrlab.reporting.palette import BLACK
from cfrlab.reporting.plotting import Figured, Look, key, styled
from cfrlab.reporting.published import Number, Numbers
from cfrlab.solve.rounds.averages import UNIFORM

_RANGE: Look = {"color": BLACK, "linewidth": 2.2, "marker": "_", "markersize": 9, "zorder": 5}
_ORDERS = {EMBEDDING: "as trained", BASELINE: "with advisor baseline", SHARPENED: "sharpened"}


@styled
def figure5(results: Results) -> Figured:
    """Exploitability against iterations, a panel for each averaging rule (and game).

    Below each panel, the same in times the best clustering, if the run has one.
    """
    curves, solvers = results.curves, results.solvers
    shown = comparison.with_roles(of_study(curves, FIGURE5), solvers)
    require(shown, "curves of Embedding CFR's Figure 5")
    data = _marked(_relative(shown, curves, solvers))
    ratio = results.numbers["ratio"]
    games, present = list(dict.fromkeys(data["game"])), rules(data)
    compared = bool(data["relative"].notna().any())
    titles = [labels.averaging_label(rule) for rule in present]
    names = [labels.game_label(game) if len(games) > 1 else "" for game in games]
    figure, axes = plotting.panels(
        [name for name in names for _ in range(1 + compared)],
        [title.replace(" (", "\n(").replace(" by ", "\nby ") for title in titles],
        height=2.6,
        heights=[3.2, 2.0][: 1 + compared] * len(games),
        width=3.0,
    )
    for i, game in enumerate(games):
        rows = data[data["game"] == game]
        _draw_values(axes[(1 + compared) * i], rows, present)
        if compared:
            _draw_ratios(axes[2 * i + 1], rows, present, ratio)
    for axis in axes[-1]:
        axis.set_xlabel("iterations")
    entries = [_method_key(method, rows) for method, rows in _by_method(data)]
    if compared:
        words = f"paper, after {ratio.iterations:,} iterations: {ratio.words}"
        entries.append(key(words, **_RANGE))
    plotting.legend(figure, entries)
    caption = (
        f"**Embedding CFR, Figure 5: exploitability against iterations.** "
        f"{' and '.join(labels.game_label(game) for game in games)}. One averaging rule for "
        "all methods in a panel. Strong lines: the best of each method's configurations and seeds; "
        "thin lines: the others. The legend says how many advisors a hand mixes in effect on flop "
        "and turn. Bottom: in times the mean of the best clustering after as many iterations; the "
        "paper's range stands under its own averaging rule. "
        f"{_settings(data)} {DEFINITION} {_order(curves, solvers, results.numbers)}"
    )
    return Figured(figure, data, caption.rstrip())


FIGURES: Mapping[str, Callable[[Results], Figured]] = {
    "embedding_fig5": figure5,
    "embedding_ablation": ablation,
    "embedding_sharpness": sharpness,
}
NAMES = tuple(FIGURES)


def _draw_values(axes: Any, data: pd.DataFrame, present: list[str]) -> None:
    """Draw a game's exploitability, a panel for each averaging rule."""
    low, high = data["exploitability"].min(), data["exploitability"].max()
    for axis, rule in zip(axes, present, strict=True):
        _draw_curves(axis, data[data["averaging"] == rule], "exploitability")
        axis.set_ylim(0.93 * low, 1.07 * high)
        plotting.log_axis(axis, "x")
        plotting.log_axis(axis, "y")
    axes[0].set_ylabel(EXPLOITABILITY)
    _draw_milli_antes(axes[-1], data)


def _draw_ratios(axes: Any, data: pd.DataFrame, present: list[str], ratio: Number) -> None:
    """Draw a game's ratios to the best clustering, a panel for each averaging rule."""
    rows = data[data["role"] != LOSSLESS]
    for axis, rule in zip(axes, present, strict=True):
        _draw_curves(axis, rows[rows["averaging"] == rule], "relative")
        if rule == UNIFORM:
            axis.plot([ratio.iterations] * 2, ratio.range, **_RANGE)
        axis.set_ylim(0, 1.05 * max(rows["relative"].max(), 1.0))
        axis.set_xlim(data["iteration"].min() / 1.4, data["iteration"].max() * 1.4)
        plotting.log_axis(axis, "x")
    axes[0].set_ylabel("times the\nbest clustering")


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
    marks = [curve in chosen for curve in curves[keys].itertuples(index=False, name=None)]
    return curves.assign(best=marks)


def _by_method(data: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    present = sorted(set(data["role"]), key=labels.family_order)
    return [(method, data[data["role"] == method]) for method in present]


def _method_key(method: str, rows: pd.DataFrame) -> Line2D:
    name = labels.family_label(method)
    if (rows["family"] == EMBEDDING).all():
        name += (
            f", {labels.advisors(rows['effective_1'].mean(), rows['effective_2'].mean())} advisors"
        )
    return key(name, **role_look(method))


def _draw_curves(axis: Axes, rows: pd.DataFrame, column: str) -> None:
    for _, line in rows.groupby([*comparison.KEY, "seed"]):
        line = line.sort_values("iteration")
        best = bool(line["best"].iloc[0])
        axis.plot(
            line["iteration"],
            line[column],
            **role_look(str(line["role"].iloc[0])),
            linewidth=1.9 if best else 0.7,
            alpha=1.0 if best else 0.55,
            zorder=3 if best else 2,
        )


def _draw_milli_antes(axis: Axes, rows: pd.DataFrame) -> None:
    """A second axis at the right, in milli-antes."""
    ratio = float((rows["milli_antes"] / rows["exploitability"]).median())

    both_ways = (lambda chips: chips * ratio, lambda milli_antes: milli_antes / ratio)
    second = axis.secondary_yaxis("right", functions=both_ways)
    second.set_ylabel("milli-antes a hand")
    low, high = (limit * ratio for limit in axis.get_ylim())
    plotting.log_ticks(second.yaxis, low, high, "y")


def _settings(data: pd.DataFrame) -> str:
    """Say how many configurations and seeds of each method there are."""
    parts = []
    for method, rows in _by_method(data):
        seeds = rows.groupby(["game", "abstraction", "solver"])["seed"].nunique()
        names = count(rows["abstraction"].nunique(), "configuration")
        noun = "seed" if seeds.max() == 1 else "seeds"
        parts.append(f"{labels.family_label(method)}: {names}, {span(seeds)} {noun}")
    return "; ".join(parts) + "."


def _order(curves: pd.DataFrame, solvers: Solvers, numbers: Numbers) -> str:
    """Say where Embedding CFR ends against the best clustering, rule by rule."""
    means = comparison.means(comparison.ends(curves, solvers, FIGURE5))
    ours = means[means["ratio"].notna() & (means["family"] == EMBEDDING)]
    if ours.empty:
        return ""
    sentences, order = [], {True: list[str](), False: list[str]()}
    for (game, rule), rows in ours.groupby(["game", "averaging"], sort=False):
        where = f"{rule}, {labels.game_label(game)}" if ours["game"].nunique() > 1 else str(rule)
        by_role = {role: rows[rows["role"] == role] for role in _ORDERS}
        parts = [
            _times(name, by_role[role].loc[by_role[role]["ratio"].idxmin()])
            for role, name in _ORDERS.items()
            if len(by_role[role])
        ]
        sentences.append(f"{where}: {', '.join(parts)}")
        if len(by_role[EMBEDDING]):
            order[bool(by_role[EMBEDDING]["ratio"].min() < 1)].append(where)
    text = (
        "**What to see:** where Embedding CFR ends, in times the best clustering (geometric means "
        f"over seeds; the paper has {numbers['ratio'].words} times the clusterings). "
        + "; ".join(sentences)
        + "."
    )
    if order[True]:
        text += f" As trained it ends below every clustering under {', '.join(order[True])}."
    if order[False]:
        text += f" As trained it does not end below them under {', '.join(order[False])}."
    return text


def _times(name: str, line: pd.Series) -> str:
    clustering = labels.abstraction_label(str(line["best_clustering"]))
    return f"{name} {line['ratio']:.2f} times {clustering}"
