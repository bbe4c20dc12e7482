"""Published numbers: single ones, ranges and bounds, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfrlab.errors import CfrlabError
from cfrlab.reporting import published

HEAD = "name,where,iterations,low,high,unit,quantity"


def read(path: Path, *rows: str) -> dict[str, published.Number]:
    path.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    return published.load(path)


def test_numbers_ranges_and_bounds(tmp_path: Path) -> None:
    numbers = read(
        tmp_path / "numbers.csv",
        "one,Figure 1,200,0.33,0.33,chips,a number",
        "range,Figure 1,2000,0.23,0.29,chips,a range",
        "least,Figure 1,,200,,TB,a lower bound",
        "most,Figure 1,,,16,GB,an upper bound",
    )
    words = {name: number.words for name, number in numbers.items()}
    assert words == {
        "one": "0.33",
        "range": "0.23 to 0.29",
        "least": "more than 200",
        "most": "less than 16",
    }
    assert [number.iterations for number in numbers.values()] == [200, 2000, 0, 0]
    assert numbers["one"].value == 0.33
    assert numbers["most"].value == 16
    assert numbers["range"].range == (0.23, 0.29)
    with pytest.raises(ValueError, match="is a range"):
        _ = numbers["range"].value
    with pytest.raises(ValueError, match="is a bound"):
        _ = numbers["least"].range


def test_a_wrong_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    with pytest.raises(CfrlabError, match="not a table of published numbers"):
        published.load(path)
    path.write_text("name,low\na,1\n", encoding="utf-8")
    with pytest.raises(CfrlabError, match=r"numbers\.csv: not a table of published numbers"):
        published.load(path)
    with pytest.raises(CfrlabError, match="'a' has neither low nor high"):
        read(path, "a,Figure 1,,,,chips,nothing")


@pytest.mark.parametrize("paper", ["weva", "cfrd", "embedding"])
def test_every_paper_has_its_numbers(paper: str) -> None:
    assert published.of(f"cfrlab.papers.{paper}")
