"""Measures of WEVA's claims on records of which the answer is known in closed form."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from cfrlab.errors import CfrlabError
from cfrlab.papers.weva import measures
from cfrlab.papers.weva.cells import Data
from cfrlab.papers.weva.measures import MEASURES, Reduction
from cfrlab.reporting import claims
from cfrlab.reporting.claims import Estimate
from synthetic_records import (
    AVERAGING,
    PUBLISHED,
    PUBLISHED_FOLDER,
    as_published,
    make_oracle,
    make_records,
    published_level,
)

EV, EQUITY = {"method": "ev-nd", "warmup": 10, "buckets": 20}, {"method": "equity", "buckets": 20}
PAIR = {"game": "hunl-river", "cell": EV, "against": EQUITY}
KINDS = {claims.yaml_file.named([kind], "name")[0]: kind for kind in MEASURES}


@pytest.fixture(scope="module")
def paper() -> claims.Claims[Data]:
    stated = claims.load(PUBLISHED_FOLDER / "claims.yaml", MEASURES)
    measures.check_names(stated, PUBLISHED)
    return stated


def data(records: pd.DataFrame, oracle: pd.DataFrame | None = None) -> Data:
    return Data.of(records, make_oracle() if oracle is None else oracle, PUBLISHED)


def measured(name: str, records: pd.DataFrame, **arguments: Any) -> Estimate:
    measure = KINDS[name].model_validate({"name": name, **arguments})
    return measure.estimate(data(records))


def level(**values: float) -> Any:
    """A level by method (`ev_nd`) or method and warm-up (`ev_nd_10`); 1 for others."""

    def value(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        del game, solver, k, averaging, t
        name = method.replace("-", "_")
        return values.get(f"{name}_{warmup}", values.get(name, 1.0))

    return value


def river(at: Any, **options: Any) -> pd.DataFrame:
    return make_records(at, **{"games": ["hunl-river"], "points": [2000], **options})


def test_the_papers_own_tables_satisfy_all_its_claims(paper: claims.Claims[Data]) -> None:
    table = claims.judge_all(paper, data(make_records(as_published)))
    assert set(table["verdict"]) == {"reproduced"}, table[table["verdict"] != "reproduced"]


def test_claims_fall_when_the_data_are_turned_around(paper: claims.Claims[Data]) -> None:
    """With the methods' values exchanged within each game and K, hardly a claim is left."""

    def turned(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        same = PUBLISHED[(PUBLISHED["game"] == game) & (PUBLISHED["buckets"] == k)]
        ends = same["exploitability"].min() * same["exploitability"].max()
        return float(ends / as_published(game, solver, method, warmup, k, averaging, 2000))

    table = claims.judge_all(paper, data(make_records(turned))).set_index("id")["verdict"]
    turned_around = ["double-equity-k50-w50", "double-rank-collapse-k20"]
    turned_around += ["consistently-lowest", "level-table2", "most-boards-random-k50"]
    assert set(table[turned_around]) == {"not reproduced"}
    assert (table == "reproduced").sum() < len(table) / 5


def test_published_percentages_follow_from_the_tables(paper: claims.Claims[Data]) -> None:
    """The number of each reduction is that of the table, so none is mistyped."""
    checked = 0
    for claim in paper.claims:
        if isinstance(claim.measure, Reduction) and claim.published is not None:
            own, base = (
                published_level(claim.measure.game, c.method, c.warmup, c.buckets)
                for c in (claim.measure.cell, claim.measure.against)
            )
            # The text gives one number for "equity and rank" at K = 50.
            assert claim.published.ends[0] == pytest.approx(100 * (1 - own / base), abs=1.3)
            checked += 1
    assert checked > 60


def test_a_reduction_is_of_means_with_the_geometric_mean_beside_it() -> None:
    """Boards of very different weight: means .5 and 1.5, ratios .5 and .125."""
    records = river(level(), instances=2, seeds=1)
    values = {("ev-nd", 0): 0.5, ("equity", 0): 1.0, ("ev-nd", 1): 0.5, ("equity", 1): 4.0}
    records["exploitability"] = [
        values.get((m, i), 1.0) for m, i in zip(records["method"], records["instance"], strict=True)
    ]
    found = measured("reduction", records, **PAIR)
    assert found.value == pytest.approx(100 * (1 - 1.0 / 5.0))
    assert found.beside is not None
    assert found.beside.value == pytest.approx(100 * (1 - math.sqrt(0.5 * 0.125)))
    assert (found.estimand, found.n) == ("ratio of means over boards", 2)
    times = measured("cell_ratio", records, **PAIR)
    assert times.value == pytest.approx(1 / 5)
    assert times.low > 0


def test_one_board_decides_nothing(paper: claims.Claims[Data]) -> None:
    records = make_records(as_published, instances=1, points=[2000])
    table = claims.judge_all(paper, data(records)).set_index("id")
    row = table.loc["hunl-equity-k50-w50"]
    assert (row["verdict"], row["n"]) == ("inconclusive", 1)
    assert "Too few boards" in row["evidence"]


def test_other_averaging_rules_are_evidence(paper: claims.Claims[Data]) -> None:
    def by_rule(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        return 0.91 if (method, averaging) == ("ev-nd", AVERAGING[0]) else 1.0

    table = claims.judge_all(paper, data(river(by_rule))).set_index("id")
    row = table.loc["hunl-equity-k20-w10"]
    assert row["verdict"] == "reproduced"
    assert f"Under {AVERAGING[1]} it is 0" in row["evidence"]


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({"games": ["random-game"]}, "HUNL river"),
        ({"buckets": [50, 200]}, "with 20 buckets"),
        ({"points": [100, 1000]}, "2000 iterations"),
        ({"solvers": ["dcfr"]}, "PCFR+"),
    ],
)
def test_absent_records_are_named_in_a_sentence(options: Any, missing: str) -> None:
    with pytest.raises(claims.MissingData, match="This run has no record of ev-nd") as caught:
        measured("reduction", river(level(), **options), **PAIR)
    assert missing in str(caught.value)


