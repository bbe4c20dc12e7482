"""Traits of a Phi: how well it predicts, how many advisors a hand trusts, which hands are alike.

Definitions. Columns of Phi [m, n] are distributions over m advisors, one for each of n hands.

- *Effective advisors* of a hand: exp of the entropy of its column; 1 if it trusts one alone, m if
  it trusts all alike. Reported as the mean over hands.
- *Advisors in use*: exp of the entropy of the mean column; 1 if all hands trust the same one.
- *Dead advisor*: its entries over all hands sum to less than ``DEAD`` of an even share n / m.
- *R^2*: 1 - sum (prediction - target)^2 / sum (target - mean of its column)^2, sums over hands and
  over the columns of a group.
- *Distance* of two hands: half the L1 distance of their columns, from 0 (they play alike whatever
  the advisors play) to 1 (they share no advisor): the largest difference in the probability of an
  action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.games.cards import HAND, Deck
from cfrlab.games.isomorphism import HandClasses

Matrix = NDArray[np.floating]
Floats = NDArray[np.float64]

DEAD = 0.01
# Columns at a time, so that float64 copies stay small beside Phi itself.
CHUNK = 4096


@dataclass(frozen=True)
class Traits:
    """Numbers on a Phi; see the module for definitions.

    Attributes:
        advisors: rows m.
        hands: columns n.
        rows: rows in effect, those with an entry above 0.
        dead: dead advisors.
        effective: effective advisors of a hand, mean over hands.
        largest: largest entry of a column, mean over hands.
        in_use: advisors in use.
    """

    advisors: int
    hands: int
    rows: int
    dead: int
    effective: float
    largest: float
    in_use: float

    def to_json(self) -> dict[str, int | float]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Learned:
    """How a trained network came out.

    Attributes:
        traits: of its Phi.
        r2: over all columns of the targets.
        r2_by_group: the same for each group of columns.
    """

    traits: Traits
    r2: float
    r2_by_group: dict[str, float]

    def to_json(self) -> dict[str, object]:
        """As JSON, the traits side by side with R^2."""
        return {**self.traits.to_json(), "r2": self.r2, "r2_by_group": dict(self.r2_by_group)}


def traits(phi: Matrix) -> Traits:
    """Traits of a Phi, [m, n]."""
    m, n = phi.shape
    total, alive = np.zeros(m), np.zeros(m, bool)
    effective = largest = 0.0
    for part in _columns(phi):
        total += part.sum(1)
        alive |= (part > 0).any(1)
        effective += float(_effective(part).sum())
        largest += float(part.max(0).sum())
    return Traits(
        advisors=m,
        hands=n,
        rows=int(alive.sum()),
        dead=int((total < DEAD * n / m).sum()),
        effective=effective / n,
        largest=largest / n,
        in_use=float(_effective(total[:, None] / total.sum())[0]),
    )


def r_squared(prediction: Matrix, targets: Matrix) -> float:
    """R^2 of predictions, both [n, d]; 0 for the mean of every column."""
    wanted = np.asarray(targets, np.float64)
    left = ((prediction - wanted) ** 2).sum()
    return float(1.0 - left / ((wanted - wanted.mean(0)) ** 2).sum())


def learned(phi: Matrix, head: Matrix, targets: Matrix, groups: Mapping[str, slice]) -> Learned:
    """Report on a Phi [m, n] with a linear head [d, m] that predicts targets [n, d].

    A group of columns that do not vary has no R^2 and is left out.
    """
    prediction = np.concatenate([part.T @ head.T for part in _columns(phi)])
    varying = {name: g for name, g in groups.items() if np.ptp(targets[:, g], axis=0).any()}
    return Learned(
        traits(phi),
        r_squared(prediction, targets),
        {name: r_squared(prediction[:, g], targets[:, g]) for name, g in varying.items()},
    )


def check_not_collapsed(found: Learned, min_r2: float, min_in_use: float, what: str) -> None:
    """Refuse a network that did not learn, or that sends all hands to few advisors.

    Args:
        found: the report.
        min_r2: least R^2.
        min_in_use: least share of the advisors to be in use.
        what: which network, for the message.

    Raises CfrlabError with the numbers.
    """
    t = found.traits
    least = min_in_use * t.advisors
    # A NaN fails both comparisons, so it is caught here too.
    if not (found.r2 >= min_r2 and t.in_use >= least):
        raise CfrlabError(
            f"{what} collapsed: R^2 is {found.r2:.4f} (at least {min_r2:g} needed), "
            f"{t.in_use:.1f} of {t.advisors} advisors are in use (at least {least:.1f}), "
            f"{t.effective:.1f} a hand; train it for more steps, at another rate or temperature"
        )


def class_of(deck: Deck, classes: HandClasses, text: str) -> int:
    """Class of a hand written as hole cards, then public cards in order of dealing: "TsAs Ah".

    Raises CfrlabError for cards that are not in the deck, or too few or many of them.
    """
    cards = deck.parse(text, HAND + classes.boards.shape[1])
    low, high = sorted(cards[:HAND])
    board = 0
    for card in cards[HAND:]:
        board = board * len(deck) + card
    pair = low * len(deck) - low * (low + 1) // 2 + high - low - 1
    return int(classes.lookup[board, pair])


def label(deck: Deck, classes: HandClasses, index: int) -> str:
    """Representative of a class in the form that `class_of` reads."""
    hand = deck.label(*classes.hands[index])
    board = deck.label(*classes.boards[classes.board[index]])
    return f"{hand} {board}".strip()


def distances(phi: Matrix, column: int) -> Floats:
    """Distance of every hand to the hand of a column, float64 [n]."""
    one = phi[:, column].astype(np.float64)[:, None]
    return np.concatenate([np.abs(part - one).sum(0) / 2 for part in _columns(phi)])


def well_known(deck: Deck, r: int) -> dict[str, str]:
    """A few hands of round r (the first is 0) that players have names for, as far as a deck goes.

    The two first are the paper's example, in cards for which it is true where the ace is next to
    the ten: a pair of aces that the last card can make a straight flush, and one that it can only
    make a flush. In the last round both have missed, and differ by what they might have become.
    Decks of few ranks or suits have fewer of these hands.
    """
    low, top = deck.ranks[0], deck.ranks[-1]
    second, third, far, near = (deck.ranks[k : k + 1] for k in (1, 3, -4, -2))
    own, other, rest = (deck.suits[::-1][k : k + 1] for k in range(3))
    spare = second + (rest or other)
    hands = {
        "straight flush draw": (near + own, top + own, top + other, spare),
        "flush draw": (far + own, top + own, top + other, spare),
        "pocket pair": (top + other, top + own, low + own, spare),
        "three of a kind": (top + rest, top + own, top + other, spare),
        "low pair": (low + own, near + own, low + other, spare),
        "no pair": (low + own, near + own, second + other, third + rest),
    }
    cards = {name: hand[: HAND + r] for name, hand in hands.items()}
    return {
        name: f"{''.join(hand[:HAND])} {''.join(hand[HAND:])}".strip()
        for name, hand in cards.items()
        if all(len(card) == 2 for card in hand) and len(set(hand)) == len(hand)
    }


def nearest(
    phi: Matrix, deck: Deck, classes: HandClasses, hands: Mapping[str, str], count: int = 3
) -> list[dict[str, Any]]:
    """The hands nearest to some hands, by distance of their columns; equal ones by index.

    Args:
        phi: [m, n].
        deck, classes: of the round.
        hands: text of `class_of` by name.
        count: neighbours to list of each.

    Returns rows of hand (name), cards, rank (1 is nearest), neighbour (cards), distance.
    """
    rows = []
    for name, text in hands.items():
        index = class_of(deck, classes, text)
        apart = distances(phi, index)
        apart[index] = np.inf
        for k, other in enumerate(np.argsort(apart, kind="stable")[:count], start=1):
            rows.append(
                {
                    "hand": name,
                    "cards": text,
                    "rank": k,
                    "neighbour": label(deck, classes, int(other)),
                    "distance": float(apart[other]),
                }
            )
    return rows


def between(
    phi: Matrix, deck: Deck, classes: HandClasses, hands: Mapping[str, str]
) -> list[dict[str, Any]]:
    """How far some hands are from each other.

    Arguments are those of `nearest`. Returns rows of first, second (names), distance, and nearer:
    the share of the other hands that are nearer to the first than the second is.
    """
    at = {name: class_of(deck, classes, text) for name, text in hands.items()}
    rows = []
    for first, index in at.items():
        apart = distances(phi, index)
        others = len(apart) - 1
        for second, other in at.items():
            if other != index:
                nearer = int((np.delete(apart, index) < apart[other]).sum())
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "distance": float(apart[other]),
                        "nearer": nearer / others,
                    }
                )
    return rows


def _columns(phi: Matrix) -> Iterator[Floats]:
    """Blocks of columns in float64."""
    for start in range(0, phi.shape[1], CHUNK):
        yield phi[:, start : start + CHUNK].astype(np.float64)


def _effective(columns: Floats) -> Floats:
    """exp of the entropy of every column."""
    log = np.log(columns, out=np.zeros_like(columns), where=columns > 0)
    return np.asarray(np.exp(-(columns * log).sum(0)))
