"""Public chance sampling: right on average, and the same as CFR where nothing is left to chance."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Chance, Decision, Node, PublicTree, Terminal
from cfrlab.games.zoo import leduc, numeral211
from cfrlab.solve import walk
from cfrlab.solve.cfr import CFR
from cfrlab.solve.pcs import SampledCFR, first_chance
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from small_games import betting, random_profile
from solver_games import small_zoo, zoo

RNG = np.random.default_rng


def twin_boards() -> Game:
    """Kuhn poker behind a public coin that means nothing."""
    kuhn = zoo("kuhn")

    def nested(node: int) -> Node:
        tree = kuhn.tree
        if tree.player[node] < 0:
            return Terminal(int(tree.payoff[node]), float(tree.scale[node]))
        actions = {tree.label[c]: nested(c) for c in tree.children[node]}
        return Decision(int(tree.player[node]), actions)

    tree = PublicTree.build(Chance([("heads", 0.5, nested(0)), ("tails", 0.5, nested(0))]))
    return Game(**{**kuhn.__dict__, "tree": tree})


@pytest.mark.parametrize("rule", ["cfr", "cfr-plus"])
def test_each_outcome_is_a_run_of_its_own(rule: str) -> None:
    """Each side of the coin is CFR on Kuhn poker, for as many iterations as it came up."""
    game, named = twin_boards(), Rule.named(rule, averaging=0.0)
    draws = np.random.default_rng(4).integers(2, size=200)
    solver = SampledCFR(game, named, [0], np.random.default_rng(4))
    solver.run(200)
    found = solver.average()
    for side in (0, 1):
        plain = CFR(zoo("kuhn"), named)
        plain.run(int((draws == side).sum()))
        for p in (0, 1):
            half = len(found[p]) // 2
            np.testing.assert_allclose(
                found[p][side * half : (side + 1) * half], plain.average()[p], atol=1e-9
            )


def unequal_chance() -> Game:
    """Leduc whose public card is a queen most of the time, and never a king."""
    game = zoo("leduc")
    drawn = np.isin(np.arange(len(game.tree)), first_chance(game.tree))[game.tree.parent]
    odds = np.array([{"J": 0.05, "Q": 0.4, "K": 0.0}.get(name, 1.0) for name in game.tree.label])
    chance = np.where(drawn, odds, game.tree.chance)
    return replace(game, tree=replace(game.tree, chance=chance))


SAMPLED = {
    "leduc": zoo("leduc"),
    "leduc over cards": leduc.build(leduc.Params(merge_suits=False), RNG(0)),
    "leduc of one suit": leduc.build(leduc.Params(suits=1), RNG(0)),
    "numeral211": numeral211.build(
        numeral211.Params(ranks="234", suits="cd", max_raises=1), RNG(0)
    ),
    "unequal": unequal_chance(),
}


def fixed(outcome: int) -> Any:
    """A generator that draws the same outcome every time."""
    return SimpleNamespace(integers=lambda _, size: np.full(size, outcome))


@pytest.mark.parametrize("name", SAMPLED)
def test_regrets_are_right_on_average(name: str) -> None:
    """The mean over all draws of an iteration's regrets, from random strategies.

    The exact ones are those of NumPy's walker, which knows nothing of sampling.
    """
    game, rule = SAMPLED[name], Rule.named("cfr", alternating=False)
    nodes = first_chance(game.tree)
    profile = random_profile(game, 1)
    like = CFR(game, rule)
    for p, me in enumerate(like.learners):
        me.sigma.reshape(-1, game.n[p])[like.compiled.row_of[p]] = profile[p]
    mean = tuple(np.zeros_like(rows) for rows in profile)
    outcomes = len(game.tree.children[nodes[0]])
    for outcome in range(outcomes):
        solver = SampledCFR(game, rule, nodes, fixed(outcome), like)
        solver.run(1)
        piece, sampled = solver._pieces[outcome], solver._solvers[outcome]
        for p, me in enumerate(sampled.learners):
            here, there = piece.rows(game.tree, p)
            regret = me.regret.reshape(-1, game.n[p])[sampled.compiled.row_of[p]]
            mean[p][there] += regret[here] / outcomes
    values = walk.node_values(game, profile)
    for p in (0, 1):
        for node in game.tree.decisions(p):
            children = list(game.tree.children[node])
            rows, won = game.tree.row[children], values[p][children]
            exact = won - (profile[p][rows] * won).sum(0)
            np.testing.assert_allclose(mean[p][rows], exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["leduc over cards", "leduc of one suit"])
def test_games_with_cards_in_hands_converge(name: str) -> None:
    """Games in which the outcomes' probabilities, given a pair of hands, add up to more than 1."""
    game = SAMPLED[name]
    solver = SampledCFR(game, Rule.named("cfr"), first_chance(game.tree), RNG(0))
    evaluator = Evaluator(game)
    start = evaluator.exploitability(solver.average())
    solver.run(4000)
    assert evaluator.exploitability(solver.average()) < 0.05 * start