def test_a_gap_is_between_reductions() -> None:
    pairs = {
        name: {"cell": {**EV, "warmup": w}, "against": EQUITY}
        for name, w in (("first", 10), ("second", 500))
    }
    records = river(level(ev_nd_10=0.8, ev_nd_500=0.7))
    found = measured("reduction_gap", records, game="hunl-river", **pairs)
    assert (found.value, found.low, found.high) == pytest.approx((-10, -10, -10))
    assert "20.0% below equity" in found.detail
    noisy = measured(
        "reduction_gap", river(level(ev_nd=0.8), noise=0.3), game="hunl-river", **pairs
    )
    assert noisy.beside is not None
    assert noisy.low < noisy.value < noisy.high
    # The delta method and the mean over boards answer nearly the same question.
    assert noisy.value == pytest.approx(noisy.beside.value, abs=(noisy.high - noisy.low) / 2)


def test_an_iteration_asks_for_the_last_point_up_to_it() -> None:
    def falls(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        return (0.9 if t <= 300 else 0.5) if method == "ev-nd" else 1.0

    records = make_records(falls, games=["hunl-river"])
    cells = {"cell": {**EV, "buckets": 200}, "against": {**EQUITY, "buckets": 200}}
    for iteration, value in ((999, 10), (None, 50)):
        at = {name: {**cell, "iteration": iteration} for name, cell in cells.items()}
        found = measured("reduction", records, game="hunl-river", **at)
        assert found.value == pytest.approx(value)
    before = {name: {**cell, "iteration": 5} for name, cell in cells.items()}
    with pytest.raises(claims.MissingData):
        measured("reduction", records, game="hunl-river", **before)


def test_the_share_of_boards_is_that_of_the_weakest_variant() -> None:
    """Printed tables: 8 of 10 has the exact 95% interval .444 to .975."""
    records = river(level(ev_nd=0.9))
    worse = (records["method"] == "ev-nd") & (records["warmup"] == 50)
    records.loc[worse & records["instance"].isin([3, 7]), "exploitability"] *= 2
    arguments: dict[str, Any] = {"game": "hunl-river", "method": "ev-nd", "baseline": "equity"}
    found = measured("share_of_boards", records, warmups=[10, 50], buckets=20, **arguments)
    assert found.value == pytest.approx(80)
    assert (found.low, found.high) == pytest.approx((44.4, 97.5), abs=0.05)
    assert "W = 50" in found.detail


def test_over_all_games() -> None:
    """In Tables 1 to 3 the largest reduction is 86%, and W = 10 is lowest in eight of nine."""
    records = make_records(as_published, points=[2000])
    games = {"games": ["hunl-river", "double-board", "random-game"], "method": "ev-nd"}
    sizes = {"warmups": [10, 50, 500], "buckets": [20, 50, 200]}
    largest = measured("largest_reduction", records, baseline="equity", **games, **sizes)
    assert largest.value == pytest.approx(100 * (1 - 0.00025 / 0.00181))
    assert "ev-nd (W = 500) with 200 buckets on Double board" in largest.detail
    baselines = ["equity", "rank", "rank-2d"]
    for warmups, share in (([10, 50, 500], 100), ([10], 100 * 8 / 9)):
        given = {**sizes, "warmups": warmups}
        wins = measured("share_of_wins", records, baselines=baselines, **games, **given)
        assert wins.value == pytest.approx(share)
    assert "not in HUNL river endgame with 200 buckets" in wins.detail


def test_order_counts_clear_pairs_only() -> None:
    """DCFR turns the order around where PCFR+ is clear; ties of PCFR+ do not count."""
    for flip, share in ((False, 100), (True, 0)):

        def at(game: str, solver: str, method: str, *rest: Any, flip: bool = flip) -> float:
            low = 0.5 if method == "ev-nd" else 1.0
            return 1 / low if flip and solver == "dcfr" else low

        records = make_records(at, games=["random-game"], points=[2000])
        arguments = {"game": "random-game", "solver": "dcfr", "buckets": [20, 50]}
        found = measured("same_order", records, **arguments)
        assert found.value == pytest.approx(share)
        # Equity and ev-root against three ev-nd each, at two K.
        assert "of 12 pairs" in found.detail


def test_the_distance_from_a_table_is_the_mean_over_cells() -> None:
    exact = make_records(as_published, points=[2000])
    factor = 1.5 / np.mean(1.1 ** np.linspace(-1, 1, 10))
    records = exact.assign(exploitability=exact["exploitability"] * factor)
    found = measured("table_distance", records, game="double-board")
    assert found.value == pytest.approx(math.log(1.5))
    assert "0 of 21 cells" in found.detail


def test_the_oracles_curves() -> None:
    given = data(river(level()), make_oracle({"random-game": 0.9985}))
    arguments = {"game": "random-game", "iteration": 10}
    rho = KINDS["rank_correlation"].model_validate({"name": "rank_correlation", **arguments})
    found = rho.estimate(given)
    assert (found.value, found.n) == (pytest.approx(0.9985), 10)
    assert "inner nodes the mean is 0.700" in found.detail
    above = KINDS["orders_above_oracle"]
    orders = above.model_validate({"name": "orders_above_oracle", **arguments})
    assert orders.estimate(given).value == pytest.approx(math.log10(5000))
    with pytest.raises(claims.MissingData, match="only of 20000"):
        orders.estimate(data(river(level()), make_oracle(last=20000)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "hunl-rivr"}, "no game 'hunl-rivr'; did you mean 'hunl-river'?"),
        ({"cell": {**EV, "method": "ev-nod"}}, "no method 'ev-nod'; did you mean 'ev-nd'?"),
    ],
)
def test_names_are_those_of_the_published_tables(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    claim = {"id": "one", "where": "Section 5", "claim": "It is.", "unit": "%"}
    agreement = {"rule": "direction", "side": "above", "why": "A direction."}
    measure = {"name": "reduction", **PAIR, **change}
    file = {"paper": "WEVA", "claims": [{**claim, "measure": measure, "agreement": agreement}]}
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump(file), encoding="utf-8")
    with pytest.raises(CfrlabError, match="claim 'one'") as caught:
        measures.check_names(claims.load(path, MEASURES), PUBLISHED)
    assert message in str(caught.value)


def test_a_thousand_boards_settle_what_ten_cannot(paper: claims.Claims[Data]) -> None:
    """Boards differ by a factor of e^.4: ten leave most sizes open, a thousand none of these."""
    verdicts = {}
    for boards in (10, 1000):
        options: dict[str, Any] = {"instances": boards, "seeds": 1, "noise": 0.4}
        records = make_records(as_published, solvers=["pcfr-plus"], points=[2000], **options)
        table = claims.judge_all(paper, data(records)).set_index("id")
        verdicts[boards] = table.loc[
            ["hunl-equity-k50-w500", "double-rank2d-k50-w50", "random-equity-k20-w50"], "verdict"
        ]
    assert "inconclusive" in set(verdicts[10])
    assert set(verdicts[1000]) == {"reproduced"}
