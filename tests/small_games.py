"""Small games assembled by hand, with their rules a second time in plain Python.

Each ``Case`` carries the game and functions that settle one pair of hands without any payoff
operator; ``brute_force`` walks every history of every pair with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import CardFold, CardShowdown, Dense, Mixture, Payoff
from cfrlab.games.tree import CHANCE, TERMINAL, Chance, Decision, Node, PublicTree, Terminal

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A game, and its rules for one pair of hands.

    ``settle(payoff, h0, h1)``: what player 0 gets at a terminal of scale 1.
    ``possible(h0, h1, board)``: whether the pair can be dealt with a public card (None before it).
    """

    game: Game
    settle: Callable[[int, int, int], float]
    possible: Callable[[int, int, str | None], bool]


def betting(fold: int, showdown: Callable[[], int], pot: float = 1.0) -> Node:
    """Check or bet; a bet is folded to, called or raised: 3 decisions of player 0, 2 of 1."""

    def call(stake: float) -> Terminal:
        return Terminal(showdown(), stake * pot)

    def lost(player: int, stake: float) -> Terminal:
        return Terminal(fold, stake * pot if player == 1 else -stake * pot)

    facing_raise = Decision(0, {"fold": lost(0, 1.5), "call": call(3.0)})
    facing_bet = Decision(1, {"fold": lost(1, 0.5), "call": call(1.5), "raise": facing_raise})
    facing_stab = Decision(0, {"fold": lost(0, 0.5), "call": call(1.0)})
    return Decision(
        0, {"check": Decision(1, {"check": call(0.5), "bet": facing_stab}), "bet": facing_bet}
    )


def river(boards: int = 1, weighted: bool = False, seed: int = 1) -> Case:
    """Two-card hands from a deck of seven, random strengths with ties; 1 or 2 boards."""
    rng = np.random.default_rng(seed)
    cards = np.array(list(itertools.combinations(range(7), 2)), np.int8)
    n = len(cards)
    strength = rng.integers(0, 9, (boards, n)).astype(np.int32)
    fold = CardFold(cards)
    shows = [CardShowdown(cards, s) for s in strength]
    show: Payoff = shows[0] if boards == 1 else Mixture(tuple((1 / boards, s) for s in shows))
    hands = tuple(f"{a}{b}" for a, b in cards)
    weights = (np.ones(n), np.ones(n))
    if weighted:
        weights = (rng.random(n), rng.random(n) * (np.arange(n) != 4))
    game = Game(
        "small river",
        PublicTree.build(betting(0, lambda: 1, pot=2.0)),
        (fold, show),
        fold,
        (hands, hands),
        weights,
        "chips",
        2.0,
        strength.astype(np.float64),
        frozenset([0]),
    )

    def settle(payoff: int, h0: int, h1: int) -> float:
        if payoff == 0:
            return 1.0
        wins = sum(int(s[h0] > s[h1]) - int(s[h0] < s[h1]) for s in strength)
        return wins / boards

    def possible(h0: int, h1: int, board: str | None) -> bool:
        return not set(hands[h0]) & set(hands[h1])

    return Case(game, settle, possible)


def random_matrices(n: tuple[int, int] = (5, 4), seed: int = 2) -> Case:
    """An independent matrix of +1 and -1 at each showdown, int8; other hand counts by player."""
    rng = np.random.default_rng(seed)
    matrices = [np.ones(n, np.int8)]

    def draw() -> int:
        matrices.append(rng.choice(np.array([-1, 1], np.int8), n))
        return len(matrices) - 1

    tree = PublicTree.build(betting(0, draw))
    hands = tuple(map(str, range(n[0]))), tuple(map(str, range(n[1])))
    game = Game(
        "small random",
        tree,
        tuple(Dense(m) for m in matrices),
        Dense(np.ones(n)),
        hands,
        (np.ones(n[0]), np.ones(n[1])),
        "pots",
        fold_payoffs=frozenset([0]),
    )
    return Case(game, lambda i, h0, h1: float(matrices[i][h0, h1]), lambda h0, h1, board: True)


