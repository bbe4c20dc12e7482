"""Tables from records whose cells are known, and the published numbers against the paper's text."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cfrlab.errors import CfrlabError
from cfrlab.papers.weva import tables
from cfrlab.reporting import markdown
from synthetic_records import (
    GAMES,
    PUBLISHED,
    as_published,
    board_factors,
    make_records,
    make_results,
    published_level,
)

COLUMNS = ["method", "warmup", "buckets", "averaging", "mean", "sem", "n", "unit"]
COLUMNS += ["published", "published_pm", "ratio"]


def doubled(
    game: str, solver: str, method: str, warmup: int | None, k: int, averaging: str, t: int
) -> float:
    return 2 * as_published(game, solver, method, warmup, k, averaging, t)


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    return make_records(doubled, games=[*GAMES, "random-game-235"])


# The paper's Sections 5.2 to 5.4: percent below the baseline at W = 10, 50, 500.
IN_THE_TEXT = [
    ("hunl-river", "equity", 20, (9, 7, 5)),
    ("hunl-river", "equity", 50, (16, 22, 27)),
    ("hunl-river", "equity", 200, (-7, 10, 24)),
    ("hunl-river", "rank", 20, (11, 9, 7)),
    ("hunl-river", "rank", 200, (0, 15, 29)),
    ("double-board", "equity", 20, (18, 20, 22)),
    ("double-board", "equity", 50, (66, 67, 70)),
    ("double-board", "equity", 200, (80, 84, 86)),
    ("double-board", "rank-2d", 20, (52, 53, 55)),
    ("double-board", "rank-2d", 50, (30, 32, 38)),
    ("double-board", "rank-2d", 200, (38, 50, 57)),
    ("random-game", "equity", 20, (26, 19, 22)),
    ("random-game", "equity", 50, (51, 49, 48)),
    ("random-game", "equity", 200, (83, 83, 83)),
]


@pytest.mark.parametrize(("game", "baseline", "k", "percents"), IN_THE_TEXT)
def test_published_numbers_agree_with_the_papers_text(
    game: str, baseline: str, k: int, percents: tuple[int, ...]
) -> None:
    """The percentages that the paper writes out follow from the numbers carried over."""
    base = published_level(game, baseline, None, k)
    for w, percent in zip((10, 50, 500), percents, strict=True):
        reduction = 100 * (1 - published_level(game, "ev-nd", w, k) / base)
        assert reduction == pytest.approx(percent, abs=1)


def test_published_tables_are_complete() -> None:
    assert PUBLISHED.groupby("table").size().to_dict() == {1: 18, 2: 21, 3: 15}
    assert not PUBLISHED.duplicated(["game", "method", "warmup", "buckets"]).any()
    assert (PUBLISHED["plus_minus"] > 0).all()


@pytest.mark.parametrize("game", GAMES)
def test_a_table_of_known_cells(records: pd.DataFrame, game: str) -> None:
    table = tables.weva_table(make_results(records), 1 + GAMES.index(game), "pcfr-plus").data
    assert list(table.columns) == COLUMNS
    table = table[~table["method"].str.contains("hands")]
    cells = int((PUBLISHED["game"] == game).sum())
    assert len(table) == 2 * cells
    factors = board_factors(10)
    expected = 2 * table["published"] * factors.mean()
    np.testing.assert_allclose(table["mean"], expected)
    np.testing.assert_allclose(table["sem"], 2 * table["published"] * stats.sem(factors))
    np.testing.assert_allclose(table["ratio"], 2 * factors.mean())
    assert (table["n"] == 10).all()
    assert set(table["unit"]) == {"fraction of the pot"}
    for averaging in ("simultaneous-uniform", "alternating-quadratic"):
        rows = table[table["averaging"] == averaging]
        assert sorted(rows["published"]) == sorted(
            PUBLISHED.loc[PUBLISHED["game"] == game, "exploitability"]
        )


def test_rows_are_in_the_papers_order(records: pd.DataFrame) -> None:
    table = tables.weva_table(make_results(records), 2, "pcfr-plus").data
    rows = table[table["averaging"] == "simultaneous-uniform"]
    paper = PUBLISHED[PUBLISHED["game"] == "double-board"]
    columns = ["method", "warmup", "buckets"]
    pd.testing.assert_frame_equal(
        rows[columns].reset_index(drop=True),
        paper[columns].reset_index(drop=True),
        check_dtype=False,
    )


def test_another_number_of_hands_is_a_labelled_row(records: pd.DataFrame) -> None:
    table = tables.weva_table(make_results(records), 3, "pcfr-plus").data
    labelled = table[table["method"].str.endswith(" [235 hands]")]
    assert len(labelled) == len(table) / 2 == 30
    plain = table[~table["method"].str.contains("hands")]
    # Set against the same published numbers, cell by cell.
    assert list(labelled["published"]) == list(plain["published"])
    hunl = tables.weva_table(make_results(records), 1, "pcfr-plus").data
    assert not hunl["method"].str.contains("hands").any()


def test_nothing_is_compared_at_another_number_of_iterations() -> None:
    short = make_records(doubled, games=["hunl-river"], points=[100, 1000])
    table = tables.weva_table(make_results(short), 1, "pcfr-plus").data
    assert len(table) == 36
    assert table[["published", "published_pm", "ratio"]].isna().all(axis=None)


def test_dcfr_has_no_published_numbers(records: pd.DataFrame) -> None:
    assert list(tables.TABLES) == [f"weva_{s}table{k}" for s in ("", "dcfr_") for k in (1, 2, 3)]
    table = tables.TABLES["weva_dcfr_table2"](make_results(records))
    assert len(table.data) == 42
    assert table.data["published"].isna().all()
    assert "*paper*" not in table.text
    assert table.text.startswith("# WEVA, Table 2 with DCFR: Double board\n")


def pivot(markdown: str, heading: str) -> dict[str, list[str]]:
    """The cells of the table under a heading, by row name."""
    block = markdown.split(f"## {heading}")[1]
    lines = [line for line in block.split("\n## ")[0].splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: cells for name, *cells in rows}


def test_markdown_is_laid_out_as_in_the_paper() -> None:
    records = make_records(as_published, seeds=3)
    text = tables.TABLES["weva_table2"](make_results(records)).text
    cells = pivot(text, "Simultaneous updates, uniform average")
    assert cells["Method"] == ["K = 20", "*paper*", "K = 50", "*paper*", "K = 200", "*paper*"]
    assert list(cells)[2:] == [
        "equity",
        "rank",
        "rank-2d",
        "ev-root (W = 50)",
        "ev-nd (W = 10)",
        "ev-nd (W = 50)",
        "ev-nd (W = 500)",
    ]
    # Table 2's own digits, and ours: mean and standard error of the known boards.
    assert cells["rank-2d"][1::2] == [".01688 ± .00390", ".00272 ± .00104", ".00058 ± .00012"]
    factors = 0.01688 * board_factors(10)
    assert cells["rank-2d"][0] == f"{factors.mean():.5f} ± {stats.sem(factors):.5f}".replace(
        "0.", "."
    )
    # Three seeds at .9, 1 and 1.1 of a board's value: a standard deviation of a tenth.
    spread = pivot(text, "Spread from k-means seeds alone")
    assert spread["equity"][0].startswith("10%")
    assert "21 of 21 cells are within a factor of 1.25" in text
    assert "over 10 boards, the 3 k-means seeds" in text
    assert "# weva" not in text


def test_small_standard_errors_keep_a_digit() -> None:
    records = make_records(lambda *_: 0.00002, games=["random-game"], points=[2000])
    text = tables.TABLES["weva_table3"](make_results(records)).text
    first = pivot(text, "Simultaneous updates, uniform average")["equity"][0]
    mean, sem = (float(part) for part in first.split(" ± "))
    assert mean == pytest.approx(2e-5, rel=0.1)
    assert sem == pytest.approx(0.00002 * stats.sem(board_factors(10)), rel=0.5)


def test_buckets_in_effect_are_noted_where_fewer() -> None:
    records = make_records(as_published, games=["hunl-river"])
    short = (records["method"] == "rank") & (records["buckets"] == 200)
    records.loc[short, "k_effective_0"] = 60
    records.loc[short, "k_effective_1"] = 63
    text = tables.TABLES["weva_table1"](make_results(records)).text
    assert "buckets in effect (mean): rank K = 200: 61.5." in text


def test_a_table_of_what_was_not_run_is_refused() -> None:
    results = make_results(make_records(as_published, games=["hunl-river"], solvers=["dcfr"]))
    for name, lacks in (
        ("weva_table1", "HUNL river endgame by PCFR"),
        ("weva_dcfr_table3", "Random game by DCFR"),
    ):
        with pytest.raises(CfrlabError, match=f"this run has no records of {lacks}"):
            tables.TABLES[name](results)
    assert len(tables.TABLES["weva_dcfr_table1"](results).data) == 36


def write_all(folder: Path, records: pd.DataFrame) -> None:
    for name, lay_out in tables.TABLES.items():
        table = lay_out(make_results(records))
        markdown.write(folder, name, table.data, table.text, "*footer*")


def test_tables_do_not_depend_on_the_order_of_records(
    records: pd.DataFrame, tmp_path: Path
) -> None:
    shuffled = records.sample(frac=1, random_state=7)
    for folder, frame in (("a", records), ("b", shuffled)):
        write_all(tmp_path / folder, frame)
    for path in sorted((tmp_path / "a").iterdir()):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert len(list((tmp_path / "a").iterdir())) == 12
    text = (tmp_path / "a/weva_table1.md").read_text(encoding="utf-8")
    assert text.endswith("\n\n*footer*\n")


def test_csv_has_the_table(records: pd.DataFrame, tmp_path: Path) -> None:
    write_all(tmp_path, records)
    text = (tmp_path / "weva_table1.csv").read_text(encoding="utf-8")
    read = pd.read_csv(io.StringIO(text), dtype={"warmup": "Int64"})
    expected = tables.TABLES["weva_table1"](make_results(records)).data
    pd.testing.assert_frame_equal(read, expected, check_dtype=False, rtol=1e-5)


def test_all_cells_include_games_of_ones_own(records: pd.DataFrame, tmp_path: Path) -> None:
    river = (records["game"] == "hunl-river") & (records["solver"] == "dcfr")
    own = records[river].assign(game="my-game", solver="my-solver")
    markdown.write_csv(tmp_path / "cells.csv", tables.all_cells(pd.concat([records, own])))
    cells = pd.read_csv(tmp_path / "cells.csv")
    # Two solvers and two averaging rules of four games; one solver of ours.
    assert len(cells) == 2 * 2 * (18 + 21 + 15 + 15) + 2 * 18
    mine = cells[cells["game"] == "my-game"]
    assert set(mine["solver"]) == {"my-solver"}
    assert set(mine["iterations"]) == {2000}
    equity = mine[(mine["method"] == "equity") & (mine["buckets"] == 20)]
    expected = 2 * 0.00531 * board_factors(10)
    assert equity["mean"].to_numpy() == pytest.approx(expected.mean(), rel=1e-5)
    assert equity["sem"].to_numpy() == pytest.approx(stats.sem(expected), rel=1e-5)
    assert equity["seed_sd"].to_numpy() == pytest.approx(
        0.1 * np.sqrt(np.mean(expected**2)), rel=1e-5
    )


def test_a_wrong_file_of_published_numbers_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("game,method\nhunl-river,rank\n", encoding="utf-8")
    for bad in (path, tmp_path / "absent.csv"):
        with pytest.raises(CfrlabError, match="not a table of published numbers") as caught:
            tables.load_published(bad)
        assert "\n" not in str(caught.value)
        assert str(bad) in str(caught.value)
