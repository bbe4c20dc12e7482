"""The rules by which claims are judged, for all papers alike, and the files of claims."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd import measures as cfrd
from cfrlab.papers.embedding import measures as embedding
from cfrlab.papers.weva import measures as weva
from cfrlab.reporting import claims, statistics
from cfrlab.reporting.claims import (
    DIRECTION_ONLY,
    INCONCLUSIVE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    Claim,
    Estimate,
)
from cfrlab.reporting.claims.rules import Bound, Direction, Equivalence, Exact, Size

PAPERS = Path(__file__).parents[2] / "src/cfrlab/papers"
MODULES: dict[str, Any] = {"weva": weva, "cfrd": cfrd, "embedding": embedding}
STATED = {
    name: claims.load(PAPERS / name / "published/claims.yaml", module.MEASURES)
    for name, module in MODULES.items()
}
ALL = [claim for stated in STATED.values() for claim in stated.claims]


class Given(claims.Measure[dict[str, Estimate]]):
    """Looks the estimate up."""

    name: Literal["given"]
    key: str = "ours"

    def estimate(self, records: dict[str, Estimate]) -> Estimate:
        if self.key not in records:
            raise claims.MissingData(f"This run has no {self.key}")
        return records[self.key]

    def elsewhere(self, records: dict[str, Estimate]) -> dict[str, Estimate]:
        return {name: x for name, x in records.items() if name != self.key}


class Other(Given):
    """A second measure of the same records."""

    name: Literal["other"]  # type: ignore[assignment]


def entry(agreement: dict[str, Any], published: Any = None, **changes: Any) -> dict[str, Any]:
    base = {
        "id": "one",
        "where": "Section 5",
        "claim": "It is lower.",
        "published": published,
        "unit": "%",
        "measure": {"name": "given"},
        "agreement": {"why": "A reason.", **agreement},
    }
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def write(folder: Path, *entries: Any) -> Path:
    path = folder / "claims.yaml"
    path.write_text(yaml.safe_dump({"paper": "A paper", "claims": [*entries]}), encoding="utf-8")
    return path


def load(folder: Path, *entries: Any) -> claims.Claims[dict[str, Estimate]]:
    return claims.load(write(folder, *entries), [Given, Other])


def ours(low: float, high: float, **more: Any) -> Estimate:
    return Estimate((low + high) / 2, low, high, 10, "Ours is so", "boards", **more)


# Rules.

SIZE = {"rule": "size", "tolerance": 5}
ABOVE = {**SIZE, "side": "above"}
BOUND = {"rule": "bound", "side": "at least"}
CASES: list[tuple[dict[str, Any], Any, tuple[float, float], str]] = [
    (ABOVE, 16, (12, 20), REPRODUCED),
    (ABOVE, 16, (2, 27), INCONCLUSIVE),  # The direction is clear, the size is not.
    (ABOVE, 16, (30, 40), DIRECTION_ONLY),
    (ABOVE, 16, (1, 10), DIRECTION_ONLY),
    (ABOVE, 16, (-9, -1), NOT_REPRODUCED),
    (ABOVE, 16, (-5, 5), NOT_REPRODUCED),  # Clearly another size, and no clear direction.
    (ABOVE, 4, (-1, 5), INCONCLUSIVE),  # The size is right, the direction is not clear.
    (ABOVE, 4, (-3, -2), NOT_REPRODUCED),
    (ABOVE, 4, (0, 1e-12), NOT_REPRODUCED),  # Rounding errors are no effect.
    ({**SIZE, "side": "below"}, -7, (-10, -5), REPRODUCED),
    (SIZE, {"low": 10, "high": 20}, (6, 24), REPRODUCED),
    (SIZE, {"low": 10, "high": 20}, (26, 30), NOT_REPRODUCED),
    ({"rule": "size", "tolerance": 1.2, "as_factor": True, "side": "above", "threshold": 1},
     1.8, (1.31, 1.49), DIRECTION_ONLY),
    ({"rule": "size", "tolerance": 1.2, "as_factor": True}, 1.8, (1.6, 2.1), REPRODUCED),
    ({**BOUND, "tolerance": 0.0005}, 0.996, (0.9955, 1), REPRODUCED),
    ({**BOUND, "tolerance": 0.0005}, 0.996, (0.96, 0.99), NOT_REPRODUCED),
    (BOUND, 80, (75, 90), INCONCLUSIVE),
    ({**BOUND, "weaker": 0}, 80, (65, 75), DIRECTION_ONLY),
    ({"rule": "bound", "side": "at most"}, 2.5e-11, (1e-15, 1e-15), REPRODUCED),
    ({"rule": "bound", "side": "at most"}, 2.5e-11, (3e-11, 3e-11), NOT_REPRODUCED),
    ({"rule": "direction", "side": "above"}, None, (0.1, 0.2), REPRODUCED),
    ({"rule": "direction", "side": "above"}, None, (-0.1, 0.2), INCONCLUSIVE),
    ({"rule": "direction", "side": "below", "threshold": 1}, None, (1.1, 1.2), NOT_REPRODUCED),
    ({"rule": "equivalence", "to": 1, "tolerance": 0.25}, None, (0.8, 1.2), REPRODUCED),
    ({"rule": "equivalence", "to": 1, "tolerance": 0.25}, None, (1.13, 1.54), INCONCLUSIVE),
    ({"rule": "equivalence", "tolerance": 5}, -11, (6, 8), NOT_REPRODUCED),
    ({"rule": "exact"}, 51176, (51176, 51176), REPRODUCED),
    ({"rule": "exact"}, 51176, (51177, 51177), NOT_REPRODUCED),
]  # fmt: skip


@pytest.mark.parametrize(("agreement", "published", "ends", "verdict"), CASES)
def test_verdicts_by_hand(
    tmp_path: Path,
    agreement: dict[str, Any],
    published: Any,
    ends: tuple[float, float],
    verdict: str,
) -> None:
    (claim,) = load(tmp_path, entry(agreement, published)).claims
    found, reason = claims.judge(claim, ours(*ends))
    assert found == verdict
    assert reason[0].isupper()
    assert reason.endswith(".")


def test_without_an_interval_nothing_is_decided(tmp_path: Path) -> None:
    (claim,) = load(tmp_path, entry(ABOVE, 16)).claims
    verdict, reason = claims.judge(claim, Estimate(16, math.nan, math.nan, 1, "", "boards"))
    assert verdict == INCONCLUSIVE
    assert reason.startswith("Too few boards for an interval")


def test_a_claim_of_two_parts_is_as_good_as_the_worse(tmp_path: Path) -> None:
    (claim,) = load(tmp_path, entry({"rule": "direction", "side": "above"})).claims
    for other, verdict in ((ours(1, 2), REPRODUCED), (ours(-1, 2), INCONCLUSIVE)):
        assert claims.judge(claim, ours(3, 4, requires=other))[0] == verdict
    verdict, reason = claims.judge(claim, ours(-1, 4, requires=ours(-2, -1)))
    assert (verdict, reason) == (NOT_REPRODUCED, "Ours is so. The interval is not above 0.")


def test_equivalence_is_two_one_sided_tests(tmp_path: Path) -> None:
    """The whole 95% interval inside the margin is two t tests at 2.5%, SciPy's."""
    (claim,) = load(tmp_path, entry({"rule": "equivalence", "tolerance": 0.5})).claims
    rng, seen = np.random.default_rng(4), set()
    for _ in range(200):
        values = rng.normal(rng.uniform(-0.6, 0.6), 0.5, 8)
        s = statistics.summarise(values)
        verdict, _ = claims.judge(claim, Estimate(s.mean, s.ci_low, s.ci_high, s.n, ""))
        above = stats.ttest_1samp(values, -0.5, alternative="greater").pvalue
        below = stats.ttest_1samp(values, 0.5, alternative="less").pvalue
        assert (verdict == REPRODUCED) == (max(above, below) < 0.025)
        seen.add(verdict)
    assert {REPRODUCED, INCONCLUSIVE} <= seen


