"""Figures and tables of Embedding CFR: what is drawn and said is the data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from cfrlab.errors import CfrlabError
from cfrlab.papers.embedding import (
    comparison,
    figures,
    headline,
    labels,
    neighbours,
    records,
    styles,
    tables,
)
from cfrlab.papers.embedding.comparison import Results
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.store import Artifact
from cfrlab.reporting import plotting
from cfrlab.reporting.markdown import Table
from cfrlab.reporting.palette import BLACK
from cfrlab.reporting.plotting import Figured
from cfrlab.solve.rounds.averages import AVERAGES
from synthetic_embedding import (
    ANTE,
    PAPER,
    REVERSED,
    SOLVERS,
    STUDIES,
    level,
    make_curves,
    make_neighbours,
    make_phis,
    make_results,
)

Drawn = dict[str, Figured]
NAMED = ("hand", "other")


@pytest.fixture(scope="module")
def curves() -> pd.DataFrame:
    return make_curves(level(REVERSED))


@pytest.fixture(scope="module")
def drawn(curves: pd.DataFrame) -> Drawn:
    return draw_all(make_results(curves))


def draw_all(results: Results) -> Drawn:
    return {name: draw(results) for name, draw in figures.FIGURES.items()}


@pytest.fixture(scope="module")
def made(curves: pd.DataFrame) -> dict[str, Table]:
    return {name: lay_out(make_results(curves)) for name, lay_out in tables.TABLES.items()}


def axes_of(figured: Figured) -> list[Axes]:
    return [axis for axis in figured.figure.axes if axis.lines]


def labels_of(figured: Figured) -> list[str]:
    return [str(h.get_label()) for h in figured.figure.legends[0].legend_handles if h is not None]


def test_every_figure_is_written_with_data_and_caption(drawn: Drawn, tmp_path: Path) -> None:
    assert tuple(drawn) == figures.NAMES
    for name, figured in drawn.items():
        plotting.write(tmp_path, name, figured, "Foot.")
        for suffix in ("svg", "png", "csv", "md"):
            assert (tmp_path / f"{name}.{suffix}").stat().st_size > 0
        assert (tmp_path / f"{name}.md").read_text(encoding="utf-8").endswith("\n\nFoot.\n")
        assert figured.caption.startswith("**Embedding CFR")
        assert "What to see" in figured.caption
        assert "half-sum" in figured.caption
        assert len(figured.data) > 10


def test_a_panel_for_each_averaging_rule_has_all_methods(drawn: Drawn) -> None:
    figured = drawn["embedding_fig5"]
    panels = axes_of(figured)
    assert len(panels) == 2 * len(AVERAGES)
    for axis in panels[:3]:
        # 1 lossless, 3 seeds each of EHS, PaEmd, two KrwEmd, and two embeddings.
        assert len(axis.lines) == 1 + 3 * 6
        strong = [line for line in axis.lines if line.get_linewidth() > 1.5]
        assert len({line.get_color() for line in strong}) == len(strong) == 6
    assert set(figured.data["averaging"]) == set(AVERAGES)


def test_the_strong_line_is_the_best_of_its_method(drawn: Drawn) -> None:
    axis = axes_of(drawn["embedding_fig5"])[0]
    for family, end in (("krwemd", 1.0), ("embedding", 1.8), ("sharpened", 0.9)):
        of_method = [x for x in axis.lines if x.get_color() == styles.family_colour(family)]
        ends = {line.get_linewidth(): float(np.asarray(line.get_ydata())[-1]) for line in of_method}
        lowest = min(float(np.asarray(line.get_ydata())[-1]) for line in of_method)
        assert ends[max(ends)] == lowest == pytest.approx(end / 1.01)
    best = drawn["embedding_fig5"].data.query("best")
    assert set(best[best["role"] == "krwemd"]["abstraction"]) == {"krwemd-exponential"}


def test_the_lower_panels_are_ratios_to_the_best_clustering(drawn: Drawn) -> None:
    figured = drawn["embedding_fig5"]
    below = axes_of(figured)[3:]
    # The paper's range stands where its iterations are, and under its own averaging rule.
    papers = [[x for x in axis.lines if x.get_color() == BLACK] for axis in below]
    assert [len(lines) for lines in papers] == [1, 0, 0]
    assert np.asarray(papers[0][0].get_xydata()).tolist() == [[1024, 0.6], [1024, 0.7]]
    assert below[0].get_ylabel() == "times the\nbest clustering"
    lines = [x for x in below[1].lines if x.get_color() == styles.family_colour("embedding")]
    ends = sorted(float(np.asarray(line.get_ydata())[-1]) for line in lines)
    assert ends == pytest.approx([1.8 / 1.01, 1.8, 1.8 * 1.01])
    middle = figured.data.query("abstraction == 'hand' and seed == 1 and averaging == 'advisor'")
    ratios = middle.set_index("iteration")["relative"]
    assert ratios[54] == pytest.approx(1.8 * (1024 / 54) ** 0.1)
    assert not any(line.get_color() == styles.family_colour("lossless") for line in below[0].lines)


def test_axes_name_their_units(drawn: Drawn) -> None:
    panels = axes_of(drawn["embedding_fig5"])
    assert panels[0].get_ylabel() == "exploitability\n(half-sum, chips a hand)"
    right = [child for child in panels[2].child_axes if "milli-antes" in child.get_ylabel()]
    assert len(right) == 1
    FigureCanvasAgg(drawn["embedding_fig5"].figure).draw()
    chips, milli = panels[2].get_ylim(), right[0].get_ylim()
    assert np.array(milli) / np.array(chips) == pytest.approx(1000 / ANTE)
    assert "milli-antes" in axes_of(drawn["embedding_ablation"])[-1].get_xlabel()


def test_effective_advisors_stand_beside_embeddings(drawn: Drawn) -> None:
    names = labels_of(drawn["embedding_fig5"])
    assert "Embedding CFR, 27 and 35 advisors" in names
    assert "Embedding CFR, Phi sharpened (ours), 2.6 and 3 advisors" in names
    ticks = [
        t.get_text() for a in axes_of(drawn["embedding_ablation"]) for t in a.get_yticklabels()
    ]
    assert "network, Phi top-4 (3.9 and 3.9)" in ticks
    assert "network (27 and 35)\nCFR+" in ticks
    assert all(("(" in name) == name.startswith(("network", "wide")) for name in ticks)


def test_caption_says_whether_the_order_comes_out() -> None:
    said = {
        name: figures.figure5(make_results(make_curves(level(ends)))).caption
        for name, ends in (("paper", PAPER), ("reversed", REVERSED))
    }
    rules = "uniform, advisor, infoset"
    assert f"As trained it ends below every clustering under {rules}." in said["paper"]
    assert "does not end below" not in said["paper"]
    assert f"As trained it does not end below them under {rules}." in said["reversed"]
    assert "uniform: as trained 1.80 times KrwEmd, exponential weights," in said["reversed"]
    assert "sharpened 0.90 times KrwEmd" in said["reversed"]
    assert "the paper has 0.6 to 0.7 times the clusterings" in said["reversed"]


def test_caption_counts_seeds_of_each_configuration() -> None:
    curves = make_curves(level(PAPER))
    some = curves[(curves["abstraction"] != "krwemd-linear") | (curves["seed"] == 1)]
    caption = figures.figure5(make_results(some)).caption
    assert "EHS: 1 configuration, 3 seeds; " in caption
    assert "KrwEmd: 2 configurations, 1 to 3 seeds; " in caption


def test_caption_tells_averaging_rules_apart() -> None:
    paper, other = level(PAPER), level(REVERSED)

    def mixed(abstraction: str, solver: str, averaging: str, t: int) -> float:
        return (paper if averaging == "infoset" else other)(abstraction, solver, averaging, t)

    caption = figures.figure5(make_results(make_curves(mixed))).caption
    assert "below every clustering under infoset." in caption
    assert "does not end below them under uniform, advisor." in caption


def test_ablation_marks_are_the_means_of_the_ends(drawn: Drawn) -> None:
    figured = drawn["embedding_ablation"]
    panels = {axis.get_title(loc="right"): axis for axis in axes_of(figured)}
    assert set(panels) == {
        "A faster solver: after 256 iterations",
        "Sharpness of Phi: after 1,024 iterations",
        "What networks are trained on: after 1,024 iterations",
        "Numbers of advisors: after 1,024 iterations",
    }
    sharp = panels["Sharpness of Phi: after 1,024 iterations"]
    marks = [x for x in sharp.lines if x.get_marker() in styles.AVERAGE_MARKERS.values()]
    found = sorted({round(float(np.asarray(x.get_xdata())[0]), 6) for x in marks})
    assert found == pytest.approx([1000 / ANTE * v for v in (0.9, 1.2, 1.8)])
    strokes = [x for x in sharp.lines if x.get_marker() == "|"]
    assert {round(float(np.asarray(x.get_xdata())[0]), 6) for x in strokes} == {200.0}
    said = "uniform: 1 of 8, the lowest network, Phi cubed by CFR (advisor baseline), 0.90 times"
    assert said in figured.caption


def test_captions_say_where_the_order_reverses_later() -> None:
    """After 256 iterations the embedding is above the clusterings, at the end below."""
    ends = {**PAPER, "hand": 0.95, "hand/cubed": 0.95}
    studies = [*STUDIES[:2], ("short", ["hand", "hand/cubed"], "cfr-baseline", 256)]
    curves = make_curves(level(ends, gain=0.3), studies=studies)
    for name in ("embedding_ablation", "embedding_sharpness"):
        caption = figures.FIGURES[name](make_results(curves)).caption
        # 4 to the power of .3, times .95.
        said = "network, Phi cubed, by CFR (advisor baseline), goes from 1.44 times the best"
        assert said in caption
        assert "after 256 iterations to 0.95 times after 1,024" in caption
    steady = make_curves(level(PAPER, gain=0.0), studies=studies)
    assert "early" not in figures.ablation(make_results(steady)).caption


def test_sharpness_compares_phi_of_one_network(drawn: Drawn) -> None:
    figured = drawn["embedding_sharpness"]
    assert set(figured.data["network"]) == {"hand"}
    assert set(figured.data["solver"]) == {"cfr-baseline", "cfr-plus-baseline"}
    said = (
        "CFR (advisor baseline): the widest Phi (27 and 35 advisors) 1.8 chips, "
        "the best Phi (2.6 and 3 advisors) 0.9 chips, the best clustering 1"
    )
    assert said in figured.caption
    # CFR+ ends after 256 iterations, CFR after 1,024.
    assert "after 256 or 1,024 iterations" in figured.caption
    limits = {axis.get_ylim() for axis in axes_of(figured)}
    assert len(limits) == 1, "solvers can be compared"
    first = axes_of(figured)[0]
    line = next(x for x in first.lines if len(np.asarray(x.get_xdata())) == 3)
    assert line.get_linestyle() == "None", "Phi of several kinds are not joined"
    marks = np.asarray(line.get_xydata())
    np.testing.assert_allclose(marks[marks[:, 0].argsort()], [[2.6, 0.9], [3.9, 1.2], [27, 1.8]])


def test_sharpness_looks_where_a_study_ends() -> None:
    """A curve that goes on for Figure 5 is compared where the study's others end."""
    compared = ["hand", "hand/cubed", "hand/top-4", "cool"]
    studies = [*STUDIES, ("short", compared, "cfr", 256)]
    curves = make_curves(level(REVERSED), studies=studies)
    data = figures.sharpness(make_results(curves)).data
    found = data[(data["solver"] == "cfr") & (data["averaging"] == "infoset")]
    assert set(found["abstraction"]) == set(compared)
    assert set(found["iteration"]) == {256}
    assert found["best_value"].to_numpy() == pytest.approx(4**0.3)


