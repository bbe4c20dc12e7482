"""CFR and its variants a second time, as their papers write them, in plain NumPy.

Nothing here knows of compiled arrays: an iteration asks ``values`` for the counterfactual values of
every hand at every public node and then updates one decision after another. ``values`` is either
``histories`` (every history of every pair of hands, for tiny games) or ``walk.node_values``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.games.tree import CHANCE, TERMINAL
from cfrlab.solve.phi import Abstraction

Floats = NDArray[np.float64]
TIE, NOISE = 1e-3, 1e-12
"""Sums of regrets count as 0 if they are this small, relative to the largest regret at the decision
or to the largest value in the game."""

Values = Callable[[Profile], tuple[Floats, Floats]]


def histories(game: Game) -> Values:
    """Counterfactual values by walking every history of every pair of hands, float64 [nodes, n]."""
    tree = game.tree
    payoffs, deal = [op.dense() for op in game.payoffs], game.deal.dense()
    pairs = [(i, j) for i in range(game.n[0]) for j in range(game.n[1]) if deal[i, j]]
    total = sum(game.weights[0][i] * game.weights[1][j] * deal[i, j] for i, j in pairs)

    def values(profile: Profile) -> tuple[Floats, Floats]:
        out = tuple(np.zeros((len(tree), game.n[p])) for p in (0, 1))

        def play(node: int, hands: tuple[int, int], others: tuple[float, float]) -> float:
            """``others[p]``: probability of the history but for player p's actions and hand."""
            player, ev = int(tree.player[node]), 0.0
            if player == TERMINAL:
                # Payoffs count deals, so the pair's own multiplicity must not count again.
                ev = float(tree.scale[node] * payoffs[tree.payoff[node]][hands])
            for child in tree.children[node]:
                chosen = 1.0
                below = others
                if player == CHANCE:
                    chosen = float(tree.chance[child])
                    below = (others[0] * chosen, others[1] * chosen)
                elif player >= 0:
                    chosen = float(profile[player][tree.row[child], hands[player]])
                    below = (
                        others[0] * (chosen if player == 1 else 1.0),
                        others[1] * (chosen if player == 0 else 1.0),
                    )
                ev += chosen * play(child, hands, below)
            out[0][node, hands[0]] += others[0] * ev
            out[1][node, hands[1]] -= others[1] * ev
            return ev

        for i, j in pairs:
            play(0, (i, j), (game.weights[1][j] / total, game.weights[0][i] / total))
        return out[0], out[1]

    return values


class Reference:
    """One solver in progress.

    Args:
        game: the game.
        rule: "cfr", "cfr-plus", "linear-cfr", "dcfr" or "pcfr-plus".
        alternating: whether player 1 answers player 0's new strategy.
        averaging: iteration t weighs ``t ** averaging`` in the average.
        values: counterfactual values of a profile, ``histories(game)`` or ``walk.node_values``.
        abstraction: a Phi for each player, applied as a dense matrix; None for none.

    Regret matching jumps where the largest sum of regrets is 0, so there rounding decides, and two
    correct programs differ: in a river game where no opponent that is left is compatible with a
    hand, a dense product gives its actions 0, prefix sums give 1e-17. ``run`` can follow another
    solver at such *ties*, and only there.
    """

    def __init__(
        self,
        game: Game,
        rule: str,
        alternating: bool,
        averaging: float,
        values: Values,
        abstraction: Abstraction | None = None,
    ) -> None:
        self.game, self.rule, self.alternating = game, rule, alternating
        self.averaging, self.values, self.t = averaging, values, 0
        self.plain = abstraction is None
        if abstraction is None:
            self.phi = [np.eye(n) for n in game.n]
            self.prior = [np.ones(n) for n in game.n]
        else:
            self.phi = [abstraction[p].dense() for p in (0, 1)]
            self.prior = list(game.weights)
        self.regret = [np.zeros((game.tree.rows[p], len(self.phi[p]))) for p in (0, 1)]
        self.sums = [np.zeros((game.tree.rows[p], game.n[p])) for p in (0, 1)]
        self.current = game.uniform()

    def run(self, iterations: int, ties: Profile | None = None) -> None:
        """Run more iterations; at ties (within ``TIE``) play what ``ties`` plays next, if given."""
        for _ in range(iterations):
            self.t += 1
            values = self.values(self.current)
            self._play_on(0, values[0], ties)
            if self.alternating:
                values = self.values(self.current)
            self._play_on(1, values[1], ties)

    def average(self) -> Profile:
        """Average strategy over hands."""
        out = [np.empty_like(s) for s in self.sums]
        for node in np.flatnonzero(self.game.tree.player >= 0):
            p, rows = int(self.game.tree.player[node]), self._rows(int(node))
            out[p][rows] = self.sums[p][rows] / self.sums[p][rows].sum(0)
        return out[0], out[1]

    def _rows(self, node: int) -> list[int]:
        return [int(self.game.tree.row[c]) for c in self.game.tree.children[node]]

    def _play_on(self, p: int, values: Floats, ties: Profile | None) -> None:
        """Add player p's strategy to its average, then update its regrets and strategy."""
        tree, old = self.game.tree, self.current[p]
        new = old.copy()
        for node in tree.decisions(p):
            rows, children = self._rows(int(node)), list(tree.children[node])
            own = np.ones(self.game.n[p])
            for step in tree.path(int(node)):
                if step and tree.player[tree.parent[step]] == p:
                    own = own * old[tree.row[step]]
            self.sums[p][rows] += float(self.t) ** self.averaging * own * old[rows]
            action_values = values[children]
            instant = action_values - (old[rows] * action_values).sum(0)
            instant = (instant * self.prior[p]) @ self.phi[p].T
            wish = self._update(p, rows, instant)
            new[rows] = matched(wish) @ self.phi[p]
            if ties is not None:
                noise = max(TIE * np.abs(instant).max(), NOISE * np.abs(values).max())
                tied = np.abs(wish.max(0)) <= noise
                over = np.nonzero(tied if self.plain else np.full(self.game.n[p], tied.any()))[0]
                at = np.ix_(np.array(rows), over)
                new[at] = ties[p][at]
        self.current = (new, self.current[1]) if p == 0 else (self.current[0], new)

    def _update(self, p: int, rows: list[int], r: Floats) -> Floats:
        """Update the regrets of one decision.

        Returns what the next strategy is proportional to the positive part of.
        """
        t, q = self.t, self.regret[p][rows]
        match self.rule:
            case "cfr":  # Zinkevich et al. 2007, equations 7 and 8
                wish = q = q + r
            case "cfr-plus":  # Tammelin 2014: Q^t = max(Q^{t-1} + r^t, 0)
                wish = q + r
                q = np.maximum(wish, 0)
            case "linear-cfr":  # Brown and Sandholm 2019: regrets of iteration t count t times
                wish = q = q + t * r
            case "dcfr":  # the same paper, section 4, with alpha = 3/2 and beta = 0
                wish = q + r
                q = np.where(wish > 0, wish * t**1.5 / (t**1.5 + 1), wish * 0.5)
            case "pcfr-plus":  # Farina, Kroer, Sandholm 2021, algorithm 5: m^{t+1} = r^t
                q = np.maximum(q + r, 0)
                wish = q + r
            case unknown:
                raise AssertionError(unknown)
        self.regret[p][rows] = q
        return wish


def matched(wish: Floats) -> Floats:
    """Probabilities in proportion to the positive part, uniform where there is none."""
    positive = np.maximum(wish, 0)
    total = positive.sum(0)
    return np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1.0 / len(wish))
