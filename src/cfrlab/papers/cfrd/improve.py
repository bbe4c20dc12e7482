"""cfrd_improve: Figure 5, re-solving the subgames of an abstract strategy without abstraction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.game import Game, Profile
from cfrlab.games.tree import CHANCE
from cfrlab.papers.cfrd.jit import ensure_compiled
from cfrlab.papers.cfrd.labels import METHODS
from cfrlab.seeds import rng_for
from cfrlab.solve import lp
from cfrlab.solve.merged import Merged, MergedCFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule

VERTEX, CFR_PLUS = "lp", "cfr-plus"


def equilibria(count: int) -> list[str]:
    """Names of the abstract equilibria: of the linear program, of CFR+, and random ones."""
    return [VERTEX, CFR_PLUS, *(f"random-{i + 1}" for i in range(count))]


def merged_cards(game: Game, merge: Sequence[Mapping[str, Any]]) -> Merged:
    """The abstraction in which some public cards look the same to a hand.

    Args:
        game: the game; public cards are the labels of its chance nodes' outcomes.
        merge: entries with a ``hand`` and the ``cards`` that it cannot tell apart.
    """
    tree = game.tree
    labels = [array.copy() for array in Merged.apart(game).labels]
    for entry in merge:
        twin = dict.fromkeys(entry["cards"], entry["cards"][0])
        seen: dict[tuple[str, ...], int] = {}
        for p in (0, 1):
            hand = game.hands[p].index(entry["hand"])
            for k, node in enumerate(tree.decisions(p)):
                path = tuple(
                    twin.get(tree.label[n], tree.label[n])
                    if tree.player[tree.parent[n]] == CHANCE
                    else tree.label[n]
                    for n in list(tree.path(int(node)))[:-1]
                )
                labels[p][k, hand] = seen.setdefault((str(p), *path), k)
    return Merged((labels[0], labels[1]))


def abstract_equilibrium(
    game: Game, merged: Merged, name: str, cfr_plus_iterations: int, seed: int
) -> Profile:
    """An equilibrium of the abstract game (see `equilibria`), as a strategy of the full game."""
    if name == VERTEX:
        return lp.solve(game, merged=merged)[1]
    if name == CFR_PLUS:
        solver = MergedCFR(game, Rule.named("cfr-plus"), merged)
        solver.run(cfr_plus_iterations)
        return solver.average()
    return lp.random_equilibrium(game, rng_for(seed, "cfrd", "figure5", name), merged)


def one_on_one(evaluator: Evaluator, ours: Profile, theirs: Profile) -> float:
    """What our strategy wins against another, the mean over both seats, in the game's unit."""
    first = evaluator.value((ours[0], theirs[1]))
    second = evaluator.value((theirs[0], ours[1]))
    return (first - second) / 2


def improve(
    decomposition: Decomposition,
    rule: Rule,
    original: Profile,
    points: Sequence[int],
    samples: int,
    seeds: tuple[int, str],
) -> dict[str, NDArray[Any]]:
    """Re-solve an abstract strategy by every method.

    Args:
        decomposition: the game and its subgames.
        rule: update rule.
        original: the abstract strategy.
        points: iterations to look at.
        samples: seeds of public chance sampling, beside the run without sampling.
        seeds: root of the seeds, and the name of the equilibrium.

    Returns:
        ``iterations`` int64 [P]; ``exploitability`` and ``gain`` (one-on-one against the original),
        float64 [methods, 1 + samples, P], the run without sampling first; ``original`` [1], the
        exploitability to begin with; ``exact`` and ``exact_gain`` [methods], of exact re-solving.
    """
    ensure_compiled()
    evaluator = Evaluator(decomposition.game)
    shape = (len(METHODS), 1 + samples, len(set(points)))
    exploitability, gain = np.empty(shape), np.empty(shape)
    exact, exact_gain = np.empty(len(METHODS)), np.empty(len(METHODS))
    for m, method in enumerate(METHODS):
        for s in range(1 + samples):
            rng = rng_for(seeds[0], "cfrd", "figure5", seeds[1], method, s) if s else None
            resolver = Resolver(decomposition, original, method, rule, sampling=rng)
            for k, _ in enumerate(resolver.checkpoints(points)):
                profile = resolver.profile()
                exploitability[m, s, k] = evaluator.exploitability(profile)
                gain[m, s, k] = one_on_one(evaluator, profile, original)
        best = resolve_exactly(decomposition, original, method)
        exact[m] = evaluator.exploitability(best)
        exact_gain[m] = one_on_one(evaluator, best, original)
    return {
        "iterations": np.array(sorted(set(points)), np.int64),
        "exploitability": exploitability,
        "gain": gain,
        "original": np.array([evaluator.exploitability(original)]),
        "exact": exact,
        "exact_gain": exact_gain,
    }
