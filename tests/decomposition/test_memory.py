"""The memory calculator against published counts, lists of deals, and games as they are built."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from cfrlab.decomposition.canonical import Deal
from cfrlab.decomposition.memory import (
    BettingRound,
    footprint,
    leduc_holdem,
    limit_holdem,
    of_game,
    splits,
)
from cfrlab.errors import CfrlabError
from cfrlab.games.zoo import leduc as leduc_module
from leduc_cut import leduc

HOLDEM = limit_holdem()


def test_canonical_hands_of_holdem() -> None:
    """Waugh, *A fast and optimal hand isomorphism algorithm*, 2013."""
    expected = [169, 1_286_792, 55_190_538, 2_428_287_420]
    assert [HOLDEM.deal.canonical(r) for r in range(1, 5)] == expected


def test_betting_of_limit_holdem() -> None:
    assert BettingRound.limit(4) == BettingRound(10, 26, 9)
    assert BettingRound.limit(4, blind=True) == BettingRound(8, 21, 7)


def test_published_sizes_of_limit_holdem() -> None:
    """Johanson, *Measuring the size of large no-limit poker games*, 2013."""
    assert HOLDEM.infosets(canonical=False) == 319_365_922_522_608
    assert HOLDEM.infosets() == 13_803_249_787_132
    assert HOLDEM.infoset_actions() == 35_888_449_446_577


def test_cfrd_fits_in_16_gigabytes_after_the_flop_alone() -> None:
    preflop, flop, turn = splits(HOLDEM)
    assert flop.trunk == 234_199_693 * 16
    assert flop.root_values == 2 * 63 * 1_286_792 * 8
    assert flop.subgame == 9_542_158_080
    assert flop.cfrd == pytest.approx(14.59e9, rel=1e-3)
    assert flop.strategy == pytest.approx(287.1e12, rel=1e-3)
    assert flop.cfr == 2 * flop.strategy
    assert turn.trunk == pytest.approx(1.45e12, rel=1e-2)
    assert min(preflop.cfrd, turn.cfrd) > 16e9


@pytest.mark.parametrize(
    ("ranks", "suits", "hole", "board"),
    [
        (3, 2, 1, (0, 1)),
        (3, 3, 1, (0, 1)),
        (3, 3, 2, (0, 1)),
        (2, 4, 1, (0, 2)),
        (4, 2, 1, (0, 1, 1)),
    ],
)
def test_canonical_counts_by_listing(
    ranks: int, suits: int, hole: int, board: tuple[int, ...]
) -> None:
    deck = list(itertools.product(range(ranks), range(suits)))
    deal = Deal(ranks, suits, hole, board)
    for rounds in range(1, len(board) + 1):
        deals = [()]
        for size in (hole, *board[:rounds]):
            deals = [
                (*d, cards)
                for d in deals
                for cards in itertools.combinations([c for c in deck if c not in sum(d, ())], size)
            ]
        assert deal.raw(rounds) == len(deals)
        classes = {
            min(
                tuple(tuple(sorted((r, order[s]) for r, s in part)) for part in d)
                for order in itertools.permutations(range(suits))
            )
            for d in deals
        }
        assert deal.canonical(rounds) == len(classes)
        assert Deal(ranks, suits, hole, board, ranked=True).canonical(rounds) == len(
            {tuple(tuple(sorted(r for r, _ in part)) for part in d) for d in deals}
        )


def test_a_subgame_below_the_least_symmetric_board() -> None:
    assert HOLDEM.deal.below(2, 3) == 1176 * 47
    assert HOLDEM.deal.below(2, 4) == 1176 * 47 * 46
    # Two suits of four are not on a board of two cards: hands with either are alike.
    deal = Deal(3, 4, 1, (0, 2, 1))
    deck = [(r, s) for r in range(3) for s in range(4) if (r, s) not in ((0, 0), (1, 1))]
    deals = [(a, b) for a in deck for b in deck if a != b]
    swap = {0: 0, 1: 1, 2: 3, 3: 2}
    classes = {min(d, tuple((r, swap[s]) for r, s in d)) for d in deals}
    assert deal.below(2, 3) == len(classes)


@pytest.mark.parametrize(
    "params",
    [{}, {"ranks": 5, "suits": 3, "max_raises": 3}, {"ranks": 4, "suits": 2, "max_raises": 0}],
)
def test_calculator_counts_what_games_hold(params: dict[str, Any]) -> None:
    rules, built = leduc_holdem(leduc_module.Params(**params)), of_game(leduc(**params))
    at = footprint(rules, 1)
    for name in ("strategy", "cfr", "trunk", "root_values", "subgame", "cfrd"):
        assert getattr(at, name) == getattr(built, name)
    game = leduc(**params).game
    decisions = sum(len(game.tree.decisions(p)) * game.n[p] for p in (0, 1))
    assert rules.infosets() == decisions


def test_infosets_of_leduc() -> None:
    assert leduc_holdem(leduc_module.Params()).infosets() == 288
    assert leduc_holdem(leduc_module.Params()).infosets(canonical=False) == 936


@pytest.mark.parametrize("rounds", [0, 4])
def test_a_trunk_must_leave_a_subgame(rounds: int) -> None:
    with pytest.raises(CfrlabError, match="choose 1 to 3"):
        footprint(HOLDEM, rounds)
