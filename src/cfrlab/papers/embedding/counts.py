"""embedding_counts: how many classes of hands each isomorphism tells apart, and the paper's."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pandas as pd

from cfrlab.abstraction import outcomes
from cfrlab.games.rounds import RoundGame
from cfrlab.papers.embedding.labels import ROUNDS
from cfrlab.pipeline.text import write_text_atomic

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
        found = pd.DataFrame(outcomes.counts(game.classes)).astype({"recall": "Int64"})
        same = (game.deck.ranks, game.deck.suits) == PUBLISHED_DECK
        theirs = published if same else published.head(0)
        found = found.merge(theirs, on=_KEY, how="left")
        found.insert(0, "game", label)
        frames.append(found[COLUMNS])
    return pd.concat(frames, ignore_index=True)


def write(csv: str, markdown: str, table: pd.DataFrame, footer: str) -> None:
    """Write the table as data and as Markdown."""
    write_text_atomic(csv, table.to_csv(index=False, lineterminator="\n"))
    write_text_atomic(markdown, as_markdown(table, footer))


def as_markdown(table: pd.DataFrame, footer: str) -> str:
    """The table with a column for each round; a round with fewer before it recalls those."""
    rounds = range(int(table["round"].max()) + 1)
    lines = [
        "# embedding_counts: classes of hands by what is remembered of them",
        "",
        "Exact enumeration; the paper's count in parentheses, where it gives one.",
        "",
        "| game | classes | recall | " + " | ".join(ROUNDS[r] for r in rounds) + " |",
        "| :--- | :--- | ---: |" + " ---: |" * len(rounds),
    ]
    for (game, partition), rows in table.groupby(["game", "partition"], sort=False):
        for recall in dict.fromkeys(rows["recall"].fillna(-1)):
            cells = [_cell(rows, min(recall, r), r) for r in rounds]
            shown = "" if recall < 0 else str(recall)
            lines.append(f"| {game} | {_NAMES[partition]} | {shown} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", footer]) + "\n"


def _cell(rows: pd.DataFrame, recall: int, number: int) -> str:
    row = rows[(rows["recall"].fillna(-1) == recall) & (rows["round"] == number)].squeeze()
    return f"{row['classes']}" + ("" if pd.isna(row["published"]) else f" ({row['published']})")
