"""Figures: what is drawn is the data, and equal data give equal files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.path import Path as MarkerPath
from numpy.typing import NDArray

from cfrlab.errors import CfrlabError
from cfrlab.papers.weva import figures
from cfrlab.papers.weva.styles import styles as styles_of
from cfrlab.papers.weva.tables import Results, panel_games
from cfrlab.reporting import plotting
from cfrlab.reporting.palette import BLACK
from cfrlab.reporting.plotting import Figured
from synthetic_records import (
    GAMES,
    PUBLISHED,
    as_published,
    board_factors,
    make_oracle,
    make_records,
    make_results,
)


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    return make_records(as_published, games=[*GAMES, "random-game-235"], noise=0.2)


@pytest.fixture(scope="module")
def drawn(records: pd.DataFrame) -> dict[str, Figured]:
    return draw_all(make_results(records, make_oracle()))


def draw_all(results: Results) -> dict[str, Figured]:
    return {name: draw(results) for name, draw in figures.FIGURES.items()}


def test_every_figure_has_data_and_a_caption(drawn: dict[str, Figured]) -> None:
    assert list(drawn) == ["weva_fig1", "weva_fig2", "weva_fig3", "weva_fig5", "weva_fig6"]
    for name, figured in drawn.items():
        assert len(figured.data) > 20
        assert set(figured.data["game"]) == set(GAMES)
        number = name.removeprefix("weva_fig")
        assert figured.caption.startswith(f"**WEVA, Figure {number}: ")
        assert "**What to see:**" in figured.caption
        assert ("Diamonds" in figured.caption) == (name in ("weva_fig2", "weva_fig3", "weva_fig6"))
        assert "pot" in figured.caption or "equity" in figured.caption


def test_panels_are_the_papers_games_and_new_ones() -> None:
    games = pd.Series(["random-game-235", "new-game", "random-game", "hunl-river"])
    assert panel_games(games) == ["hunl-river", "random-game", "new-game"]


def test_a_method_has_one_colour_in_all_figures(drawn: dict[str, Figured]) -> None:
    colours: dict[str, set[str]] = {}
    for name in ("weva_fig2", "weva_fig3", "weva_fig5", "weva_fig6"):
        for handle in drawn[name].figure.legends[0].legend_handles:
            assert handle is not None
            assert isinstance(handle, Line2D)
            colours.setdefault(str(handle.get_label()), set()).add(to_hex(handle.get_color()))
    methods = {name: found for name, found in colours.items() if not name.startswith("paper")}
    assert set(methods) == {
        *("equity", "rank", "rank-2d", "ev-root (W = 50)"),
        *(f"ev-nd (W = {w})" for w in (10, 50, 500)),
    }
    assert all(len(found) == 1 for found in methods.values())
    assert len(set.union(*methods.values())) == len(methods)


def test_styles_of_more_methods_than_the_papers() -> None:
    pairs = [("ev-nd", w) for w in range(1, 9)] + [("mine", None), ("yours", 3), ("equity", pd.NA)]
    styles = styles_of(pairs)
    assert next(iter(styles)) == "equity"
    assert list(styles)[-1] == "yours (W = 3)"
    assert len({style.colour for style in styles.values()}) == len(pairs)


def test_marks_are_the_tables_cells(records: pd.DataFrame, drawn: dict[str, Figured]) -> None:
    figured = drawn["weva_fig2"]
    finals = records[
        records["is_final"] & (records["solver"] == "pcfr-plus") & records["game"].isin(GAMES)
    ]
    boards = finals.groupby(
        ["game", "averaging", "method", "warmup", "buckets", "instance"], dropna=False
    )["exploitability"].mean()
    expected = boards.groupby(level=[0, 1, 2, 3, 4], dropna=False).mean()
    containers = [c for axis in figured.figure.axes for c in axis.containers]
    marks = [c for c in containers if isinstance(c, ErrorbarContainer)]
    heights = [float(points(mark.lines[0])[0, 1]) for mark in marks]
    np.testing.assert_allclose(sorted(heights), sorted(expected))
    np.testing.assert_allclose(sorted(figured.data["mean"]), sorted(expected))
    diamonds = [
        float(points(line)[0, 1])
        for axis in figured.figure.axes
        for line in axis.get_lines()
        if line.get_markeredgecolor() == BLACK
    ]
    both = sorted([*PUBLISHED["exploitability"]] * 2)
    np.testing.assert_allclose(sorted(diamonds), both)
    np.testing.assert_allclose(sorted(figured.data["published"]), both)


@pytest.mark.parametrize("name", ["weva_fig2", "weva_fig3"])
def test_error_bars_are_inside_the_frame(name: str) -> None:
    """Even those that would reach below zero, where a logarithmic axis has no place for them."""
    records = make_records(as_published, noise=0.2, games=["double-board"])
    one = (records["instance"] == 0) & (records["method"] == "ev-nd")
    records.loc[one, "exploitability"] *= 300.0
    figured = figures.FIGURES[name](make_results(records))
    for axis in figured.figure.axes:
        assert axis.get_yscale() == "log"
        low, high = axis.get_ylim()
        bars = [c for c in axis.containers if isinstance(c, ErrorbarContainer)]
        ends = np.concatenate(
            [segment[:, 1] for c in bars for segment in c.lines[2][0].get_segments()]
        )
        assert len(ends) >= 2 * 18
        assert low < ends.min() <= ends.max() < high
    if name == "weva_fig2":
        assert figured.data["sem"].gt(0.9 * figured.data["mean"]).any()
        assert "would reach zero ends at a tenth" in figured.caption


def test_normalised_values_are_paired_ratios() -> None:
    """Board effects cancel: the ratio is exact and its interval has no width."""
    figured = figures.normalised(make_results(make_records(as_published)))
    data = figured.data
    assert "equity" not in set(data["method"])
    np.testing.assert_allclose(data["ratio"], data["published"], rtol=1e-9)
    np.testing.assert_allclose(data["ci_low"], data["ci_high"], rtol=1e-9)
    cell = data[(data["game"] == "double-board") & (data["method"] == "rank")]
    cell = cell[(cell["buckets"] == 20) & (cell["averaging"] == "simultaneous-uniform")]
    assert cell["ratio"].item() == pytest.approx(0.07261 / 0.00983)


def points(line: Line2D) -> NDArray[np.float64]:
    """What a line joins, as rows of x and y."""
    return np.asarray(line.get_xydata(), dtype=np.float64)


def test_rank_correlation_is_drawn_as_its_distance_from_one(drawn: dict[str, Figured]) -> None:
    axis = drawn["weva_fig1"].figure.axes[0]
    root, inner, paper = (points(line) for line in axis.get_lines()[:3])
    # A bound: a triangle with its base at it, which points to better correlations.
    marker = axis.get_lines()[2].get_marker()
    assert isinstance(marker, MarkerPath)
    assert marker.vertices[:, 1].min() == 0
    # 1 - rho falls from .02 at iteration 1; the oracle's own point is left out.
    np.testing.assert_allclose(root[:, 0], [1.0, 10.0, 100.0, 1000.0])
    np.testing.assert_allclose(root[:, 1], [0.02, 0.002, 0.0002, 0.00002], rtol=1e-6)
    np.testing.assert_allclose(inner[:, 1], 0.3)
    np.testing.assert_allclose(paper, [[10.0, 0.004]])
    low, high = axis.get_ylim()
    assert low > high, "better correlations are further up"
    data = drawn["weva_fig1"].data
    point = data[(data["where"] == "root") & (data["iteration"] == 10)]
    assert point["rho"].to_numpy() == pytest.approx(0.998)
    assert point["exploitability"].to_numpy() == pytest.approx(0.03)


def test_boards_are_drawn_one_by_one() -> None:
    figured = figures.by_board(make_results(make_records(as_published)))
    axis = figured.figure.axes[0]
    equity = "#4d4d4d"
    marks = [points(line) for line in axis.get_lines() if line.get_color() == equity]
    # A mark for each board, none joined to another.
    assert [len(mark) for mark in marks] == [1] * 10
    np.testing.assert_array_equal([round(mark[0, 0]) for mark in marks], np.arange(10))
    np.testing.assert_allclose([mark[0, 1] for mark in marks], 0.00531 * board_factors(10))
    assert [tick.get_text() for tick in axis.get_xticklabels()] == [str(b) for b in range(1, 11)]
    assert set(figured.data["averaging"]) == {"simultaneous-uniform"}


def test_convergence_follows_one_seed(drawn: dict[str, Figured]) -> None:
    """The second and third seed exist at the end alone; averaging them in would make a kink."""
    records = make_records(as_published)
    last = records["iteration"] == 2000
    records.loc[last & (records["kmeans_seed"] > 0), "exploitability"] = 9.0
    data = figures.convergence(make_results(records)).data
    assert set(data["buckets"]) == {200}
    assert sorted(set(data["iteration"])) == [10, 100, 300, 1000, 2000]
    assert data["mean"].max() < 9
    assert "K = 200" in drawn["weva_fig6"].caption


def test_a_figure_without_data_is_refused_and_the_others_are_drawn() -> None:
    """What a run's configuration leaves out is not drawn; asked for, it is one clear line."""
    few = make_records(as_published, games=["hunl-river"], points=[2000])
    results = make_results(few)
    for name, lacks in (("weva_fig1", "oracle curves"), ("weva_fig6", "between the first and")):
        with pytest.raises(CfrlabError, match=f"this run has no .*{lacks}"):
            figures.FIGURES[name](results)
    for name in ("weva_fig2", "weva_fig3", "weva_fig5"):
        assert len(figures.FIGURES[name](results).data) > 0
    with pytest.raises(CfrlabError, match="no records of PCFR"):
        figures.levels(make_results(few[few["solver"] == "dcfr"]))


