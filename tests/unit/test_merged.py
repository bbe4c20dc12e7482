"""Merged infosets: the linear program and CFR agree, and regrets are summed before clipping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Chance, Decision, PublicTree, Terminal
from cfrlab.papers.cfrd.stages.improve import merged_cards
from cfrlab.solve import lp
from cfrlab.solve.cfr import CFR
from cfrlab.solve.merged import Merged, MergedCFR
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from solver_games import small_zoo, zoo

RULES = ("cfr", "cfr-plus", "pcfr-plus", "dcfr", "linear-cfr")
MERGE: list[dict[str, Any]] = [
    {"hand": "J", "cards": ["Q", "K"]},
    {"hand": "K", "cards": ["J", "Q"]},
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["kuhn", "leduc", "river", "dice"])
def test_nothing_merged_is_plain_cfr(rule: str, name: str) -> None:
    game = small_zoo()[name]
    plain, merged = (
        CFR(game, Rule.named(rule)),
        MergedCFR(game, Rule.named(rule), Merged.apart(game)),
    )
    for solver in (plain, merged):
        solver.run(20)
    for p in (0, 1):
        np.testing.assert_array_equal(plain.average()[p], merged.average()[p])


def test_the_abstraction_of_leduc() -> None:
    """228 rank infosets; its linear program's strategy is exploitable by .382 (Burch et al.)."""
    game = zoo("leduc")
    merged = merged_cards(game, MERGE)
    labels = [len(np.unique(m[:, h])) for m in merged.labels for h in range(3)]
    assert sum(labels) == 228
    value, profile = lp.solve(game, merged=merged)
    game.check_profile(profile)
    assert Evaluator(game).exploitability(profile) == pytest.approx(0.382, abs=0.02)
    other = lp.random_equilibrium(game, np.random.default_rng(3), merged)
    game.check_profile(other)
    for p in (0, 1):
        mixed = (profile[0], other[1]) if p else (other[0], profile[1])
        assert Evaluator(game).value(mixed) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("rule", ["cfr-plus", "dcfr"])
def test_cfr_finds_the_value_of_the_merged_game(rule: str) -> None:
    game = zoo("leduc")
    merged = merged_cards(game, MERGE)
    solver = MergedCFR(game, Rule.named(rule), merged)
    solver.run(3000)
    profile, (value, _) = solver.average(), lp.solve(game, merged=merged)
    assert Evaluator(game).value(profile) == pytest.approx(value, abs=2e-3)
    for p in (0, 1):
        rows = merged.representatives(game.tree, p)
        np.testing.assert_allclose(profile[p], np.take_along_axis(profile[p], rows, 0), atol=1e-12)


def coin(bias: float) -> tuple[Game, Merged]:
    """Chance draws a side, unseen; player 0 names it and wins or loses 1."""
    sides = [Decision(0, {"heads": Terminal(0, s), "tails": Terminal(0, -s)}) for s in (1.0, -1.0)]
    tree = PublicTree.build(Chance([("h", bias, sides[0]), ("t", 1 - bias, sides[1])]))
    one = Dense(np.ones((1, 1)))
    game = Game("coin", tree, (one,), one, (("-",), ("-",)), (np.ones(1), np.ones(1)), "points")
    return game, Merged((np.zeros((2, 1), np.int64), np.zeros((0, 1), np.int64)))


@pytest.mark.parametrize("rule", RULES)
def test_regrets_are_summed_before_they_are_clipped(rule: str) -> None:
    """Clipped one by one, the two nodes' regrets for opposite actions would both survive."""
    game, merged = coin(0.6)
    solver = MergedCFR(game, Rule.named(rule), merged)
    solver.run(1)
    np.testing.assert_allclose(solver.current()[0][:, 0], [1, 0, 1, 0])
    solver.run(50)
    assert solver.average()[0][0, 0] > 0.95
    value, profile = lp.solve(game, merged=merged)
    assert value == pytest.approx(0.2)
    np.testing.assert_allclose(profile[0][:, 0], [1, 0, 1, 0])


def test_mistakes() -> None:
    game = zoo("leduc")
    wrong = Merged.apart(zoo("kuhn"))
    with pytest.raises(CfrlabError, match="this game needs"):
        MergedCFR(game, Rule.named("cfr"), wrong)
    labels = [m.copy() for m in Merged.apart(game).labels]
    decisions = game.tree.decisions(0)
    names = [game.tree.describe(int(n)) for n in decisions]
    one, two = names.index("check/check/J"), names.index("bet/call/J")
    labels[0][two, 1] = labels[0][one, 1]
    with pytest.raises(CfrlabError, match="would forget"):
        lp.solve(game, merged=Merged((labels[0], labels[1])))
    labels = [m.copy() for m in Merged.apart(game).labels]
    labels[0][names.index("check/bet"), 1] = labels[0][0, 1]
    with pytest.raises(CfrlabError, match="other actions"):
        lp.solve(game, merged=Merged((labels[0], labels[1])))