def test_leduc_converges_more_slowly_than_with_every_board() -> None:
    game = zoo("leduc")
    evaluator = Evaluator(game)
    plain = CFR(game, Rule.named("cfr"))
    plain.run(10_000)
    for seed in range(2):
        nodes = first_chance(game.tree)
        solver = SampledCFR(game, Rule.named("cfr"), nodes, np.random.default_rng(seed))
        found = []
        for _ in solver.checkpoints([100, 10_000]):
            game.check_profile(solver.average())
            found.append(evaluator.exploitability(solver.average()))
        assert found[1] < found[0] / 4
        assert evaluator.exploitability(plain.average()) < found[1] < 0.06


def test_parts_of_a_run_are_the_run() -> None:
    game = zoo("leduc")
    runs = [
        SampledCFR(game, Rule.named("cfr"), first_chance(game.tree), np.random.default_rng(1))
        for _ in range(2)
    ]
    runs[0].run(30)
    for n in (1, 9, 20):
        runs[1].run(n)
    # Draws come in blocks; the stream is the same for blocks of any size.
    for p in (0, 1):
        np.testing.assert_array_equal(runs[0].average()[p], runs[1].average()[p])


def uneven_boards() -> Game:
    """After the public draw there is a round of betting, nothing, or a forced move and a choice."""
    rng = np.random.default_rng(0)
    payoffs = (Dense(np.ones((3, 3))), *(Dense(rng.normal(size=(3, 3))) for _ in range(4)))

    def draw(stake: float) -> Node:
        choice = Decision(0, {"a": Terminal(1, stake), "b": Terminal(2, stake)})
        return Chance(
            [
                ("betting", 1 / 3, betting(0, lambda: 3, stake)),
                ("end", 1 / 3, Terminal(4, stake)),
                ("forced", 1 / 3, Decision(1, {"on": choice})),
            ]
        )

    called = Decision(1, {"fold": Terminal(0, 1.0), "call": draw(2.0)})
    root = Decision(0, {"check": draw(1.0), "bet": called})
    hands, ones = ("a", "b", "c"), np.ones(3)
    tree = PublicTree.build(root)
    return Game("uneven", tree, payoffs, payoffs[0], (hands, hands), (ones, ones), "points")


def test_outcomes_may_lead_to_games_of_different_shapes() -> None:
    game = uneven_boards()
    evaluator, nodes = Evaluator(game), first_chance(game.tree)
    solver = SampledCFR(game, Rule.named("cfr"), nodes, np.random.default_rng(0))
    before = evaluator.exploitability(solver.average())
    solver.run(5000)
    game.check_profile(solver.average())
    assert evaluator.exploitability(solver.average()) < before / 20


def test_mistakes() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(CfrlabError, match="0 chance nodes"):
        SampledCFR(small_zoo()["kuhn"], Rule.named("cfr"), [], rng)
    game = zoo("leduc")
    solver = SampledCFR(game, Rule.named("cfr"), first_chance(game.tree), rng)
    with pytest.raises(CfrlabError, match="cannot run -1"):
        solver.run(-1)
