"""A game cut into a trunk and subgames, and the games that solvers work on.

*Trunk*: the game down to the roots, which become leaves. *Forest*: a chance node over subgame
roots; before each root both players pass through a decision with one action, ``enter``, so that
every root has a strategy row of its own for either player. Values of these rows are counterfactual
values of the root; the reach with which the opponent enters is written into the weights of the
compiled game (`entries`), while own reach starts at 1: a subgame's average strategy is weighted by
reach within the subgame alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.infosets import below, check_subgame, closed_subgames, roots_before_chance
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.graft import Grower, Piece
from cfrlab.games.tree import Chance, Decision, Terminal
from cfrlab.solve import walk

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
RootValues = tuple[Floats, Floats]
"""Counterfactual values of each player's hands at the roots, float64 [roots, n_p], in the unit of
the game: chance, the opponent's reach and the deal's normalisation are included."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A game and its subgames.

    Attributes:
        game: the whole game.
        subgames: the roots of every subgame.

    Raises CfrlabError for roots that are no subgame (see `infosets.check_subgame`) and for
    subgames that overlap.
    """

    game: Game
    subgames: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not self.subgames:
            raise CfrlabError(f"decomposition of {self.game.name}: there is no subgame; name one")
        for roots in self.subgames:
            check_subgame(self.game, roots)
        for roots in self.subgames:
            others = [r for other in self.subgames if other is not roots for r in other]
            inside = below(self.game.tree, roots)
            if inside[others].any():
                node = next(r for r in others if inside[r])
                raise CfrlabError(
                    f"decomposition of {self.game.name}: '{self.game.tree.describe(node)}' is in "
                    "two subgames; leave one of them out"
                )

    @staticmethod
    def at(game: Game, cut: Sequence[int] | None = None) -> Decomposition:
        """The smallest subgames below a cut; by default below the first public chance events."""
        return Decomposition(game, closed_subgames(game, cut or roots_before_chance(game.tree)))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """All roots, subgame by subgame."""
        return tuple(root for roots in self.subgames for root in roots)

    @cached_property
    def trunk(self) -> Piece:
        """The game above the roots, which are leaves that pay nothing."""
        grower = Grower(self.game)
        leaf = Terminal(int(self.game.tree.payoff.max()), 0.0)
        return grower.finish(grower.copy(0, leaves=dict.fromkeys(self.roots, leaf)))

    def positions(self, subgame: int) -> range:
        """Where a subgame's roots stand among all roots."""
        first = sum(len(roots) for roots in self.subgames[:subgame])
        return range(first, first + len(self.subgames[subgame]))

    def reaches(self, profile: Profile) -> tuple[Floats, Floats]:
        """Each player's own reach of the roots, float64 [roots, n_p]."""
        reach = walk.reaches(self.game, profile)
        return reach[0][list(self.roots)], reach[1][list(self.roots)]

    def check_values(self, values: RootValues | None, which: Sequence[int] = (0, 1)) -> RootValues:
        """Return root values, or raise CfrlabError if they are missing, misshapen or not finite."""
        if values is None or len(values) != 2:
            raise CfrlabError(
                f"re-solving {self.game.name}: the root values are missing; pass one array for "
                "each player, such as best_response_values(decomposition, profile)"
            )
        for p in which:
            shape = (len(self.roots), self.game.n[p])
            got = np.shape(values[p])
            if got != shape:
                raise CfrlabError(
                    f"re-solving {self.game.name}: player {p}'s root values have shape {got}, "
                    f"{shape[0]} roots and {shape[1]} hands need {shape}"
                )
            bad = np.argwhere(~np.isfinite(values[p]))
            if len(bad):
                root, hand = bad[0]
                raise CfrlabError(
                    f"re-solving {self.game.name}: player {p}'s value with "
                    f"{self.game.hands[p][hand]} at '{self.game.tree.describe(self.roots[root])}' "
                    f"is {values[p][root, hand]}; values must be finite"
                )
        return values

    def check_trunk(self, profile: Profile) -> None:
        """Raise CfrlabError unless the profile is a strategy of this game."""
        self.game.check_profile(profile)


def forest(game: Game, roots: Sequence[int]) -> Piece:
    """The subgames below the roots side by side, part k below the k-th of them."""
    grower, tree, above = Grower(game), game.tree, game.reach_of_chance()
    grower.own()
    outcomes = []
    for k, root in enumerate(roots):
        grower.own()
        grower.own(k)
        inside = Decision(1, {"enter": grower.copy(root, k)})
        outcomes.append((tree.describe(root), float(above[root]), Decision(0, {"enter": inside})))
    return grower.finish(Chance(outcomes))


def best_response_values(decomposition: Decomposition, profile: Profile) -> RootValues:
    """Root values of each player's counterfactual best response to the other's strategy.

    What to store when a given strategy is to be re-solved (Burch, Johanson and Bowling 2014).
    Raises CfrlabError for a profile of another game.
    """
    decomposition.check_trunk(profile)
    roots = list(decomposition.roots)
    first, second = (
        walk.best_response_values(decomposition.game, profile, p)[roots] for p in (0, 1)
    )
    return first, second


def profile_values(decomposition: Decomposition, profile: Profile) -> RootValues:
    """Root values when both players follow the profile.

    Raises CfrlabError for a profile of another game.
    """
    decomposition.check_trunk(profile)
    roots = list(decomposition.roots)
    values = walk.node_values(decomposition.game, profile)
    return values[0][roots], values[1][roots]
