"""Games for the tests of the solvers: the zoo in small sizes, and random public trees."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from numpy.typing import NDArray

from cfrlab import plugins
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Atom, CardFold, CardShowdown, Dense, Mixture, Payoff
from cfrlab.games.tree import CHANCE, Chance, Decision, Node, PublicTree, Terminal
from cfrlab.solve.phi import Abstraction, BucketMap, Phi, Soft
from small_games import liars_dice

BOARD = "Ts3h2h5c9s"


def zoo(name: str, seed: int = 0, **params: Any) -> Game:
    """A game of the zoo by its name in configs."""
    module = plugins.load("cfrlab.games.zoo", name, "game")
    game = module.build(module.Params.model_validate(params), np.random.default_rng(seed))
    assert isinstance(game, Game)
    return game


def standard_river() -> Game:
    """The river of postflop solvers' benchmarks: 16 decisions, 29 terminals, 1081 hands."""
    betting = {
        "pot": 200,
        "stack": 900,
        "bets": [0.5, "all-in"],
        "raises": [0.6, "all-in"],
        "max_raises": None,
    }
    return zoo("hunl-river", board=BOARD, betting=betting)


def small_zoo() -> dict[str, Game]:
    """Every kind of game with few hands: 21 on a river, 15 on two boards, 8 random ones.

    In the dice game the reply to the highest bid is forced.
    """
    return {
        "kuhn": zoo("kuhn"),
        "akq": zoo("akq"),
        "leduc": zoo("leduc"),
        "river": zoo("hunl-river", 1, ranks="9TJQKA", suits="cd"),
        "double board": zoo("double-board", 1, ranks="TJQK", suits="cdhs"),
        "random": zoo("random-game", 2, hands=8),
        "dice": liars_dice(3).game,
    }


def uneven_weights(game: Game, seed: int, zeros: bool = False) -> Game:
    """The same game under random prior weights; with ``zeros``, a fifth of the hands have none."""
    rng = np.random.default_rng(seed)
    weights = [rng.random(n) + 0.1 for n in game.n]
    if zeros:
        weights = [w * (np.arange(len(w)) % 5 != 1) for w in weights]
    return Game(**{**game.__dict__, "weights": (weights[0], weights[1])})


