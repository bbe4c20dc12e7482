"""Features of hands against explicit counting, closed forms and plain enumeration."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import eval7
import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from cfrlab import plugins
from cfrlab.abstraction.features import equity, ev_nd, ev_root, rank, rank_2d
from cfrlab.errors import CfrlabError
from cfrlab.games.game import Game, Profile
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Decision, PublicTree, Terminal
from cfrlab.games.zoo import akq, double_board, hunl_river, kuhn
from cfrlab.solve import walk
from small_games import (
    Case,
    brute_force,
    one_card_poker,
    random_matrices,
    random_profile,
    river,
)

PACKAGE = "cfrlab.abstraction.features"


def compute(
    module: ModuleType, game: Game, player: int = 0, profile: Profile | None = None, **options: Any
) -> NDArray[np.float64]:
    values: NDArray[np.float64] = module.features(game, player, module.Params(**options), profile)
    return values


def fresh(module: ModuleType, **options: Any) -> Game:
    game: Game = module.build(module.Params(**options), np.random.default_rng(0))
    return game


# ---------------------------------------------------------------- all of them


def test_every_feature_is_found_by_name_and_follows_the_interface() -> None:
    names = plugins.names(PACKAGE)
    assert set(names) >= {"equity", "rank", "rank-2d", "ev-root", "ev-nd"}
    game = river(boards=2).game
    for name in names:
        module = plugins.load(PACKAGE, name, "feature")
        profile = game.uniform() if module.NEEDS_WARMUP else None
        for player in (0, 1):
            got = compute(module, game, player, profile)
            assert got.dtype == np.float64
            assert got.ndim == 2
            assert got.shape[0] == game.n[player]
            assert np.isfinite(got).all()
        with pytest.raises(ValidationError):
            module.Params(no_such_option=1)


@pytest.mark.parametrize("module", [ev_root, ev_nd])
def test_ev_features_ask_for_a_profile(module: ModuleType) -> None:
    assert module.NEEDS_WARMUP
    with pytest.raises(CfrlabError, match="needs the profile of a warm-up"):
        compute(module, river().game)


# ---------------------------------------------------------------- equity


def win_probability(hand: str, others: list[str], boards: list[str]) -> float:
    """Share of the pot won against every hand that shares no card, counted with eval7."""

    def strength(board: str, two: str) -> int:
        cards = [board[i : i + 2] for i in range(0, 10, 2)] + [two[:2], two[2:]]
        return int(eval7.evaluate([eval7.Card(c) for c in cards]))

    won, met = 0.0, 0
    mine = [strength(board, hand) for board in boards]
    for other in others:
        if {hand[:2], hand[2:]} & {other[:2], other[2:]}:
            continue
        met += 1
        for board, own in zip(boards, mine, strict=True):
            theirs = strength(board, other)
            won += ((own > theirs) + 0.5 * (own == theirs)) / len(boards)
    return won / met


@pytest.mark.parametrize("player", [0, 1])
def test_equity_on_a_river_is_the_share_won_against_990_hands(player: int) -> None:
    game = fresh(hunl_river, board="Ts3h2h5c9s")
    got = compute(equity, game, player)[:, 0]
    labels = list(game.hands[player])
    assert len(labels) == 1081
    for hand in (0, 77, 540, 1000, 1080):
        expected = win_probability(labels[hand], labels, ["Ts3h2h5c9s"])
        assert got[hand] == pytest.approx(expected, abs=1e-12)


def test_equity_on_two_boards_is_the_mean_share() -> None:
    boards = ["Ts3h2h5c9s", "AdKc4d4h8c"]
    game = fresh(double_board, boards=tuple(boards))
    got = compute(equity, game)[:, 0]
    labels = list(game.hands[0])
    for hand in (3, 430, 860):
        assert got[hand] == pytest.approx(win_probability(labels[hand], labels, boards), abs=1e-12)


def test_equity_of_three_cards() -> None:
    for module in (akq, kuhn):
        for player in (0, 1):
            got = compute(equity, fresh(module), player)[:, 0]
            np.testing.assert_allclose(got, [0.0, 0.5, 1.0], atol=1e-15)


@pytest.mark.parametrize("case", [random_matrices(), river(weighted=True), one_card_poker()])
@pytest.mark.parametrize("player", [0, 1])
def test_equity_is_the_stake_weighted_mean_over_showdowns(case: Case, player: int) -> None:
    """Outcome +-1 of every showdown, pair and public card, each in proportion to its stake."""
    game, tree = case.game, case.game.tree
    won, met = np.zeros(game.n[player]), np.zeros(game.n[player])
    chance = game.reach_of_chance()
    for z in tree.terminals:
        if tree.payoff[z] in game.fold_payoffs:
            continue
        boards = [tree.label[i] for i in tree.path(z) if i and tree.player[tree.parent[i]] == -1]
        for pair in itertools.product(range(game.n[0]), range(game.n[1])):
            if all(case.possible(*pair, board) for board in (None, *boards)):
                stake = tree.scale[z] * chance[z] * game.weights[1 - player][pair[1 - player]]
                outcome = case.settle(int(tree.payoff[z]), *pair) * (1 if player == 0 else -1)
                won[pair[player]] += stake * (1 + outcome) / 2
                met[pair[player]] += stake
    np.testing.assert_allclose(compute(equity, game, player)[:, 0], won / met, atol=1e-13)


def test_equity_stays_in_the_unit_interval_when_payoffs_are_chips() -> None:
    """A matrix of 30s and -30s is worth as much as one of ones with scale 30."""
    wins = np.array([[1.0, -1.0], [1.0, 1.0]])
    hands = ("a", "b")

    def one(matrix: NDArray[np.float64], scale: float) -> Game:
        tree = PublicTree.build(Decision(0, {"show": Terminal(0, scale)}))
        ones = (np.ones(2), np.ones(2))
        return Game(
            "tiny", tree, (Dense(matrix),), Dense(np.ones((2, 2))), (hands, hands), ones, "c"
        )

    for game in (one(wins, 30.0), one(30.0 * wins, 1.0)):
        np.testing.assert_allclose(compute(equity, game)[:, 0], [0.5, 1.0])
        np.testing.assert_allclose(compute(equity, game, 1)[:, 0], [0.0, 0.5])


def test_a_hand_that_blocks_everybody_has_even_equity() -> None:
    tree = PublicTree.build(Terminal(0, 1.0))
    deal = Dense(np.array([[0.0, 0.0], [1.0, 1.0]]))
    hands = ("never", "dealt")
    game = Game("tiny", tree, (deal,), deal, (hands, hands), (np.ones(2), np.ones(2)), "chips")
    np.testing.assert_array_equal(compute(equity, game)[:, 0], [0.5, 1.0])


def test_equity_needs_a_showdown() -> None:
    game = Game(**{**random_matrices().game.__dict__, "fold_payoffs": frozenset(range(9))})
    with pytest.raises(CfrlabError, match="no showdown, every terminal is a fold"):
        compute(equity, game)


# ---------------------------------------------------------------- rank


def ranked(strengths: list[list[float]]) -> Game:
    """A game whose hands have the given strengths, by board."""
    n = len(strengths[0])
    ones = Dense(np.ones((n, n)))
    hands = tuple(map(str, range(n)))
    tree = PublicTree.build(Terminal(0, 1.0))
    both = (np.ones(n), np.ones(n))
    return Game("made", tree, (ones,), ones, (hands, hands), both, "x", 1.0, np.array(strengths))


def test_rank_is_the_mean_position_of_tied_hands() -> None:
    game = ranked([[7.0, 100.0, 7.0, 3.0, 7.0], [1.0, 2.0, 3.0, 4.0, 5.0]])
    np.testing.assert_allclose(compute(rank, game), [[0.5], [1.0], [0.5], [0.0], [0.5]])
    np.testing.assert_allclose(
        compute(rank_2d, game), [[0.5, 0.0], [1.0, 0.25], [0.5, 0.5], [0.0, 0.75], [0.5, 1.0]]
    )
    np.testing.assert_allclose(
        compute(rank, game, boards="mean")[:, 0], compute(rank_2d, game).mean(1)
    )
    np.testing.assert_array_equal(compute(rank, ranked([[4.0]])), [[0.0]])


def test_rank_orders_real_hands_as_eval7_does() -> None:
    board = "Ts3h2h5c9s"
    game = fresh(hunl_river, board=board)
    table = [board[i : i + 2] for i in range(0, 10, 2)]
    strength = np.array(
        [eval7.evaluate([eval7.Card(c) for c in (*table, h[:2], h[2:])]) for h in game.hands[0]]
    )
    got = compute(rank, game)[:, 0]
    beaten = (strength[:, None] > strength).sum(1) + 0.5 * (
        (strength[:, None] == strength).sum(1) - 1
    )
    np.testing.assert_allclose(got, beaten / 1080, atol=1e-15)


def test_ranks_refuse_games_without_them() -> None:
    with pytest.raises(CfrlabError, match=r"feature rank: the hands of game .* have no strengths"):
        compute(rank, random_matrices().game)
    with pytest.raises(CfrlabError, match="feature rank-2d: game small river has a single board"):
        compute(rank_2d, river().game)
    lopsided = Game(**{**random_matrices((5, 4)).game.__dict__, "strengths": np.ones((1, 4))})
    with pytest.raises(CfrlabError, match="4 strengths a board for player 0's 5 hands"):
        compute(rank, lopsided)


# ---------------------------------------------------------------- expected values


def test_root_values_of_the_solved_akq_game() -> None:
    """Pot 1, bet 1/2: aces bet, 1/3 of queens bluff, kings call 1/3; value 1/36."""
    game = fresh(akq)
    root = {game.tree.label[c]: game.tree.row[c] for c in game.tree.children[0]}
    bet, check = next(r for k, r in root.items() if k.startswith("bet")), root["check"]
    (reply,) = game.tree.decisions(1)
    fold, call = game.tree.row[list(game.tree.children[reply])]
    first, second = np.zeros((2, 3)), np.zeros((2, 3))
    first[bet], second[call] = [1 / 3, 0, 1], [0, 1 / 3, 1]
    first[check], second[fold] = 1 - first[bet], 1 - second[call]
    profile = first, second
    ev0, ev1 = (compute(ev_root, game, p, profile)[:, 0] for p in (0, 1))
    np.testing.assert_allclose(ev0, [-1 / 2, 0, 7 / 12], atol=1e-15)
    np.testing.assert_allclose(ev1, [-1 / 2, -1 / 6, 7 / 12], atol=1e-15)
    assert ev0.mean() == pytest.approx(1 / 36, abs=1e-15)
    # The second player's root is the first player's decision, not its own.
    at_reply = walk.expected_values(game, profile)[1][reply]
    assert abs(at_reply - ev1).max() > 0.1


@pytest.mark.parametrize("case", [river(weighted=True), random_matrices(), one_card_poker()])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("own", [False, True])
def test_ev_nd_weighs_every_decision_node_by_depth(case: Case, player: int, own: bool) -> None:
    game, profile = case.game, random_profile(case.game, seed=2, zeros=True)
    brute = brute_force(case, profile)
    decisions = [n for n in range(len(game.tree)) if game.tree.player[n] >= 0]
    nodes = [n for n in decisions if not own or game.tree.player[n] == player]
    value, reach = brute.values[player][nodes], brute.reach[player][nodes]
    depth = np.array([len(list(game.tree.path(n))) - 1 for n in nodes])
    ev = np.where(reach > 0, value / np.where(reach > 0, reach, 1.0), 0.0)
    options: dict[str, Any] = {"decay": 0.3, "nodes": "own" if own else "all"}
    got = compute(ev_nd, game, player, profile, **options)
    assert (reach == 0).any()
    np.testing.assert_allclose(got, (ev * 0.3 ** depth[:, None]).T, atol=1e-12)
    raw = compute(ev_nd, game, player, profile, normalised=False, **options)
    np.testing.assert_allclose(raw, (value * 0.3 ** depth[:, None]).T, atol=1e-14)


def test_ev_nd_defaults_and_first_column() -> None:
    game = river().game
    profile = random_profile(game, seed=3)
    params = ev_nd.Params()
    assert (params.decay, params.nodes, params.normalised) == (0.5, "all", True)
    for p in (0, 1):
        got = compute(ev_nd, game, p, profile)
        assert got.shape == (game.n[p], 5)
        np.testing.assert_array_equal(got[:, :1], compute(ev_root, game, p, profile))


@pytest.mark.parametrize("options", [{"decay": 0.0}, {"decay": -1.0}, {"nodes": "some"}])
def test_ev_nd_options_out_of_range(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ev_nd.Params(**options)
