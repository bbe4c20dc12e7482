"""Equilibrium of a small game by linear programming over sequence form: an authority for tests.

Source: Koller, Megiddo and von Stengel, *Efficient computation of equilibria for extensive
two-person games*, GEB 1996; solved by HiGHS through SciPy. Built from the public tree and dense
payoffs alone, independently of the compiled solver.

A sequence of a player is a hand (or bucket) and the last strategy row played, or none yet. Player
0 chooses a realisation plan x, and player 1's values v are the least that every reply keeps:

    max  sum of v at the roots    s.t.  E x = e,  F^T v - A^T x <= 0,  x >= 0

where a row of E or F says that the sequences leaving an information set add up to the one that
enters it. The dual variables of the inequalities are player 1's realisation plan.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Floats
from cfrlab.games.tree import PublicTree

Buckets = tuple[NDArray[np.integer], NDArray[np.integer]]
"""A bucket for each hand, int [n0] and [n1]."""

# Realisation plans come out with errors of this order; below it a sequence counts as unplayed.
_UNPLAYED = 1e-11


@dataclass(frozen=True, eq=False)
class _Sequences:
    """Sequence form of one player.

    Sequence ``(row + 1) * columns + column`` ends with strategy row ``row`` in column ``column``
    (a hand or a bucket); the first ``columns`` of them are empty.

    Attributes:
        columns: number of hands or buckets.
        count: number of sequences.
        constraint: E or F, sparse [columns + information sets, sequences].
        right: e or f, float64; 1 for empty sequences.
        last: last own strategy row above every public node, int [nodes]; -1 if none.
    """

    columns: int
    count: int
    constraint: sparse.csr_array
    right: Floats
    last: NDArray[np.intp]


def solve(game: Game, buckets: Buckets | None = None) -> tuple[float, Profile]:
    """Value for player 0 and an equilibrium, in the game's unit.

    Args:
        game: the game.
        buckets: hands in one bucket must be played alike at every decision of their player.

    Returns:
        the value of the (bucketed) game for player 0, and strategies over hands,
        ``profile[p]`` of shape [tree.rows[p], hands of p]; uniform where the player's own earlier
        play has probability 0.

    Raises CfrlabError if the linear program is not solved.
    """
    n = game.n
    maps = buckets or (np.arange(n[0]), np.arange(n[1]))
    first, second = (_sequences(game.tree, p, int(maps[p].max()) + 1) for p in (0, 1))
    payoff = _payoff(game, maps, (first, second))
    free = len(second.right)
    result = linprog(
        np.concatenate([np.zeros(first.count), -second.right]),
        A_ub=sparse.hstack([-payoff.T, second.constraint.T], format="csr"),
        b_ub=np.zeros(second.count),
        A_eq=sparse.hstack(
            [first.constraint, sparse.csr_array((len(first.right), free))], format="csr"
        ),
        b_eq=first.right,
        bounds=[(0, None)] * first.count + [(None, None)] * free,
        method="highs",
    )
    if not result.success:
        raise CfrlabError(
            f"linear program of {game.name}: HiGHS gave up ({result.message}); "
            "is the game small, with finite payoffs?"
        )
    plans = (result.x[: first.count], -result.ineqlin.marginals)
    profile = tuple(
        _behaviour(game.tree, p, plan, seq)[:, maps[p]]
        for p, plan, seq in zip((0, 1), plans, (first, second), strict=True)
    )
    return -float(result.fun), (profile[0], profile[1])


def _sequences(tree: PublicTree, player: int, columns: int) -> _Sequences:
    last = np.full(len(tree), -1, np.intp)
    for node in range(1, len(tree)):
        up = tree.parent[node]
        last[node] = tree.row[node] if tree.player[up] == player else last[up]
    every = np.arange(columns)
    entries = [(every, every, np.ones(columns))]
    decisions = tree.decisions(player)
    for k, node in enumerate(decisions, start=1):
        line = k * columns + every
        entries.append((line, (last[node] + 1) * columns + every, -np.ones(columns)))
        entries += [
            (line, (tree.row[child] + 1) * columns + every, np.ones(columns))
            for child in tree.children[node]
        ]
    lines, sequences, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    count = (tree.rows[player] + 1) * columns
    shape = ((len(decisions) + 1) * columns, count)
    right = np.zeros(shape[0])
    right[:columns] = 1.0
    return _Sequences(
        columns, count, sparse.csr_array((values, (lines, sequences)), shape=shape), right, last
    )


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
        lines.append((forms[0].last[z] + 1) * forms[0].columns + block.row)
        columns.append((forms[1].last[z] + 1) * forms[1].columns + block.col)
        values.append(chance[z] * game.tree.scale[z] * block.data)
    return sparse.csr_array(
        (np.concatenate(values), (np.concatenate(lines), np.concatenate(columns))),
        shape=(forms[0].count, forms[1].count),
    )


def _behaviour(tree: PublicTree, player: int, plan: Floats, form: _Sequences) -> Floats:
    """Behaviour strategy of a realisation plan, float64 [rows, columns]."""
    plan = np.maximum(plan, 0.0).reshape(-1, form.columns)
    out = np.empty((tree.rows[player], form.columns))
    for node in tree.decisions(player):
        rows = tree.row[list(tree.children[node])]
        chosen = plan[rows + 1]
        total = chosen.sum(0)
        played = total > _UNPLAYED
        out[rows] = np.where(played, chosen / np.where(played, total, 1.0), 1.0 / len(rows))
    return out
