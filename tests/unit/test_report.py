"""The page, the manifest and the snapshot: complete, self-contained, from checked files alone."""

from __future__ import annotations

import html
import itertools
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cfrlab import papers
from cfrlab.papers.weva import figures, tables
from cfrlab.reporting import claims, manifest, report, snapshot
from cfrlab.reporting.markdown import to_html
from cfrlab.reporting.paper import Paper
from cfrlab.reporting.plan import report_files
from synthetic_run import load, make

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
VOID = {"meta", "img", "input", "link", "br"}


class Page(HTMLParser):
    """Collects what the checks need; fails where tags are not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.owners: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        self.owners.append(self.open[-1] if self.open else "")

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results as the workflow writes them; not to be changed."""
    folder = tmp_path_factory.mktemp("results") / "run"
    make(folder)
    return folder


@pytest.fixture(scope="module")
def page(whole: Path) -> Page:
    return Page((whole / "report" / "index.html").read_text(encoding="utf-8"))


def test_the_page_works_offline_from_its_own_folder(whole: Path, page: Page) -> None:
    links = [a["href"] for a in page.all("a")] + [image["src"] for image in page.all("img")]
    anchors = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    for link in links:
        if link.startswith("#"):
            assert link[1:] in anchors
        else:
            assert not re.match(r"[a-z]+:|/|\.\.", link)
            assert (whole / "report" / link).is_file()
    assert not page.all("script")
    assert [link["href"] for link in page.all("link")] == ["data:,"]
    assert len(anchors) == sum("id" in attributes for _, attributes in page.tags)
    there = {str(p.relative_to(whole)) for p in (whole / "report").rglob("*") if p.is_file()}
    assert {*there, "claims.csv"} == {*report_files(load(whole))}


def test_each_paper_has_headline_figures_tables_and_claims_in_this_order(page: Page) -> None:
    order = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    assert order == ["overview", "weva", "weva-figures", "weva-tables", "weva-claims", "run"]
    assert [a["id"] for a in page.all("article")] == list(tables.TABLES)
    assert [f["id"] for f in page.all("figure")] == list(figures.NAMES)
    text = "".join(page.text)
    for fact in ("Li and Huang", ".00531 ± .00023", "Made from abc.", "HUNL river endgame"):
        assert fact in text
    headings = [
        text.strip()
        for tag, text in zip(page.owners, page.text, strict=True)
        if re.fullmatch(r"h[1-6]", tag)
    ]
    assert any(heading.startswith("WEVA, Figure 5") for heading in headings)
    assert not any(name in headings for name in (*tables.NAMES, *figures.NAMES))


def test_every_claim_has_its_verdict(whole: Path, page: Page) -> None:
    verdicts = claims.read(whole / "claims.csv")
    assert verdicts.equals(claims.read(whole / "claims/weva.csv"))
    assert (whole / "report/claims.csv").read_bytes() == (whole / "claims.csv").read_bytes()
    rows = {row["id"]: row["class"].split() for row in page.all("tr") if "id" in row}
    assert set(rows) == set(verdicts["id"])
    for claim in verdicts.itertuples():
        assert rows[claim.id] == ["claim", claim.verdict.replace(" ", "-")]
    assert len(set(verdicts["verdict"])) > 1
    counts = report.count_verdicts(verdicts)
    assert sum(counts.values()) == len(verdicts)
    for _, part in report.parts(verdicts):
        shown = report.count_verdicts(part)["reproduced"]
        assert not shown or f"{shown} reproduced" in "".join(page.text)
    assert set(report.SIGNS) == set(claims.VERDICTS)


def test_the_page_is_accessible(page: Page) -> None:
    assert page.all("html")[0]["lang"] == "en"
    assert "width=device-width" in page.all("meta")[1]["content"]
    assert all(len(image["alt"]) > 20 for image in page.all("img"))
    assert all("scope" in cell for cell in page.all("th"))
    # What scrolls can be reached, is named for those who do not see it, and said for those who do.
    regions = [div for div in page.all("div") if "scroll" in div.get("class", "")]
    assert regions
    assert all(div["tabindex"] == "0" and div["aria-label"] for div in regions)
    hints = sum(p.get("class") == "hint" for p in page.all("p"))
    claim_tables = sum(table.get("class") == "claims" for table in page.all("table"))
    assert hints == len(regions) - claim_tables
    assert len(page.all("label")) == len(page.all("input")) == 1 + len(claims.VERDICTS)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_text_is_escaped(whole: Path, page: Page) -> None:
    assert "less <script>alert(1)</script> & more" in page.text
    assert "<script" not in (whole / "report" / "index.html").read_text(encoding="utf-8")


