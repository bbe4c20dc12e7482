"""Re-solving subgames: from a trunk strategy and root values back to a strategy of the whole game.

Methods:

- ``safe``: the gadget (`gadget`). The new strategy concedes no more than the stored values where it
  can be solved exactly, so the whole strategy is no more exploitable than the one behind them.
- ``unsafe``: the subgame as it is, for both players' reach of its roots; no guarantee.
- ``max-margin`` and ``reach``: see `margin`.

`Resolver` runs CFR, every chance outcome or sampled ones; `resolve_exactly` solves linear programs.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np

from cfrlab.decomposition.entries import Entries
from cfrlab.decomposition.gadget import GadgetSolver, gadget_game
from cfrlab.decomposition.margin import gifts, margin_game
from cfrlab.decomposition.subgames import (
    Decomposition,
    RootValues,
    best_response_values,
    forest,
)
from cfrlab.errors import CfrlabError, nearest
from cfrlab.games.game import Profile
from cfrlab.games.graft import Grower, Piece
from cfrlab.games.payoffs import Dense, Payoff
from cfrlab.games.tree import Chance, Node
from cfrlab.solve import kernels, lp
from cfrlab.solve.cfr import CFR
from cfrlab.solve.merged import MergedCFR
from cfrlab.solve.pcs import SampledCFR, first_chance
from cfrlab.solve.rule import Rule
from cfrlab.solve.side_by_side import SideBySide

Method = Literal["safe", "unsafe", "max-margin", "reach"]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True)
class _Solving:
    """A solver whose result is written into the profile for some players."""

    piece: Piece
    solver: CFR | SampledCFR
    players: tuple[int, ...]


class Resolver(SideBySide):
    """Re-solving by CFR, in progress.

    >>> resolver = Resolver(decomposition, profile, "safe", Rule.named("cfr"))
    >>> resolver.run(10_000)
    >>> better = resolver.profile()

    Args:
        decomposition: the game and its subgames.
        profile: a strategy of the whole game, of which only the trunk is kept.
        method: see the module.
        rule: update rule.
        values: the opponents' root values; by default those of best responses to ``profile``.
            (``unsafe`` needs none.)
        players: whose strategy is re-solved; the other's stays.
        start: draws the initial regrets, uniformly from [0, 1) units of the game; without it they
            are 0.
        sampling: draws public chance outcomes; without it every outcome is visited.

    Raises CfrlabError for an unknown method, a profile of another game, root values that do not fit
    and, with ``sampling``, subgames without public chance.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        profile: Profile,
        method: str,
        rule: Rule,
        values: RootValues | None = None,
        players: Sequence[int] = (0, 1),
        start: np.random.Generator | None = None,
        sampling: np.random.Generator | None = None,
    ) -> None:
        self._decomposition, self._trunk = decomposition, profile
        targets = _targets(decomposition, profile, method, values)
        reach = decomposition.reaches(profile)
        if method == "max-margin" and (start is not None or sampling is not None):
            raise CfrlabError("max-margin re-solving: takes no random start and no sampling")
        self._solving: list[_Solving] = []
        if method == "unsafe":
            piece = forest(decomposition.game, decomposition.roots)
            entries = Entries(piece, len(decomposition.roots))
            for p in (0, 1):
                entries.enter(p, reach[p])
            cfr = entries.solver(piece.game, rule)
            self._add(piece, cfr, tuple(players), start, sampling)
        for p in players if method != "unsafe" else ():
            stored = targets[1 - p]
            if method == "max-margin":
                for i in range(len(decomposition.subgames)):
                    piece, merged = margin_game(decomposition, i, p, reach[p], stored)
                    self._solving.append(_Solving(piece, MergedCFR(piece.game, rule, merged), (p,)))
            else:
                gadget = GadgetSolver(decomposition, p, reach[p], stored, rule)
                self._add(gadget.piece, gadget.cfr, (p,), start, sampling)
        super().__init__([solving.solver for solving in self._solving])

    def _add(
        self,
        piece: Piece,
        cfr: CFR,
        players: tuple[int, ...],
        start: np.random.Generator | None,
        sampling: np.random.Generator | None,
    ) -> None:
        if start is not None:
            randomise(cfr, start)
        solver: CFR | SampledCFR = cfr
        if sampling is not None:
            nodes = first_chance(piece.game.tree, piece.origin >= 0)
            # A stream of its own, so that numbers do not depend on where a run is interrupted.
            (rng,) = sampling.spawn(1)
            solver = SampledCFR(piece.game, cfr.rule, nodes, rng, cfr)
        self._solving.append(_Solving(piece, solver, players))

    def profile(self) -> Profile:
        """The trunk with the average strategies of the subgames so far."""
        whole = self._decomposition.game.tree
        out = self._trunk[0].copy(), self._trunk[1].copy()
        for solving in self._solving:
            average = solving.solver.average()
            for p in solving.players:
                solving.piece.put(whole, average, out, p)
        return out