def test_small_runs_have_figures() -> None:
    """One board, one seed, other K: no intervals, but no failure either."""
    small = make_records(
        lambda *_: 0.01, buckets=[3, 5], instances=1, seeds=1, points=[5, 20], games=["random-game"]
    )
    oracle = make_oracle({"random-game": 0.9}, instances=1, last=5000)
    drawn = draw_all(make_results(small, oracle))
    assert min(len(figured.data) for figured in drawn.values()) > 0
    assert drawn["weva_fig2"].data["published"].isna().all()
    for figured in drawn.values():
        figured.figure.savefig(io.BytesIO(), format="svg")
        # Nothing published is shown, so neither legend nor caption speak of it.
        assert "Diamonds" not in figured.caption
        assert "paper" not in "".join(t.get_text() for t in figured.figure.legends[0].get_texts())


def test_files_have_the_same_bytes_each_time(tmp_path: Path) -> None:
    records = make_records(as_published, games=["hunl-river"], noise=0.2)
    oracle = make_oracle({"hunl-river": 0.99})
    for folder, frame in (("a", records), ("b", records.sample(frac=1, random_state=2))):
        for name, figured in draw_all(make_results(frame, oracle)).items():
            plotting.write(tmp_path / folder, name, figured, "footer")
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == sorted(
        f"{name}.{suffix}" for name in figures.NAMES for suffix in ("csv", "md", "png", "svg")
    )
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    svg = (tmp_path / "a" / "weva_fig2.svg").read_text(encoding="utf-8")
    assert "<dc:date>" not in svg
    assert b"Software" not in (tmp_path / "a" / "weva_fig2.png").read_bytes()
    assert (tmp_path / "a" / "weva_fig2.md").read_text(encoding="utf-8").endswith("footer\n")


