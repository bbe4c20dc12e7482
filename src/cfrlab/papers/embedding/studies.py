"""What the embedding experiments consist of: games, abstractions, solvers and curves, by name.

Everything here is plain data that follows from the configuration (`section.resolve`), so that the
workflow knows every file and every job parameter before anything runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import comb, perm
from typing import Any

from cfrlab.games.cards import HAND
from cfrlab.papers.embedding.kinds import AS_TRAINED
from cfrlab.seeds import seed_for

LOSSLESS = "lossless"
NETWORK = "embedding"


@dataclass(frozen=True)
class GameSetting:
    """A game of betting rounds: label, module of the zoo, and all of the module's options."""

    label: str
    zoo: str
    options: dict[str, Any]

    @property
    def cards(self) -> tuple[str, str, str]:
        """What hands are made of: games that agree in this differ in betting alone."""
        return self.zoo, self.options["ranks"], self.options["suits"]

    def classes(self, rounds: int) -> list[int]:
        """Number of hand classes up to suits in every round."""
        return class_counts(len(self.options["ranks"]), len(self.options["suits"]), rounds)


@dataclass(frozen=True)
class Source:
    """What groups hands: a clustering or a network, for every round but the first.

    Attributes:
        label: name in the configuration.
        family: module of the clustering, or ``embedding``.
        budgets: buckets or advisors of every round but the first.
        needs_values: whether it sees expected values of a warm-up, and so the stakes.
        params: all options, as JSON.
    """

    label: str
    family: str
    budgets: tuple[int, ...]
    needs_values: bool
    params: dict[str, Any] = field(hash=False)


@dataclass(frozen=True)
class Abstraction:
    """A source, and for a network the transform of its Phi.

    Attributes:
        name: as studies and the results call it: ``lossless``, ``ehs``, ``hand``, ``hand/cubed``.
        source: None for the lossless game.
        transform: label of the transform, `AS_TRAINED`, or empty where there is nothing to train.
    """

    name: str
    source: Source | None
    transform: str = ""

    @property
    def family(self) -> str:
        """See `records.COLUMNS`."""
        return self.source.family if self.source else LOSSLESS

    @property
    def network(self) -> str:
        """Label of the network, empty for others."""
        return self.source.label if self.source and self.source.family == NETWORK else ""


@dataclass(frozen=True, order=True)
class Curve:
    """One run of a solver, by labels of the configuration."""

    game: str
    abstraction: str
    solver: str
    seed: int

    @property
    def name(self) -> str:
        """Name in paths."""
        return f"{self.game}/{self.abstraction}/{self.solver}/s{self.seed}"

    def deal_seed(self, root: int) -> int:
        """Seed of the deals, where a solver samples them."""
        return seed_for(root, "embedding", "deals", self.name)


@dataclass(frozen=True)
class Study:
    """Curves to compare and the iterations at which to look."""

    points: list[int]
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Experiments:
    """Everything that the section asks for.

    Attributes:
        games, clusterings, networks, abstractions: by label.
        points: of each curve, the iterations at which it is measured, ascending.
        studies: by name.
    """

    games: dict[str, GameSetting] = field(default_factory=dict)
    clusterings: dict[str, Source] = field(default_factory=dict)
    networks: dict[str, Source] = field(default_factory=dict)
    abstractions: dict[str, Abstraction] = field(default_factory=dict)
    points: dict[Curve, tuple[int, ...]] = field(default_factory=dict)
    studies: dict[str, Study] = field(default_factory=dict)

    def first_with_cards(self, game: str) -> str:
        """Label of the first game that has the same hands as a game."""
        cards = self.games[game].cards
        return next(label for label, other in self.games.items() if other.cards == cards)

    def made_for(self, game: str, source: Source) -> str:
        """Label of the game for which a source's Phi is made.

        Stakes do not matter to a source that sees no expected values.
        """
        return game if source.needs_values else self.first_with_cards(game)

    def device(self, abstraction: str, device: str | None) -> str | None:
        """Torch device for a curve: the one asked for where Phi is dense, else none."""
        return device if self.abstractions[abstraction].network else None

    def abstracted(self) -> list[tuple[str, str, int]]:
        """Game (see `made_for`), abstraction and seed of each Phi that a curve uses, sorted."""
        used = set()
        for curve in self.points:
            source = self.abstractions[curve.abstraction].source
            if source is not None:
                used.add((self.made_for(curve.game, source), curve.abstraction, curve.seed))
        return sorted(used)

    def jobs(self) -> list[str]:
        """Stage and name of each job behind the curves, and of the curves themselves."""
        jobs = {f"game/{game}" for game in self.games}
        for game, name, seed in self.abstracted():
            abstraction = self.abstractions[name]
            assert abstraction.source is not None
            source = abstraction.source
            stage = "train" if abstraction.network else "buckets"
            jobs.add(f"{stage}/{game}/{source.label}/s{seed}")
            if source.label != name:
                jobs.add(f"transform/{game}/{name}/s{seed}")
            if source.needs_values:
                jobs.add(f"values/{game}")
        return [*sorted(jobs), *(f"curve/{curve.name}" for curve in self.points)]

    def length(self, curve: Curve) -> int:
        """How long a curve takes, roughly in seconds on one core with 40 cards."""
        iterations = max(self.points[curve])
        return iterations * (2 if self.abstractions[curve.abstraction].network else 1)


def abstractions(
    clusterings: dict[str, Source], networks: dict[str, Source], transforms: Sequence[str]
) -> dict[str, Abstraction]:
    """All abstractions by name."""
    found = [Abstraction(LOSSLESS, None)]
    found += [Abstraction(label, source) for label, source in clusterings.items()]
    for label, source in networks.items():
        found.append(Abstraction(label, source, AS_TRAINED))
        found += [Abstraction(f"{label}/{name}", source, name) for name in transforms]
    return {abstraction.name: abstraction for abstraction in found}


def class_counts(ranks: int, suits: int, rounds: int) -> list[int]:
    """Number of classes of (hand, ordered board) up to suits, for every round.

    By Burnside's lemma: the mean, over permutations of suits, of the situations that they leave as
    they are. The board's cards have fixed suits then; the two cards of a hand too, or they are of
    one rank and change places.
    """
    counts = []
    for dealt in range(rounds):
        fixed = 0
        group = list(permutations(range(suits)))
        for image in group:
            still = ranks * sum(image[s] == s for s in range(suits))
            swapped = sum(image[image[s]] == s and image[s] > s for s in range(suits))
            hands = comb(max(still - dealt, 0), HAND) + ranks * swapped
            fixed += perm(still, dealt) * hands
        counts.append(fixed // len(group))
    return counts