def randomise(cfr: CFR, rng: np.random.Generator) -> None:
    """Start from regrets drawn uniformly from [0, 1) units of the game."""
    state = cfr.state()
    for p, me in enumerate(cfr.learners):
        regret = rng.random(me.regret.size)
        sigma = np.zeros_like(regret)
        kernels.averaged(cfr.compiled.plex[p], regret, cfr.scratch[p].value, sigma)
        state |= {f"regret_{p}": regret, f"strategy_{p}": sigma, f"sigma_{p}": sigma}
    cfr.restore(state)


def resolve_exactly(
    decomposition: Decomposition,
    profile: Profile,
    method: str,
    values: RootValues | None = None,
    players: Sequence[int] = (0, 1),
) -> Profile:
    """Re-solve by linear programming; arguments, result and errors as for `Resolver`."""
    targets = _targets(decomposition, profile, method, values)
    reach = decomposition.reaches(profile)
    whole, out = decomposition.game.tree, (profile[0].copy(), profile[1].copy())
    if method == "unsafe":
        piece = unsafe_game(decomposition, reach)
        _, found = lp.solve(piece.game)
        for p in players:
            piece.put(whole, found, out, p)
    for p in players if method != "unsafe" else ():
        stored = targets[1 - p]
        if method == "max-margin":
            for i in range(len(decomposition.subgames)):
                piece, merged = margin_game(decomposition, i, p, reach[p], stored)
                piece.put(whole, lp.solve(piece.game, merged=merged)[1], out, p)
        else:
            piece = gadget_game(decomposition, p, reach[p], stored)
            piece.put(whole, lp.solve(piece.game)[1], out, p)
    return out


def _targets(
    decomposition: Decomposition, profile: Profile, method: str, values: RootValues | None
) -> RootValues:
    """Check the input; the values that opponents are granted."""
    if method not in METHODS:
        raise CfrlabError(
            f"re-solving {decomposition.game.name}: unknown method '{method}' (known: "
            f"{', '.join(METHODS)}){nearest(method, METHODS)}"
        )
    decomposition.check_trunk(profile)
    if values is None:
        values = best_response_values(decomposition, profile)
    one, two = decomposition.check_values(values)
    if method == "reach":
        return one + gifts(decomposition, profile, 0), two + gifts(decomposition, profile, 1)
    return one, two


def unsafe_game(decomposition: Decomposition, reach: RootValues) -> Piece:
    """All subgames for both players' reach of their roots, as a game with dense payoffs."""
    game, above = decomposition.game, decomposition.game.reach_of_chance()
    grower, payoffs = Grower(game), list[Payoff]()
    grower.own()
    outcomes: list[tuple[str, float, Node]] = []
    for k, root in enumerate(decomposition.roots):
        first = len(payoffs)
        both = np.outer(reach[0][k], reach[1][k])
        payoffs += [Dense(both * op.dense()) for op in game.payoffs]
        copy = grower.copy(root, k, payoff=partial(operator.add, first))
        outcomes.append((f"root {k}", float(above[root]), copy))
    return grower.finish(
        Chance(outcomes),
        name=f"{game.name} subgames",
        payoffs=tuple(payoffs),
        fold_payoffs=frozenset(),
    )
