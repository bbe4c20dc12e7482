"""How hands fare at showdown, exactly, and the classes of hands that these outcomes tell apart.

An outcome is an integer triple (lose, tie, win). In the last round it counts the opponent hands
that beat, tie with and lose to a hand on its board; in a round before, it is the sum of the triples
of all hands that the next card can make of it. So it counts opponent hands and future cards, in
order of dealing, and its sum is the same for all classes of a round.

Classes of hands, each a coarsening of the lossless classes up to suits:

- *winrate*: equal triples (Fu et al., *KrwEmd*, 2025: k-recall winrate isomorphism);
- *outcome*: in the last round equal triples, in a round before equal multisets of the next round's
  outcome classes over the next card (potential outcome isomorphism; with recall, k-recall outcome
  isomorphism);
- either with *recall* k: equal in this and in the k rounds before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cfrlab.errors import CfrlabError
from cfrlab.games.isomorphism import HandClasses

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOSE, TIE, WIN = range(3)
LOSSLESS, OUTCOME, WINRATE = PARTITIONS = ("lossless", "outcome", "winrate")


class Count(NamedTuple):
    """A row of the table ``embedding_counts``: how many classes a partition has in a round.

    ``recall`` is the number of earlier rounds that count, None for the lossless classes.
    """

    partition: str
    recall: int | None
    round: int
    classes: int


def triples(classes: Sequence[HandClasses]) -> tuple[Ints, ...]:
    """Outcomes (lose, tie, win) of every class of every round, int64 [n, 3] each."""
    out = [_showdown(classes[-1])]
    for r in range(len(classes) - 1, 0, -1):
        out.insert(0, (next_cards(classes, r) @ out[0]).astype(np.int64))
    return tuple(out)


def strength(outcome: Ints) -> Floats:
    """Expected hand strength (win + tie / 2) / total, in [0, 1], float64 [n]."""
    return np.asarray((outcome[:, WIN] + outcome[:, TIE] / 2) / outcome.sum(1))


def next_cards(classes: Sequence[HandClasses], r: int) -> sparse.csr_array:
    """Cards that make a hand of round r - 1 one of round r, int64 [classes of r - 1, of r].

    Counted from one raw hand of the earlier class on one raw board; r is at least 1.
    """
    now, before = classes[r], classes[r - 1]
    raw, raw_before = now.copies[now.board] * now.size, before.copies[before.board] * before.size
    count = raw // raw_before[now.parent]
    shape = len(before), len(now)
    return sparse.csr_array((count, (now.parent, np.arange(len(now)))), shape)


def ancestors(classes: Sequence[HandClasses], r: int, back: int) -> NDArray[np.int32]:
    """Class of round ``r - back`` that each class of round r comes from, int32 [n]."""
    at = np.arange(len(classes[r]), dtype=np.int32)
    for i in range(r, r - back, -1):
        at = classes[i].parent[at]
    return at


def winrate_classes(outcomes: Sequence[Ints]) -> tuple[Ints, ...]:
    """Winrate class of every lossless class of every round, int64 [n], numbered from 0."""
    return tuple(_number(outcome) for outcome in outcomes)


def outcome_classes(classes: Sequence[HandClasses], outcomes: Sequence[Ints]) -> tuple[Ints, ...]:
    """Potential outcome class of every lossless class of every round, int64 [n], from 0."""
    ids = [_number(outcomes[-1])]
    for r in range(len(classes) - 1, 0, -1):
        ids.insert(0, _multisets(next_cards(classes, r), ids[0]))
    return tuple(ids)


def with_recall(ids: Sequence[Ints], classes: Sequence[HandClasses], r: int, k: int) -> Ints:
    """Classes of round r that agree in ``ids`` of this and the k earlier rounds, int64 [n].

    Raises CfrlabError for k below 0 or above the number of earlier rounds.
    """
    if not 0 <= k <= r:
        raise CfrlabError(f"recall {k} in round {r}: choose from 0 to {r}, the rounds before it")
    rows = [ids[r - back][ancestors(classes, r, back)] for back in range(k + 1)]
    return _number(np.stack(rows, axis=1))


def counts(classes: Sequence[HandClasses]) -> list[Count]:
    """Number of classes of every partition, recall and round."""
    outcomes = triples(classes)
    table = [Count(LOSSLESS, None, r, len(c)) for r, c in enumerate(classes)]
    for partition, ids in (
        (OUTCOME, outcome_classes(classes, outcomes)),
        (WINRATE, winrate_classes(outcomes)),
    ):
        for k in range(len(classes)):
            for r in range(k, len(classes)):
                number = int(with_recall(ids, classes, r, k).max()) + 1
                table.append(Count(partition, k, r, number))
    return table


def _number(rows: Ints) -> Ints:
    """Number of each distinct row, int64 [n], from 0 in sorted order."""
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _multisets(cards: sparse.csr_array, ids: Ints) -> Ints:
    """Number the rows' multisets of ``ids``, each taken as often as ``cards`` says; int64 [n]."""
    entries = cards.tocoo()
    n, m = cards.shape[0], int(ids.max()) + 1
    pairs, which = np.unique(
        entries.row.astype(np.int64) * m + ids[entries.col], return_inverse=True
    )
    many = np.bincount(which, weights=entries.data).astype(np.int64)
    rows = np.split(
        np.stack([pairs % m, many], axis=1), np.searchsorted(pairs, m * np.arange(1, n))
    )
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(row.tobytes(), len(seen)) for row in rows], np.int64)


def _showdown(last: HandClasses) -> Ints:
    """Outcomes in the last round, board by board.

    The opponent hands up to some strength are all hands of the board up to it, less those that hold
    either card of ours; our own hand holds both and is taken away twice. Shares are multiples of
    1/2, so the sums of floats are exact.
    """
    out = np.empty((len(last), len((LOSE, TIE, WIN))), np.int64)
    for b, (start, end) in enumerate(zip(last.first, last.first[1:], strict=False)):
        own, rank = slice(start, end), last.strength[start:end]
        n, orbit = end - start, last.orbit[own]
        holding = np.zeros((n + 1, last.orbits[b]))  # raw hands with a card of each orbit
        np.add.at(holding, (np.arange(1, n + 1)[:, None], orbit), last.share[own])
        hands, holding = np.cumsum(np.r_[0, last.size[own]]), holding.cumsum(0)
        weaker, not_stronger = (np.searchsorted(rank, rank, side) for side in ("left", "right"))
        met = [
            hands[k] - holding[k, orbit[:, 0]] - holding[k, orbit[:, 1]] + ours
            for k, ours in ((weaker, 0), (not_stronger, 1), (np.full(n, n), 1))
        ]
        out[own, WIN], out[own, TIE], out[own, LOSE] = np.diff(met, axis=0, prepend=0)
    return out
