"""Every way to a number refuses what is no strategy, of either player, in one line."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.solve import walk
from cfrlab.solve.response import Evaluator, exploitability
from cfrlab.solve.rounds.profile import RoundProfile
from cfrlab.solve.rounds.response import best_responses, expected_payoffs
from cfrlab.solve.rounds.values import expected_values
from round_games import both, random_phis, random_profile
from solver_games import zoo

PLAYERS = pytest.mark.parametrize("player", [0, 1])

MEASURES: dict[str, Callable[[Game, Profile], object]] = {
    "Evaluator.value": lambda g, p: Evaluator(g).value(p),
    "Evaluator.best_response of 0": lambda g, p: Evaluator(g).best_response(p, 0),
    "Evaluator.best_response of 1": lambda g, p: Evaluator(g).best_response(p, 1),
    "Evaluator.nash_conv": lambda g, p: Evaluator(g).nash_conv(p),
    "Evaluator.exploitability": lambda g, p: Evaluator(g).exploitability(p),
    "exploitability": exploitability,
    "walk.reaches": walk.reaches,
    "walk.node_values": walk.node_values,
    "walk.best_response_values of 0": lambda g, p: walk.best_response_values(g, p, 0),
    "walk.best_response_values of 1": lambda g, p: walk.best_response_values(g, p, 1),
    "walk.value": walk.value,
    "walk.compatible_reach": walk.compatible_reach,
    "walk.expected_values": walk.expected_values,
}


def last_row(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Change the last number alone."""

    def changed(rows: Any) -> Any:
        out = rows.copy()
        out.flat[-1] = change(out.flat[-1])
        return out

    return changed


FAULTS: dict[str, Callable[[Any], Any]] = {
    "zeros": np.zeros_like,
    "one number too large": last_row(lambda x: x + 1e-3),
    "not a number": last_row(lambda x: np.nan),
    "infinite": last_row(lambda x: np.inf),
    "row missing": lambda rows: rows[:-1],
    "hand missing": lambda rows: rows[..., :-1],
    "one row for all": lambda rows: rows[:1],
}


@pytest.mark.parametrize("measure", list(MEASURES))
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_trees(name: str, measure: str) -> None:
    game = zoo(name)
    for player, fault in itertools.product((0, 1), FAULTS):
        rows = list(game.uniform())
        rows[player] = FAULTS[fault](rows[player])
        with pytest.raises(CfrlabError, match=f"player {player}'s strategy") as refused:
            MEASURES[measure](game, (rows[0], rows[1]))
        assert "\n" not in str(refused.value), fault


@PLAYERS
@pytest.mark.parametrize("measure", list(MEASURES))
def test_negative_probabilities_that_sum_to_one(measure: str, player: int) -> None:
    game = zoo("leduc")
    profile = game.uniform()
    node = int(game.tree.decisions(player)[-1])
    first, second = game.tree.row[list(game.tree.children[node])[:2]]
    profile[player][first, 0] -= 0.75
    profile[player][second, 0] += 0.75
    with pytest.raises(CfrlabError, match="is not a probability distribution"):
        MEASURES[measure](game, profile)


@pytest.mark.parametrize("measure", list(MEASURES))
def test_one_player_alone_is_no_profile(measure: str) -> None:
    game = zoo("leduc")
    with pytest.raises(CfrlabError, match="each of the two players, not 1"):
        MEASURES[measure](game, game.uniform()[:1])  # type: ignore[arg-type]


def test_the_message_names_the_decision() -> None:
    game = zoo("leduc")
    for node in game.tree.decisions(1):
        profile = game.uniform()
        profile[1][game.tree.row[game.tree.children[node][0]], -1] += 0.01
        where = game.tree.describe(int(node))
        with pytest.raises(CfrlabError) as refused:
            Evaluator(game).nash_conv(profile)
        assert f"player 1's strategy at {where} is not" in str(refused.value)


@pytest.mark.parametrize("measure", list(MEASURES))
def test_rounding_of_single_precision_is_no_fault(measure: str) -> None:
    game = zoo("leduc")
    sigma = game.uniform()
    for p in (0, 1):
        for node in game.tree.decisions(p):
            rows = game.tree.row[list(game.tree.children[node])]
            weights = np.random.default_rng(int(node)).random((len(rows), game.n[p]))
            sigma[p][rows] = weights / weights.sum(0)
    single = sigma[0].astype(np.float32), sigma[1].astype(np.float32)
    MEASURES[measure](game, single)  # type: ignore[arg-type]


ROUND_MEASURES: dict[str, Callable[[RoundProfile], object]] = {
    "best_responses": best_responses,
    "expected_payoffs": expected_payoffs,
    "expected_values": lambda p: expected_values(p.traversal.game, p),
}


@pytest.mark.parametrize("kind", ["identity", "buckets", "soft"])
@pytest.mark.parametrize("measure", list(ROUND_MEASURES))
def test_rounds(measure: str, kind: str) -> None:
    game = both("3x2").game
    for dtype in (np.float32, np.float64):
        profile = random_profile(game, 1, dtype, random_phis(game, kind, 1))
        ROUND_MEASURES[measure](profile)
        for r, fault in itertools.product(range(game.rounds), FAULTS):
            group = profile.blocks[r]
            assert isinstance(group, list)
            rows = group[-1]
            if fault == "one row for all" and len(rows) == 1:
                continue
            group[-1] = FAULTS[fault](rows)
            with pytest.raises(CfrlabError, match=f"the strategy of round {r + 1}") as refused:
                ROUND_MEASURES[measure](profile)
            assert "\n" not in str(refused.value), fault
            group[-1] = rows
        ROUND_MEASURES[measure](profile)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_sums_that_are_no_sums_of_strategies(value: float) -> None:
    profile = random_profile(both("3x2").game, 1)
    sums = tuple([block.copy() for block in group] for group in profile.blocks)
    sums[-1][-1].flat[-1] = value
    with pytest.raises(CfrlabError, match="negative or not finite"):
        RoundProfile.of_sums(profile.traversal, profile.links, sums)
    with pytest.raises(CfrlabError, match="the strategy of round 3 has blocks"):
        RoundProfile.of_sums(profile.traversal, profile.links, sums[:-1])
