"""The README shows the numbers of the tracked run, and nothing else."""

from __future__ import annotations

import pytest

from cfrlab.errors import CfrlabError
from cfrlab.reporting import headline
from workflow_project import ROOT


def test_readme_shows_the_tracked_results() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert headline.replace(readme, headline.headline(ROOT / "docs/results")) == readme


def test_a_block_goes_between_the_marks() -> None:
    text = f"before\n{headline.BEGIN}\nold\n{headline.END}\nafter\n"
    made = headline.replace(text, "new")
    assert made == f"before\n{headline.BEGIN}\n\nnew\n\n{headline.END}\nafter\n"
    assert headline.replace(made, "new") == made


@pytest.mark.parametrize("text", ["", headline.BEGIN, f"{headline.END}{headline.BEGIN}"])
def test_a_text_without_marks_is_refused(text: str) -> None:
    with pytest.raises(CfrlabError, match=r"README\.md: needs the lines"):
        headline.replace(text, "new")
