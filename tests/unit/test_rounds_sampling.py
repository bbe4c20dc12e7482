"""Sampled deals: drawn fairly, looked up exactly, and right on average."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.solve import lp
from cfrlab.solve.rounds import kernels
from cfrlab.solve.rounds.averages import AVERAGES
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.profile import RoundProfile
from cfrlab.solve.rounds.response import best_responses
from cfrlab.solve.rounds.sampling import Sample, classes_of, draw
from cfrlab.solve.rounds.traversal import Board, Ends, Table
from cfrlab.solve.rule import Rule
from round_games import Both, both, random_phis, random_profile, tables

Reals = NDArray[Any]


def all_deals(cards: int) -> NDArray[np.int64]:
    """Every pair of hands on every ordered board, once."""
    found = []
    for one in combinations(range(cards), 2):
        rest = [c for c in range(cards) if c not in one]
        for two in combinations(rest, 2):
            left = [c for c in rest if c not in two]
            found += [(*one, *two, *board) for board in permutations(left, 2)]
    return np.array(found)


def decision_values(profile: RoundProfile, ends: Ends | None) -> list[Reals]:
    """Counterfactual values of both players at all decisions of all classes."""
    walk = profile.traversal
    out = [
        np.zeros((n, 2, p.nodes, p.lanes)) for n, p in zip(walk.game.hands, walk.plans, strict=True)
    ]

    def leave(board: Board, number: int, played: Table, value: Reals) -> None:
        kernels.up(walk.plans[board.round], *played, value)
        out[board.round][board.span] = value

    walk.walk(profile.play(), leave, ends=ends)
    return out


def sampled(profile: RoundProfile, deals: NDArray[np.int64]) -> list[Reals]:
    walk = profile.traversal
    return decision_values(profile, Sample.of(walk, classes_of(walk.game, deals)).ends)


@pytest.mark.parametrize("name", ["3x2", "4x2", "3x3", "2x4", "3x2 checks", "3x2 forced"])
def test_all_deals_once_are_a_full_traversal(name: str) -> None:
    given = both(name)
    profile = random_profile(given.game, 0)
    exact = decision_values(profile, None)
    deals = all_deals(len(given.game.deck))
    found = sampled(profile, np.random.default_rng(0).permutation(deals))
    assert len(deals) == given.game.pairs * np.prod([given.game.next_cards(r) for r in (1, 2)])
    for mine, theirs in zip(found, exact, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


def test_order_and_repetition_of_deals() -> None:
    """Values are sums over deals: twice the same deals are the same estimate."""
    given = both("3x4")
    profile = random_profile(given.game, 0)
    deals = draw(given.game, 500, np.random.default_rng(0))
    one = sampled(profile, deals)
    two = sampled(profile, np.concatenate([deals[::-1], deals]))
    for mine, theirs in zip(two, one, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("name", ["3x2", "3x4"])
def test_draws_are_deals_and_equally_likely(name: str) -> None:
    game = both(name).game
    count = 20_000
    deals = draw(game, count, np.random.default_rng(1))
    assert deals.shape == (count, 6)
    assert all(len(set(deal)) == 6 for deal in deals.tolist())
    cards = len(game.deck)
    for place in range(6):
        seen = np.bincount(deals[:, place], minlength=cards)
        error = np.sqrt(count / cards)
        assert (np.abs(seen - count / cards) < 5 * error).all()
    together = np.zeros((cards, cards))
    np.add.at(together, (deals[:, 0], deals[:, 5]), 1)
    expected = count / (cards * (cards - 1))
    assert (np.abs(together - expected)[~np.eye(cards, dtype=bool)] < 5.5 * expected**0.5).all()


def test_classes_of_deals() -> None:
    """By the names of cards: the representative of a class is a renaming of the deal."""
    game = both("3x4").game
    deck = game.deck
    deals = draw(game, 300, np.random.default_rng(2))
    suits = len(deck.suits)
    for r, found in enumerate(classes_of(game, deals)):
        classes = game.classes[r]
        for deal, pair in zip(deals, found, strict=True):
            for player, c in enumerate(pair):
                raw = {*deal[2 * player : 2 * player + 2].tolist()}
                board = deal[4 : 4 + r].tolist()
                images = []
                for image in permutations(range(suits)):
                    at = [card // suits * suits + image[card % suits] for card in range(len(deck))]
                    images.append(({at[card] for card in raw}, [at[card] for card in board]))
                hand = set(classes.hands[c].tolist())
                assert (hand, classes.boards[classes.board[c]].tolist()) in images
            assert classes.board[pair[0]] == classes.board[pair[1]]


def solver_of(given: Both, deals: int | None, seed: int = 0, **options: Any) -> RoundCFR:
    rule = options.pop("rule", Rule.named("cfr"))
    return RoundCFR(
        given.game, rule, averages=AVERAGES, deals=deals, seed=seed, dtype=np.float64, **options
    )


@pytest.mark.parametrize("kind", ["identity", "soft"])
def test_regrets_are_right_on_average(kind: str) -> None:
    """The first iteration's, over many seeds: within five standard errors wherever one looks."""
    given = both("3x2 one bet")
    phis = random_phis(given.game, kind, 0)
    exact = solver_of(given, None, abstraction=phis)
    exact.run(1)
    runs = 300
    found: list[list[Reals]] = []
    for seed in range(runs):
        solver = solver_of(given, 40, seed, abstraction=phis)
        solver.run(1)
        found.append(tables(solver, "regret"))
    for r, expected in enumerate(tables(exact, "regret")):
        samples = np.stack([tables_[r] for tables_ in found])
        error = samples.std(0, ddof=1) / runs**0.5
        assert (np.abs(samples.mean(0) - expected) <= 5.5 * error + 1e-9).all()
        assert error.max() > 0
        # Not within five by being wide.
        assert np.median(error[error > 0]) < np.abs(expected).max()


@pytest.mark.parametrize("alternating", [False, True])
def test_seeds_and_iterations_have_deals_of_their_own(alternating: bool) -> None:
    given, rule = both("3x4"), Rule.named("cfr", alternating)
    one, same, other = (solver_of(given, 50, seed, rule=rule) for seed in (1, 1, 2))
    for solver in (one, same, other):
        solver.run(3)
    for name in ("regret", "average_infoset"):
        for a, b, c in zip(*(tables(s, name) for s in (one, same, other)), strict=True):
            np.testing.assert_array_equal(a, b)
            assert (a != c).any()


def test_sampling_converges() -> None:
    """A tenth of the deals in each iteration, towards the value that a linear program finds."""
    given = both("3x2 one bet")
    value, _ = lp.solve(given.raw)
    solver = solver_of(given, 100)
    gaps = []
    for _ in solver.checkpoints([20, 2000]):
        b0, b1 = best_responses(solver.average("infoset"))
        assert -b1 - 1e-9 <= value <= b0 + 1e-9
        gaps.append(b0 + b1)
    assert gaps[1] < gaps[0] / 5


@pytest.mark.parametrize("deals", [0, -1])
def test_no_deals_are_refused(deals: int) -> None:
    with pytest.raises(CfrlabError, match=f"deals must be 1 or more, not {deals}"):
        solver_of(both("3x2"), deals)
