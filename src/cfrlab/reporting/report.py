"""One static page: claims with their verdicts first, then tables and figures, then how it was run.

The page works offline and without scripts; its folder holds all it shows, and can be moved.
"""

from __future__ import annotations

import html
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from cfrlab.pipeline.text import atomic_path, write_text_atomic
from cfrlab.reporting import claims as claims_module
from cfrlab.reporting import manifest as manifest_module
from cfrlab.reporting.markdown import inline, to_html

_SIGNS = {
    claims_module.REPRODUCED: "✓",
    claims_module.DIRECTION_ONLY: "≈",
    claims_module.INCONCLUSIVE: "?",
    claims_module.NOT_REPRODUCED: "✗",
    claims_module.NOT_MEASURED: "–",
}


@dataclass(frozen=True)
class _Paper:
    """A paper, and what the intervals of its claims and their n are."""

    authors: str
    title: str
    year: int
    interval: str


#: By the name that begins a claim's place (column ``paper``).
_PAPERS = {
    "WEVA": _Paper(
        "Li and Huang",
        "Effective, Efficient, and General Information Abstraction for Imperfect-Information "
        "Extensive-Form Games",
        2026,
        "95% intervals over n boards (Student's t; bootstrap or Clopper and Pearson's where a "
        "claim counts or compares cells)",
    ),
    "CFR-D": _Paper(
        "Burch, Johanson and Bowling",
        "Solving Imperfect Information Games Using Decomposition",
        2014,
        "the range over n starts, seeds, equilibria or lengths of the trunk",
    ),
    "Embedding CFR": _Paper(
        "Fu, Liu, Xu and Huang",
        "No-Regret Strategy Solving in Imperfect-Information Games via Pre-Trained Embedding",
        2026,
        "95% intervals over n seeds of clusterings and networks (Welch's t on logarithms)",
    ),
}
_FACTS = {
    "date": "Date",
    "version": "Version",
    "code": "Hash of the code",
    "seed": "Seed",
    "machine": "Machine",
    "job_time": "Time",
}


def build(
    folder: str | os.PathLike[str],
    tables: Mapping[str, str | os.PathLike[str]],
    figures: Mapping[str, str | os.PathLike[str]],
    claims: pd.DataFrame,
    run_info: Mapping[str, Any],
) -> None:
    """Write the page (``index.html``) into `folder`, with copies of all it shows.

    Args:
        folder: where to; made if missing.
        tables: Markdown file of each table by name, in order; its data lie beside it (``.csv``).
        figures: SVG file of each figure by name, in order; its caption (``.md``) and data
            (``.csv``) lie beside it.
        claims: the result of `claims.judge_all`.
        run_info: see `manifest.collect`.
    """
    folder = Path(folder)
    for path in tables.values():
        _copy(Path(path).with_suffix(".csv"), folder / "tables")
    for path in figures.values():
        _copy(Path(path), folder / "figures")
        _copy(Path(path).with_suffix(".csv"), folder / "figures")
    claims_module.write(folder / "claims.csv", claims)
    manifest_module.write(folder / "run.json", dict(run_info))
    body = [
        _claims(claims),
        _section("tables", "Tables", (_table(name, Path(path)) for name, path in tables.items())),
        _section("figures", "Figures", (_figure(name, Path(p)) for name, p in figures.items())),
        _run(run_info),
    ]
    write_text_atomic(folder / "index.html", _page("\n".join(body), claims))


def count_verdicts(claims: pd.DataFrame) -> dict[str, int]:
    """Return how many claims have each verdict, in the order of `claims.VERDICTS`."""
    counts = Counter(claims["verdict"])
    return {verdict: counts[verdict] for verdict in claims_module.VERDICTS}


def number(value: float) -> str:
    """Format a number of the claims for reading: three significant digits, more near 1."""
    if pd.isna(value):
        return ""
    if abs(value) < 5e-4:
        return "0"
    text = f"{value:.4f}" if 0.9 <= value < 1 else f"{value:.3g}"
    return text.replace("-", "−")


def estimate(claim: Any) -> tuple[str, str]:
    """Format a claim's estimate and its interval: ``8.9`` and ``[4.1, 13.2]``.

    The interval is empty where nothing was measured, or a single value.
    """
    if pd.isna(claim.ours) or pd.isna(claim.ci_low) or claim.n < 2:
        return number(claim.ours), ""
    return number(claim.ours), f"[{number(claim.ci_low)}, {number(claim.ci_high)}]"


def papers(claims: pd.DataFrame) -> list[str]:
    """Return the short names of the papers that the claims are of, in order."""
    return list(dict.fromkeys(claims["paper"].str.split(",").str[0]))


def intervals(claims: pd.DataFrame) -> str:
    """Say what intervals and ``n`` mean, for each paper that the claims are of."""
    known = [name for name in papers(claims) if name in _PAPERS]
    meaning = "".join(f"{name}: {_PAPERS[name].interval}. " for name in known)
    return f"In brackets, {meaning}A single value has none." if known else ""


