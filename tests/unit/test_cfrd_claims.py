"""Records and figures of the CFR-D experiments on made-up numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd import figures, headline, records
from cfrlab.reporting import plotting, published
from cfrlab.reporting.palette import BLACK, GREY
from cfrlab.reporting.plotting import Figured

NUMBERS = published.of("cfrlab.papers.cfrd")
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


def draw_all(data: pd.DataFrame) -> dict[str, Figured]:
    results = figures.Results(data, NUMBERS)
    return {name: draw(results) for name, draw in figures.FIGURES.items()}


def lines_of(axis: Axes, colour: str) -> list[NDArray[np.float64]]:
    """Points of the lines of a colour, the edge of marks counted as theirs."""
    found = [x for x in axis.lines if colour in (x.get_color(), x.get_markeredgecolor())]
    return [np.asarray(line.get_xydata(), dtype=np.float64) for line in found]


def test_the_papers_own_points_lines_and_bounds_are_drawn() -> None:
    drawn = draw_all(made_up())
    three, *_ = (a for a in drawn["cfrd_fig3"].figure.axes if a.lines)
    assert np.unique(lines_of(three, BLACK)[0][:, 1]) == [0.080]
    rate = lines_of(three, GREY)[0]
    slope = np.diff(np.log(rate[:, 1])) / np.diff(np.log(rate[:, 0]))
    np.testing.assert_allclose(slope, -0.5)
    five = lines_of(drawn["cfrd_fig5"].figure.axes[0], BLACK)
    assert [[200, 0.33]] in [line.tolist() for line in five]
    assert [[6250, 0.39]] in [line.tolist() for line in five]
    assert {0.23, 0.29, 0.382} <= {value for line in five for value in line[:, 1]}
    memory = [line.tolist() for line in lines_of(drawn["cfrd_memory"].figure.axes[0], BLACK)]
    assert [[point[0] for point in line] for line in memory] == [[200e12], [16e9]]
    texts = [text.get_text() for text in drawn["cfrd_memory"].figure.axes[0].texts]
    assert {"287.1 TB", "14.59 GB"} <= set(texts)


def test_figures(tmp_path: Path) -> None:
    drawn = draw_all(made_up())
    for name, figured in drawn.items():
        plotting.write(tmp_path, name, figured, "Foot.")
        for suffix in ("svg", "png", "csv", "md"):
            assert (tmp_path / f"{name}.{suffix}").stat().st_size > 0
        assert (tmp_path / f"{name}.md").read_text(encoding="utf-8").endswith("\n\nFoot.\n")
    assert "14.59 GB" in drawn["cfrd_memory"].caption
    assert "0.360 to 0.360" in drawn["cfrd_fig5"].caption


def test_captions_count_what_the_data_have() -> None:
    data = made_up()
    three, four, five, _ = (f.caption for f in draw_all(data).values())
    assert "random initial regrets (1 start)" in three
    assert "Public chance sampling: 1 seed." in three
    assert "one run" in four
    assert "2 abstract equilibria (linear program, 1 random objective)" in five
    assert "does not promise a gain" in five
    more = data[data["case"] == "sample-1"].assign(case="sample-2")
    seeds = data[data["case"] == "lp"].assign(case="lp/sample-1")
    seeds = seeds[seeds["quantity"].isin(["exploitability", "gain"])]
    drawn = draw_all(pd.concat([data, more, seeds], ignore_index=True))
    assert "2 seeds, the first of them thick" in drawn["cfrd_fig3"].caption
    assert "with 1 seed of public chance sampling" in drawn["cfrd_fig5"].caption


def test_captions_leave_out_what_is_not_in_the_data() -> None:
    data = made_up()
    data = data[~data["case"].str.match("start|sample|random")]
    drawn = draw_all(data)
    text = " ".join(figured.caption for figured in drawn.values())
    for absent in ("random", "sampling:", "of public chance", "best-response", "best responses"):
        assert absent not in text
    warm = data[data["figure"] == "fig4"].assign(method="best-response-values")
    both = pd.concat([data, warm], ignore_index=True)
    assert "best responses" in draw_all(both)["cfrd_fig4"].caption


def test_figures_name_units_and_short_times() -> None:
    data = made_up()
    data.loc[data["quantity"] == "seconds_each", "value"] = 0.00042
    drawn = draw_all(data)
    assert "CFR takes 0.00042 s" in drawn["cfrd_memory"].caption
    for name in ("cfrd_fig3", "cfrd_fig4", "cfrd_fig5"):
        axes = [axis for axis in drawn[name].figure.axes if axis.lines]
        # The panels of a row that share an axis name it once.
        named = axes if name == "cfrd_fig5" else axes[:1]
        assert all("chips a hand" in axis.get_ylabel() for axis in named)
        assert all("iterations" in axis.get_xlabel() for axis in axes)


def test_any_number_of_trunks_has_as_many_colours() -> None:
    data = made_up()
    part = data[(data["figure"] == "fig4") & (data["trunk"] == 500)]
    more = [part.assign(trunk=trunk) for trunk in range(1, 12)]
    drawn = figures.figure4(figures.Results(pd.concat(more, ignore_index=True), NUMBERS))
    handles = drawn.figure.legends[0].legend_handles
    lines = [h for h in handles if isinstance(h, Line2D) and str(h.get_label()).startswith("trunk")]
    assert len({line.get_color() for line in lines}) == len(lines) == 11


def test_panels_that_share_an_axis_show_all_of_their_lines() -> None:
    data = made_up()
    high = data[data["figure"] == "fig4"].assign(method="warm", value=data["value"] * 50)
    both = pd.concat([data, high], ignore_index=True)
    figured = figures.figure4(figures.Results(both, NUMBERS))
    low, top = figured.figure.axes[0].get_ylim()
    assert low < figured.data["value"].min() <= figured.data["value"].max() < top


@pytest.mark.parametrize("left", ["fig3", "fig4", "fig5", "memory"])
def test_a_figure_that_a_run_leaves_out_is_refused_and_the_others_are_drawn(left: str) -> None:
    data = made_up()
    results = figures.Results(data[data["figure"] != left], NUMBERS)
    for name, draw in figures.FIGURES.items():
        if name == f"cfrd_{left}":
            with pytest.raises(CfrlabError, match="this run has no records of CFR-D"):
                draw(results)
        else:
            assert len(draw(results).data) > 0


def test_headline_quotes_the_paper_beside_ours(tmp_path: Path) -> None:
    assert headline.lines(tmp_path) == []
    for name, figured in draw_all(made_up()).items():
        plotting.write(tmp_path / "figures", name, figured)
    _, table = headline.lines(tmp_path)
    text = table.replace("|", " ")
    assert "the same, safely re-solved, 200 iterations   0.330 [0.330, 0.330]   *0.33*" in text
    assert (
        "the same, safely re-solved, 2,000 iterations   0.260 [0.260, 0.260]   *0.23 to 0.29*"
        in text
    )
    assert "memory of CFR-D   14.59 GB   *less than 16 GB*" in text


def test_calculated_table() -> None:
    table = records.calculated().set_index(["game", "trunk_rounds"])
    assert table.loc[("limit hold'em", 2), "cfrd_bytes"] == 14_586_439_504
    assert np.isclose(table.loc[("leduc", 1), "canonical_infosets"], 288)
