"""What a run consists of: games, abstractions, curves and the studies that compare them, by name.

Everything here is plain data that follows from the configuration (`section.resolve`), so that the
workflow knows every file and every job's parameters before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cfrlab.games.isomorphism import class_counts
from cfrlab.papers.embedding.artifacts import EMBEDDING, LOSSLESS
from cfrlab.seeds import seed_for


@dataclass(frozen=True)
class GameEntry:
    """A game of betting rounds: label, module of the zoo, all of its options, number of rounds."""

    label: str
    zoo: str
    options: dict[str, Any]
    rounds: int

    @property
    def cards(self) -> tuple[str, str, str]:
        """What hands are made of: games that agree in this differ in betting alone."""
        return self.zoo, self.options["ranks"], self.options["suits"]

    @property
    def classes(self) -> list[int]:
        """Number of hand classes up to suits in every round."""
        return class_counts(len(self.options["ranks"]), len(self.options["suits"]), self.rounds)


@dataclass(frozen=True)
class Grouping:
    """What groups hands: a clustering or a network, for every round but the first.

    Attributes:
        label: name in the configuration.
        family: module of the clustering, or `artifacts.EMBEDDING`.
        budgets: buckets or advisors of every round but the first.
        budgets_key: where these stand in the configuration.
        needs_values: whether it sees expected values of a warm-up, and so the stakes.
        params: all options, as JSON.
    """

    label: str
    family: str
    budgets: tuple[int, ...]
    budgets_key: str
    needs_values: bool
    params: dict[str, Any] = field(hash=False)


@dataclass(frozen=True)
class HandAbstraction:
    """A grouping, and for a network the transform of its Phi.

    Attributes:
        name: as studies and the results call it: ``lossless``, ``ehs``, ``hand``, ``hand/cubed``.
        grouping: None for the lossless game.
        transform: label of the transform; empty for none.
    """

    name: str
    grouping: Grouping | None = None
    transform: str = ""

    @property
    def family(self) -> str:
        """See `records.COLUMNS`."""
        return self.grouping.family if self.grouping else LOSSLESS

    @property
    def network(self) -> str:
        """Label of the network, empty for others."""
        return self.grouping.label if self.grouping and self.family == EMBEDDING else ""


@dataclass(frozen=True, order=True)
class Curve:
    """One run of a solver, by labels of the configuration."""

    game: str
    abstraction: str
    solver: str
    seed: int

    @property
    def key(self) -> dict[str, str]:
        """Wildcards of its file."""
        return {
            "game": self.game,
            "abstraction": self.abstraction,
            "solver": self.solver,
            "seed": str(self.seed),
        }

    def deal_seed(self, root: int) -> int:
        """Seed of the deals, where a solver samples them."""
        name = f"{self.game}/{self.abstraction}/{self.solver}/s{self.seed}"
        return seed_for(root, "embedding", "deals", name)


@dataclass(frozen=True)
class Study:
    """Curves to compare and the iterations at which to look."""

    points: list[int]
    curves: tuple[Curve, ...]


def points_of(studies: Mapping[str, Study]) -> dict[Curve, list[int]]:
    """All curves of some studies, sorted, with the iterations at which each is measured."""
    points: dict[Curve, set[int]] = {}
    for study in studies.values():
        for curve in study.curves:
            points.setdefault(curve, set()).update(study.points)
    return {curve: sorted(points[curve]) for curve in sorted(points)}


def first_of_deck(games: Mapping[str, GameEntry], label: str) -> str:
    """Label of the first game that has the same hands as a game."""
    return next(name for name, other in games.items() if other.cards == games[label].cards)
