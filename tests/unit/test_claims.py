"""Verdicts on data whose right answer is known, and one line for every malformed claim."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from cfrlab.errors import CfrlabError
from cfrlab.papers.weva.measures import MEASURES, Estimate, Reduction
from cfrlab.reporting import claims
from synthetic_records import (
    AVERAGING,
    PUBLISHED,
    PUBLISHED_FOLDER,
    Level,
    as_published,
    make_oracle,
    make_records,
    published_level,
)

COLUMNS = ["id", "paper", "claim", "published", "ours", "ci_low", "ci_high", "unit", "n"]
COLUMNS += ["verdict", "evidence"]

EV, EQUITY = {"method": "ev-nd", "warmup": 10, "buckets": 20}, {"method": "equity", "buckets": 20}
REDUCTION = {"name": "reduction", "game": "hunl-river", "cell": EV, "against": EQUITY}


def write_claims(folder: Path, *entries: dict[str, Any], **top: Any) -> Path:
    path = folder / "claims.yaml"
    file = {"paper": "WEVA", "averaging": AVERAGING[0], "iterations": 2000, "claims": [*entries]}
    path.write_text(yaml.safe_dump({**file, **top}), encoding="utf-8")
    return path


def entry(measure: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    base = {
        "id": "one",
        "where": "Section 5",
        "claim": "ev-nd is below equity.",
        "published": 16,
        "unit": "% below equity",
        "measure": measure or REDUCTION,
        "agreement": {"direction": "above", "tolerance": 10, "why": "seeds"},
    }
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def judged(
    folder: Path,
    claim: dict[str, Any],
    records: pd.DataFrame,
    oracle: pd.DataFrame | None = None,
    **top: Any,
) -> Any:
    """The single row of the verdicts on one claim."""
    loaded = claims.load(write_claims(folder, claim, **top), PUBLISHED)
    curves = make_oracle() if oracle is None else oracle
    table = claims.evaluate(loaded, records, curves)
    assert list(table.columns) == COLUMNS
    return next(table.itertuples())


def with_ratio(ratio: float, noise: float = 0.0, **options: Any) -> pd.DataFrame:
    """Records of the river in which ev-nd has `ratio` times equity's exploitability."""
    options = {"games": ["hunl-river"], "points": [2000], **options}
    return make_records(
        lambda game, solver, method, *_: 0.01 * (ratio if method == "ev-nd" else 1),
        noise=noise,
        **options,
    )


# Every claim of the paper, were its numbers ours.


@pytest.fixture(scope="module")
def paper() -> claims.Claims:
    return claims.load(PUBLISHED_FOLDER / "claims.yaml", PUBLISHED)


def test_the_papers_own_numbers_satisfy_its_claims_but_one(paper: claims.Claims) -> None:
    """A few percentage points is not what Table 1 shows at K = 50: 16% against 27%."""
    table = claims.evaluate(paper, make_records(as_published), make_oracle())
    by_verdict = table.groupby("verdict")["id"].agg(list).to_dict()
    assert by_verdict.pop("not reproduced") == ["warmup-10-suffices-hunl-k50"]
    assert list(by_verdict) == ["reproduced"]


