"""The README shows the numbers of the tracked run, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cfrlab import papers
from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd import headline as cfrd
from cfrlab.papers.embedding import headline as embedding
from cfrlab.papers.weva import headline as weva
from cfrlab.reporting import headline
from cfrlab.reporting.paper import headline_of
from workflow_project import ROOT


def test_readme_shows_the_tracked_results() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = headline.headline(ROOT / "docs/results", map(headline_of, papers.names()))
    assert headline.replace(readme, block) == readme


def test_a_paper_that_is_not_in_the_run_has_no_lines(tmp_path: Path) -> None:
    for paper in (weva, cfrd, embedding):
        assert paper.lines(tmp_path) == []


def claims(**columns: list[str]) -> pd.DataFrame:
    places = ["WEVA, Table 1", "CFR-D, Figure 3", "CFR-D, Theorem 1", "CFR-D, Conclusions"]
    verdicts = ["reproduced", "not reproduced", "reproduced", "direction only"]
    return pd.DataFrame({"paper": places, "verdict": verdicts, **columns})


def test_the_tally_tells_experiments_from_calculations_and_from_ours() -> None:
    kinds = ["experiment", "experiment", "theorem", "calculation"]
    sources = ["paper", "paper", "paper", "paper"]
    lines = headline.tally(claims(source=sources, kind=kinds)).splitlines()
    assert lines[2:] == [
        "| WEVA, experiments | 1 | 0 | 0 | 0 | 0 |",
        "| CFR-D, experiments | 0 | 0 | 0 | 1 | 0 |",
        "| CFR-D, counts and calculations | 0 | 1 | 0 | 0 | 0 |",
        "| CFR-D, theorems | 1 | 0 | 0 | 0 | 0 |",
    ]
    ours = headline.tally(claims(source=[*sources[:3], "ours"], kind=kinds)).splitlines()
    assert ours[-1] == "| CFR-D, additions of ours | 0 | 1 | 0 | 0 | 0 |"


def test_a_block_goes_between_the_marks() -> None:
    text = f"before\n{headline.BEGIN}\nold\n{headline.END}\nafter\n"
    made = headline.replace(text, "new")
    assert made == f"before\n{headline.BEGIN}\n\nnew\n\n{headline.END}\nafter\n"
    assert headline.replace(made, "new") == made


@pytest.mark.parametrize("text", ["", headline.BEGIN, f"{headline.END}{headline.BEGIN}"])
def test_a_text_without_marks_is_refused(text: str) -> None:
    with pytest.raises(CfrlabError, match=r"README\.md: needs the lines"):
        headline.replace(text, "new")
