"""Manifest and snapshot; what the page and the snapshot refuse to be made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cfrlab import papers
from cfrlab.errors import CfrlabError
from cfrlab.reporting import claims, manifest, snapshot
from cfrlab.reporting.paper import Paper
from cfrlab.reporting.plan import RUN, recipes, report_files, report_recipe
from synthetic_run import load, make, run_stage, vouch


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results as the workflow writes them; not to be changed."""
    folder = tmp_path_factory.mktemp("results") / "run"
    make(folder)
    return folder


@pytest.fixture
def results(whole: Path) -> Iterator[Path]:
    """The same, to be changed: its files are what they were after the test."""
    before = {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    yield whole
    for path in whole.rglob("*"):
        if path.is_file() and path not in before:
            path.unlink()
    for path, content in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


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
        ({"behind": "0" * 64}, "made from results of another configuration, seed or code"),
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
    starts = tuple(f"| {verdict} |" for verdict in claims.VERDICTS)
    assert sum(line.startswith(starts) for line in index.splitlines()) == len(verdicts)
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
    with pytest.raises(CfrlabError, match=r"report\.sha256: made from results of another"):
        snapshot.take(config, tmp_path / "docs")
    assert list(tmp_path.iterdir()) == []
