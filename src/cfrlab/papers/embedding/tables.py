"""Tables of the embedding experiments: where every curve ends, and what every Phi is like."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from cfrlab.papers.embedding import comparison, labels
from cfrlab.papers.embedding.artifacts import AS_TRAINED
from cfrlab.papers.embedding.comparison import Results
from cfrlab.papers.embedding.labels import DEFINITION
from cfrlab.papers.embedding.neighbours import EXAMPLE
from cfrlab.reporting.markdown import Table, pipe_table, require
from cfrlab.solve.rounds.averages import AVERAGES

DATA = {
    "embedding_curves": "every point of every embedding curve",
    "embedding_neighbours": "the hands nearest to a few well-known ones",
}
"""Tables of data alone, and what they have; see `records` and `neighbours`."""
END_COLUMNS = [
    "game",
    "abstraction",
    "family",
    "network",
    "phi",
    "role",
    "solver",
    "seed",
    "averaging",
    "iteration",
    "exploitability",
    "nashconv",
    "milli_antes",
    "rows_1",
    "rows_2",
    "effective_1",
    "effective_2",
    "best_clustering",
    "best_value",
    "ratio",
    "last_doubling",
    "studies",
]
"""Columns of the table of ends, a row for each curve and averaging rule; see `comparison.ends`."""


def ends_table(results: Results) -> Table:
    """Where every curve ends."""
    require(results.curves, "curves of Embedding CFR")
    ends = comparison.ends(results.curves, results.solvers)
    blocks = [
        "# Embedding CFR: where every curve ends",
        f"{DEFINITION} In chips a hand, geometric mean over seeds, in brackets from the best to "
        "the worst of several. *times*: the ratio to the best of the paper's clusterings (EHS, "
        "PaEmd, KrwEmd) under the same averaging rule and solver, after as many iterations. "
        "*last doubling*: change from half the iterations to all of them, under the first rule, "
        "empty where a curve has no point at exactly half; one that is flat there is on its floor. "
        "Effective advisors: how many a hand mixes, "
        "on flop and turn. **What to see:** " + _seen(ends),
    ]
    means = comparison.means(ends)
    for (game, solver), rows in means.groupby(["game", "solver"], sort=False):
        title = f"{labels.game_label(str(game))}, {labels.solver_label(str(solver))}"
        blocks += [f"## {title}", _lines(rows)]
    return Table(ends[END_COLUMNS], "\n\n".join(blocks))


def phi_table(results: Results) -> Table:
    """What every Phi is like, and which hands are alike to it."""
    require(results.phis, "Phi of Embedding CFR")
    about = _about(results.phis)
    return Table(about, _phi_markdown(about, results.neighbours))


TABLES: Mapping[str, Callable[[Results], Table]] = {
    "embedding_ends": ends_table,
    "embedding_phi": phi_table,
}
NAMES = ("embedding_counts", *TABLES)
"""Tables to read; `cfrlab.papers.embedding.counts` makes the first."""


def _seen(ends: pd.DataFrame) -> str:
    """Count the embeddings below the best clustering, as trained and transformed."""
    means = comparison.means(ends)
    ours = means[(means["family"] == labels.EMBEDDING) & means["ratio"].notna()]
    if ours.empty:
        return "no embedding has a clustering to be compared with in this run."
    parts = []
    for name, rows in (
        ("as trained", ours[ours["role"] != labels.SHARPENED]),
        ("transformed", ours[ours["role"] == labels.SHARPENED]),
    ):
        if len(rows):
            below, many = int((rows["ratio"] < 1).sum()), len(rows)
            parts.append(f"{below} of {many} ends of a Phi {name} are below the best clustering")
    return "; ".join(parts) + "."


def _lines(means: pd.DataFrame) -> str:
    """A line for each abstraction, columns for each averaging rule."""
    rules = [rule for rule in AVERAGES if rule in set(means["averaging"])]
    header = ["Abstraction", "Rows", "Effective", "Iterations", "Seeds"]
    header += [part for rule in rules for part in (rule, "*times*")] + ["*last doubling*"]
    lines = []
    keys = ["family", "abstraction", "iteration"]
    order = {family: labels.family_order(family) for family in set(means["family"])}
    for (_, abstraction, iteration), rows in sorted(
        means.groupby(keys, sort=False), key=lambda item: (order[item[0][0]], item[0][1:])
    ):
        first, by_rule = rows.iloc[0], rows.set_index("averaging")
        cells = [
            str(abstraction),
            f"{first['rows_1']:.0f} + {first['rows_2']:.0f}",
            labels.advisors(first["effective_1"], first["effective_2"]),
            str(iteration),
            str(first["seeds"]),
        ]
        for rule in rules:
            there = by_rule.loc[rule] if rule in by_rule.index else None
            cells += ["", ""] if there is None else [_value(there), _times(there["ratio"])]
        lines.append([*cells, _percent(first["last_doubling"])])
    return pipe_table(header, lines, text=1)


def _value(line: pd.Series) -> str:
    spread = f" [{line['low']:.3f}, {line['high']:.3f}]" if line["seeds"] > 1 else ""
    return f"{line['exploitability']:.3f}{spread}"


def _times(ratio: float) -> str:
    return "" if pd.isna(ratio) else f"{ratio:.2f}"


def _percent(change: float) -> str:
    return "" if pd.isna(change) else f"{change:+.0f}%".replace("-", "−")


def _about(phis: pd.DataFrame) -> pd.DataFrame:
    """Summarise abstractions over seeds: means, and numbers of seeds.

    R² is that of a network's own Phi; one that was transformed predicts nothing.
    """
    phis = phis.assign(r2=phis["r2"].where(phis["phi"] == AS_TRAINED))
    key = ["game", "abstraction", "family", "network", "phi", "round", "classes", "budget"]
    numbers = ["rows", "effective", "dead", "r2"]
    summary = phis.groupby(key, sort=False, dropna=False).agg(
        seeds=("seed", "nunique"), **{name: (name, "mean") for name in numbers}
    )
    return summary.reset_index()[[*key, "seeds", *numbers]]


def _phi_markdown(about: pd.DataFrame, neighbours: pd.DataFrame) -> str:
    networks = about[about["family"] == labels.EMBEDDING]
    rounds = int(about["round"].max()) + 1 if len(about) else len(labels.ROUNDS)
    names = [labels.round_name(r, rounds) for r in range(1, rounds)]
    blocks = [
        "# Embedding CFR: what each Phi is like",
        f"Means over seeds, {' / '.join(names)}. Effective advisors: the mean over hands of how "
        "many a hand mixes (1 for a clustering). Dead: rows that next to no hand trusts. R²: share "
        "of the variance of its targets (hands' winrate distributions, or what else it is trained "
        "on) that the network explains, empty for a Phi that was transformed. **What to see:** "
        + _mixing(networks, rounds),
    ]
    for game, rows in about.groupby("game", sort=False):
        blocks += [f"## {labels.game_label(str(game))}", _phis(rows)]
    blocks += _nearest(neighbours, rounds)
    return "\n\n".join(blocks)


def _mixing(networks: pd.DataFrame, rounds: int) -> str:
    """Say how a network's Phi as trained differs from a clustering."""
    networks = networks[networks["phi"] == AS_TRAINED]
    if networks.empty:
        return "no network as trained in this run."
    first = networks[networks["abstraction"] == networks["abstraction"].iloc[0]]
    first = first[first["game"] == first["game"].iloc[0]]
    parts = [
        f"{row.effective:.3g} {labels.round_place(row.round, rounds)}"
        + ("" if pd.isna(row.r2) else f" with an R² of {row.r2:.3f}")
        for row in first.itertuples()
    ]
    return (
        f"`{first['abstraction'].iloc[0]}` mixes {', '.join(parts)}: a hand's strategy is an "
        "average over so many others' advisors."
    )


