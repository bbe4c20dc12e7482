"""Claims, records and figures of the CFR-D experiments on made-up numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.experiments import claims as shared
from cfrlab.experiments import plotting
from cfrlab.experiments.cfrd import claims, figures, records

CLAIMS = Path(__file__).parents[2] / "workflow/published/cfrd_claims.yaml"
POINTS = [100, 200, 2000, 6250, 102400]


def row(**values: Any) -> dict[str, Any]:
    empty = {"method": "", "case": "", "trunk": 0, "subgame": 0, "iterations": 0, "game": "leduc"}
    return {**empty, **values}


def made_up() -> pd.DataFrame:
    """Numbers as the paper has them."""
    rows = []
    for case in ("uniform", "start-1", "sample-1"):
        for method in ("safe", "unsafe"):
            same = {"figure": "fig3", "method": method, "case": case}
            rows += [
                row(**same, quantity="equilibrium", value=1e-15),
                row(**same, quantity="exact", value=1e-13),
            ]
            for t in POINTS:
                value = t**-0.5 if method == "safe" else 0.080
                rows.append(row(**same, quantity="exploitability", iterations=t, value=value))
    for trunk in (500, 32000):
        for subgame, value in ((100, 0.017), (400, 0.0076), (3200, 0.0032)):
            same = {"figure": "fig4", "method": "paper", "trunk": trunk, "subgame": subgame}
            for quantity in ("exploitability", "exact"):
                rows.append(row(**same, quantity=quantity, iterations=200000, value=value))
    for case in ("lp", "random-1"):
        rows.append(row(figure="fig5", case=case, quantity="original", value=0.382))
        for method, level, gain in (("safe", 0.26, 0.1), ("unsafe", 0.39, 0.104)):
            same = {"figure": "fig5", "method": method, "case": case}
            rows.append(row(**same, quantity="exact", value=0.36))
            for t in POINTS:
                value = 0.33 if method == "safe" and t <= 200 else level
                rows += [
                    row(**same, quantity="exploitability", iterations=t, value=value),
                    row(**same, quantity="gain", iterations=t, value=gain),
                ]
    for mode, peak in (("cfr", 3e8), ("cfr-d", 3e7)):
        for quantity in ("peak_bytes", "predicted_bytes", "seconds_each"):
            same = {"figure": "memory", "method": mode, "game": "leduc with 60 ranks"}
            rows.append(row(**same, quantity=quantity, value=peak))
    return pd.DataFrame(rows)[records.COLUMNS]


def test_every_claim_is_reproduced_by_the_papers_own_numbers() -> None:
    judged = claims.evaluate(CLAIMS, made_up())
    assert list(judged.columns) == shared.COLUMNS
    assert set(judged["verdict"]) == {shared.REPRODUCED}, judged[["id", "verdict", "evidence"]]


def test_other_numbers_are_not() -> None:
    wrong = made_up()
    wrong.loc[wrong["figure"].isin(["fig3", "fig5"]), "value"] *= -3.0
    wrong.loc[wrong["quantity"] == "exploitability", "value"] = 1.0
    judged = claims.evaluate(CLAIMS, wrong).set_index("id")["verdict"]
    for name in ("cfrd-safe-rate", "cfrd-grid-plateau", "cfrd-abstract", "cfrd-edge"):
        assert judged[name] == shared.NOT_REPRODUCED
    assert judged["cfrd-memory"] == shared.REPRODUCED


def test_missing_data_is_not_measured() -> None:
    judged = claims.evaluate(CLAIMS, made_up().iloc[:0]).set_index("id")
    assert (judged["verdict"] == shared.NOT_MEASURED).sum() == len(judged) - 2
    assert (judged.loc[judged["verdict"] == shared.NOT_MEASURED, "n"] == 0).all()


def test_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    text = CLAIMS.read_text(encoding="utf-8")
    path.write_text(text.replace("name: slope", "name: slop", 1), encoding="utf-8")
    with pytest.raises(CfrlabError, match=r"claim 'cfrd-safe-rate'.*unknown measure 'slop'"):
        claims.evaluate(path, made_up())
    path.write_text(text.replace("where: Figure 3", "were: Figure 3", 1), encoding="utf-8")
    with pytest.raises(CfrlabError, match=r"unknown key"):
        claims.evaluate(path, made_up())
    with pytest.raises(CfrlabError, match="cannot be read"):
        claims.evaluate(tmp_path / "none.yaml", made_up())


def test_figures(tmp_path: Path) -> None:
    drawn = figures.cfrd_figures(made_up(), "Foot.")
    assert tuple(drawn) == figures.NAMES
    plotting.write(tmp_path, drawn)
    for name in figures.NAMES:
        for suffix in ("svg", "png", "csv", "md"):
            assert (tmp_path / f"{name}.{suffix}").stat().st_size > 0
        assert drawn[name].caption.endswith("Foot.")
    assert "14.59 GB" in drawn["cfrd_memory"].caption
    assert "0.360 to 0.360" in drawn["cfrd_fig5"].caption


def test_figures_of_a_run_without_data() -> None:
    assert tuple(figures.cfrd_figures(made_up().iloc[:0])) == figures.NAMES


def test_calculated_table() -> None:
    table = records.calculated().set_index(["game", "trunk_rounds"])
    assert table.loc[("limit hold'em", 2), "cfrd_bytes"] == 14_586_439_504
    assert np.isclose(table.loc[("leduc", 1), "canonical_infosets"], 288)