def test_claims_fall_when_the_data_are_turned_around(paper: claims.Claims) -> None:
    """With the methods' values exchanged within each game and K, hardly a claim is left."""

    def turned(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        low, high = (
            extreme(
                PUBLISHED.loc[
                    (PUBLISHED["game"] == game) & (PUBLISHED["buckets"] == k), "exploitability"
                ]
            )
            for extreme in (min, max)
        )
        return float(low * high / as_published(game, solver, method, warmup, k, averaging, 2000))

    table = claims.evaluate(paper, make_records(turned), make_oracle())
    table = table.set_index("id")["verdict"]
    flipped = ["double-equity-k50", "double-rank-collapse-k20", "random-equity-k200"]
    flipped += ["consistently-lowest", "level-table2", "most-boards-random", "random-fall-ev-nd"]
    assert set(table[flipped]) == {"not reproduced"}
    assert (table == "reproduced").sum() < len(table) / 3


def test_every_measure_is_used_and_every_claim_explains_its_tolerance(paper: claims.Claims) -> None:
    assert {type(claim.measure) for claim in paper.claims} == set(MEASURES.values())
    assert all(len(claim.agreement.why) > 20 for claim in paper.claims)
    assert len({claim.id for claim in paper.claims}) == len(paper.claims) > 60


def test_published_reductions_follow_from_the_tables(paper: claims.Claims) -> None:
    """The number of each reduction is that of the table, so none is mistyped."""
    checked = 0
    for claim in paper.claims:
        if isinstance(claim.measure, Reduction) and claim.published is not None:
            cells = [claim.measure.cell, claim.measure.against]
            values = [
                published_level(claim.measure.game, c.method, c.warmup, c.buckets) for c in cells
            ]
            reduction = 100 * (1 - values[0] / values[1])
            assert claim.published == pytest.approx(reduction, abs=1), claim.id
            checked += 1
    assert checked > 30


# Verdicts.


def test_reduction_is_exact_where_boards_agree(tmp_path: Path) -> None:
    row = judged(tmp_path, entry(), with_ratio(0.84))
    assert (row.ours, row.ci_low, row.ci_high) == pytest.approx((16, 16, 16))
    assert row.n == 10
    assert row.verdict == "reproduced"
    assert row.published == "16"
    assert row.paper == "WEVA, Section 5"
    assert "within 10 of the paper's 16" in row.evidence
    assert f"Under {AVERAGING[1]}: 16 [16, 16], reproduced." in row.evidence


@pytest.mark.parametrize(
    ("ratio", "noise", "verdict"),
    [
        (0.84, 0.0, "reproduced"),
        (0.93, 0.0, "reproduced"),
        (0.5, 0.0, "direction only"),  # far from 16%
        (0.84, 0.4, "direction only"),  # the interval includes 0
        (1.2, 0.0, "not reproduced"),
        (1.0, 0.0, "not reproduced"),
    ],
)
def test_verdicts_follow_the_data(tmp_path: Path, ratio: float, noise: float, verdict: str) -> None:
    assert judged(tmp_path, entry(), with_ratio(ratio, noise)).verdict == verdict


def test_one_board_is_never_clear(tmp_path: Path) -> None:
    row = judged(tmp_path, entry(), with_ratio(0.84, instances=1))
    assert row.verdict == "direction only"
    assert row.n == 1
    assert math.isnan(row.ci_low)
    assert "one board has no interval" in row.evidence
    assert "nan" not in row.evidence
    assert judged(tmp_path, entry(), with_ratio(1.2, instances=1)).verdict == "not reproduced"


def test_the_averaging_rule_of_the_claim_decides(tmp_path: Path) -> None:
    def level(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        return 0.84 if (method, averaging) == ("ev-nd", AVERAGING[0]) else 1.0

    records = make_records(level, games=["hunl-river"], points=[2000])
    assert judged(tmp_path, entry(), records).verdict == "reproduced"
    other = judged(tmp_path, entry(averaging=AVERAGING[1]), records)
    assert other.verdict == "not reproduced"
    assert f"Under {AVERAGING[0]}: 16 [16, 16], reproduced." in other.evidence


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({"games": ["random-game"]}, "hunl-river"),
        ({"buckets": [50, 200]}, "K = 20"),
        ({"points": [100, 1000]}, "2000 iterations"),
        ({"solvers": ["dcfr"]}, "PCFR+"),
    ],
)
def test_absent_data_are_not_measured(tmp_path: Path, options: Any, missing: str) -> None:
    row = judged(tmp_path, entry(), with_ratio(0.84, **options))
    assert row.verdict == "not measured"
    assert math.isnan(row.ours)
    assert row.n == 0
    assert missing in row.evidence


def claim_with(direction: str, published: float | None = None, **rule: Any) -> claims.Claim:
    measure = Reduction.model_validate(
        {key: value for key, value in REDUCTION.items() if key != "name"}
    )
    agreement = {"direction": direction, "why": "a reason", **rule}
    return claims.Claim.model_validate(
        {**entry(published=published), "published": published, "agreement": agreement}
        | {"measure": measure}
    )


