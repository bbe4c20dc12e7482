"""Every kind of mistake in a configuration gives exactly one line that says what to do."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from cfrlab import config
from cfrlab.errors import CfrlabError
from cfrlab.papers.weva.plan import WevaPlan
from cfrlab.papers.weva.section import game_seed

ROOT = Path(__file__).parents[2]
REMOVE = object()

BASE: dict[str, Any] = {
    "seed": 1,
    "results_dir": "results/",
    "weva": {
        "games": {
            "hunl-river": {"ranks": "TJQKA", "suits": "cdh"},
            "small": {"zoo": "random-game", "hands": 6},
        },
        "instances": 2,
        "warmup": {"solver": "cfr", "alternating": False, "averaging": 0},
        "methods": {
            "equity": {},
            "rank": {"games": ["hunl-river"]},
            "ev-nd": {"warmups": [2, 5]},
            "own": {"feature": "ev-nd", "warmups": [5], "params": {"nodes": "own"}},
        },
        "buckets": [2, 6],
        "kmeans": {"seeds": 2, "n_init": 1},
        "iterations": 10,
        "solvers": ["pcfr-plus", "dcfr"],
        "averaging": {"uniform": {"alternating": False, "power": 0}},
        "figure1": {"iterations": 20, "points": [1, 5]},
        "figure6": {"solver": "dcfr", "buckets": 6, "points": [5, 10]},
    },
}


def changed(key: str, value: Any) -> dict[str, Any]:
    """The base with the value at a slash-separated key replaced, or removed."""
    result = copy.deepcopy(BASE)
    *above, last = key.split("/")
    place = result
    for part in above:
        place = place[part]
    if value is REMOVE:
        del place[last]
    else:
        place[last] = value
    return result


SECTIONS = (
    "averaging, buckets, figure1, figure6, games, instances, iterations, kmeans, methods, solvers, "
    "warmup"
)
ZOO = "akq, double-board, hunl-river, kuhn, leduc, numeral211, random-game"
SOLVERS = "cfr, cfr-plus, dcfr, linear-cfr, pcfr-plus"

MIXED = "would mix results with other files; use a folder of its own, such as results/mine"
MISTAKES = [
    ("results_dir", "/", f"results_dir: '/' {MIXED}"),
    ("results_dir", "src", f"results_dir: 'src' {MIXED}"),
    ("results_dir", "results/../x", f"results_dir: 'results/../x' {MIXED}"),
    # Unknown and missing keys, at every level.
    (
        "sed",
        1,
        "sed: unknown key (allowed here: cfrd, embedding, results_dir, seed, weva); "
        "did you mean 'seed'?",
    ),
    (
        "weva/kmean",
        {},
        f"weva.kmean: unknown key (allowed here: {SECTIONS}); did you mean 'kmeans'?",
    ),
    (
        "weva/kmeans/sed",
        2,
        "weva.kmeans.sed: unknown key (allowed here: n_init, seed, seeds); did you mean 'seed'?",
    ),
    (
        "weva/games/hunl-river/rank",
        "TJ",
        "weva.games.hunl-river.rank: unknown key (allowed here: betting, board, ranges, ranks, "
        "suits); did you mean 'ranks'?",
    ),
    (
        "weva/games/hunl-river/betting",
        {"stak": 2},
        "weva.games.hunl-river.betting.stak: unknown key (allowed here: bets, max_raises, pot, "
        "raises, stack); did you mean 'stack'?",
    ),
    (
        "weva/methods/ev-nd/params",
        {"deca": 0.5},
        "weva.methods.ev-nd.params.deca: unknown key (allowed here: decay, nodes, normalised); "
        "did you mean 'decay'?",
    ),
    (
        "weva/averaging/uniform/powr",
        1,
        "weva.averaging.uniform.powr: unknown key (allowed here: alternating, power); did you mean "
        "'power'?",
    ),
    (
        "weva/iterations",
        REMOVE,
        "weva.iterations: missing; add it (config.yaml shows every key)",
    ),
    # Types.
    ("weva", None, "weva: must be a mapping of keys to values ({} for none), not None"),
    (
        "weva/games/small",
        None,
        "weva.games.small: must be a mapping of keys to values ({} for none), not None",
    ),
    (
        "weva/iterations",
        "10",
        "weva.iterations: input should be a valid integer, not '10'; write it without quotes",
    ),
    ("weva/instances", 1.5, "weva.instances: input should be a valid integer, not 1.5"),
    ("weva/buckets", 3, "weva.buckets: input should be a valid list, not 3"),
    (
        "weva/warmup/alternating",
        "maybe",
        "weva.warmup.alternating: input should be a valid boolean, not 'maybe'",
    ),
    (
        "results_dir",
        "my results",
        "results_dir: string should match pattern '^[A-Za-z0-9_./-]+$', not 'my results'",
    ),
    # Ranges of K, W, T and other numbers.
    ("seed", -1, "seed: input should be greater than or equal to 0, not -1"),
    (
        "weva/buckets",
        [0, 6],
        "weva.buckets[0]: input should be greater than or equal to 1, not 0",
    ),
    (
        "weva/buckets",
        [2, 6, 7],
        "weva.buckets: 7 buckets are more than the 6 hands of game small; use at most 6",
    ),
    (
        "weva/methods/ev-nd/warmups",
        [0],
        "weva.methods.ev-nd.warmups[0]: input should be greater than or equal to 1, not 0",
    ),
    ("weva/iterations", 0, "weva.iterations: input should be greater than or equal to 1, not 0"),
    (
        "weva/averaging/uniform/power",
        -1,
        "weva.averaging.uniform.power: input should be greater than or equal to 0, not -1",
    ),
    (
        "weva/figure1/points",
        [1, 21],
        "weva.figure1.points: 21 is beyond the 20 iterations of weva.figure1.iterations; use at "
        "most 20",
    ),
    (
        "weva/figure6/points",
        [11],
        "weva.figure6.points: 11 is beyond the 10 iterations of weva.iterations; use at most 10",
    ),
    # Options of games and features.
    (
        "weva/games/hunl-river/betting",
        {"stack": -1},
        "weva.games.hunl-river.betting.stack: input should be greater than 0, not -1",
    ),
    (
        "weva/games/hunl-river/betting",
        {"bets": [0]},
        "weva.games.hunl-river.betting.bets[0]: bet size 0: use a positive fraction of the pot, or "
        "'all-in'",
    ),
    (
        "weva/games/hunl-river/board",
        "TcTcJcQcKc",
        "weva.games.hunl-river: cards 'TcTcJcQcKc': Tc is dealt twice",
    ),
    (
        "weva/games/hunl-river/board",
        "TcJcQcKc2c",
        "weva.games.hunl-river: cards 'TcJcQcKc2c': '2c' is not in the deck of ranks TJQKA and "
        "suits cdh; write each card as rank and suit, such as Ah",
    ),
    (
        "weva/games/hunl-river/ranks",
        "TJ",
        "weva.games.hunl-river: deck of ranks TJ and suits cdh: 6 cards are too few for 5 board "
        "cards and two hands; add ranks or suits",
    ),
    (
        "weva/methods/ev-nd/params",
        {"nodes": "al"},
        "weva.methods.ev-nd.params.nodes: input should be 'all' or 'own', not 'al'",
    ),
    # Unknown names.
    (
        "weva/games/hunl-rivr",
        {},
        f"weva.games.hunl-rivr: unknown game 'hunl-rivr' (known: {ZOO}); did you mean "
        "'hunl-river'?; a label of your own needs the key zoo beside its options",
    ),
    (
        "weva/games/small/zoo",
        "randm-game",
        f"weva.games.small: unknown game 'randm-game' (known: {ZOO}); did you mean 'random-game'?",
    ),
    (
        "weva/methods/evnd",
        {},
        "weva.methods.evnd: unknown method 'evnd' (known: equity, ev-nd, ev-root, rank, rank-2d); "
        "did you mean 'ev-nd'?",
    ),
    (
        "weva/methods/rank/games",
        ["hunl"],
        "weva.methods.rank.games: unknown game 'hunl' (in this configuration: hunl-river, small); "
        "did you mean 'hunl-river'?",
    ),
    (
        "weva/solvers",
        ["dcfr", "pcfr-pls"],
        f"weva.solvers[1]: unknown solver 'pcfr-pls' (known: {SOLVERS}); did you mean 'pcfr-plus'?",
    ),
    (
        "weva/warmup/solver",
        "dcfrr",
        f"weva.warmup.solver: unknown solver 'dcfrr' (known: {SOLVERS}); did you mean 'dcfr'?",
    ),
    (
        "weva/figure6/solver",
        "cfr",
        "weva.figure6.solver: unknown solver 'cfr' (in this configuration: pcfr-plus, dcfr); did "
        "you mean 'dcfr'?",
    ),
    # What does not fit together, is empty, or is there twice.
    ("weva/games", {}, "weva.games: must not be empty; list at least one"),
    ("weva/buckets", [], "weva.buckets: must not be empty; list at least one"),
    ("weva/averaging", {}, "weva.averaging: must not be empty; list at least one"),
    ("weva/buckets", [6, 6], "weva.buckets: 6 is listed twice; list it once"),
    ("weva/solvers", ["dcfr", "dcfr"], "weva.solvers: dcfr is listed twice; list it once"),
    (
        "weva/figure6/buckets",
        3,
        "weva.figure6.buckets: 3 is not in weva.buckets; use one of 2, 6",
    ),
    (
        "weva/methods/ev-nd/warmups",
        REMOVE,
        "weva.methods.ev-nd.warmups: missing; ev-nd needs a warm-up: list numbers of iterations, "
        "such as [50]",
    ),
    (
        "weva/methods/equity/warmups",
        [5],
        "weva.methods.equity.warmups: equity uses no warm-up; remove the key",
    ),
    (
        "weva/methods/rank/games",
        REMOVE,
        "weva.methods.rank: feature rank: the hands of game random_game have no strengths to rank; "
        "use equity, ev-root or ev-nd; or list the games it is for under games",
    ),
    (
        "weva/methods/ev-nd-w5",
        {"feature": "equity"},
        "weva.methods.ev-nd-w5: method 'ev-nd-w5' is there twice; rename one of them",
    ),
    (
        "weva/methods",
        {"rank": {"games": ["hunl-river"]}},
        "weva.games.small: no method is for this game; add one or remove it",
    ),
    (
        "weva/averaging/Linear average",
        {"alternating": True, "power": 1},
        "weva.averaging.Linear average: 'Linear average' cannot name files; use lower-case letters "
        "and digits, joined by '-'",
    ),
]


@pytest.mark.parametrize(("key", "value", "line"), MISTAKES, ids=[m[2][:60] for m in MISTAKES])
def test_one_line_for_each_mistake(key: str, value: Any, line: str) -> None:
    with pytest.raises(CfrlabError) as caught:
        config.load(changed(key, value), "mine.yaml")
    assert str(caught.value) == f"mine.yaml: {line}"


def test_a_misspelt_key_is_reported_before_what_it_leaves_missing() -> None:
    mapping = changed("weva/iterations", REMOVE)
    mapping["weva"]["iteration"] = 10
    with pytest.raises(CfrlabError, match=r"weva\.iteration: unknown key .* 'iterations'\?$"):
        config.load(mapping)


def planned(mapping: dict[str, Any], source: str = "config") -> WevaPlan:
    """The plan of the WEVA section."""
    plan = config.load(mapping, source).plans["weva"]
    assert isinstance(plan, WevaPlan)
    return plan


def test_games_and_methods_are_resolved() -> None:
    assert config.load(BASE).results_dir == "results"
    plan = planned(BASE)
    assert plan.games["small"].zoo == "random-game"
    assert plan.games["small"].options["hands"] == 6
    assert plan.games["small"].options["betting"]["stack"] == 2.0, "defaults are spelt out"
    assert list(plan.methods["hunl-river"]) == ["equity", "rank", "ev-nd-w2", "ev-nd-w5", "own-w5"]
    assert list(plan.methods["small"]) == ["equity", "ev-nd-w2", "ev-nd-w5", "own-w5"]
    own = plan.methods["small"]["own-w5"]
    assert (own.label, own.feature, own.warmup) == ("own", "ev-nd", 5)
    assert own.params == {"decay": 0.5, "nodes": "own", "normalised": True}
    assert {oracle.key["game"] for oracle in plan.oracles} == {"hunl-river", "small"}


def test_game_seeds_go_by_name() -> None:
    assert game_seed(1, "small", 3) == game_seed(1, "small", "3")
    seeds = {game_seed(root, label, i) for root in (1, 2) for label in "ab" for i in (0, 1)}
    assert len(seeds) == 8


def test_a_dozen_lines_are_a_configuration() -> None:
    """Two features, two boards; what nobody asked for is not planned."""
    plan = planned(yaml.safe_load((ROOT / "tests/minimal.yaml").read_text(encoding="utf-8")))
    assert plan.oracles == []
    assert list(plan.figures) == ["weva_fig2", "weva_fig3", "weva_fig5"]
    jobs = [recipe.rule for recipe in plan.jobs()]
    assert sorted(set(jobs)) == [
        *("weva_buckets", "weva_claims", "weva_evaluate", "weva_features", "weva_figures"),
        *("weva_game", "weva_solve", "weva_tables"),
    ]
    assert jobs.count("weva_game") == jobs.count("weva_buckets") == 2


def test_equity_alone_is_no_multiple_of_itself() -> None:
    alone = changed("weva/methods", {"equity": {}})
    assert "weva_fig3" not in planned(alone).figures
    assert "weva_fig3" in planned(BASE).figures


def test_seeds_of_kmeans_can_be_set_apart() -> None:
    apart, together = planned(changed("weva/kmeans/seed", 7)), planned(BASE)
    assert apart.make_game("small", "0") == together.make_game("small", "0")
    assert apart.make_buckets("small", "equity").seed == 7
    assert together.make_buckets("small", "equity").seed == 1


def test_a_warm_up_is_needed_where_a_method_or_figure_1_is() -> None:
    without = changed("weva/warmup", REMOVE)
    for leave, who in (([], "method ev-nd"), (["ev-nd", "own"], "figure1")):
        for name in leave:
            del without["weva"]["methods"][name]
        with pytest.raises(CfrlabError, match=rf"weva\.warmup: missing; {who} needs it"):
            config.load(without)
    del without["weva"]["figure1"]
    assert planned(without).oracles == []


def test_a_configuration_of_no_paper_is_refused() -> None:
    with pytest.raises(CfrlabError, match="no paper's section is there"):
        config.load({"seed": 1, "results_dir": "results"})


@pytest.mark.parametrize("path", ["config.yaml", "tests/smoke.yaml"])
def test_shipped_configurations_are_valid(path: str) -> None:
    plan = planned(yaml.safe_load((ROOT / path).read_text(encoding="utf-8")), path)
    assert {"hunl-river", "double-board", "random-game"} < set(plan.games)
    labels = {method.label for of_game in plan.methods.values() for method in of_game.values()}
    assert labels == {"equity", "rank", "rank-2d", "ev-root", "ev-nd"}
    assert set(plan.section.solvers) == {"pcfr-plus", "dcfr"}
    assert set(plan.section.averaging) == {"simultaneous-uniform", "alternating-quadratic"}


def test_the_paper_scale_configuration_is_the_papers() -> None:
    plan = planned(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))
    weva = plan.section
    assert (weva.instances, weva.buckets, weva.iterations) == (10, [20, 50, 200], 2000)
    assert weva.methods["ev-nd"].warmups == [10, 50, 500]
    assert weva.methods["ev-root"].warmups == [50]
    assert weva.figure1
    assert weva.figure1.iterations == 50000
    trees = [game.options["betting"] for game in plan.games.values()]
    assert all(tree == trees[0] for tree in trees), "one betting tree for all games"
