"""Exact memory of CFR and of CFR-D, for limit hold'em, Leduc hold'em and games of the engine.

CFR keeps two numbers for each infoset and action, a regret and an average strategy. CFR-D keeps
these for the trunk and for one subgame at a time, and the average counterfactual values of the
subgames' roots for both players. Hands count up to exchange of suits; both players' infosets are
counted. In a game of betting rounds the trunk is some first rounds, and a subgame starts where they
end, before the next public cards (see `infosets`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cfrlab.decomposition.canonical import Deal
from cfrlab.decomposition.infosets import below
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.errors import CfrlabError
from cfrlab.games.zoo import leduc

DOUBLE = 8
"""Bytes of a number."""
KEPT = 2
"""Numbers for each infoset and action: regret and average strategy."""


@dataclass(frozen=True)
class BettingRound:
    """Limit betting between two players, counted by recursion.

    Attributes:
        decisions: betting sequences that end with a decision.
        actions: actions at all of them together.
        continuing: sequences that end the round without a fold.
    """

    decisions: int
    actions: int
    continuing: int

    @staticmethod
    def limit(max_raises: int, blind: bool = False) -> BettingRound:
        """A round with at most so many bets and raises; a blind counts as the first of them."""

        def act(raised: int, facing: bool, closing: bool) -> BettingRound:
            """``closing``: a check or call ends the round."""
            more = raised < max_raises
            quiet = BettingRound(0, 0, 1) if closing else act(raised, False, True)
            loud = act(raised + 1, True, True) if more else BettingRound(0, 0, 0)
            return BettingRound(
                1 + quiet.decisions + loud.decisions,
                1 + facing + more + quiet.actions + loud.actions,
                quiet.continuing + loud.continuing,
            )

        return act(int(blind), blind, False)


@dataclass(frozen=True)
class Rules:
    """A limit poker game: the deal, and the betting in each round."""

    name: str
    deal: Deal
    rounds: tuple[BettingRound, ...]

    def sequences(self, rounds: int) -> int:
        """Betting sequences that lead to the end of the first rounds without a fold."""
        return int(np.prod([r.continuing for r in self.rounds[:rounds]], dtype=object))

    def infosets(self, canonical: bool = True) -> int:
        """Infosets of both players."""
        return sum(
            self.sequences(i) * r.decisions * self._hands(i + 1, canonical)
            for i, r in enumerate(self.rounds)
        )

    def infoset_actions(self, first: int = 0, last: int | None = None) -> int:
        """Canonical infosets times their actions, in some rounds or all."""
        return sum(
            self.sequences(i) * self.rounds[i].actions * self._hands(i + 1, True)
            for i in range(first, len(self.rounds) if last is None else last)
        )

    def largest_subgame(self, trunk: int) -> int:
        """Canonical infosets times actions in the largest subgame below the first rounds."""
        total, sequences = 0, 1
        for i in range(trunk, len(self.rounds)):
            total += sequences * self.rounds[i].actions * self.deal.below(trunk, i + 1)
            sequences *= self.rounds[i].continuing
        return total

    def _hands(self, rounds: int, canonical: bool) -> int:
        return self.deal.canonical(rounds) if canonical else self.deal.raw(rounds)


@dataclass(frozen=True)
class Footprint:
    """Bytes, for one way to cut a game.

    Attributes:
        trunk_rounds: betting rounds of the trunk, or 0 where the game is cut otherwise.
        strategy: the whole strategy, one number for each infoset and action.
        cfr: CFR on the whole game.
        trunk, root_values, subgame: parts of CFR-D.
    """

    trunk_rounds: int
    strategy: int
    cfr: int
    trunk: int
    root_values: int
    subgame: int

    @property
    def cfrd(self) -> int:
        """CFR-D in all."""
        return self.trunk + self.root_values + self.subgame


def footprint(rules: Rules, trunk_rounds: int, kept: int = KEPT) -> Footprint:
    """Memory for a trunk of some first betting rounds.

    Raises CfrlabError for a trunk that leaves no subgame, or is empty.
    """
    if not 1 <= trunk_rounds < len(rules.rounds):
        raise CfrlabError(
            f"memory of {rules.name}: a trunk of {trunk_rounds} rounds leaves "
            f"{'no trunk' if trunk_rounds < 1 else 'no subgame'}; choose 1 to "
            f"{len(rules.rounds) - 1}"
        )
    whole = rules.infoset_actions()
    roots = rules.sequences(trunk_rounds) * rules.deal.canonical(trunk_rounds)
    return Footprint(
        trunk_rounds,
        whole * DOUBLE,
        whole * kept * DOUBLE,
        rules.infoset_actions(last=trunk_rounds) * kept * DOUBLE,
        2 * roots * DOUBLE,
        rules.largest_subgame(trunk_rounds) * kept * DOUBLE,
    )


def splits(rules: Rules, kept: int = KEPT) -> list[Footprint]:
    """Memory for every length of the trunk."""
    return [footprint(rules, t, kept) for t in range(1, len(rules.rounds))]


def limit_holdem() -> Rules:
    """Two-player limit Texas hold'em: 52 cards, four rounds, four bets a round, blinds."""
    later = BettingRound.limit(4)
    first = BettingRound.limit(4, blind=True)
    return Rules("limit hold'em", Deal(13, 4, 2, (0, 3, 1, 1)), (first, later, later, later))


def leduc_holdem(params: leduc.Params) -> Rules:
    """Leduc hold'em and its larger relatives."""
    betting = BettingRound.limit(params.max_raises)
    deal = Deal(params.ranks, params.suits, 1, (0, 1), ranked=params.merge_suits)
    return Rules("leduc", deal, (betting, betting))


def of_game(decomposition: Decomposition, kept: int = KEPT) -> Footprint:
    """Memory of a game as it is built, hand by hand, cut as the decomposition says."""
    tree, n = decomposition.game.tree, decomposition.game.n
    size = np.zeros(len(tree), np.int64)
    chosen = np.flatnonzero(tree.row >= 0)
    size[chosen] = [n[tree.player[tree.parent[node]]] for node in chosen]
    # A node stands for the action that leads to it; that into a root belongs to the trunk.
    parts = [below(tree, roots) for roots in decomposition.subgames]
    for part, roots in zip(parts, decomposition.subgames, strict=True):
        part[list(roots)] = False
    inside = [int(size[part].sum()) for part in parts]
    whole = int(size.sum())
    return Footprint(
        0,
        whole * DOUBLE,
        whole * kept * DOUBLE,
        (whole - sum(inside)) * kept * DOUBLE,
        len(decomposition.roots) * sum(n) * DOUBLE,
        max(inside) * kept * DOUBLE,
    )