BOUND = claim_with("above", 0.996, tolerance=0.0005, bound=True, neutral=0.95)
TIMES = claim_with("above", 8, tolerance=2, as_factor=True, neutral=2)


@pytest.mark.parametrize(
    ("claim", "values", "verdict"),
    [
        (claim_with("near", tolerance=5), (1, -2, 4), "reproduced"),
        (claim_with("near", tolerance=5), (1, -7, 9), "direction only"),
        (claim_with("near", tolerance=5), (-6, -7, -5.5), "not reproduced"),
        (claim_with("below", -7, tolerance=10), (-10, -12, -8), "reproduced"),
        (claim_with("below", -7, tolerance=10), (-10, -22, 2), "direction only"),
        (claim_with("below", -7, tolerance=10), (-30, -32, -28), "direction only"),
        (claim_with("below", -7, tolerance=10), (3, 2, 4), "not reproduced"),
        (claim_with("above", 80, tolerance=0, bound=True), (90, 85, 95), "reproduced"),
        (claim_with("above", 80, tolerance=0, bound=True), (70, 65, 75), "direction only"),
        (BOUND, (0.9956, 0.99, 1), "reproduced"),
        (BOUND, (0.97, 0.96, 0.98), "direction only"),
        (BOUND, (0.9, 0.89, 0.91), "not reproduced"),
        (TIMES, (5, 4, 6), "reproduced"),
        (TIMES, (3, 2.5, 4), "direction only"),
        (TIMES, (17, 15, 19), "direction only"),
        (TIMES, (1.9, 1.8, 2), "not reproduced"),
        (claim_with("above"), (0.1, 0.05, 0.2), "reproduced"),
        (claim_with("above"), (1e-15, 1e-16, 1e-14), "not reproduced"),
    ],
)
def test_judgement_by_hand(
    claim: claims.Claim, values: tuple[float, float, float], verdict: str
) -> None:
    assert claims.judge(claim, Estimate(*values, 10, ""))[0] == verdict


# Measures.


def test_ratio_is_in_times(tmp_path: Path) -> None:
    measure = {**REDUCTION, "name": "ratio"}
    row = judged(tmp_path, entry(measure, published=7), with_ratio(7.0))
    assert row.ours == pytest.approx(7)