# Every claim of every paper.


def fed(claim: Claim) -> tuple[Estimate, Estimate, Estimate]:
    """A right, a near and an absurd result for a claim, made without the code of its rule."""
    rule, published = claim.agreement, claim.published
    low, high = (math.nan, math.nan) if published is None else published.ends
    match rule:
        case Exact():
            return ours(low, low), ours(low + 1, low + 1), ours(1e9, 1e9)
        case Size():
            far = high * rule.tolerance**2 if rule.as_factor else high + 3 * rule.tolerance
            sign = {"above": 1, "below": -1, None: 0}[rule.side]
            if sign < 0:
                far = low / rule.tolerance**2 if rule.as_factor else low - 3 * rule.tolerance
            absurd = rule.threshold - sign * 1e3 if sign else 1e3
            near = ours(far, far) if sign else ours((low + high) / 2, far)
            return ours(low, high), near, ours(absurd - 1, absurd + 1)
        case Bound():
            sign = 1 if rule.side == "at least" else -1
            worse = low - sign * max(1.0, abs(low))
            near = sorted((low, worse))
            if rule.weaker is not None:
                near = [(low + rule.weaker) / 2] * 2
            absurd = low - sign * 1e3
            return ours(low, low), ours(near[0], near[1]), ours(absurd, absurd)
        case Direction():
            sign = 1 if rule.side == "above" else -1
            at, step = rule.threshold, sign * 0.1
            right, wrong = at + step, at - 1e3 * step
            return ours(right, right), ours(at - 0.1, at + 0.1), ours(wrong, wrong)
        case Equivalence():
            to, far = rule.to, rule.to + 100 * rule.tolerance
            return ours(to, to), ours(to, to + 2 * rule.tolerance), ours(far, far)
    raise AssertionError(rule)


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.id)
def test_every_claim_can_hold_be_near_and_fail(claim: Claim) -> None:
    verdicts = [claims.judge(claim, estimate)[0] for estimate in fed(claim)]
    assert verdicts[0] == REPRODUCED
    assert verdicts[2] == NOT_REPRODUCED
    # An exact count is right or wrong.
    if not isinstance(claim.agreement, Exact):
        assert verdicts[1] in (DIRECTION_ONLY, INCONCLUSIVE)


