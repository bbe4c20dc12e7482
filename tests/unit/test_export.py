"""The Gambit export: what OpenSpiel and Gambit compute on it, and that every number reads back."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyspiel
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.games.export import Buckets, names, to_efg
from cfrlab.games.game import Game
from cfrlab.games.payoffs import Dense
from cfrlab.games.tree import Chance, Decision, PublicTree, Terminal
from cfrlab.games.zoo import double_board, hunl_river, kuhn, leduc, random_game
from cfrlab.solve import walk
from openspiel_bridge import export
from small_games import random_profile

RNG = np.random.default_rng

LABELS = ["a", "a", "", "", 'say "a"', "a\nb", "a\\", "\\", "{ } 0", "ä♠", " a", "a  b ", "a (2)"]
"""Names that formats trip over. Hands and outcomes of chance may share a name, actions may not."""


def oddly_named() -> Game:
    """A public card and a decision each, with all of ``LABELS`` for hands, cards and actions."""
    rng, n = RNG(5), len(LABELS)

    def decide(depth: int) -> Decision:
        actions = sorted(set(LABELS))[:: 1 + 3 * depth]
        return Decision(
            depth, {a: Terminal(int(rng.integers(4))) if depth else decide(1) for a in actions}
        )

    odds = rng.dirichlet(np.ones(n)).tolist()
    tree = PublicTree.build(
        Chance([(label, p, decide(0)) for label, p in zip(LABELS, odds, strict=True)])
    )
    # A slash could be part of an action or stand between two, an upright line before a hand.
    moved = [{"/": "a/b", "a": "b|x"}.get(label, label) for label in tree.label]
    payoffs = tuple(Dense(rng.normal(size=(n, 2))) for _ in range(4))
    hands = (tuple(LABELS), ("a b", "b"))
    weights = (np.ones(n), np.array([0.3, 1.0]))
    deal = Dense(np.ones((n, 2)))
    tree = replace(tree, label=tuple(moved))
    return Game('the "odd"\ngame \\', tree, payoffs, deal, hands, weights, "points")


GAMES = {
    "kuhn": kuhn.build(kuhn.Params(ranks=4), RNG(0)),
    "leduc": leduc.build(leduc.Params(), RNG(0)),
    "leduc cards": leduc.build(leduc.Params(merge_suits=False), RNG(0)),
    "river": hunl_river.build(hunl_river.Params(ranks="9TJQKA", suits="cd"), RNG(1)),
    "double": double_board.build(double_board.Params(ranks="TJQK", suits="cdhs"), RNG(1)),
    "odd names": oddly_named(),
    "random": random_game.build(random_game.Params(hands=8), RNG(2)),
    "random folds": random_game.build(
        random_game.Params(hands=8, folds="random", antisymmetric=False), RNG(2)
    ),
}


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return GAMES[request.param]


def value(game: Game, profile: tuple[np.ndarray, np.ndarray]) -> float:
    """Sum over terminals of the bilinear form, from the definition."""
    reach = walk.reaches(game, profile)
    chance = game.reach_of_chance()
    total = 0.0
    for z in game.tree.terminals:
        left, right = (game.weights[p] * reach[p][z] for p in (0, 1))
        stake = chance[z] * game.tree.scale[z] * game.norm
        total += stake * float(left @ game.payoffs[game.tree.payoff[z]].dense() @ right)
    return total


@pytest.mark.parametrize("seed", range(2))
def test_value_and_nash_conv_in_openspiel(game: Game, seed: int) -> None:
    profile = random_profile(game, seed)
    spiel = export(game)
    assert spiel.value(profile) == pytest.approx(value(game, profile), abs=1e-10)
    ours = sum(game.weights[p] @ walk.best_response_values(game, profile, p)[0] for p in (0, 1))
    assert spiel.nash_conv(profile) == pytest.approx(ours, abs=1e-10)


def random_buckets(game: Game, seed: int) -> Buckets:
    rng = RNG(seed)
    maps = [rng.permutation(np.arange(n) % (1 + (n - 1) // 2)) for n in game.n]
    return maps[0], maps[1]


@pytest.mark.parametrize("seed", range(2))
def test_bucketed_value_in_openspiel(game: Game, seed: int) -> None:
    buckets = random_buckets(game, seed)
    profile = random_profile(game, seed)
    lifted = (profile[0][:, buckets[0]], profile[1][:, buckets[1]])
    assert export(game, buckets).value(lifted) == pytest.approx(value(game, lifted), abs=1e-10)


def test_information_sets_are_nodes_times_hands_or_buckets() -> None:
    river = GAMES["river"]
    assert infosets(to_efg(river)) == 16 * 21
    buckets = (np.arange(21) % 4, np.arange(21) % 3)
    assert infosets(to_efg(river, buckets)) == 8 * 4 + 8 * 3
    # Leduc over cards: information sets where the public card is in the hand do not exist.
    assert infosets(to_efg(GAMES["leduc cards"])) == 936
    assert infosets(to_efg(GAMES["leduc"])) == 288


def infosets(text: str) -> int:
    return len({tuple(m) for m in re.findall(r'^p "" (\d) (\d+)', text, re.MULTILINE)})


def test_chance_probabilities_sum_to_one_and_are_those_of_the_cards() -> None:
    text = to_efg(GAMES["leduc"])
    lines = re.findall(r'^c "([^"]*)" \d+ "" \{ (.*) \} 0$', text, re.MULTILINE)
    for _, outcomes in lines:
        assert sum(Fraction(p) for p in re.findall(r'" ([\d./]+)', outcomes)) == 1
    # Two jacks, then no jack can come; jack and queen leave one of each and two kings.
    assert lines[0][1].startswith('"J J" 1/15 "J Q" 2/15')
    publics = {outcomes for name, outcomes in lines[1:]}
    assert '"Q" 1/2 "K" 1/2' in publics
    assert '"J" 1/4 "Q" 1/4 "K" 1/2' in publics


def test_probabilities_that_are_no_small_fractions_sum_to_exactly_one_too(game: Game) -> None:
    rng = RNG(7)
    game = replace(game, weights=(rng.random(game.n[0]), rng.random(game.n[1]) ** 40))
    for outcomes in re.findall(r'^c "[^"]*" \d+ "" \{ (.*) \} 0$', to_efg(game), re.MULTILINE):
        assert sum(Fraction(p) for p in re.findall(r'" ([\d./]+)(?= |$)', outcomes)) == 1
    profile = random_profile(game, 1)
    assert export(game).value(profile) == pytest.approx(value(game, profile), abs=1e-10)


def test_names_are_plain_and_distinct() -> None:
    found = names(LABELS)
    assert len(set(found)) == len(LABELS)
    assert all(re.fullmatch(r"[!#-.0-[\]-{}~]+( [!#-.0-[\]-{}~]+)*", name) for name in found)
    assert names(["bet 0.5", "all-in", "AsKd", "h1"]) == ["bet 0.5", "all-in", "AsKd", "h1"]
    assert names(["x", "x", "x (2)", "x"]) == ["x", "x (2)", "x (2) (2)", "x (3)"]


def test_a_public_card_that_never_comes_is_left_out() -> None:
    leduc_game = GAMES["leduc"]
    cards = np.array([{"K": 0.0}.get(name, 1.0) for name in leduc_game.tree.label])
    tree = replace(leduc_game.tree, chance=leduc_game.tree.chance * cards)
    game = replace(leduc_game, tree=tree)
    profile = random_profile(game, 0)
    assert export(game).value(profile) == pytest.approx(value(game, profile), abs=1e-12)


def test_gambit_agrees(game: Game) -> None:
    """Gambit is no dependency, since installing it means compiling it for half an hour."""
    gambit = pytest.importorskip("pygambit")
    uniform = gambit.read_efg(io.StringIO(to_efg(game))).mixed_behavior_profile()
    assert float(uniform.payoff("Player 0")) == pytest.approx(
        value(game, game.uniform()), abs=1e-10
    )


def test_payoffs_read_back_exactly() -> None:
    tricky = GAMES["kuhn"]
    odd = np.full((4, 4), 0.1) + RNG(0).random((4, 4)) * 1e-9
    np.fill_diagonal(odd, 0)
    game = Game(**{**tricky.__dict__, "payoffs": (Dense(odd), Dense(odd))})
    written = {float(a) for a in re.findall(r"^t .* \{ ([-\d.]+) ", to_efg(game), re.MULTILINE)}
    scale = set(game.tree.scale[game.tree.terminals].tolist())
    assert written == {float(u * s) for u in odd[odd != 0] for s in scale}


def test_export_is_the_same_text_each_time(game: Game) -> None:
    assert to_efg(game) == to_efg(game)


def test_large_games_are_refused_in_one_line() -> None:
    river = hunl_river.build(hunl_river.Params(), RNG(0))
    with pytest.raises(CfrlabError, match="1070190 pairs of hands x 45 public nodes") as error:
        to_efg(river)
    assert "\n" not in str(error.value)
    with pytest.raises(CfrlabError, match="more than 100"):
        to_efg(GAMES["leduc"], limit=100)


def test_a_payoff_for_a_pair_that_is_never_dealt_is_refused() -> None:
    game = GAMES["kuhn"]
    broken = Game(**{**game.__dict__, "payoffs": (Dense(np.ones((4, 4))), game.payoffs[1])})
    with pytest.raises(CfrlabError, match="payoff 0 pays a pair"):
        to_efg(broken)


def test_weights_of_hands_become_chance() -> None:
    game = GAMES["kuhn"]
    weights = (np.array([1.0, 0.0, 2.0, 0.5]), np.array([0.3, 1.0, 0.0, 1.0]))
    weighted = Game(**{**game.__dict__, "weights": weights})
    profile = random_profile(weighted, 3)
    assert export(weighted).value(profile) == pytest.approx(value(weighted, profile), abs=1e-12)
    assert '"2 3"' in to_efg(weighted)
    assert '"1 0"' not in to_efg(weighted)


def test_openspiel_loads_the_file(tmp_path: object) -> None:
    path = f"{tmp_path}/kuhn.efg"
    with open(path, "w") as file:
        file.write(to_efg(GAMES["kuhn"]))
    spiel = pyspiel.load_game(f"efg_game(filename={path})")
    assert spiel.num_players() == 2
