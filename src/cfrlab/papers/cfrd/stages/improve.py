"""improve: re-solve the subgames of an abstract strategy without abstraction (Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.game import Game, Profile
from cfrlab.games.tree import CHANCE
from cfrlab.papers.cfrd import artifacts
from cfrlab.papers.cfrd.artifacts import CFR_PLUS, VERTEX
from cfrlab.papers.cfrd.labels import METHODS
from cfrlab.pipeline.checkpoint import Arrays, Checkpoint, follow
from cfrlab.pipeline.compiled import decomposition
from cfrlab.pipeline.job import Job
from cfrlab.seeds import rng_for
from cfrlab.solve import lp
from cfrlab.solve.merged import Merged, MergedCFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from cfrlab.solve.side_by_side import SideBySide

STEP = 1000
"""Iterations, of all ways of re-solving side by side, between two looks at the clock."""


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
    """An abstract equilibrium (see `artifacts.equilibria`), as a strategy of the full game."""
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
    cut: Decomposition,
    rule: Rule,
    original: Profile,
    points: Sequence[int],
    samples: int,
    seeds: tuple[int, str],
    checkpoint: Checkpoint | None = None,
) -> Arrays:
    """Re-solve an abstract strategy by every method.

    Args:
        cut: the game and its subgames.
        rule: update rule.
        original: the abstract strategy.
        points: iterations to look at.
        samples: seeds of public chance sampling, beside the run without sampling.
        seeds: root of the seeds, and the name of the equilibrium.
        checkpoint: where to go on from, and to keep the state.

    Returns:
        ``iterations`` int64 [P]; ``exploitability`` and ``gain`` (one-on-one against the original),
        float64 [methods, 1 + samples, P], the run without sampling first; ``original`` [1], the
        exploitability to begin with; ``exact`` and ``exact_gain`` [methods], of exact re-solving.
    """
    decomposition.ensure()
    evaluator = Evaluator(cut.game)

    def both(profiles: Sequence[Profile]) -> dict[str, list[float]]:
        return {
            "exploitability": [evaluator.exploitability(profile) for profile in profiles],
            "gain": [one_on_one(evaluator, profile, original) for profile in profiles],
        }

    resolvers = []
    for method in METHODS:
        for s in range(1 + samples):
            rng = rng_for(seeds[0], "cfrd", "figure5", seeds[1], method, s) if s else None
            resolvers.append(Resolver(cut, original, method, rule, sampling=rng))
    found = follow(
        SideBySide(resolvers),
        points,
        lambda: both([resolver.profile() for resolver in resolvers]),
        STEP,
        checkpoint,
    )
    shape = (len(METHODS), 1 + samples, -1)
    exact = both([resolve_exactly(cut, original, method) for method in METHODS])
    return {
        "iterations": found["iterations"],
        "exploitability": found["exploitability"].T.reshape(shape),
        "gain": found["gain"].T.reshape(shape),
        "original": np.array([evaluator.exploitability(original)]),
        "exact": np.array(exact["exploitability"]),
        "exact_gain": np.array(exact["gain"]),
    }


def run(job: Job) -> None:
    """Run the stage."""
    config, name, cut = job.config, job.key["equilibrium"], artifacts.decomposition(job)
    merged = merged_cards(cut.game, config["merge"])
    original = abstract_equilibrium(cut.game, merged, name, config["cfr_plus_iterations"], job.seed)
    points, samples, seeds = config["points"], config["samples"], (job.seed, name)
    rule = artifacts.rule(job)
    arrays = improve(cut, rule, original, points, samples, seeds, job.checkpoint)
    job.save(artifacts.IMPROVED, arrays, {**job.key})