def test_gap_between_warm_ups(tmp_path: Path) -> None:
    def level(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        return {10: 0.8, 500: 0.7}.get(warmup or 0, 1.0)

    pairs = {
        name: {"cell": {**EV, "warmup": w}, "against": EQUITY}
        for name, w in (("first", 10), ("second", 500))
    }
    measure = {"name": "gap", "game": "hunl-river", **pairs}
    rule = {"direction": "near", "tolerance": 5, "why": "a few"}
    records = make_records(level, games=["hunl-river"], points=[2000])
    row = judged(tmp_path, entry(measure, agreement=rule), records)
    assert row.ours == pytest.approx(20 - 30)
    assert row.verdict == "not reproduced"
    assert "20.0% below equity" in row.evidence


def test_an_iteration_asks_for_the_last_point_up_to_it(tmp_path: Path) -> None:
    def level(
        game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
    ) -> float:
        return (0.9 if t <= 300 else 0.5) if method == "ev-nd" else 1.0

    records = make_records(level, games=["hunl-river"])
    cells = {
        "cell": {"method": "ev-nd", "warmup": 10, "buckets": 200},
        "against": {"method": "equity", "buckets": 200},
    }
    early = {name: {**cell, "iteration": 999} for name, cell in cells.items()}
    measure = {"name": "reduction", "game": "hunl-river"}
    assert judged(tmp_path, entry({**measure, **early}), records).ours == pytest.approx(10)
    assert judged(tmp_path, entry({**measure, **cells}), records).ours == pytest.approx(50)
    before = {name: {**cell, "iteration": 5} for name, cell in cells.items()}
    assert judged(tmp_path, entry({**measure, **before}), records).verdict == "not measured"


def test_share_of_boards_has_clopper_and_pearsons_interval(tmp_path: Path) -> None:
    records = with_ratio(0.9)
    worse = (records["method"] == "ev-nd") & records["instance"].isin([3, 7])
    records.loc[worse, "exploitability"] *= 2
    row = judged(tmp_path, entry({**REDUCTION, "name": "share_of_boards"}), records)
    assert row.ours == pytest.approx(80)
    # Printed tables: 8 of 10 has the exact 95% interval .444 to .975.
    assert (row.ci_low, row.ci_high) == pytest.approx((44.4, 97.5), abs=0.05)


def test_largest_reduction_names_its_cell(tmp_path: Path) -> None:
    measure: dict[str, Any] = {"name": "largest_reduction", "games": ["hunl-river", "double-board"]}
    measure |= {"method": "ev-nd", "warmups": [10, 500], "buckets": [20, 200], "baseline": "equity"}
    records = make_records(as_published, points=[2000])
    row = judged(tmp_path, entry(measure, published=86), records)
    best = 100 * (1 - 0.00025 / 0.00181)
    assert row.ours == pytest.approx(best)
    assert "ev-nd (W = 500) K = 200 on double-board" in row.evidence


def test_share_of_wins_counts_settings(tmp_path: Path) -> None:
    """In Tables 1 to 3, W = 10 is lowest in eight of nine settings."""
    measure = {
        "name": "share_of_wins",
        "method": "ev-nd",
        "warmups": [10],
        "buckets": [20, 50, 200],
    }
    measure |= {"games": ["hunl-river", "double-board", "random-game"]}
    measure |= {"baselines": ["equity", "rank", "rank-2d"]}
    records = make_records(as_published, points=[2000])
    row = judged(tmp_path, entry(measure), records)
    assert row.ours == pytest.approx(100 * 8 / 9)
    assert "not in hunl-river K = 200" in row.evidence
    best = judged(tmp_path, entry({**measure, "warmups": [10, 50, 500]}), records)
    assert best.ours == pytest.approx(100)


def test_order_counts_clear_pairs_only(tmp_path: Path) -> None:
    """DCFR turns the order around where PCFR+ is clear; ties of PCFR+ do not count."""

    def level(flip: bool) -> Level:
        def value(
            game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
        ) -> float:
            low = 0.5 if method == "ev-nd" else 1.0
            return 1 / low if flip and solver == "dcfr" else low

        return value

    measure = {"name": "order", "game": "random-game", "solver": "dcfr", "buckets": [20, 50]}
    for flip, share in ((False, 100), (True, 0)):
        records = make_records(level(flip), games=["random-game"], points=[2000])
        row = judged(tmp_path, entry(measure), records)
        assert row.ours == pytest.approx(share)
        # Equity and ev-root against three ev-nd each, at two K.
        assert "of 12 pairs" in row.evidence


def test_level_is_the_mean_distance_of_cells(tmp_path: Path) -> None:
    measure = {"name": "level", "game": "double-board", "order": 0.8}
    rule = {"direction": "below", "neutral": 0.7, "tolerance": 0.223, "why": "a quarter"}
    exact = make_records(as_published, points=[2000])
    factor = 1.5 / np.mean(1.1 ** np.linspace(-1, 1, 10))
    for scale, verdict in ((1.0, "reproduced"), (factor, "direction only")):
        records = exact.assign(exploitability=exact["exploitability"] * scale)
        row = judged(tmp_path, entry(measure, published=0, agreement=rule), records)
        assert row.verdict == verdict
    assert row.ours == pytest.approx(math.log(1.5))
    upside_down = make_records(lambda *cell: 1e-5 / as_published(*cell), points=[2000])
    row = judged(tmp_path, entry(measure, published=0, agreement=rule), upside_down)
    assert row.verdict == "not reproduced"


@pytest.mark.parametrize(
    ("rho", "verdict"),
    [(0.9985, "reproduced"), (0.98, "direction only"), (0.9, "not reproduced")],
)
def test_rank_correlation_is_that_of_the_oracle(tmp_path: Path, rho: float, verdict: str) -> None:
    measure = {"name": "rank_correlation", "game": "random-game", "iteration": 10}
    rule = {"direction": "above", "neutral": 0.95, "tolerance": 0.0005, "bound": True, "why": "."}
    claim = entry(measure, published=0.996, agreement=rule)
    row = judged(tmp_path, claim, with_ratio(1.0), make_oracle({"random-game": rho}))
    assert row.ours == pytest.approx(rho)
    assert row.n == 10
    assert row.verdict == verdict
    assert row.published == ">= 0.996"
    assert "inner nodes 0.700" in row.evidence
    assert "Under" not in row.evidence


def test_orders_above_the_oracle(tmp_path: Path) -> None:
    measure = {"name": "orders_above_oracle", "game": "random-game", "iteration": 10}
    row = judged(tmp_path, entry(measure, published=2), with_ratio(1.0))
    assert row.ours == pytest.approx(math.log10(5000))
    short = judged(tmp_path, entry(measure), with_ratio(1.0), make_oracle(last=20000))
    assert short.verdict == "not measured"
    assert "20000" in short.evidence


# Files.


def changed(path: str, value: Any) -> dict[str, Any]:
    """A claim with one value at a dotted path replaced, or removed if it is None."""
    claim = copy.deepcopy(entry())
    *above, last = path.split(".")
    place = claim
    for key in above:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return claim


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (
            changed("measure.name", "reducton"),
            "unknown measure 'reducton'; did you mean 'reduction'",
        ),
        (changed("measure", None), "claim 'one'.measure: must be a mapping"),
        (changed("measure.game", None), "claim 'one'.measure.game: missing"),
        (changed("measure.game", "hunl-rivr"), "no game 'hunl-rivr'; did you mean 'hunl-river'?"),
        (changed("measure.cell.method", "ev-nod"), "no method 'ev-nod'; did you mean 'ev-nd'?"),
        (changed("measure.cell.buckets", 0), "claim 'one'.measure.cell.buckets"),
        (changed("measure.cell.bukets", 20), "bukets: unknown key"),
        (changed("agreement.why", None), "claim 'one'.agreement.why: missing"),
        (changed("agreement.direction", "up"), "claim 'one'.agreement.direction"),
        (changed("agreement.tolerance", -1), "claim 'one'.agreement.tolerance"),
        (entry(agreement={"direction": "near", "why": "."}), "'near' needs a tolerance"),
        (changed("published", None), "a tolerance needs a published value"),
        (changed("verdict", "reproduced"), "verdict: unknown key"),
        (changed("id", "One of them"), "id"),
    ],
)
def test_a_malformed_claim_is_one_line(tmp_path: Path, claim: Any, message: str) -> None:
    path = write_claims(tmp_path, claim)
    with pytest.raises(CfrlabError) as caught:
        claims.load(path, PUBLISHED)
    text = str(caught.value)
    assert message in text
    assert "\n" not in text
    assert text.startswith(f"{path}: ")