@pytest.mark.parametrize("claim", [c for c in ALL if c.published], ids=lambda claim: claim.id)
def test_the_papers_own_value_satisfies_its_claim(claim: Claim) -> None:
    """With the range that the paper prints, or else half a unit of the last place printed."""
    assert claim.published is not None
    low, high = claim.published.ends
    half = 0.0
    if isinstance(claim.agreement, (Size, Equivalence)) and low == high:
        half = 0.5 * 10.0 ** -len(f"{low:g}".partition(".")[2])
    assert claims.judge(claim, ours(low - half, high + half))[0] == REPRODUCED


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.id)
def test_what_an_interval_holds_is_not_denied_and_no_effect_is_not_affirmed(claim: Claim) -> None:
    rule, width = claim.agreement, 3.0
    if claim.published is not None:
        low, high = claim.published.ends
        held = claims.judge(claim, ours(low - width, high + width))[0]
        assert held in (REPRODUCED, INCONCLUSIVE)
    threshold = rule.weaker if isinstance(rule, Bound) else getattr(rule, "threshold", None)
    if threshold is not None and not (isinstance(rule, Size) and rule.side is None):
        verdict = claims.judge(claim, ours(threshold - width, threshold + width))[0]
        assert verdict in (INCONCLUSIVE, NOT_REPRODUCED)


