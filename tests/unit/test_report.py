"""The page, the manifest and the snapshot: complete, self-contained, the same text as the files."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.papers.weva import figures, tables
from cfrlab.papers.weva.cells import Data
from cfrlab.papers.weva.measures import MEASURES
from cfrlab.reporting import claims, manifest, plotting, report, snapshot
from cfrlab.reporting.markdown import to_html
from synthetic_records import (
    PUBLISHED,
    PUBLISHED_FOLDER,
    as_published,
    make_oracle,
    make_records,
)

CONFIG: dict[str, Any] = {"seed": 1, "weva": {"iterations": 2000, "buckets": [20, 50, 200]}}
VOID = {"meta", "img", "input", "link", "br"}


class Page(HTMLParser):
    """Collects what the checks need; fails where tags are not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
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

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results as the workflow writes them."""
    folder = tmp_path_factory.mktemp("results")
    records, oracle = make_records(as_published, noise=0.2), make_oracle()
    made = tables.weva_tables(records, PUBLISHED, "Made from `abc`.")
    tables.write(folder / "tables", made)
    tables.write_cells(folder / "tables", records)
    river = records[records["game"] == "hunl-river"]
    drawn = figures.weva_figures(river, oracle, PUBLISHED, "Made from `abc`.")
    plotting.write(folder / "figures", drawn)
    stated = claims.load(PUBLISHED_FOLDER / "claims.yaml", MEASURES)
    verdicts = claims.judge_all(stated, Data.of(records, oracle, PUBLISHED))
    verdicts.loc[0, "claim"] = "less <script>alert(1)</script> & more"
    claims.write(folder / "claims.csv", verdicts)
    report.build(
        folder / "report",
        {name: folder / "tables" / f"{name}.md" for name in made},
        {name: folder / "figures" / f"{name}.svg" for name in drawn},
        claims.read(folder / "claims.csv"),
        manifest.collect(CONFIG, 1, "c0de", date="2026-06-01"),
    )
    return folder


@pytest.fixture(scope="module")
def page(results: Path) -> Page:
    return Page((results / "report" / "index.html").read_text(encoding="utf-8"))


def test_the_page_works_offline_from_its_own_folder(results: Path, page: Page) -> None:
    links = [a["href"] for a in page.all("a")] + [image["src"] for image in page.all("img")]
    anchors = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    for link in links:
        if link.startswith("#"):
            assert link[1:] in anchors
        else:
            assert not re.match(r"[a-z]+:|/|\.\.", link)
            assert (results / "report" / link).is_file()
    assert not page.all("script")
    assert not page.all("link")
    assert len(anchors) == sum("id" in attributes for _, attributes in page.tags)


def test_all_tables_and_figures_are_there_after_the_claims(page: Page) -> None:
    order = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    assert order == ["claims", "tables", "figures", "run"]
    assert [a["id"] for a in page.all("article")] == list(tables.WEVA_TABLES)
    assert [f["id"] for f in page.all("figure")] == list(figures.NAMES)
    text = "".join(page.text)
    for fact in ("2026-06-01", "c0de", ".00531 ± .00023", "Made from abc."):
        assert fact in text


def test_every_claim_has_its_verdict(results: Path, page: Page) -> None:
    verdicts = claims.read(results / "claims.csv")
    rows = {row["id"]: row["class"].split() for row in page.all("tr") if "id" in row}
    assert list(rows) == list(verdicts["id"])
    for claim in verdicts.itertuples():
        assert rows[claim.id] == ["claim", claim.verdict.replace(" ", "-")]
    assert len(set(verdicts["verdict"])) > 1
    counts = report.count_verdicts(verdicts)
    assert sum(counts.values()) == len(verdicts)
    assert f"{counts['reproduced']} reproduced" in "".join(page.text)


def test_the_page_is_accessible(page: Page) -> None:
    assert page.all("html")[0]["lang"] == "en"
    assert "width=device-width" in page.all("meta")[1]["content"]
    assert all(len(image["alt"]) > 20 for image in page.all("img"))
    assert all("scope" in cell for cell in page.all("th"))
    # What scrolls can be reached and is named for those who do not see it.
    regions = [div for div in page.all("div") if div.get("class") == "scroll"]
    assert regions
    assert all(div["tabindex"] == "0" and div["aria-label"] for div in regions)
    assert len(page.all("label")) == len(page.all("input")) == 6
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_text_is_escaped(results: Path, page: Page) -> None:
    assert "less <script>alert(1)</script> & more" in page.text
    assert "<script" not in (results / "report" / "index.html").read_text(encoding="utf-8")


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
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(16.04, "16"), (-7.25, "−7.25"), (0.99654, "0.9965"), (1e-6, "0"), (float("nan"), "")],
)
def test_numbers_of_claims(value: float, text: str) -> None:
    assert report.number(value) == text


def row(paper: str, **values: Any) -> dict[str, Any]:
    numbers = {"ours": 1.5, "ci_low": 1.0, "ci_high": 2.0, "n": 3, "verdict": "reproduced"}
    return dict.fromkeys(claims.COLUMNS, "x") | numbers | {"paper": f"{paper}, Figure 3"} | values


@pytest.mark.parametrize(
    ("names", "title", "said", "unsaid"),
    [
        (["WEVA"], "WEVA: ours beside the paper", ["Li and Huang", "95%"], ["Burch", "range over"]),
        (["CFR-D"], "CFR-D: ours beside the paper", ["Burch", "range over"], ["Huang", "95%"]),
        (
            ["WEVA", "CFR-D", "CFR-D"],
            "WEVA and CFR-D: ours beside the papers",
            ["Li and Huang", "2026", "Burch, Johanson and Bowling", "2014", "95%", "range over"],
            [],
        ),
    ],
)
def test_the_page_names_the_papers_and_their_intervals(
    tmp_path: Path, names: list[str], title: str, said: list[str], unsaid: list[str]
) -> None:
    verdicts = pd.DataFrame([row(name, id=f"c{i}") for i, name in enumerate(names)])
    report.build(tmp_path, {}, {}, verdicts, manifest.collect(CONFIG, 1, "c0de"))
    page = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert page.text.count(title) == 2
    text = "".join(page.text)
    assert all(words in text for words in said)
    assert not any(words in text for words in unsaid)


def test_a_single_value_has_no_interval() -> None:
    verdicts = pd.DataFrame([row("CFR-D", n=1, ci_low=1.5, ci_high=1.5), row("CFR-D")])
    one, many = verdicts.itertuples()
    assert report.estimate(one) == ("1.5", "")
    assert report.estimate(many) == ("1.5", "[1, 2]")
    assert "| 1.5 |" in snapshot._claims_table(verdicts)


# The manifest.


def test_manifest_adds_up_job_times(tmp_path: Path) -> None:
    for name, seconds in (("a.tsv", ["30.5", "60"]), ("b.tsv", ["29.5"])):
        lines = ["s\th:m:s\tmax_rss", *(f"{s}\t0:00:01\t10" for s in seconds)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = manifest.collect(CONFIG, 7, "abc", sorted(tmp_path.iterdir()))
    assert run["job_time"] == "2.0 minutes, summed over jobs"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"])
    assert run["config"] == CONFIG
    assert "cores" in run["machine"]
    assert "numpy" in run["libraries"]
    manifest.write(tmp_path / "run.json", run)
    assert manifest.read(tmp_path / "run.json") == run


def test_manifest_names_what_networks_are_trained_with() -> None:
    with_networks = manifest.collect({**CONFIG, "embedding": {"games": {}}}, 1, "abc")
    added = set(with_networks["libraries"]) - set(manifest.collect(CONFIG, 1, "abc")["libraries"])
    assert added == {"safetensors", "torch"}


def test_a_damaged_manifest_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for content in (None, "{", "[]"):
        if content is not None:
            path.write_text(content, encoding="utf-8")
        with pytest.raises(CfrlabError, match="not the manifest of a run") as caught:
            manifest.read(path)
        assert "\n" not in str(caught.value)


# The snapshot.


def test_snapshot_copies_the_final_files(results: Path, tmp_path: Path) -> None:
    target = tmp_path / "docs" / "results"
    target.mkdir(parents=True)
    (target / "stale.md").write_text("from an older run", encoding="utf-8")
    files = snapshot.take(results, CONFIG, target)
    there = sorted(str(p.relative_to(target)) for p in target.rglob("*") if p.is_file())
    assert there == files
    assert len(files) == 6 * 2 + 1 + 5 * 4 + 4
    for name in ("claims.csv", "tables/weva_table1.md", "figures/weva_fig3.png"):
        assert (target / name).read_bytes() == (results / name).read_bytes()
    assert [path.name for path in target.parent.iterdir()] == ["results"]
    index = (target / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", index):
        assert (target / link).is_file(), link
    verdicts = claims.read(results / "claims.csv")
    rows = [line for line in index.splitlines() if line.startswith("| ")]
    assert len(rows) == len(verdicts) + 2
    assert all(verdict in index for verdict in set(verdicts["verdict"]))
    assert "2026-06-01" in index


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({**CONFIG, "seed": 2}, "seed differs"),
        ({**CONFIG, "weva": {**CONFIG["weva"], "iterations": 100}}, "weva.iterations differs"),
        ({"seed": 1}, "weva is only in one"),
    ],
)
def test_snapshot_refuses_another_configuration(
    results: Path, tmp_path: Path, config: dict[str, Any], key: str
) -> None:
    with pytest.raises(CfrlabError, match=re.escape(key)) as caught:
        snapshot.take(results, config, tmp_path / "docs")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_snapshot_refuses_an_incomplete_run(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older copy stays as it was."""
    target = tmp_path / "docs"
    snapshot.take(results, CONFIG, target)
    before = (target / "README.md").read_bytes()
    monkeypatch.setattr(snapshot, "figure_names", lambda _: (*figures.NAMES, "weva_fig9"))
    with pytest.raises(CfrlabError, match=r"weva_fig9\.\w+ and 3 more: missing") as caught:
        snapshot.take(results, CONFIG, target)
    assert "\n" not in str(caught.value)
    assert (target / "README.md").read_bytes() == before
    with pytest.raises(CfrlabError, match="not the manifest of a run"):
        snapshot.take(tmp_path / "absent", CONFIG, target)


def test_snapshot_has_the_figures_of_the_papers_in_the_configuration() -> None:
    assert snapshot.figure_names({"weva": {}}) == figures.NAMES
    both = snapshot.figure_names({"weva": {}, "cfrd": {"games": {}}})
    assert both[:5] == figures.NAMES
    assert both[5:] == ("cfrd_fig3", "cfrd_fig4", "cfrd_fig5", "cfrd_memory")


def test_claims_table_of_the_index_escapes_bars() -> None:
    verdicts = pd.DataFrame([row("WEVA", unit="mean |log|")])
    assert "mean \\|log\\|" in snapshot._claims_table(verdicts)
    assert "1.5 [1, 2]" in snapshot._claims_table(verdicts)
