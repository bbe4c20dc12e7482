"""The smoke workflow's CFR-D results: every file, and the numbers of a direct computation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.resolving import Resolver
from cfrlab.solve.response import Evaluator
from leduc_cut import CFR_RULE, equilibrium, kuhn, leduc

pytestmark = pytest.mark.workflow

FIGURES = ("cfrd_fig3", "cfrd_fig4", "cfrd_fig5", "cfrd_memory")


def test_every_figure_is_there_and_in_the_report(smoke: Path) -> None:
    page = (smoke / "report/index.html").read_text(encoding="utf-8")
    for name in FIGURES:
        for suffix in ("svg", "png", "csv", "md"):
            assert (smoke / f"figures/{name}.{suffix}").stat().st_size > 0
        assert name in page
    claims = pd.read_csv(smoke / "claims.csv").set_index("id")
    assert claims.loc["cfrd-memory", "verdict"] == "reproduced"
    assert claims.loc["cfrd-unsafe-limit", "verdict"] == "not measured"


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_figure_4_is_what_a_run_gives(smoke: Path, game: str) -> None:
    data = pd.read_csv(smoke / "figures/cfrd_fig4.csv")
    cut = {"kuhn": kuhn(), "leduc": leduc()}[game]
    run = CFRD(cut, CFR_RULE, Variant(80, CFR_RULE))
    run.run(100)
    resolver = Resolver(cut, run.trunk_average(), "safe", CFR_RULE, run.root_values())
    resolver.run(1000)
    rows = data[(data["game"] == game) & (data["method"] == "paper")]
    point = rows[(rows["trunk"] == 100) & (rows["subgame"] == 80)].set_index("quantity")["value"]
    expected = Evaluator(cut.game).exploitability(resolver.profile())
    assert point["exploitability"] == pytest.approx(expected, rel=1e-4)
    assert np.isfinite(point["exact"])


def test_figure_3_is_what_resolving_gives(smoke: Path) -> None:
    data = pd.read_csv(smoke / "figures/cfrd_fig3.csv")
    resolver = Resolver(leduc(), equilibrium(), "safe", CFR_RULE)
    resolver.run(400)
    rows = data[(data["method"] == "safe") & (data["case"] == "uniform")]
    found = rows[(rows["iterations"] == 400)]["value"].item()
    expected = Evaluator(leduc().game).exploitability(resolver.profile())
    assert found == pytest.approx(expected, rel=1e-4)


def test_measured_memory_is_near_what_is_calculated(smoke: Path) -> None:
    data = pd.read_csv(smoke / "figures/cfrd_memory.csv")
    measured = data[data["figure"] == "memory"]
    value = measured.pivot_table(index="method", columns="quantity", values="value")
    assert value.loc["cfr-d", "peak_bytes"] < value.loc["cfr", "peak_bytes"]
    # The numbers kept, and the compiled game beside them.
    assert value.loc["cfr", "peak_bytes"] > 0.8 * value.loc["cfr", "predicted_bytes"]