def _typeset(text: str) -> str:
    """Return text with signs as they are printed."""
    for plain, printed in ((">=", "≥"), ("<=", "≤"), ("-", "−")):
        text = text.replace(plain, printed)
    return text


def _copy(source: Path, folder: Path) -> None:
    with atomic_path(folder / source.name) as temporary:
        shutil.copyfile(source, temporary)


def _css_class(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _claims(claims: pd.DataFrame) -> str:
    counts = count_verdicts(claims)
    chips = "".join(
        f"<li class='{_css_class(v)}'>{_badge(v, n)} {claims_module.MEANING[v]}</li>"
        for v, n in counts.items()
    )
    choices = "".join(
        f"<label><input type='radio' name='show' id='show-{_css_class(choice)}'"
        f"{' checked' if choice == 'all' else ''}> {choice}</label>"
        for choice in ("all", *counts)
    )
    names = ("Verdict", "Claim", "Paper", "Ours", "Unit", "n", "Evidence")
    head = "".join(f"<th scope='col'{_align(name)}>{name}</th>" for name in names)
    rows = "\n".join(_claim(claim) for claim in claims.itertuples())
    return (
        f"<section id='claims'><h2>Claims</h2><p>Each claim is judged by rule from this run's "
        f"numbers. {html.escape(intervals(claims), quote=False)} "
        f"<a href='claims.csv'>claims.csv</a> has the same rows, with the rule of each, and "
        f"docs/verdicts.md explains the rules.</p>"
        f"<ul class='verdicts'>{chips}</ul>"
        f"<fieldset><legend>Show</legend>{choices}</fieldset>"
        f"<table class='claims'><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
        f"</section>"
    )


def _badge(verdict: str, count: int | None = None) -> str:
    number = "" if count is None else f"{count} "
    return f"<span class='badge'>{_SIGNS[verdict]} {number}{verdict}</span>"


def _align(column: str) -> str:
    return " class='number'" if column in ("Paper", "Ours", "n") else ""


def _claim(claim: Any) -> str:
    value, interval = estimate(claim)
    cells = (
        ("Verdict", _badge(claim.verdict)),
        (
            "Claim",
            f"{inline(claim.claim)}<span class='id'>{inline(claim.paper)} · {claim.id}</span>",
        ),
        ("Paper", inline(_typeset(str(claim.published)))),
        ("Ours", f"{value} <span class='interval'>{interval}</span>" if interval else value),
        ("Unit", inline(claim.unit)),
        ("n", str(claim.n) if claim.n else ""),
        ("Evidence", html.escape(claim.evidence)),
    )
    columns = "".join(f"<td data-label='{name}'{_align(name)}>{text}</td>" for name, text in cells)
    return f"<tr id='{claim.id}' class='claim {_css_class(claim.verdict)}'>{columns}</tr>"


def _section(name: str, title: str, parts: Iterable[str]) -> str:
    return f"<section id='{name}'><h2>{title}</h2>\n" + "\n".join(parts) + "\n</section>"


def _table(name: str, path: Path) -> str:
    content = to_html(path.read_text(encoding="utf-8"), top=3, label=name)
    link = f"<p><a href='tables/{name}.csv'>{name}.csv</a></p>"
    return f"<article id='{name}'>{content}{link}</article>"


def _figure(name: str, path: Path) -> str:
    caption = path.with_suffix(".md").read_text(encoding="utf-8").strip()
    # A screen reader hears the title; the caption that follows says the rest.
    title = html.escape(caption.split("**")[1] if caption.startswith("**") else caption)
    return (
        f"<figure id='{name}'><h3>{name}</h3><a href='figures/{name}.svg'>"
        f"<img src='figures/{name}.svg' alt='{title}' loading='lazy'></a>"
        f"<figcaption>{to_html(caption)}<p><a href='figures/{name}.csv'>{name}.csv</a></p>"
        f"</figcaption></figure>"
    )


def _run(run_info: Mapping[str, Any]) -> str:
    facts = "".join(
        f"<dt>{label}</dt><dd>{html.escape(str(run_info[key]))}</dd>"
        for key, label in _FACTS.items()
        if key in run_info
    )
    libraries = ", ".join(f"{k} {v}" for k, v in dict(run_info.get("libraries", {})).items())
    config = yaml.safe_dump(run_info.get("config", {}), sort_keys=False, allow_unicode=True)
    return (
        f"<section id='run'><h2>How it was run</h2><dl>{facts}<dt>Libraries</dt>"
        f"<dd>{html.escape(libraries)}</dd></dl><details><summary>Configuration</summary>"
        f"<pre tabindex='0'>{html.escape(config)}</pre></details>"
        f"<p><a href='run.json'>run.json</a> has the same.</p></section>"
    )


def _title(names: list[str]) -> str:
    *first, last = names or ["Results"]
    which = html.escape(" and ".join([", ".join(first), last] if first else [last]))
    return f"{which}: ours beside the paper{'s' if len(names) > 1 else ''}"


def _citations(names: list[str]) -> str:
    """One sentence for each paper that is known: authors, title, year."""
    known = [_PAPERS[name] for name in names if name in _PAPERS]
    return " ".join(f"{p.authors}, <cite>{p.title}</cite>, {p.year}." for p in known)


def _page(body: str, claims: pd.DataFrame) -> str:
    names = papers(claims)
    counts = count_verdicts(claims)
    summary = ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)
    filters = "\n".join(
        f"body:has(#show-{_css_class(v)}:checked) tr.claim:not(.{_css_class(v)}) {{display: none}}"
        for v in counts
    )
    links = "".join(
        f"<a href='#{name}'>{title}</a>"
        for name, title in (
            ("claims", "Claims"),
            ("tables", "Tables"),
            ("figures", "Figures"),
            ("run", "How it was run"),
        )
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_title(names)}</title>
<style>
{_CSS}
{filters}
</style>
</head>
<body>
<a class="skip" href="#claims">Skip to the claims</a>
<header>
<h1>{_title(names)}</h1>
<p>{_citations(names)} Claims: {summary or "none"}.</p>
<nav aria-label="Sections">{links}</nav>
</header>
<main>
{body}
</main>
</body>
</html>
"""


_CSS = """
:root {color-scheme: light; --line: #d9dce1; --soft: #f6f7f9; --ink: #1c2128; --quiet: #57606a}
* {box-sizing: border-box}
body {margin: 0 auto; max-width: 76rem; padding: 1rem clamp(.75rem, 3vw, 2rem); color: var(--ink);
  background: #fff; font: 1rem/1.5 system-ui, sans-serif}
h1 {line-height: 1.2; margin-bottom: .25rem}
h2 {margin-top: 2.5rem; border-bottom: 2px solid var(--line); padding-bottom: .25rem}
h3 {margin-top: 2rem}
h4 {margin-bottom: .25rem}
a {color: #0550ae}
a:focus-visible, input:focus-visible, summary:focus-visible, [tabindex]:focus-visible {
  outline: 3px solid #0550ae; outline-offset: 2px}
.skip {position: absolute; left: -100rem}
.skip:focus {left: 1rem; background: #fff; padding: .5rem; z-index: 1}
nav {display: flex; flex-wrap: wrap; gap: .25rem 1.25rem}
p, figcaption, dd, .verdicts {max-width: 60rem; overflow-wrap: anywhere}
table {border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums}
th, td {padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top}
thead th {background: var(--soft); border-bottom: 2px solid var(--line)}
tbody th {font-weight: 600; white-space: nowrap}
.number {text-align: right; white-space: nowrap}
td em, th em {font-style: normal; color: var(--quiet)}
.scroll {overflow-x: auto; margin: .5rem 0 1rem}
.verdicts {list-style: none; padding: 0}
.verdicts li {margin: .25rem 0}
.badge {display: inline-block; padding: .1rem .5rem; border-radius: .75rem; white-space: nowrap;
  font-weight: 600; font-size: .8125rem; border: 1px solid currentColor}
.reproduced .badge {color: #0b5c2d; background: #e2f4e8}
.direction-only .badge {color: #6b4600; background: #fdf1d3}
.inconclusive .badge {color: #4a3d7a; background: #ece8f8}
.not-reproduced .badge {color: #8f1414; background: #fde5e3}
.not-measured .badge {color: #4b535d; background: #eef0f2}
fieldset {border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; display: flex;
  flex-wrap: wrap; gap: .25rem 1.25rem}
label {cursor: pointer}
.claims {width: 100%}
.claims td:nth-child(2) {min-width: 15rem}
.claims td:nth-child(5) {max-width: 9rem}
.claims td:last-child {min-width: 20rem}
.claims td.number {white-space: normal}
.interval {white-space: nowrap}
.claims td:last-child {font-size: .8125rem; color: #3d444d}
.id {display: block; color: var(--quiet); font-size: .75rem}
figure {margin: 0 0 2rem}
img {max-width: 100%; height: auto; border: 1px solid var(--line)}
dl {display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem}
dt {font-weight: 600}
dd {margin: 0}
pre {overflow-x: auto; background: var(--soft); padding: 1rem; font-size: .8125rem}
@media (max-width: 60rem) {
  .claims thead {position: absolute; left: -100rem}
  .claims, .claims tbody, .claims tr, .claims td {display: block}
  .claims tr {border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; padding: .5rem}
  .claims td, .claims td:nth-child(n) {min-width: 0; max-width: none}
  .claims td {border: 0; padding: .15rem .25rem; text-align: left; white-space: normal}
  .claims td:empty {display: none}
  .claims td:not(:first-child):not(:nth-child(2))::before {content: attr(data-label) ": ";
    font-weight: 600}
}
@media print {fieldset, nav {display: none}}
"""
