"""What networks are trained to predict: one row of numbers for every class of hands of a round.

- ``winrate``: distribution over losing, tying and winning, in the round and in each before it, as
  Fu et al. train HandEbdNet;
- ``krw``: the features of KrwEmd (`cfrlab.abstraction.recall`), which weigh rounds;
- ``ev``: principal components of expected values under a warm-up's profile, WEVA's features, which
  need no notion of hand strength.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction import outcomes, recall
from cfrlab.errors import CfrlabError
from cfrlab.games.isomorphism import HandClasses

Floats = NDArray[np.float64]

WINRATE, KRW, EV = SUPERVISIONS = ("winrate", "krw", "ev")


@dataclass(frozen=True, eq=False)
class Targets:
    """Numbers to predict.

    Attributes:
        values: float64 [n, d], a row for every class.
        groups: columns by name of what they tell, for reports; they cover all columns.
    """

    values: Floats
    groups: Mapping[str, slice]


def targets(
    supervision: str,
    classes: Sequence[HandClasses],
    r: int,
    values: Sequence[NDArray[np.floating]] | None = None,
) -> Targets:
    """Targets for the classes of round r (the first is 0).

    Args:
        supervision: one of ``SUPERVISIONS``.
        classes: classes of every round.
        r: the round.
        values: expected values of every round's classes, [n, features]; for ``ev`` only.

    Raises CfrlabError for an unknown supervision, and for ``ev`` without values of these classes.
    """
    if supervision == EV:
        return _ev(classes, r, values)
    outcome = outcomes.triples(classes)
    if supervision == KRW:
        points = recall.features(classes, outcome, r, recall.WEIGHTING)
        return Targets(points, _by_round(r, points.shape[1]))
    if supervision == WINRATE:
        rates = [_rates(classes, outcome, r, back) for back in range(r + 1)]
        return Targets(np.concatenate(rates, axis=1), _by_round(r, 3 * (r + 1)))
    raise CfrlabError(f"unknown supervision '{supervision}'; known: {', '.join(SUPERVISIONS)}")


def _rates(
    classes: Sequence[HandClasses], outcome: Sequence[outcomes.Ints], r: int, back: int
) -> Floats:
    """Distribution over (lose, tie, win) that hands of round r had ``back`` rounds before."""
    triple = outcome[r - back][outcomes.ancestors(classes, r, back)]
    return np.asarray(triple / triple.sum(1, keepdims=True))


def _by_round(r: int, columns: int) -> dict[str, slice]:
    """Equal blocks of columns, for round r, the one before and so on; rounds count from 1."""
    each = columns // (r + 1)
    return {f"round {r + 1 - k}": slice(k * each, (k + 1) * each) for k in range(r + 1)}


def _ev(
    classes: Sequence[HandClasses], r: int, values: Sequence[NDArray[np.floating]] | None
) -> Targets:
    if values is None:
        raise CfrlabError("supervision ev: needs the expected values of a warm-up, got none")
    got, expected = [v.shape[0] for v in values], [len(c) for c in classes]
    if got != expected:
        raise CfrlabError(
            f"supervision ev: values of {got} classes in the rounds of a game that has {expected}; "
            "compute them for this game"
        )
    # Only here is scikit-learn needed, which takes a second to import.
    from cfrlab.abstraction import components

    points = components.principal(values[r], components.VARIANCE)
    return Targets(points, {"values": slice(0, points.shape[1])})
