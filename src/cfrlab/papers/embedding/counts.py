"""embedding_counts: how many classes of hands each isomorphism tells apart, and the paper's."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pandas as pd

from cfrlab.abstraction import outcomes
from cfrlab.games.rounds import RoundGame
from cfrlab.papers.embedding.labels import ROUNDS, game_label
from cfrlab.reporting.markdown import Table, pipe_table

COLUMNS = ["game", "partition", "recall", "round", "classes", "published"]
"""partition: ``lossless``, ``outcome`` or ``winrate``. recall: how many earlier rounds count, empty
for lossless classes. round: 0 is before the flop. published: the paper's, empty where it gives none
or is about another deck."""

PUBLISHED_DECK = ("23456789TA", "cdhs")
_KEY = ["partition", "recall", "round"]
_NAMES = {
    outcomes.LOSSLESS: "lossless",
    outcomes.OUTCOME: "outcome (potential outcome isomorphism)",
    outcomes.WINRATE: "winrate",
}


def load_published(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The paper's counts: columns partition, recall (Int64), round, published (Int64)."""
    return pd.read_csv(path).astype({"recall": "Int64", "published": "Int64"})


def count(games: Mapping[str, RoundGame], published: pd.DataFrame) -> pd.DataFrame:
    """The table, with columns `COLUMNS`.

    Args:
        games: by label; each with other cards.
        published: see `load_published`.
    """
    frames = []
    for label, game in games.items():
        counted = pd.DataFrame(outcomes.counts(game.classes)).astype({"recall": "Int64"})
        same = (game.deck.ranks, game.deck.suits) == PUBLISHED_DECK
        beside = counted.merge(published if same else published.head(0), on=_KEY, how="left")
        frames.append(beside.assign(game=label)[COLUMNS])
    return pd.concat(frames, ignore_index=True)


def counts_table(table: pd.DataFrame) -> Table:
    """The counts with a column for each round; a round with fewer before it recalls those."""
    rounds = range(int(table["round"].max()) + 1)
    lines = []
    for (game, partition), rows in table.groupby(["game", "partition"], sort=False):
        for recall in dict.fromkeys(rows["recall"].fillna(-1)):
            shown = "" if recall < 0 else str(recall)
            cells = [_cell(rows, min(recall, r), r) for r in rounds]
            lines.append([game_label(str(game)), _NAMES[partition], shown, *cells])
    header = ["Game", "Classes", "Rounds recalled", *(ROUNDS[r] for r in rounds)]
    blocks = [
        "# Embedding CFR: classes of hands by what is remembered of them",
        "Exact enumeration; the paper's count in parentheses, where it gives one.",
        pipe_table(header, lines, text=2),
    ]
    return Table(table, "\n\n".join(blocks))


def _cell(rows: pd.DataFrame, recall: int, number: int) -> str:
    row = rows[(rows["recall"].fillna(-1) == recall) & (rows["round"] == number)].squeeze()
    return f"{row['classes']}" + ("" if pd.isna(row["published"]) else f" ({row['published']})")
