"""Equilibrium of a small game by linear programming over sequence form: an authority for tests.

Source: Koller, Megiddo and von Stengel, *Efficient computation of equilibria for extensive
two-person games*, GEB 1996; solved by HiGHS through SciPy. Built from the public tree and dense
payoffs alone, independently of the compiled solver.

A sequence of a player is a hand (or bucket) and the last strategy row played, or none yet. Player
0 chooses a realisation plan x, and player 1's values v are the least that every reply keeps:

    max  sum of v at the roots    s.t.  E x = e,  F^T v - A^T x <= 0,  x >= 0

where a row of E or F says that the sequences leaving an information set add up to the one that
enters it. The dual variables of the inequalities are player 1's realisation plan.

The tolerances of HiGHS are absolute (1e-7), and it drops coefficients below 1e-9. So payoffs are
first scaled until the largest entry of A is between 1/2 and 1, by a power of two, which rounds
nothing. HiGHS's word is not taken for it: best responses to the strategies that are returned say
how far these are from an equilibrium.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Floats
from cfrlab.games.tree import PublicTree
from cfrlab.solve.merged import Merged

Buckets = tuple[NDArray[np.integer], NDArray[np.integer]]
"""A bucket for each hand, int [n0] and [n1]."""

# Realisation plans come out with errors of this order; below it a sequence counts as unplayed.
_UNPLAYED = 1e-11

EXACT = 1e-9
"""What best responses may win of a solution, and its value be wrong, as a share of the stakes."""


@dataclass(frozen=True, eq=False)
class _Sequences:
    """Sequence form of one player.

    Sequence ``(row + 1) * columns + column`` ends with strategy row ``row`` in column ``column``
    (a hand or a bucket); the first ``columns`` of them are empty. Where infosets are merged, the
    sequences of the first one stand for all, and the others' are unused.

    Attributes:
        columns: number of hands or buckets.
        count: number of sequences.
        constraint: E or F, sparse [columns + information sets, sequences].
        right: e or f, float64; 1 for empty sequences.
        ending: sequence that ends with each row, int [rows, columns].
        last: last own sequence above every public node, int [nodes, columns].
        infosets: for every decision, in preorder, the sequences that enter its information sets,
            int [sets], and those that leave them, int [actions, sets]. Merged ones are named once.
    """

    columns: int
    count: int
    constraint: sparse.csr_array
    right: Floats
    ending: NDArray[np.intp]
    last: NDArray[np.intp]
    infosets: list[tuple[NDArray[np.intp], NDArray[np.intp]]]

    def best(self, payoff: Floats) -> float:
        """What the best plan wins, given what each sequence is worth, float64 [sequences]."""
        worth = payoff.copy()
        for entering, leaving in reversed(self.infosets):
            worth[entering] += worth[leaving].max(0)
        return float(worth[: self.columns].sum())

    def plan(self, strategy: Floats) -> Floats:
        """Realisation plan of a behaviour strategy [rows, columns], float64 [sequences]."""
        plan = np.concatenate([np.ones(self.columns), strategy.ravel()])
        for entering, leaving in self.infosets:
            plan[leaving] *= plan[entering]
        return plan


def solve(
    game: Game, buckets: Buckets | None = None, merged: Merged | None = None
) -> tuple[float, Profile]:
    """Value for player 0 and an equilibrium, in the game's unit.

    Args:
        game: the game.
        buckets: hands in one bucket must be played alike at every decision of their player.
        merged: infosets that must be played alike (then without buckets).

    Returns:
        the value of the (bucketed or merged) game for player 0, and strategies over hands,
        ``profile[p]`` of shape [tree.rows[p], hands of p]; uniform where the player's own earlier
        play has probability 0.

    Raises CfrlabError if the linear program is not solved to the accuracy ``EXACT``, or infosets
    cannot be merged so.
    """
    maps, forms, payoff, unit = _forms(game, buckets, merged)
    value, *plans = _solve(game, forms[0], forms[1], payoff)
    rows = [_behaviour(game.tree, p, plans[p], forms[p]) for p in (0, 1)]
    _verify(game, forms, payoff, value, rows)
    return unit * value, (rows[0][:, maps[0]], rows[1][:, maps[1]])


def random_equilibrium(
    game: Game, rng: np.random.Generator, merged: Merged | None = None
) -> Profile:
    """An equilibrium drawn by a random objective over each player's optimal plans.

    A game may have many equilibria; a vertex that HiGHS happens to find is one of them. Arguments,
    result and errors are those of `solve`.
    """
    _, (first, second), payoff, _ = _forms(game, None, merged)
    value, _, _ = _solve(game, first, second, payoff)
    rows = []
    for p, own, other, mine in ((0, first, second, payoff), (1, second, first, -payoff.T)):
        worth = value if p == 0 else -value
        used = np.diff(own.constraint.tocsc().indptr) > 0  # others have no bound
        wish = rng.normal(size=own.count) * used
        _, plan, _ = _solve(game, own, other, mine.tocsr(), (wish, worth))
        rows.append(_behaviour(game.tree, p, plan, own))
    _verify(game, (first, second), payoff, value, rows)
    return rows[0], rows[1]


def _forms(
    game: Game, buckets: Buckets | None, merged: Merged | None
) -> tuple[Buckets, tuple[_Sequences, _Sequences], sparse.csr_array, float]:
    """Bucket maps, sequence forms, A in a unit that its largest entry is just below, and it."""
    maps = buckets or (np.arange(game.n[0]), np.arange(game.n[1]))
    if merged is not None:
        merged.check(game)
    first, second = (_sequences(game.tree, p, int(maps[p].max()) + 1, merged) for p in (0, 1))
    with np.errstate(over="ignore", invalid="ignore"):
        payoff = _payoff(game, maps, (first, second))
    largest = float(abs(payoff).max())
    if not math.isfinite(largest):
        raise CfrlabError(
            f"linear program of {game.name}: an expected payoff is not a finite number; choose a "
            "larger unit for its payoffs"
        )
    unit = math.ldexp(1.0, min(math.frexp(largest)[1], 1023)) if largest else 1.0
    return maps, (first, second), payoff / unit, unit


def _solve(
    game: Game,
    own: _Sequences,
    other: _Sequences,
    payoff: sparse.csr_array,
    wish: tuple[Floats, float] | None = None,
) -> tuple[float, Floats, Floats]:
    """Best value that a player can secure, a plan that does, and the other's plan (dual).

    With ``wish``, weights of plans and the value to keep, the plan of most weight instead.
    """
    free = len(other.right)
    keeps = sparse.hstack([-payoff.T, other.constraint.T], format="csr")
    limits, cost = np.zeros(other.count), np.concatenate([np.zeros(own.count), -other.right])
    if wish is not None:
        secured = sparse.csr_array(cost[None, :])
        keeps = sparse.vstack([keeps, secured], format="csr")
        limits = np.append(limits, -wish[1])
        cost = np.concatenate([-wish[0], np.zeros(free)])
    result = linprog(
        cost,
        A_ub=keeps,
        b_ub=limits,
        A_eq=sparse.hstack(
            [own.constraint, sparse.csr_array((len(own.right), free))], format="csr"
        ),
        b_eq=own.right,
        bounds=[(0, None)] * own.count + [(None, None)] * free,
        method="highs",
    )
    if not result.success:
        raise CfrlabError(
            f"linear program of {game.name}: HiGHS gave up ({result.message}); "
            "is the game small, with finite payoffs?"
        )
    return -float(result.fun), result.x[: own.count], -result.ineqlin.marginals[: other.count]


def _verify(
    game: Game,
    forms: tuple[_Sequences, _Sequences],
    payoff: sparse.csr_array,
    value: float,
    strategies: Sequence[Floats],
) -> None:
    """Raise CfrlabError unless best responses win next to nothing, and the value is right.

    The stakes are an upper bound on the mean size of a payoff under any play.
    """
    plans = [form.plan(rows) for form, rows in zip(forms, strategies, strict=True)]
    one, two = forms[0].best(payoff @ plans[1]), forms[1].best(-(payoff.T @ plans[0]))
    stakes = forms[0].best(abs(payoff).sum(1))
    error = max(one + two, abs(one - value), abs(two + value))
    if not error <= EXACT * stakes:
        raise CfrlabError(
            f"linear program of {game.name}: HiGHS's solution is off by {error / stakes:.1g} of "
            f"the stakes (at most {EXACT:g} is allowed); are its payoffs or weights of very "
            "different sizes?"
        )


def _sequences(
    tree: PublicTree, player: int, columns: int, merged: Merged | None = None
) -> _Sequences:
    every = np.arange(columns)
    rows = np.repeat(np.arange(tree.rows[player])[:, None], columns, axis=1)
    if merged is not None:
        rows = merged.representatives(tree, player)
    ending = (rows + 1) * columns + every
    last = np.tile(every, (len(tree), 1))
    for node in range(1, len(tree)):
        up = tree.parent[node]
        last[node] = ending[tree.row[node]] if tree.player[up] == player else last[up]
    entries = [(every, every, np.ones(columns))]
    decisions, infosets = tree.decisions(player), []
    for k, node in enumerate(decisions, start=1):
        chosen = tree.row[list(tree.children[node])]
        own = every[rows[chosen[0]] == chosen[0]]
        line, entering, leaving = k * columns + own, last[node][own], ending[chosen][:, own]
        infosets.append((entering, leaving))
        entries.append((line, entering, -np.ones(len(own))))
        entries += [(line, sequences, np.ones(len(own))) for sequences in leaving]
    lines, sequences, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    count = (tree.rows[player] + 1) * columns
    shape = ((len(decisions) + 1) * columns, count)
    right = np.zeros(shape[0])
    right[:columns] = 1.0
    constraint = sparse.csr_array((values, (lines, sequences)), shape=shape)
    return _Sequences(columns, count, constraint, right, ending, last, infosets)


def _payoff(game: Game, maps: Buckets, forms: tuple[_Sequences, _Sequences]) -> sparse.csr_array:
    """Expected payoff of player 0 by pair of sequences, sparse [sequences 0, sequences 1]."""
    into = [sparse.csr_array((game.weights[p], (maps[p], np.arange(game.n[p])))) for p in (0, 1)]
    merged = [
        sparse.coo_array(game.norm * (into[0] @ op.dense() @ into[1].T)) for op in game.payoffs
    ]
    chance = game.reach_of_chance()
    lines, columns, values = [], [], []
    for z in game.tree.terminals:
        block = merged[game.tree.payoff[z]]
        lines.append(forms[0].last[z][block.row])
        columns.append(forms[1].last[z][block.col])
        values.append(chance[z] * game.tree.scale[z] * block.data)
    return sparse.csr_array(
        (np.concatenate(values), (np.concatenate(lines), np.concatenate(columns))),
        shape=(forms[0].count, forms[1].count),
    )


def _behaviour(tree: PublicTree, player: int, plan: Floats, form: _Sequences) -> Floats:
    """Behaviour strategy of a realisation plan, float64 [rows, columns]."""
    plan = np.maximum(plan, 0.0)
    out = np.empty((tree.rows[player], form.columns))
    for node in tree.decisions(player):
        rows = tree.row[list(tree.children[node])]
        chosen = plan[form.ending[rows]]
        total = chosen.sum(0)
        played = total > _UNPLAYED
        out[rows] = np.where(played, chosen / np.where(played, total, 1.0), 1.0 / len(rows))
    return out