@pytest.mark.parametrize(
    ("left", "drawn"),
    [
        (lambda curves: curves.iloc[:0], ()),
        (lambda curves: curves[curves["studies"] == ""], ()),
        (lambda curves: curves[curves["family"] == "lossless"], ("fig5",)),
        (
            lambda curves: curves[curves["averaging"] == "infoset"],
            ("fig5", "ablation", "sharpness"),
        ),
        (lambda curves: curves[curves["family"] == "embedding"], ("fig5", "ablation", "sharpness")),
        (lambda curves: curves[curves["iteration"] == 54], ("fig5", "ablation", "sharpness")),
        (lambda curves: curves[curves["studies"] == "width"], ("ablation",)),
        (
            lambda curves: pd.concat([curves, curves.assign(game="other", milli_antes=1.0)]),
            ("fig5", "ablation", "sharpness"),
        ),
    ],
)
def test_a_run_has_the_figures_and_tables_that_it_has_data_for(left: Any, drawn: Any) -> None:
    curves = left(make_curves(level(PAPER), seeds=1)).reset_index(drop=True)
    results = make_results(curves, phis=pd.DataFrame())
    for name, draw in figures.FIGURES.items():
        if name.removeprefix("embedding_") in drawn:
            assert len(draw(results).data) > 0
        else:
            with pytest.raises(CfrlabError, match="this run has no "):
                draw(results)
    if len(curves):
        assert len(tables.ends_table(results).data) > 0
    with pytest.raises(CfrlabError, match="this run has no Phi"):
        tables.phi_table(results)


