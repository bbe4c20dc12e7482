"""The flat arrays of a compiled game: what `treeplex` fills in and the kernels sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_DECK = 64
"""Most distinct cards in the hands of a card game."""

SMALL, RANK_ONE, FLOATS, SIGNS, FOLD, SHOWDOWN = range(6)
# Columns of Plex.groups, Plex.segments, Sweeps.table and Sweeps.entries.
ACTIONS, LANES, FIRST_ROW, FIRST_SEGMENT, END_SEGMENTS = range(5)
LANE, SOURCE, LENGTH = range(3)
KIND, DATA, INTS, FIRST_LANE, END_LANES, FIRST_ENTRY, END_ENTRIES = range(7)
IN_LANE, OPP_ROW = range(2)


class Plex(NamedTuple):
    """One player's treeplex, groups of decisions in topological order (ancestors first).

    Attributes:
        hands: number of hands n.
        rows: number of rows, the root's included.
        groups: int64 [groups, 5]: actions, lanes, first row, first segment, end of segments.
            Action a of lane l is row ``first + a * lanes + l``.
        segments: int64 [segments, 3]: lane, source row, length. As many lanes as the length says
            hang below the rows that start with the source row.
    """

    hands: int
    rows: int
    groups: Ints
    segments: Ints

    @property
    def widest(self) -> int:
        """The most lanes of any group."""
        return int(self.groups[:, 1].max(initial=1))


class Sweeps(NamedTuple):
    """The terminals as one player's values see them, grouped by payoff operator.

    Attributes:
        hands, opp_hands: number of own and of the opponent's hands.
        opp_weights: float64 [opponent's rows * opp_hands]; prior weights of the opponent's hands,
            the same in every row here. Decomposition writes other weights for each row, the reach
            with which a subgame is entered. ``weighted`` says if they are to be applied.
        table: int64 [sweeps, 7]: kind, start of the operator's data in ``floats`` or ``signs`` and
            in ``ints``, first lane, end of lanes, first entry, end of entries.
        own_row: int64 [all lanes]: the own row that a lane's values belong to.
        entries: int64 [all entries, 2]: lane within its sweep, and the opponent's row whose reach,
            times ``scales``, is added to that lane.
        scales: float64 [all entries].
        floats, signs, ints: data of the operators, one after another.
    """

    hands: int
    opp_hands: int
    opp_weights: Floats
    weighted: bool
    table: Ints
    own_row: Ints
    entries: Ints
    scales: Floats
    floats: Floats
    signs: NDArray[np.int8]
    ints: Ints

    @property
    def width(self) -> int:
        """The most lanes of any sweep."""
        return int((self.table[:, END_LANES] - self.table[:, FIRST_LANE]).max())


@dataclass(frozen=True)
class Compiled:
    """Both players' treeplex and sweeps, and the order of rows.

    ``row_of[p][i]`` is the compiled row of strategy row i (``PublicTree.row``) of player p.
    """

    plex: tuple[Plex, Plex]
    sweeps: tuple[Sweeps, Sweeps]
    row_of: tuple[Ints, Ints]