def test_claims_say_who_makes_them_where_and_why() -> None:
    for claim in ALL:
        assert len(claim.agreement.why) > 15
        for sentence in (claim.claim, claim.agreement.why, claim.note):
            assert not sentence or (sentence[0].isupper() or sentence[:2] == "ev")
            assert not sentence or sentence.endswith(".")
        assert claim.source == "ours" or any(
            place in claim.where
            for place in ("Section", "Table", "Figure", "Abstract", "Appendix", "p. ", "pp. ",
                          "key findings", "full paper")
        )  # fmt: skip
    ids = [claim.id for claim in ALL]
    assert len(set(ids)) == len(ids) > 150
    for name, stated in STATED.items():
        assert {type(c.measure) for c in stated.claims} == set(MODULES[name].MEASURES)


def test_published_numbers_are_those_of_the_figures() -> None:
    numbers = pd.read_csv(PAPERS / "cfrd/published/numbers.csv").set_index("name")
    published = {claim.id: claim.published for claim in STATED["cfrd"].claims}
    late = published["cfrd-abstract-safe-2000"]
    assert late is not None
    assert late.ends == tuple(numbers.loc["safe-late", ["low", "high"]])
    assert "0.23 to 0.29" in str(late)


# Rows and files.


def test_a_row_shows_both_estimands_the_rule_and_its_reason(tmp_path: Path) -> None:
    stated = load(tmp_path, entry({**ABOVE, "why": "Chance."}, 16, note="A note."))
    beside = Estimate(15, 10, 20, 10, "", estimand="geometric mean")
    mine = ours(12, 20, estimand="ratio of means", interval="95%", beside=beside)
    table = claims.judge_all(stated, {"ours": mine, "another rule": ours(-9, -1)})
    assert list(table.columns) == claims.COLUMNS
    row = table.iloc[0]
    assert row["paper"] == "A paper, Section 5"
    assert (row["published"], row["ours"], row["ci_low"], row["ci_high"]) == ("16", 16, 12, 20)
    assert (row["tolerance"], row["reason"]) == ("5", "Chance.")
    assert row["rule"] == "within 5 of the published 16, and above 0"
    assert (row["estimand"], row["interval"], row["n"]) == ("ratio of means", "95%", 10)
    assert (row["beside"], row["beside_low"], row["beside_high"]) == ("geometric mean", 10, 20)
    assert row["evidence"] == (
        "Ours is so. The interval is within 5 of the published 16, and above 0. A note. "
        "Under another rule it is -5 [-9, -1]: not reproduced."
    )


def test_absent_data_are_not_measured(tmp_path: Path) -> None:
    row = claims.judge_all(load(tmp_path, entry(ABOVE, 16)), {}).iloc[0]
    assert (row["verdict"], row["n"], row["evidence"]) == (NOT_MEASURED, 0, "This run has no ours.")
    assert math.isnan(row["ours"])


def test_a_tally_keeps_the_papers_own_claims_apart(tmp_path: Path) -> None:
    above = {"rule": "direction", "side": "above"}
    stated = load(
        tmp_path,
        entry(above, id="a", source="ours"),
        entry(above, id="b", kind="theorem"),
        entry(above, id="c"),
        entry(above, id="d", measure={"name": "other", "key": "absent"}),
    )
    counts = claims.tally(claims.judge_all(stated, {"ours": ours(1, 2)}))
    assert list(counts.columns) == list(claims.VERDICTS)
    assert counts[REPRODUCED].to_dict() == {
        ("A paper", "paper", "experiment"): 1,
        ("A paper", "paper", "theorem"): 1,
        ("A paper", "ours", "experiment"): 1,
    }
    assert counts.loc[("A paper", "paper", "experiment"), NOT_MEASURED] == 1


def test_csv_keeps_the_verdicts(tmp_path: Path) -> None:
    stated = load(
        tmp_path, entry(ABOVE, 16), entry(ABOVE, 2, id="two", measure={"name": "other", "key": "x"})
    )
    table = claims.judge_all(stated, {"ours": ours(12, 20)})
    claims.write(tmp_path / "claims.csv", table)
    read = claims.read(tmp_path / "claims.csv")
    again = tmp_path / "again.csv"
    claims.write(again, read)
    assert again.read_bytes() == (tmp_path / "claims.csv").read_bytes()
    assert list(read["verdict"]) == list(table["verdict"])
    assert read["ours"].to_numpy() == pytest.approx(table["ours"].to_numpy(), nan_ok=True)
    with pytest.raises(CfrlabError, match="not a table of claims"):
        claims.read(tmp_path / "absent.csv")