def in_a_browser(page: Path, width: int) -> dict[str, Any]:
    """Open a page in a frame of some width; what it logs, lacks, and how wide it is."""
    assert CHROMIUM is not None
    frame = page.parent / "frame.html"
    frame.write_text(
        f"""<iframe src="{page.name}" width="{width}" height="900"></iframe><pre></pre><script>
        onload = () => {{
          const inside = document.querySelector("iframe").contentDocument
          const missing = [...inside.images].filter(one => !one.naturalWidth).map(one => one.src)
          const wide = inside.documentElement.scrollWidth
          const text = JSON.stringify({{missing, images: inside.images.length, wide}})
          document.querySelector("pre").textContent = text
        }}</script>""",
        encoding="utf-8",
    )
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-web-security",
        "--hide-scrollbars",
    ]
    command += ["--allow-file-access-from-files", "--enable-logging=stderr"]
    command += [f"--user-data-dir={page.parent / 'profile'}", "--virtual-time-budget=10000"]
    try:
        done = subprocess.run(
            [*command, "--dump-dom", frame.as_uri()], capture_output=True, text=True, check=True
        )
    finally:
        frame.unlink()
        shutil.rmtree(page.parent / "profile", ignore_errors=True)
    (told,) = re.findall(r"<pre>(.+)</pre>", done.stdout)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return {**json.loads(html.unescape(told)), "console": console}


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium (Debian: apt install chromium)")
@pytest.mark.parametrize("width", [390, 1300])
def test_in_a_browser_nothing_is_missing_or_too_wide(whole: Path, width: int) -> None:
    seen = in_a_browser(whole / "report/index.html", width)
    assert seen == {"missing": [], "images": len(figures.NAMES), "wide": width, "console": []}


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium (Debian: apt install chromium)")
def test_the_browser_sees_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text(
        "<!doctype html><img src='gone.svg'><p style='width: 500px'>.</p>"
        "<script>console.error('wrong')</script>",
        encoding="utf-8",
    )
    seen = in_a_browser(page, 390)
    assert [Path(name).name for name in seen["missing"]] == ["gone.svg"]
    assert seen["wide"] > 500
    assert any("wrong" in line for line in seen["console"])


def test_markdown_by_hand() -> None:
    text = (
        "# A & B\n\nSome **bold**, *soft* and `x < y`.\n\n| M | *p* |\n| :--- | ---: |\n| a | 1 |\n"
    )
    assert to_html(text, top=3, label="t") == (
        "<h3>A &amp; B</h3>\n"
        "<p>Some <strong>bold</strong>, <em>soft</em> and <code>x &lt; y</code>.</p>\n"
        "<div class='scroll' role='region' tabindex='0' aria-label='t'><table>\n"
        "<thead><tr><th scope='col'>M</th><th scope='col' class='number'><em>p</em></th></tr>"
        "</thead>\n<tbody>\n<tr><th scope='row'>a</th><td class='number'>1</td></tr>\n"
        "</tbody></table></div>"
        "<p class='hint'>Scroll the table sideways: it has 2 columns.</p>"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(16.04, "16"), (-7.25, "−7.25"), (0.99654, "0.9965"), (1e-6, "0"), (float("nan"), "")],
)
def test_numbers_of_claims(value: float, text: str) -> None:
    assert report.number(value) == text


def row(paper: str, **values: Any) -> dict[str, Any]:
    numbers = {"ours": 1.5, "ci_low": 1.0, "ci_high": 2.0, "n": 3, "verdict": "reproduced"}
    beside = {f"beside_{name}": 1.0 for name in ("value", "low", "high")}
    words = {"paper": f"{paper}, Figure 3", "source": "paper", "kind": "experiment"}
    return dict.fromkeys(claims.COLUMNS, "x") | numbers | beside | words | values


def a_paper(name: str, intervals: str) -> Paper:
    weva = papers.load("weva")
    return Paper(name, f"{name}'s authors", "On & On", 2020, weva.section, weva.plan, intervals)