def _phis(about: pd.DataFrame) -> str:
    """A line for each abstraction, its rounds in one cell."""
    lines = []
    for (abstraction, family), rows in about.groupby(["abstraction", "family"], sort=False):
        rows = rows.sort_values("round")
        lines.append(
            [
                str(abstraction),
                labels.family_label(str(family)),
                str(int(rows["seeds"].max())),
                *(_rounds(rows[name], ".0f") for name in ("budget", "rows", "dead")),
                _rounds(rows["effective"], ".3g"),
                "" if rows["r2"].isna().all() else _rounds(rows["r2"], ".3f"),
            ]
        )
    header = ["Abstraction", "Method", "Seeds", "Budget", "Rows", "Dead", "Effective", "R²"]
    return pipe_table(header, lines, text=2)


def _rounds(values: pd.Series, form: str) -> str:
    return " / ".join(f"{value:{form}}" for value in values)


def _nearest(neighbours: pd.DataFrame, rounds: int) -> list[str]:
    """A section for each Phi: the paper's example, then the nearest hands of well-known ones."""
    blocks = []
    for (game, abstraction, seed), rows in neighbours.groupby(
        ["game", "abstraction", "seed"], sort=False
    ):
        blocks.append(f"## Nearest hands: {abstraction} of {labels.game_label(game)}, seed {seed}")
        blocks.append(
            "Hands by their cards, then the board. Distance: half the L1 distance of two columns "
            "of Phi, 0 where hands play alike whatever the advisors do, 1 where they share none. "
            + _example(rows, rounds)
        )
        near = rows[rows["other"] == ""].sort_values(["round", "rank"], kind="stable")
        most = int(near["rank"].max())
        lines = []
        for (r, hand, cards), own in near.groupby(["round", "hand", "cards"], sort=False):
            pairs = zip(own["neighbour"], own["distance"], strict=True)
            others = [f"{other} ({distance:.2f})" for other, distance in pairs]
            others += [""] * (most - len(others))
            lines.append([labels.round_name(r, rounds), str(hand), str(cards), *others])
        header = ["Round", "Hand", "Cards", *(f"Nearest {k + 1}" for k in range(most))]
        blocks.append(pipe_table(header, lines, text=len(header)))
    return blocks


def _example(rows: pd.DataFrame, rounds: int) -> str:
    """Say how near the two hands of the paper's example are."""
    parts = []
    for row in rows[rows["other"] != ""].itertuples():
        where = labels.round_place(row.round, rounds)
        if row.hand not in EXAMPLE:
            where += ", where both have missed,"
        parts.append(
            f"{row.cards} and {row.neighbour} {where} are {row.distance:.2f} apart, the second "
            f"number {row.rank:,} of all hands by its distance from the first"
        )
    if not parts:
        return ""
    return f"The paper's example, a {EXAMPLE[0]} and a {EXAMPLE[1]}: " + "; ".join(parts) + "."
