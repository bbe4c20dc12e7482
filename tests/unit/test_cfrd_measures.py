"""Measures of CFR-D's claims on records of which the answer is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cfrlab.papers.cfrd import records
from cfrlab.papers.cfrd.measures import MEASURES
from cfrlab.reporting import claims
from cfrlab.reporting.claims import Estimate
from cfrlab.reporting.claims.yaml_file import named

CLAIMS = Path(__file__).parents[2] / "src/cfrlab/papers/cfrd/published/claims.yaml"
POINTS = [100, 200, 2000, 6250, 102400, 409600]
KINDS = dict(zip(named(MEASURES, "name"), MEASURES, strict=True))


def row(**values: Any) -> dict[str, Any]:
    empty = {"method": "", "case": "", "trunk": 0, "subgame": 0, "iterations": 0, "game": "leduc"}
    return {**empty, **values}


def table(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([row(**values) for values in rows], columns=records.COLUMNS)


def figure3() -> list[dict[str, Any]]:
    rows = []
    for case, unsafe in (
        ("uniform", 0.08),
        ("start-1", 0.05),
        ("start-2", 0.12),
        ("sample-1", 0.08),
    ):
        for method in ("safe", "unsafe"):
            same = row(figure="fig3", method=method, case=case)
            rows.append({**same, "quantity": "equilibrium", "value": 1e-15})
            for t in POINTS:
                value = t**-0.5 if method == "safe" else unsafe
                point = {"quantity": "exploitability", "iterations": t, "value": value}
                rows.append({**same, **point})
    return rows


def figure4() -> list[dict[str, Any]]:
    """Lines that fall to a level of the trunk's; work for an error falls as its third power."""
    rows = []
    for trunk, subgame, value in (
        (500, 100, 0.02),
        (500, 400, 0.0126),
        (500, 1600, 0.0125),
        (32000, 100, 0.019),
        (32000, 400, 0.0025),
        (32000, 1600, 0.0016),
    ):
        same = row(figure="fig4", method="paper", trunk=trunk, subgame=subgame)
        rows.append({**same, "quantity": "exploitability", "iterations": 200000, "value": value})
    return rows


def figure5() -> list[dict[str, Any]]:
    rows = []
    for case in ("cfr-plus", "cfr-plus/sample-1", "random-1"):
        if "/" not in case:
            rows.append(row(figure="fig5", case=case, quantity="original", value=0.382))
        for method, level, gain in (("safe", 0.26, 0.1), ("unsafe", 0.39, 0.104)):
            same = row(figure="fig5", method=method, case=case)
            if "/" not in case:
                rows.append({**same, "quantity": "exact", "value": 0.36})
            for t in POINTS[:4]:
                value = 0.33 if method == "safe" and t <= 200 else level
                rows.append({**same, "quantity": "exploitability", "iterations": t, "value": value})
                rows.append({**same, "quantity": "gain", "iterations": t, "value": gain})
    return rows


def planned() -> list[dict[str, Any]]:
    """Records of studies to come: examples, run-time, growth, theorems."""
    rows = [
        row(figure="example", quantity="value", method="fixed-trunk", value=0.0),
        row(figure="example", quantity="value", method="switched-trunk", value=-1.0),
    ]
    for repeat in range(3):
        for method, each in (("safe", 1.001), ("unsafe", 1.0)):
            same = row(figure="runtime", method=method, case=f"repeat-{repeat}")
            rows.append({**same, "quantity": "seconds_each", "value": each * (1 + repeat)})
    for size in (4, 9, 16, 25):
        same = row(figure="scaling", method="cfr-d", game=f"leduc-{size}", case="ranks")
        for quantity, value in (("infosets", size**2), ("memory", 3 * size)):
            rows.append({**same, "quantity": quantity, "value": float(value)})
        for quantity, value in (("subgames", size), ("exploitability", 0.01 * size**0.5)):
            rows.append({**same, "quantity": quantity, "value": float(value)})
    for method, quantity in (("re-solving", "increase"), ("cfr-d", "regret")):
        for case, value in (("profile-0", 0.5), ("profile-1", 0.9)):
            same = row(figure="theorems", method=method, case=case)
            rows.append({**same, "quantity": quantity, "value": value})
            rows.append({**same, "quantity": "bound", "value": 1.0})
    return rows


def everything() -> pd.DataFrame:
    return table(*figure3(), *figure4(), *figure5(), *planned())


@pytest.fixture(scope="module")
def paper() -> claims.Claims[pd.DataFrame]:
    return claims.load(CLAIMS, MEASURES)


def measured(name: str, data: pd.DataFrame, **arguments: Any) -> Estimate:
    return KINDS[name].model_validate({"name": name, **arguments}).estimate(data)


def test_the_papers_own_numbers_satisfy_its_claims(paper: claims.Claims[pd.DataFrame]) -> None:
    """But the rate that our source prints without its root sign."""
    judged = claims.judge_all(paper, everything()).set_index("id")
    verdicts = judged["verdict"]
    assert verdicts.pop("cfrd-safe-rate-as-printed") == "not reproduced"
    assert set(verdicts) == {"reproduced"}, judged[judged["verdict"] != "reproduced"]
    assert "root sign" in judged.loc["cfrd-safe-rate-as-printed", "evidence"]
    assert judged.loc["cfrd-stored-equilibrium", "n"] == 1