def a_chapter(name: str, rows: list[dict[str, Any]]) -> report.Chapter:
    paper = a_paper(name, f"the range of {name}")
    headline = [f"**{name}** in short."]
    frame = pd.DataFrame(rows)
    return report.Chapter(name.lower(), paper, Path(), headline, [], [], {}, [], frame)


def a_run() -> manifest.Manifest:
    return manifest.collect(load(Path("nowhere")), date="2026-06-01")


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (["A"], "A: ours beside the paper"),
        (["A", "B"], "A and B: ours beside the papers"),
        (["A", "B", "C"], "A, B and C: ours beside the papers"),
    ],
)
def test_every_paper_has_a_section(tmp_path: Path, names: list[str], title: str) -> None:
    chapters = [a_chapter(name, [row(name, id=f"of-{name.lower()}")]) for name in names]
    report.build(tmp_path, chapters, a_run())
    page = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert page.text.count(title) == 2
    text = "".join(page.text)
    for name in names:
        assert f"{name}'s authors, On & On, 2020." in text
        assert f"In brackets: the range of {name}." in text
        assert f"{name} in short." in text
    order = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    sections = [s for name in names for s in (name.lower(), f"{name.lower()}-claims")]
    assert order == ["overview", *sections, "run"]
    joined = claims.read(tmp_path / "claims.csv")
    assert list(joined["id"]) == [f"of-{name.lower()}" for name in names]


def test_tallies_do_not_mix_experiments_with_calculations_and_ours(tmp_path: Path) -> None:
    rows = [
        row("A", id="e1", source="paper", kind="experiment", verdict="not reproduced"),
        row("A", id="c1", source="paper", kind="calculation"),
        row("A", id="t1", source="paper", kind="theorem"),
        row("A", id="o1", source="ours", kind="experiment"),
        row("A", id="o2", source="ours", kind="calculation"),
        row("A", id="e2", source="paper", kind="experiment", verdict=claims.NOT_MEASURED),
    ]
    chapter = a_chapter("A", rows)
    assert {name: list(part["id"]) for name, part in chapter.parts} == {
        "experiments": ["e1", "e2"],
        "counts and calculations": ["c1"],
        "theorems": ["t1"],
        "additions of ours": ["o1", "o2"],
    }
    report.build(tmp_path, [chapter], a_run())
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    overview = text[text.index('id="overview"') : text.index('<ul class="verdicts">')]
    tallies = re.findall(r"</a>, ([a-z ]+)</dt><dd>(.*?)</dd>", overview, re.DOTALL)
    assert [part for part, _ in tallies] == [name for name, _ in chapter.parts]
    assert re.findall(r"(\d) ((?:not )?(?:reproduced|measured))</span>", tallies[0][1]) == [
        ("1", "not reproduced"),
        ("1", "not measured"),
    ]
    # What was not measured is folded.
    assert text.count('<details class="open">') == 1
    before, folded = text.split('<details class="open">')
    assert 'id="e1"' in before
    assert folded.startswith("<summary>1 not measured in this run</summary>")
    assert 'id="e2"' in folded.split("\n</details>\n")[0]


def test_papers_without_claims_or_results(tmp_path: Path) -> None:
    empty = pd.DataFrame(columns=claims.COLUMNS)
    chapters = [a_chapter("A", []), a_chapter("B", [row("B", id="b")])]
    chapters[0] = report.Chapter(**{**vars(chapters[0]), "claims": empty})
    report.build(tmp_path, chapters, a_run())
    assert list(claims.read(tmp_path / "claims.csv")["id"]) == ["b"]
    report.build(tmp_path, chapters[:1], a_run())
    assert claims.read(tmp_path / "claims.csv").empty


def test_a_single_value_has_no_interval() -> None:
    verdicts = pd.DataFrame([row("CFR-D", n=1, ci_low=1.5, ci_high=1.5), row("CFR-D")])
    one, many = verdicts.itertuples()
    assert report.estimate(one) == ("1.5", "")
    assert report.estimate(many) == ("1.5", "[1, 2]")
    assert "| 1.5 |" in snapshot._claims_table(verdicts)


def test_claims_table_of_the_index_escapes_bars() -> None:
    verdicts = pd.DataFrame([row("WEVA", unit="mean |log|")])
    assert "mean \\|log\\|" in snapshot._claims_table(verdicts)
    assert "1.5 [1, 2]" in snapshot._claims_table(verdicts)