def one_card_poker() -> Case:
    """Six cards of three ranks, one each, betting, a public card, betting again (like Leduc)."""
    n = 6
    free = 1.0 - np.eye(n)
    rank = np.arange(n) // 2
    operators: list[Floats] = [free]

    def outcome(board: int, h0: int, h1: int) -> int:
        strength = [(rank[h] == rank[board], rank[h]) for h in (h0, h1)]
        return int(strength[0] > strength[1]) - int(strength[0] < strength[1])

    for board in range(n):
        allowed = free.copy()
        allowed[board] = allowed[:, board] = 0
        win = np.array([[outcome(board, a, b) for b in range(n)] for a in range(n)])
        operators += [allowed, allowed * win]

    def street(stake: float) -> Node:
        return Chance(
            [
                (str(b), 1 / 4, betting(1 + 2 * b, lambda b=b: 2 + 2 * b, stake))  # type: ignore[misc]
                for b in range(n)
            ]
        )

    after_bet = Decision(1, {"fold": Terminal(0, 1.0), "call": street(2.0)})
    tree = PublicTree.build(Decision(0, {"check": street(1.0), "bet": after_bet}))
    hands = tuple(map(str, range(n)))
    folds = frozenset([0, *range(1, 2 * n, 2)])
    ops = tuple(Dense(m) for m in operators)
    ones = np.ones(n)
    game = Game("small leduc", tree, ops, ops[0], (hands, hands), (ones, ones), "chips", 2.0)
    game = Game(**{**game.__dict__, "fold_payoffs": folds})

    def settle(payoff: int, h0: int, h1: int) -> float:
        return 1.0 if payoff in folds else float(outcome((payoff - 1) // 2, h0, h1))

    def possible(h0: int, h1: int, board: str | None) -> bool:
        dealt = [h0, h1] if board is None else [h0, h1, int(board)]
        return len(set(dealt)) == len(dealt)

    return Case(game, settle, possible)


def liars_dice(faces: int = 2) -> Case:
    """One die each; bids rise until the last one is called a lie, which is forced after the top.

    Bid b claims that ``b // faces + 1`` of both dice show face ``b % faces``; nothing is wild.
    """
    bids = 2 * faces
    shown = np.arange(faces)

    def bid(player: int, last: int) -> Node:
        actions: dict[str, Node] = {}
        if last >= 0:
            actions["liar"] = Terminal(last, 1.0 if player == 1 else -1.0)
        higher = range(last + 1, bids)
        return Decision(player, actions | {f"bid {b}": bid(1 - player, b) for b in higher})

    def holds(b: int) -> Floats:
        hits = (shown[:, None] == b % faces).astype(int) + (shown[None, :] == b % faces)
        return np.where(hits > b // faces, 1.0, -1.0)

    def settle(payoff: int, h0: int, h1: int) -> float:
        return 1.0 if [h0, h1].count(payoff % faces) >= payoff // faces + 1 else -1.0

    hands, ones = tuple(map(str, range(1, faces + 1))), np.ones(faces)
    game = Game(
        "liar's dice",
        PublicTree.build(bid(0, -1)),
        tuple(Dense(holds(b)) for b in range(bids)),
        Dense(np.ones((faces, faces))),
        (hands, hands),
        (ones, ones),
        "points",
    )
    return Case(game, settle, lambda h0, h1, board: True)


def random_profile(game: Game, seed: int = 0, zeros: bool = False) -> Profile:
    """A random strategy; with ``zeros``, some actions are never taken, where there is a choice.

    Then at every third decision nobody takes the last action, and at the others about half of the
    hands avoid an action each.
    """
    rng = np.random.default_rng(seed)
    profile = game.uniform()
    for i, node in enumerate(np.flatnonzero(game.tree.player >= 0)):
        p = int(game.tree.player[node])
        rows = game.tree.row[list(game.tree.children[node])]
        sigma = rng.random((len(rows), game.n[p])) + 1e-3
        if zeros and len(rows) > 1 and i % 3 == 0:
            sigma[-1] = 0
        elif zeros and len(rows) > 1:
            sigma *= np.arange(len(rows))[:, None] != rng.integers(0, 2 * len(rows), game.n[p])
        profile[p][rows] = sigma / sigma.sum(0)
    return profile


@dataclass(frozen=True)
class Brute:
    """What ``brute_force`` finds, each [nodes, hands] for players 0 and 1."""

    values: tuple[Floats, Floats]
    reach: tuple[Floats, Floats]


def brute_force(case: Case, profile: Profile) -> Brute:
    """Counterfactual values and compatible reach, history by history, pair by pair."""
    game, tree = case.game, case.game.tree
    w0, w1 = game.weights
    pairs = list(itertools.product(range(game.n[0]), range(game.n[1])))
    total = sum(w0[a] * w1[b] for a, b in pairs if case.possible(a, b, None))
    values = tuple(np.zeros((len(tree), game.n[p])) for p in (0, 1))
    reach = tuple(np.zeros((len(tree), game.n[p])) for p in (0, 1))

    def play(node: int, h0: int, h1: int, chance: float, r0: float, r1: float) -> float:
        """Adds the history to the sums; returns player 0's expected payoff from it on."""
        ev = 0.0
        if tree.player[node] == TERMINAL:
            ev = float(tree.scale[node]) * case.settle(int(tree.payoff[node]), h0, h1)
        for child in tree.children[node]:
            if tree.player[node] == CHANCE:
                p = float(tree.chance[child]) * case.possible(h0, h1, tree.label[child])
                if p:
                    ev += p * play(child, h0, h1, chance * p, r0, r1)
            elif tree.player[node] == 0:
                p = float(profile[0][tree.row[child], h0])
                ev += p * play(child, h0, h1, chance, r0 * p, r1)
            else:
                p = float(profile[1][tree.row[child], h1])
                ev += p * play(child, h0, h1, chance, r0, r1 * p)
        for p, h, others in ((0, h0, w1[h1] * r1), (1, h1, w0[h0] * r0)):
            values[p][node, h] += chance * others * (ev if p == 0 else -ev)
            reach[p][node, h] += chance * others
        return ev

    for h0, h1 in pairs:
        if case.possible(h0, h1, None):
            play(0, h0, h1, 1 / total, 1.0, 1.0)
    return Brute((values[0], values[1]), (reach[0], reach[1]))


def pure_strategies(game: Game, player: int) -> list[Floats]:
    """Every way to fix one action at each of a player's public decisions, the same for all hands.

    A best response is, hand by hand, the best of them.
    """
    tree = game.tree
    choices = [[int(tree.row[c]) for c in tree.children[d]] for d in tree.decisions(player)]
    plans = []
    for picked in itertools.product(*choices):
        sigma = np.zeros((tree.rows[player], game.n[player]))
        sigma[list(picked)] = 1.0
        plans.append(sigma)
    return plans