def test_ablations_are_compared_without_figure_5_too() -> None:
    """Then all the paper's clusterings that the run has are there to be compared with."""
    studies = [study for study in STUDIES if study[0] == "floors"]
    data = figures.ablation(make_results(make_curves(level(PAPER), studies=studies))).data
    assert set(data["best_clustering"]) == {"krwemd-exponential"}
    assert data["ratio"].notna().all()


def test_games_with_other_antes_share_an_axis() -> None:
    """Two games that differ in the unit alone: milli-antes agree, chips do not."""
    curves = make_curves(level(PAPER))
    twice = curves.assign(game="twice", exploitability=2 * curves["exploitability"])
    both = pd.concat([curves, twice], ignore_index=True)
    figured = figures.ablation(make_results(both))
    panel = axes_of(figured)[-1]
    marks = [x for x in panel.lines if x.get_marker() in styles.AVERAGE_MARKERS.values()]
    assert len({round(float(np.asarray(x.get_xdata())[0]), 6) for x in marks}) == 2
    names = [tick.get_text() for tick in panel.get_yticklabels()]
    assert "network (27 and 35)\ntwice" in names


def test_families_and_roles_have_their_own_colours() -> None:
    known = [*records.FAMILIES, labels.BASELINE, labels.SHARPENED]
    assert len({styles.family_colour(name) for name in [*known, "mine"]}) == len(known) + 1
    ordered = sorted([*known, "mine"], key=labels.family_order)
    assert ordered[:3] == list(labels.CLUSTERINGS)
    assert ordered[-1] == "lossless"