def random_buckets(game: Game, seed: int, share: int = 2) -> tuple[NDArray[np.int32], ...]:
    """A random bucket for each hand of both players, about ``share`` hands in each."""
    rng = np.random.default_rng(seed)
    return tuple(
        rng.permutation(np.arange(n) % max(1, (n + share - 1) // share)).astype(np.int32)
        for n in game.n
    )


def random_abstraction(game: Game, kind: str, seed: int) -> Abstraction | None:
    """``identity`` (None), ``buckets``, or ``soft``: columns mix about half the rows."""
    if kind == "identity":
        return None
    maps = random_buckets(game, seed)
    if kind == "buckets":
        return Abstraction(BucketMap(maps[0]), BucketMap(maps[1]))
    rng = np.random.default_rng(seed)
    phis: list[Phi] = []
    for n in game.n:
        rows = max(1, n // 2)
        matrix = rng.random((rows, n)) * (rng.random((rows, n)) < 0.6) + 1e-3
        phis.append(Soft(matrix / matrix.sum(0)))
    return Abstraction(phis[0], phis[1])


def sparse_profile(game: Game, seed: int, zeros: float = 0.4) -> Profile:
    """A random strategy that leaves out every action with probability ``zeros``, hand by hand."""
    rng = np.random.default_rng(seed)
    profile = game.uniform()
    for node in np.flatnonzero(game.tree.player >= 0):
        p = int(game.tree.player[node])
        rows = game.tree.row[list(game.tree.children[node])]
        kept = rng.random((len(rows), game.n[p])) > zeros
        sigma = (rng.random(kept.shape) + 1e-3) * kept
        sigma[rng.integers(len(rows))] += 1e-3
        profile[p][rows] = sigma / sigma.sum(0)
    return profile


def stake(game: Game) -> float:
    """At least what is at stake in the game, for tolerances."""
    most = max(np.abs(op.dense()).max() for op in game.payoffs)
    return float(1.0 + most * np.abs(game.tree.scale).max())


Shapes = list[tuple[int, tuple[int, ...]]]
"""Kind of a node (player or chance) and the shapes of its children; shape 0 is a terminal."""

MOST_NODES = 90


@st.composite
def shapes(draw: st.DrawFn) -> Shapes:
    """Shapes built from earlier shapes, so that a tree repeats them; the last one is the root."""
    found: Shapes = [(-2, ())]
    size = [1]
    for latest in range(draw(st.integers(3, 8))):
        arity = draw(st.sampled_from([2, 2, 3, 1]))
        below = [latest]  # so that the root holds every shape
        for _ in range(arity - 1):
            more = draw(st.integers(0, latest))
            left = MOST_NODES - 1 - sum(size[i] for i in below)
            below.append(latest - more if size[latest - more] <= left else 0)
        if draw(st.booleans()):
            below.reverse()
        found.append((draw(st.sampled_from([0, 1, CHANCE, 0, 1])), tuple(below)))
        size.append(1 + sum(size[i] for i in below))
    return found


def grow(
    found: Shapes, payoffs: int, rng: np.random.Generator, forced: float = 0.0, ties: bool = False
) -> PublicTree:
    """A tree of the last shape, with random payoffs, scales and chance probabilities.

    Args:
        found: see `Shapes`.
        payoffs: number of payoffs to draw from.
        rng: draws the numbers.
        forced: probability of a decision with one action, of either player, above a node; of two in
            a row its square, and so on.
        ties: all terminals pay the same operator times -1, 0 or 1.
    """

    def node(shape: int) -> Node:
        out = plain(shape)
        while rng.random() < forced:
            out = Decision(int(rng.integers(2)), {"on": out})
        return out

    def plain(shape: int) -> Node:
        kind, below = found[shape]
        if shape == 0:
            if ties:
                return Terminal(payoffs - 1, float(rng.integers(-1, 2)))
            return Terminal(int(rng.integers(payoffs)), float(rng.normal()))
        children = [node(i) for i in below]
        if kind == CHANCE:
            p = rng.dirichlet(np.ones(len(children))).tolist()
            return Chance([(str(i), p[i], child) for i, child in enumerate(children)])
        return Decision(kind, {str(i): child for i, child in enumerate(children)})

    return PublicTree.build(node(len(found) - 1))


def dense_operators(n: tuple[int, int], rng: np.random.Generator) -> tuple[Payoff, ...]:
    """One operator of every kind without cards: floats, int8, rank one, and a mixture."""
    floats = Dense(rng.normal(size=n))
    signs = Dense(rng.integers(-127, 128, n).astype(np.int8))
    flat = Dense(np.outer(rng.integers(1, 4, n[0]), rng.integers(-3, 4, n[1])).astype(np.float64))
    parts: tuple[tuple[float, Atom], ...] = ((0.3, floats), (0.7, Dense(rng.normal(size=n))))
    return floats, signs, flat, Dense(np.ones(n, np.int8)), Mixture(parts)


def card_operators(
    n: int, deck: int, rng: np.random.Generator
) -> tuple[tuple[Payoff, ...], CardFold]:
    """Operators on ``n`` two-card hands of a deck; strengths have ties. The fold is the deal."""
    every = np.array(list(itertools.combinations(range(deck), 2)), np.int8)
    cards = every[np.sort(rng.permutation(len(every))[:n])]
    fold = CardFold(cards)
    shows = [CardShowdown(cards, rng.integers(0, top, n).astype(np.int32)) for top in (3, n, 1)]
    mixed = Mixture(((0.5, shows[0]), (0.5, shows[1])))
    other = Mixture(((1.5, shows[1]), (-0.25, Dense(rng.normal(size=(n, n)))), (1.0, fold)))
    return (fold, *shows, mixed, other), fold


def _weights(n: int, how: str, rng: np.random.Generator) -> NDArray[np.float64]:
    if how == "ones":
        return np.ones(n)
    positive: NDArray[np.float64] = rng.random(n) + 0.05
    return positive * (rng.random(n) < 0.7) if how == "zeros" else positive


@st.composite
def games(draw: st.DrawFn, most_hands: int = 110, most_cards: int = 28) -> Game:
    """A random public tree with random hands, weights and payoff operators of every kind.

    Args:
        draw: hypothesis draws the shape, and the seed of all numbers.
        most_hands: most hands of a game without cards; other sizes by player.
        most_cards: most hands of a game of two-card hands.
    """
    found = draw(shapes())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    payoffs: tuple[Payoff, ...]
    deal: Payoff
    if draw(st.booleans()):
        counts = [s for s in (3, 6, 8, 9, 10, 17, 28) if s <= most_cards]
        size = draw(st.sampled_from(counts))
        n = (size, size)
        payoffs, deal = card_operators(size, draw(st.sampled_from([8, 12])), rng)
    else:
        sizes = [s for s in (1, 2, 3, 5, 8, 9, 13, 97, 110) if s <= most_hands]
        n = (draw(st.sampled_from(sizes)), draw(st.sampled_from(sizes)))
        payoffs, deal = dense_operators(n, rng), Dense(rng.random(n) + 0.1)
    how = st.sampled_from(["ones", "positive", "zeros"])
    weights = _weights(n[0], draw(how), rng), _weights(n[1], draw(how), rng)
    assume(weights[0] @ deal.dense() @ weights[1] > 1e-6)
    hands = tuple(map(str, range(n[0]))), tuple(map(str, range(n[1])))
    forced, ties = draw(st.sampled_from([0.0, 0.0, 0.2, 0.4])), draw(st.integers(0, 7)) == 7
    tree = grow(found, len(payoffs), rng, forced, ties)
    return Game("random tree", tree, payoffs, deal, hands, weights, "points")