def test_each_row_of_a_table_is_a_claim(tmp_path: Path) -> None:
    given = entry(
        {**ABOVE, "tolerance": "$margin"},
        "$size",
        id="k-$k",
        claim="With $k it is $size% lower.",
        each={"columns": ["k", "size", "margin"], "rows": [[20, 9, 5], [50, 16.5, 7]]},
    )
    one, two = load(tmp_path, given).claims
    assert (one.id, two.id) == ("k-20", "k-50")
    assert two.claim == "With 50 it is 16.5% lower."
    assert claims.judge(one, ours(4.5, 13.5))[0] == REPRODUCED
    assert claims.judge(two, ours(10, 23))[0] == REPRODUCED
    for each, message in (
        ({"columns": ["k"], "rows": [[1, 2]]}, "has not 1 values"),
        ({"columns": ["l"], "rows": [[1]]}, "refers to no column"),
    ):
        with pytest.raises(CfrlabError, match=message):
            load(tmp_path, {**given, "each": each})


def test_a_published_number_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "numbers.csv").write_text("name,low,high\nlate,0.23,0.29\nmost,,16\n")
    at_most = {"rule": "bound", "side": "at most"}
    one, two = load(tmp_path, entry(SIZE, "late"), entry(at_most, "most", id="two")).claims
    assert one.published is not None
    assert one.published.ends == (0.23, 0.29)
    assert claims.judge(two, ours(15, 15))[0] == REPRODUCED
    with pytest.raises(CfrlabError, match="unknown number 'lat'; did you mean 'late'"):
        load(tmp_path, entry(SIZE, "lat"))


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (entry(SIZE, 1, measure={"name": "givn"}), "unknown measure 'givn'; did you mean 'given'"),
        (entry(SIZE, 1, measure="given"), "claim 'one'.measure: must be a mapping with the name"),
        (entry(SIZE, 1, measure={"name": "given", "kee": "x"}), "kee: unknown key"),
        (entry({"rule": "sise"}, 1), "claim 'one'.agreement: unknown rule 'sise'; did you mean"),
        (entry({"rule": "size"}, 1), "tolerance: missing"),
        (entry({**SIZE, "tolerance": -1}, 1), "tolerance"),
        (entry({**SIZE, "why": None}, 1), "why"),
        (entry({**SIZE, "side": "up"}, 1), "side"),
        (entry({**SIZE, "tolerance": 0.9, "as_factor": True}, 1), "must be above 1"),
        (entry(SIZE), "needs a published value"),
        (entry(SIZE, {"high": None}), "needs a low end, a high end, or both"),
        (entry(SIZE, 1, verdict="reproduced"), "verdict: unknown key"),
        (entry(SIZE, 1, source="theirs"), "source"),
        (entry(SIZE, 1, id="One of them"), "id"),
    ],
)
def test_a_malformed_claim_is_one_line(tmp_path: Path, claim: Any, message: str) -> None:
    with pytest.raises(CfrlabError) as caught:
        load(tmp_path, claim)
    text = str(caught.value)
    assert message in text
    assert "\n" not in text
    assert text.startswith(f"{tmp_path / 'claims.yaml'}: ")


def test_other_mistakes_in_the_file_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(CfrlabError, match="'one' occurs twice"):
        load(tmp_path, entry(SIZE, 1), entry(SIZE, 1))
    broken = tmp_path / "broken.yaml"
    broken.write_text("claims: [", encoding="utf-8")
    for path in (broken, tmp_path / "absent.yaml"):
        with pytest.raises(CfrlabError, match="cannot be read as YAML") as caught:
            claims.load(path, [Given, Other])
        assert "\n" not in str(caught.value)