# Tables.


def test_table_of_ends_has_a_row_for_each_curve(
    curves: pd.DataFrame, made: dict[str, Table]
) -> None:
    frame, text = made["embedding_ends"].data, made["embedding_ends"].text
    assert list(frame.columns) == tables.END_COLUMNS
    runs = curves[["abstraction", "solver", "seed", "averaging"]].drop_duplicates()
    assert len(frame) == len(runs)
    lines = [line for line in text.splitlines() if line.startswith("| hand/cubed |")]
    assert lines[0].split(" | ")[1:7] == [
        *("225 + 390", "2.6 and 3", "1024", "3", "0.900 [0.891, 0.909]", "0.90")
    ]
    assert lines[0].endswith("| −24% |")
    assert "empty where a curve has no point at exactly half" in text
    assert "0 of 15 ends of a Phi as trained" in text
    # hand/cubed by one of two solvers, under three rules; hand/top-4 by one.
    assert "3 of 9 ends of a Phi transformed" in text


def test_table_of_phi(made: dict[str, Table]) -> None:
    frame, text = made["embedding_phi"].data, made["embedding_phi"].text
    hand = frame[frame["abstraction"] == "hand"].set_index("round")
    assert hand.loc[1, "r2"] == pytest.approx(1 - 0.01 * (1 + 1))
    assert hand.loc[2, "seeds"] == 3
    assert "| hand | Embedding CFR | 3 | 225 / 396 | 225 / 396 | 0 / 0 | 27 / 35 |" in text
    assert "| hand/cubed | Embedding CFR | 3 | 225 / 396 | 225 / 390 | 0 / 6 | 2.6 / 3 |  |" in text
    assert "mixes 27 on the flop with an R² of 0.980, 35 on the turn" in text
    assert "TsAs Ah and 8sAs Ah on the flop are 0.35 apart, the second number 41 of all" in text
    assert "Means over seeds, flop / turn." in text
    assert "| flop | straight flush draw | TsAs Ah | TsAs Ad (0.10) | TsAs Ac (0.20) | 9s" in text