def test_a_users_style_changes_nothing(tmp_path: Path) -> None:
    """Neither another font nor TeX, which may be missing, nor any other setting of matplotlib."""
    results = make_results(make_records(as_published, games=["hunl-river"]))
    plotting.write(tmp_path / "own", "figure", figures.normalised(results))
    users: Any = {
        "text.usetex": True,
        "font.family": "serif",
        "font.size": 23.0,
        "axes.grid": False,
        "lines.linewidth": 9.0,
        "savefig.bbox": "tight",
        "savefig.transparent": True,
        "svg.hashsalt": "other",
        "axes.formatter.use_locale": True,
    }
    with mpl.rc_context(users):
        plotting.write(tmp_path / "users", "figure", figures.normalised(results))
        assert mpl.rcParams["text.usetex"], "the user's settings are as they were"
    for suffix in ("svg", "png"):
        plain, styled = (tmp_path / f / f"figure.{suffix}" for f in ("own", "users"))
        assert plain.read_bytes() == styled.read_bytes()


@pytest.mark.parametrize(
    ("low", "high", "gap", "expected"),
    [
        (0.9, 12, 1 / 6, [1, 2, 5, 10]),
        (0.55, 1.4, 1 / 9, [0.6, 0.7, 0.8, 0.9, 1.0]),
        (8, 3000, 1 / 6, [10, 100, 1000]),
        (1e-5, 1, 1 / 9, []),
        (1204, 1276, 1 / 6, [1220, 1240, 1260]),
    ],
)
def test_ticks_of_logarithmic_axes(
    low: float, high: float, gap: float, expected: list[float]
) -> None:
    assert plotting._ticks(low, high, gap) == pytest.approx(expected)
