"""The page, the manifest and the snapshot: complete, self-contained, from checked files alone."""

from __future__ import annotations

import html
import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from cfrlab import config as config_module
from cfrlab import papers
from cfrlab.config import Config
from cfrlab.errors import CfrlabError
from cfrlab.papers.weva import figures, measures, tables
from cfrlab.papers.weva.cells import Data
from cfrlab.pipeline import checksums
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.recipe import Recipe
from cfrlab.reporting import claims, manifest, markdown, plotting, report, snapshot
from cfrlab.reporting.markdown import to_html
from cfrlab.reporting.paper import Paper
from cfrlab.reporting.plan import RUN, recipes, report_files, report_recipe
from cfrlab.reporting.stages import report as stage
from synthetic_records import (
    PUBLISHED,
    PUBLISHED_FOLDER,
    as_published,
    make_oracle,
    make_records,
    make_results,
)

SMOKE = Path(__file__).parents[1] / "smoke.yaml"
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


def load(results: Path, **changes: Any) -> Config:
    """The configuration of the synthetic run: WEVA alone."""
    given = yaml.safe_load(SMOKE.read_text(encoding="utf-8"))
    kept = {"seed": given["seed"], "results_dir": str(results), "weva": given["weva"]}
    return config_module.load({**kept, **changes})


def vouch(results: Path, recipe: Recipe, files: list[str], **changes: Any) -> None:
    """Leave checksums of files for people as the job of a recipe would."""
    made = Provenance(**recipe.identity() | changes)
    checksums.write(results / recipe.listing, [str(results / file) for file in files], made)