def test_a_transformed_phi_has_no_r2() -> None:
    """Its predictions are not the network's, even where records have the network's R²."""
    phis = make_phis()
    known = phis.assign(r2=phis["r2"].fillna(0.9).where(phis["family"] == "embedding"))
    curves = make_curves(level(PAPER))
    table = tables.phi_table(make_results(curves, phis=known))
    assert table.data["r2"].notna().equals(table.data["phi"] == "as-trained")
    assert "| 2.6 / 3 |  |" in table.text
    # The first network is there as it was trained, or it is not the one to speak of.
    only = known[known["abstraction"].isin(["hand/cubed", "wide"])]
    text = tables.phi_table(make_results(curves, phis=only)).text
    assert "`wide` mixes 31 on the flop with an R² of 0.980" in text


def test_rounds_go_by_their_names_where_there_are_three() -> None:
    assert [labels.round_name(r, 3) for r in range(3)] == ["preflop", "flop", "turn"]
    assert labels.round_name(1, 2) == "round 1"
    # A game of four rounds: its third is not the last.
    phis, near = make_phis(), make_neighbours()
    phis = pd.concat([phis, phis[phis["round"] == 2].assign(round=3)])
    near = pd.concat([near, near.assign(round=3)])
    curves = make_curves(level(PAPER))
    text = tables.phi_table(make_results(curves, phis=phis, neighbours=near)).text
    assert "round 1 / round 2 / round 3" in text
    assert "| round 3 | straight flush draw" in text
    assert "8sAs Ah in round 1 are" in text
    assert "flop" not in text


def test_draws_have_missed_when_no_card_is_to_come() -> None:
    for name in neighbours.EXAMPLE:
        assert neighbours.called(name, last=True) == f"missed {name}"
        assert neighbours.called(name, last=False) == name
    assert neighbours.called("low pair", last=True) == "low pair"
    near = make_neighbours()
    names = {column: near[column].map(lambda x: neighbours.called(x, True)) for column in NAMED}
    near = pd.concat([near, near.assign(round=2, cards="TsAs Ah3h", **names)], ignore_index=True)
    text = tables.phi_table(make_results(make_curves(level(PAPER)), neighbours=near)).text
    assert "| turn | missed straight flush draw | TsAs Ah3h |" in text
    assert "| flop | straight flush draw | TsAs Ah |" in text
    assert "8sAs Ah on the flop are 0.35 apart" in text
    assert "8sAs Ah on the turn, where both have missed, are 0.35 apart" in text