def test_missing_records_are_named_in_a_sentence(paper: claims.Claims[pd.DataFrame]) -> None:
    judged = claims.judge_all(paper, table()).set_index("id")
    assert (judged["verdict"] == "not measured").sum() == len(judged) - 2
    evidence = judged.loc["cfrd-unsafe-limit", "evidence"]
    assert evidence == (
        "This run has no record of the quantity 'exploitability' for Figure 3 "
        "(method unsafe, game leduc, case uniform, iterations 100000)."
    )
    assert not judged["evidence"].str.contains(r"[{}]").any()


SELECT = {"figure": "f", "quantity": "q"}


def values(**by_case: float) -> pd.DataFrame:
    cases = {name.replace("_", "/"): value for name, value in by_case.items()}
    return table(*({**SELECT, "case": case, "value": v} for case, v in cases.items()))


def test_samples_of_one_equilibrium_are_one_case() -> None:
    found = measured("case_mean", values(a=1.0, a_s1=3.0, b=4.0), select=SELECT)
    assert (found.value, found.n) == (pytest.approx(3.0), 2)
    assert 0 < found.low < found.value < found.high
    assert "2 to 4" in found.detail
    alone = measured("case_mean", values(a=1.5), select=SELECT)
    assert (alone.low, alone.value, alone.high, alone.n) == (1.5, 1.5, 1.5, 1)


def test_extremes_along_iterations_must_both_agree() -> None:
    data = table(
        *({**SELECT, "case": "a", "iterations": t, "value": v} for t, v in ((1, 9), (2, 3), (4, 5)))
    )
    found = measured("case_extremes", data, select={**SELECT, "since": 2})
    assert found.requires is not None
    assert (found.value, found.requires.value) == (5, 3)


def test_differences_are_paired_by_case_with_students_interval() -> None:
    one, two = values(a=3.0, b=5.0, c=9.0), values(c=1.0, a=2.0, b=2.0, d=7.0)
    data = pd.concat([one, two.assign(quantity="r")], ignore_index=True)
    less = {**SELECT, "quantity": "r"}
    found = measured("case_difference", data, select=SELECT, less=less)
    interval = stats.ttest_1samp([1.0, 3.0, 8.0], 0).confidence_interval()
    assert found.value == pytest.approx(4)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_a_slope_is_scipys_with_its_interval() -> None:
    rng = np.random.default_rng(3)
    t = np.array([100, 200, 400, 800, 1600, 3200])
    y = t**-0.5 * np.exp(0.1 * rng.standard_normal(6))
    points = [{**SELECT, "iterations": int(a), "value": b} for a, b in zip(t, y, strict=True)]
    found = measured("log_slope", table(*points), select=SELECT)
    fit = stats.linregress(np.log(t), np.log(y))
    assert found.value == pytest.approx(fit.slope)
    # 2.776445 is the 97.5% point of t with four degrees of freedom in printed tables.
    assert found.high - found.value == pytest.approx(2.776445 * fit.stderr, rel=1e-6)
    twice = table(*({**p, "case": c} for p in points for c in ("a", "b")))
    assert measured("log_slope", twice, select=SELECT).n == 2


def test_growth_is_over_another_quantity() -> None:
    arguments: dict[str, Any] = {
        part: {"figure": "scaling", "quantity": quantity}
        for part, quantity in (("select", "memory"), ("over", "infosets"))
    }
    assert measured("log_slope", everything(), **arguments).value == pytest.approx(0.5)


def test_work_is_the_least_for_each_error() -> None:
    """Errors 2^-k cost 16^k; a setting that costs more for less is left out."""
    grid = [(1, 1, 1.0), (4, 4, 0.5), (16, 16, 0.25), (64, 64, 0.125), (1000, 10, 0.2)]
    points = [{**SELECT, "trunk": t, "subgame": s, "value": v} for t, s, v in grid]
    worse = {**SELECT, "trunk": 32, "subgame": 16, "value": 0.3}
    found = measured("work_slope", table(*points[:4], worse), select=SELECT)
    assert (found.value, found.n) == (pytest.approx(4), 4)


def test_lines_fall_and_level_off() -> None:
    lines = {1: (8.0, 2.0, 1.0), 2: (9.0, 3.0, 3.0)}
    data = table(
        *(
            {**SELECT, "trunk": trunk, "subgame": s, "value": v}
            for trunk, line in lines.items()
            for s, v in zip((10, 20, 40), line, strict=True)
        )
    )
    fall = measured("line_fall", data, select=SELECT, along="subgame")
    assert (fall.low, fall.value, fall.high) == pytest.approx((3, 5.5, 8))
    level = measured("line_levels", data, select=SELECT)
    # The first falls threefold in two bits, one in the last step; the second does not fall there.
    assert (level.low, level.high) == pytest.approx((0, 1 / 1.5))
    trunk = measured("line_fall", data, select=SELECT, along="trunk")
    assert (trunk.value, trunk.n) == (pytest.approx(1 / 3), 1)


def test_ratios_and_percentages() -> None:
    arguments: dict[str, Any] = {
        part: {"figure": "theorems", "quantity": quantity, "method": "cfr-d"}
        for part, quantity in (("select", "regret"), ("over", "bound"))
    }
    assert measured("largest_ratio", everything(), **arguments).value == 0.9
    slower: dict[str, Any] = {
        part: {"figure": "runtime", "quantity": "seconds_each", "method": method}
        for part, method in (("select", "safe"), ("than", "unsafe"))
    }
    assert measured("percent_more", everything(), **slower).value == pytest.approx(0.1)
    spread = measured("case_spread", values(a=2.0, b=5.0), select=SELECT)
    assert spread.value == 2.5