def run_stage(config: Config) -> None:
    """The job of the page, as the workflow runs it."""
    results, recipe = Path(config.results_dir), report_recipe(config)
    inputs = {
        name: [str(results / one.listing) for one in many] for name, many in recipe.inputs.items()
    }
    outputs = {"main": [str(results / file) for file in report_files(config)]}
    stage.run(Job(inputs, outputs, recipe.parameters()))
    vouch(results, recipe, report_files(config))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results as the workflow writes them; not to be changed."""
    folder = tmp_path_factory.mktemp("results") / "run"
    records, oracle = make_records(as_published, noise=0.2), make_oracle()
    made = make_results(records)
    for name, lay_out in tables.TABLES.items():
        table = lay_out(made)
        markdown.write(folder / "tables", name, table.data, table.text, "Made from `abc`.")
    markdown.write_csv(folder / "tables/weva_cells.csv", tables.all_cells(records))
    river = make_results(records[records["game"] == "hunl-river"], oracle)
    for name, draw in figures.FIGURES.items():
        plotting.write(folder / "figures", name, draw(river), "Made from `abc`.")
    stated = claims.load(PUBLISHED_FOLDER / "claims.yaml", measures.MEASURES)
    verdicts = claims.judge_all(stated, Data.of(records, oracle, PUBLISHED))
    verdicts.loc[0, "claim"] = "less <script>alert(1)</script> & more"
    claims.write(folder / "claims/weva.csv", verdicts)
    config = load(folder)
    for name, plan in config.plans.items():
        for writer in plan.writers():
            vouch(folder, writer, list(config.plans[name].texts()[writer.stage]))
    run_stage(config)
    return folder


@pytest.fixture
def results(whole: Path) -> Any:
    """The same, to be changed: its files are what they were after the test."""
    before = {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    yield whole
    for path in whole.rglob("*"):
        if path.is_file() and path not in before:
            path.unlink()
    for path, content in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


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


def digit(text: str) -> str:
    """Another digit in the place of the last one that is a 5."""
    head, _, tail = text.rpartition("5")
    return f"{head}6{tail}"


@pytest.mark.parametrize(
    ("name", "change", "line"),
    [
        ("tables/weva_table1.csv", digit, "tables/weva_table1.csv: altered"),
        ("claims/weva.csv", digit, "claims/weva.csv: altered"),
        ("figures/weva_fig2.svg", lambda text: text[: len(text) // 2], "weva_fig2.svg: altered"),
        ("tables/weva_table1.md", None, "weva_table1.md: missing"),
        ("checksums/weva_tables.sha256", None, "weva_tables.sha256: missing or damaged"),
    ],
)
def test_altered_files_are_refused(
    results: Path, name: str, change: Callable[[str], str] | None, line: str
) -> None:
    path = results / name
    if change:
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        path.unlink()
    page = (results / "report/index.html").read_bytes()
    for use in (run_stage, lambda config: snapshot.take(config, results / "copy")):
        with pytest.raises(CfrlabError) as caught:
            use(load(results))
        message = str(caught.value)
        assert line in message
        assert "; rebuild it with: snakemake --cores 1 --force " in message
        assert "\n" not in message
    assert (results / "report/index.html").read_bytes() == page
    assert not (results / "copy").exists()


def test_exchanged_files_are_refused(results: Path) -> None:
    one, other = (results / f"tables/weva_table{k}.csv" for k in (1, 2))
    one.write_bytes(other.read_bytes())
    with pytest.raises(CfrlabError, match=r"weva_table1\.csv: altered"):
        run_stage(load(results))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"seed": 2}, "made with seed 2, but 1 is asked for"),
        ({"code": "0" * 64}, "made by other code"),
        ({"behind": "0" * 64}, "made from results of other code or another configuration"),
        ({"stage": "weva_figures"}, "made with stage weva_figures, but weva_tables is asked for"),
    ],
)
def test_whole_but_stale_files_are_refused(
    results: Path, changes: Mapping[str, Any], line: str
) -> None:
    """Each file is as its job left it, and yet they are of two runs."""
    plan = load(results).plans["weva"]
    vouch(results, plan.recipe("tables"), list(plan.texts()["tables"]), **changes)
    for use in (run_stage, lambda config: snapshot.take(config, results / "copy")):
        with pytest.raises(CfrlabError, match=re.escape(line)) as caught:
            use(load(results))
        assert "\n" not in str(caught.value)
    assert not (results / "copy").exists()


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


# The manifest.


def test_manifest_adds_up_job_times(tmp_path: Path) -> None:
    config = load(tmp_path)
    jobs = recipes(config)
    for job, seconds in ((jobs[0], ["30.5", "60"]), (jobs[-1], ["29.5"])):
        lines = ["s\th:m:s\tmax_rss", *(f"{s}\t0:00:01\t10" for s in seconds)]
        path = tmp_path / f"benchmarks/{job.job}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    # A job of an earlier configuration does not count.
    (path.parent / "weva_game").mkdir(exist_ok=True)
    (path.parent / "weva_game/gone.tsv").write_text("s\n1000\n", encoding="utf-8")
    run = manifest.collect(config)
    assert run["job_time"] == "2.0 minutes, summed over jobs"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"])
    assert run["config"] == config.mapping
    assert "cores" in run["machine"]
    assert "numpy" in run["libraries"]
    manifest.write(tmp_path / "run.json", run)
    assert manifest.read(tmp_path / "run.json") == run


def test_manifest_names_libraries_and_code_of_papers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = manifest.collect(load(tmp_path))
    assert set(plain["codes"]["weva"]) == {*load(tmp_path).plans["weva"].outputs} | {
        "tables",
        "figures",
        "claims",
    }
    paper = Paper(**{**vars(papers.load("weva")), "libraries": ("jinja2", "not-installed")})
    monkeypatch.setattr(papers, "load", lambda name: paper)
    more = manifest.collect(load(tmp_path))
    assert set(more["libraries"]) - set(plain["libraries"]) == {"jinja2"}


def test_a_damaged_manifest_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for content in (None, "{", "[]"):
        if content is not None:
            path.write_text(content, encoding="utf-8")
        with pytest.raises(CfrlabError, match="not the manifest of a run") as caught:
            manifest.read(path)
        assert "\n" not in str(caught.value)


# The snapshot.


def test_snapshot_copies_the_final_files(whole: Path, tmp_path: Path) -> None:
    target = tmp_path / "docs" / "results"
    target.mkdir(parents=True)
    (target / "stale.md").write_text("from an older run", encoding="utf-8")
    files = snapshot.take(load(whole), target)
    there = sorted(str(p.relative_to(target)) for p in target.rglob("*") if p.is_file())
    assert there == files
    assert len(files) == 6 * 2 + 1 + 5 * 4 + 4
    for name in ("claims.csv", "tables/weva_table1.md", "figures/weva_fig3.png"):
        assert (target / name).read_bytes() == (whole / name).read_bytes()
    assert [path.name for path in target.parent.iterdir()] == ["results"]
    index = (target / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", index):
        assert (target / link).is_file(), link
    verdicts = claims.read(whole / "claims.csv")
    rows = [line for line in index.splitlines() if line.startswith("| ")]
    assert len(rows) == len(verdicts) + 2 * len(report.parts(verdicts)), "a table for each part"
    assert all(verdict in index for verdict in set(verdicts["verdict"]))
    run = manifest.read(whole / RUN)
    for fact in ("version", "date", "machine", "job_time"):
        assert str(run[fact]) in index
    for fact in ("code", "config_hash"):
        assert f"`{run[fact][:12]}`" in index
    assert "seed 1" in index


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"seed": 2}, "made with seed 1, but 2 is asked for"),
        ({"weva": {"iterations": 90, "figure6": None}}, "made with config"),
    ],
)
def test_snapshot_refuses_another_configuration(
    whole: Path, tmp_path: Path, changes: dict[str, Any], line: str
) -> None:
    """An older copy stays as it was."""
    snapshot.take(load(whole), tmp_path / "docs")
    before = (tmp_path / "docs/README.md").read_bytes()
    given = load(whole).mapping
    other = {k: {**given[k], **v} if isinstance(v, dict) else v for k, v in changes.items()}
    with pytest.raises(CfrlabError, match=re.escape(line)) as caught:
        snapshot.take(load(whole, **other), tmp_path / "docs")
    assert "\n" not in str(caught.value)
    assert (tmp_path / "docs/README.md").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]


def test_snapshot_refuses_an_old_page(results: Path, tmp_path: Path) -> None:
    """The page is of other code than the tables."""
    config = load(results)
    vouch(results, report_recipe(config), report_files(config), behind="0" * 64)
    with pytest.raises(CfrlabError, match=r"report\.sha256: made from results of other code"):
        snapshot.take(config, tmp_path / "docs")
    assert list(tmp_path.iterdir()) == []


def test_claims_table_of_the_index_escapes_bars() -> None:
    verdicts = pd.DataFrame([row("WEVA", unit="mean |log|")])
    assert "mean \\|log\\|" in snapshot._claims_table(verdicts)
    assert "1.5 [1, 2]" in snapshot._claims_table(verdicts)
