"""Which hands a network's Phi makes play alike, as a tidy frame.

It becomes ``tables/embedding_neighbours.csv``. The artifacts of Phi have the numbers already (see
`cfrlab.papers.embedding.phi_report`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from cfrlab.pipeline.store import Artifact

COLUMNS = [
    "game",
    "abstraction",
    "seed",
    "round",
    "hand",
    "cards",
    "rank",
    "neighbour",
    "other",
    "distance",
]
"""Columns of the frame. round: 1 is the flop, 2 the turn (see `records.COLUMNS`). hand, cards: name
and cards of a well-known hand of the round. neighbour: cards of another, the ``rank``-th nearest to
it by the ``distance`` of their columns of Phi (`cfrlab.abstraction.embedding.report`). other: its
name in the one row of a round that is there for its name and not for its rank, the paper's example
(`EXAMPLE`): a pair of aces that can still make a straight flush, and one that can make a flush
alone. In the last round, when no card is to come, both have missed, and are called so."""

EXAMPLE = ("straight flush draw", "flush draw")


def called(hand: str, last: bool) -> str:
    """What a well-known hand is called, in the last round or before: a draw has missed then."""
    return f"missed {hand}" if last and hand.endswith(" draw") else hand


def load(artifacts: Iterable[Artifact]) -> pd.DataFrame:
    """The neighbours in each Phi of a network, from artifacts of kind `artifacts.PHI`."""
    rows = []
    for artifact in artifacts:
        meta = artifact.meta
        same = {name: meta[name] for name in COLUMNS[:3]}
        for r, about in enumerate(meta["rounds"], start=1):
            last = r == len(meta["rounds"])
            for row in _round(about):
                names = {column: called(row[column], last) for column in ("hand", "other")}
                rows.append({**same, "round": r, **row, **names})
    return pd.DataFrame(rows, columns=COLUMNS)


def _round(about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    cards = {}
    for near in about["nearest"]:
        cards[near["hand"]] = near["cards"]
        yield {**near, "other": ""}
    first, second = EXAMPLE
    for pair in about["between"]:
        if (pair["first"], pair["second"]) == EXAMPLE:
            yield {
                "hand": first,
                "cards": cards[first],
                "rank": round(pair["nearer"] * (about["classes"] - 1)) + 1,
                "neighbour": cards[second],
                "other": second,
                "distance": pair["distance"],
            }
