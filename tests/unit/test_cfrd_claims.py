"""Records and figures of the CFR-D experiments on made-up numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from cfrlab.papers.cfrd import figures, records
from cfrlab.reporting import plotting

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


def test_captions_count_what_the_data_have() -> None:
    data = made_up()
    three, four, five, _ = (f.caption for f in figures.cfrd_figures(data).values())
    assert "random initial regrets (1 start)" in three
    assert "public chance sampling: 1 seed." in three
    assert "1 run" in four
    assert "2 abstract equilibria (linear program, 1 random objective)" in five
    assert "does not promise a gain" in five
    more = data[data["case"] == "sample-1"].assign(case="sample-2")
    seeds = data[data["case"] == "lp"].assign(case="lp/sample-1")
    seeds = seeds[seeds["quantity"].isin(["exploitability", "gain"])]
    drawn = figures.cfrd_figures(pd.concat([data, more, seeds], ignore_index=True))
    assert "2 seeds, the first thick" in drawn["cfrd_fig3"].caption
    assert "with 1 seed of public chance sampling" in drawn["cfrd_fig5"].caption


def test_captions_leave_out_what_is_not_in_the_data() -> None:
    data = made_up()
    data = data[~data["case"].str.match("start|sample|random")]
    drawn = figures.cfrd_figures(data)
    text = " ".join(figured.caption for figured in drawn.values())
    for absent in ("random", "sampling:", "of public chance", "best-response", "best responses"):
        assert absent not in text
    warm = data[data["figure"] == "fig4"].assign(method="best-response-values")
    both = pd.concat([data, warm], ignore_index=True)
    assert "best responses" in figures.cfrd_figures(both)["cfrd_fig4"].caption


def test_figures_name_units_and_short_times() -> None:
    data = made_up()
    data.loc[data["quantity"] == "seconds_each", "value"] = 0.00042
    drawn = figures.cfrd_figures(data)
    assert "CFR takes 0.00042 s" in drawn["cfrd_memory"].caption
    for name in ("cfrd_fig3", "cfrd_fig4", "cfrd_fig5"):
        named = [axis.get_ylabel() for axis in drawn[name].figure.axes if axis.lines]
        assert named
        assert all("chips a hand" in label for label in named)


def test_any_number_of_trunks_has_as_many_colours() -> None:
    data = made_up()
    part = data[(data["figure"] == "fig4") & (data["trunk"] == 500)]
    more = [part.assign(trunk=trunk) for trunk in range(1, 12)]
    drawn = figures.figure4(pd.concat(more, ignore_index=True))
    handles = drawn.figure.legends[0].legend_handles
    lines = [h for h in handles if isinstance(h, Line2D) and str(h.get_label()).startswith("trunk")]
    assert len({line.get_color() for line in lines}) == len(lines) == 11


def test_figures_of_a_run_without_data() -> None:
    assert tuple(figures.cfrd_figures(made_up().iloc[:0])) == figures.NAMES


def test_calculated_table() -> None:
    table = records.calculated().set_index(["game", "trunk_rounds"])
    assert table.loc[("limit hold'em", 2), "cfrd_bytes"] == 14_586_439_504
    assert np.isclose(table.loc[("leduc", 1), "canonical_infosets"], 288)