def test_tables_have_as_many_cells_in_every_line(
    made: dict[str, Table],
) -> None:
    for table in made.values():
        for block in re.split(r"\n\n", table.text):
            lines = block.splitlines()
            if lines[0].startswith("|"):
                assert len({line.count("|") for line in lines}) == 1


def test_neighbours_come_from_the_artifacts(tmp_path: Path) -> None:
    near = [
        {"hand": name, "cards": cards, "rank": 1, "neighbour": "2c3c 4c", "distance": 0.1}
        for name, cards in (("straight flush draw", "TsAs Ah"), ("flush draw", "8sAs Ah"))
    ]
    between = [
        {"first": "straight flush draw", "second": "flush draw", "distance": 0.3, "nearer": 0.25},
        {"first": "flush draw", "second": "straight flush draw", "distance": 0.3, "nearer": 0.5},
    ]
    rounds = [
        {"classes": 9, "nearest": near, "between": between},
        {"classes": 9, "nearest": near, "between": between},
    ]
    meta: dict[str, Any] = {
        "game": "g",
        "abstraction": "hand",
        "seed": 0,
        "phi": "as-trained",
        "rounds": rounds,
    }
    frame = neighbours.load([Artifact({}, meta, Provenance({}, 1, "c"), "")])
    assert list(frame.columns) == neighbours.COLUMNS
    assert frame["round"].tolist() == [1, 1, 1, 2, 2, 2]
    assert frame["hand"].tolist() == [
        *("straight flush draw", "flush draw", "straight flush draw"),
        *("missed straight flush draw", "missed flush draw", "missed straight flush draw"),
    ]
    assert frame["other"].tolist() == ["", "", "flush draw", "", "", "missed flush draw"]
    example = frame[frame["other"] != ""].iloc[0]
    # A quarter of the eight other hands are nearer.
    assert example["rank"] == 3
    assert example["neighbour"] == "8sAs Ah"


# The headline.


def test_headline_shows_the_best_of_every_method(drawn: Drawn, tmp_path: Path) -> None:
    assert headline.lines(tmp_path) == [], "a run without the figure has no lines"
    plotting.write(tmp_path / "figures", "embedding_fig5", drawn["embedding_fig5"])
    about, table = headline.lines(tmp_path)
    assert "on Numeral211 hold'em after 1024 iterations of CFR" in about
    assert "0.6 to 0.7 times the clusterings" in about
    lines = table.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {rule}" for rule in AVERAGES]
    assert lines[2] == (
        "| uniform | 1.020 | 1.050 | 1.000 | 1.800 [27 and 35] | 0.900 [2.6 and 3] | 0.100 |"
    )
    assert lines[0].count("|") == lines[2].count("|")


def test_figures_are_the_same_bytes_each_time(curves: pd.DataFrame, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        figured = figures.figure5(make_results(curves))
        plotting.write(tmp_path / folder, "embedding_fig5", figured)
    for suffix in ("svg", "csv"):
        first, second = (tmp_path / f / f"embedding_fig5.{suffix}" for f in ("one", "two"))
        assert first.read_bytes() == second.read_bytes()


def test_roles() -> None:
    ends = comparison.with_roles(make_curves(level(PAPER)), SOLVERS)
    found = ends.groupby(["family", "phi", "solver"])["role"].unique().map(list).to_dict()
    assert found["embedding", "as-trained", "cfr"] == ["embedding"]
    assert found["embedding", "as-trained", "cfr-baseline"] == ["baseline"]
    assert found["embedding", "cubed", "cfr-plus-baseline"] == ["sharpened"]
    assert found["ehs", "", "cfr-plus"] == ["ehs"]