def test_other_mistakes_in_the_file_are_one_line(tmp_path: Path) -> None:
    twice = write_claims(tmp_path, entry(), entry())
    with pytest.raises(CfrlabError, match="'one' occurs twice"):
        claims.load(twice, PUBLISHED)
    with pytest.raises(CfrlabError, match="iterations"):
        claims.load(write_claims(tmp_path, entry(), iterations=0), PUBLISHED)
    broken = tmp_path / "claims.yaml"
    broken.write_text("claims: [", encoding="utf-8")
    for path in (broken, tmp_path / "absent.yaml"):
        with pytest.raises(CfrlabError, match="cannot be read as YAML") as caught:
            claims.load(path, PUBLISHED)
        assert "\n" not in str(caught.value)


def test_csv_keeps_the_verdicts(tmp_path: Path, paper: claims.Claims) -> None:
    table = claims.evaluate(paper, make_records(as_published, games=["hunl-river"]), make_oracle())
    assert {"reproduced", "not measured"} <= set(table["verdict"])
    claims.write(tmp_path / "claims.csv", table)
    read = claims.read(tmp_path / "claims.csv")
    pd.testing.assert_frame_equal(read, table, rtol=1e-4, check_dtype=False)
    again = claims.evaluate(
        paper,
        make_records(as_published, games=["hunl-river"]).sample(frac=1, random_state=3),
        make_oracle(),
    )
    claims.write(tmp_path / "again.csv", again)
    assert (tmp_path / "claims.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    with pytest.raises(CfrlabError, match="not a table of claims"):
        claims.read(tmp_path / "absent.csv")
