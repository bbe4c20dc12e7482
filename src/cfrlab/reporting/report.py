"""One static page: for each paper its headline, figures, tables and claims; then how it was run.

The page works offline and without scripts; its folder holds all it shows, and can be moved. What
it looks like is in ``report.html.j2`` and ``report.css`` beside this module.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cfrlab import papers
from cfrlab.pipeline.plan import Plan
from cfrlab.pipeline.text import atomic_path, write_text_atomic
from cfrlab.reporting import claims as claims_module
from cfrlab.reporting import manifest as manifest_module
from cfrlab.reporting.markdown import inline, to_html
from cfrlab.reporting.paper import Paper, headline_of
from cfrlab.reporting.plan import page_copies

TEMPLATE, STYLE = "report.html.j2", "report.css"
SIGNS = {
    claims_module.REPRODUCED: "✓",
    claims_module.DIRECTION_ONLY: "≈",
    claims_module.INCONCLUSIVE: "?",
    claims_module.NOT_REPRODUCED: "✗",
    claims_module.NOT_MEASURED: "–",
}
_KINDS = {
    ("paper", "experiment"): "experiments",
    ("paper", "calculation"): "counts and calculations",
    ("paper", "theorem"): "theorems",
}
_OURS = "additions of ours"


@dataclass(frozen=True)
class Shown:
    """A table or figure: its name in paths, its title, and what stands beneath (Markdown)."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class Chapter:
    """What a run has of one paper.

    Attributes:
        name: folder of the paper.
        paper: its declaration.
        folder: of results, in which the files below are.
        headline: Markdown blocks.
        figures, tables: in order.
        data: tables of data alone, and what each has.
        copies: files that the page shows or links to, in the folder of results.
        claims: judged, with columns `claims.COLUMNS`.
    """

    name: str
    paper: Paper
    folder: Path
    headline: Sequence[str]
    figures: Sequence[Shown]
    tables: Sequence[Shown]
    data: Mapping[str, str]
    copies: Sequence[str]
    claims: pd.DataFrame

    @property
    def parts(self) -> list[tuple[str, pd.DataFrame]]:
        """The claims: the paper's experiments, its calculations and theorems, and ours."""
        return parts(self.claims)


def chapter(name: str, plan: Plan, results: str | os.PathLike[str]) -> Chapter:
    """Read what a run has of one paper, from the folder of results or a copy of it."""
    folder, paper = Path(results), papers.load(name)
    path = folder / f"claims/{name}.csv"
    nothing = pd.DataFrame(columns=claims_module.COLUMNS)
    return Chapter(
        name,
        paper,
        folder,
        headline_of(name)(folder),
        [_figure(folder, figure) for figure in plan.figures],
        [_table(folder, table) for table in plan.tables],
        plan.data,
        page_copies(plan),
        claims_module.read(path) if "claims" in plan.texts() else nothing,
    )


def build(
    folder: str | os.PathLike[str], chapters: Sequence[Chapter], run_info: Mapping[str, Any]
) -> None:
    """Write the page (``index.html``) into `folder`, with copies of all it shows.

    Args:
        folder: where to; made if missing, replaced if there.
        chapters: the papers, in order.
        run_info: see `manifest.collect`.
    """
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    for one in chapters:
        for path in one.copies:
            with atomic_path(folder / path) as temporary:
                shutil.copyfile(one.folder / path, temporary)
    claims_module.write(folder / "claims.csv", all_claims(chapters))
    manifest_module.write(folder / "run.json", dict(run_info))
    write_text_atomic(folder / "index.html", _page(chapters, run_info))


def all_claims(chapters: Sequence[Chapter]) -> pd.DataFrame:
    """The claims of all papers, in order."""
    present = [one.claims for one in chapters if len(one.claims)]
    return pd.concat(present, ignore_index=True) if present else chapters[0].claims


def parts(claims: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Claims by what they are of, with its name: tallies must not mix these.

    The paper's experiments, its counts and calculations, its theorems, and additions of ours.
    """
    kinds = zip(claims["source"], claims["kind"], strict=True)
    names = pd.Series([_KINDS.get(kind, _OURS) for kind in kinds], claims.index, dtype=object)
    groups = [(name, claims[names == name]) for name in (*_KINDS.values(), _OURS)]
    return [(name, rows) for name, rows in groups if len(rows)]


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


def facts(claim: Any) -> list[tuple[str, str]]:
    """What else is recorded of a claim, with a label for each: its rule, and what was estimated."""
    told = {
        "Agrees if": "rule",
        "Tolerance": "tolerance",
        "Reason": "reason",
        "Estimand": "estimand",
        "Interval": "interval",
    }
    lines = [(label, getattr(claim, column, "")) for label, column in told.items()]
    if beside := getattr(claim, "beside", ""):
        low, high = number(claim.beside_low), number(claim.beside_high)
        lines.append((beside, f"{number(claim.beside_value)} [{low}, {high}]"))
    return [(label, text) for label, text in lines if isinstance(text, str) and text]


def _table(folder: Path, name: str) -> Shown:
    text = (folder / f"tables/{name}.md").read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    return Shown(name, first.removeprefix("# ").removeprefix(f"{name}: "), rest.strip())


def _figure(folder: Path, name: str) -> Shown:
    """A figure; its title is the sentence in bold that its caption begins with."""
    caption = (folder / f"figures/{name}.md").read_text(encoding="utf-8").strip()
    if not caption.startswith("**"):
        return Shown(name, name, caption)
    _, title, rest = caption.split("**", 2)
    return Shown(name, title.rstrip("."), rest.strip())


def _page(chapters: Sequence[Chapter], run_info: Mapping[str, Any]) -> str:
    folder = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "inline": lambda text: Markup(inline(str(text))),
        "markdown": lambda text, top, label: Markup(to_html(text, top=top, label=label)),
        "slug": lambda text: text.replace(" ", "-"),
        "typeset": _typeset,
    }
    return environment.get_template(TEMPLATE).render(
        chapters=chapters,
        run=run_info,
        config=yaml.safe_dump(run_info["config"], sort_keys=False, allow_unicode=True),
        style=Markup((folder / STYLE).read_text(encoding="utf-8")),
        verdicts=claims_module.VERDICTS,
        signs=SIGNS,
        meaning=claims_module.MEANING,
        not_measured=claims_module.NOT_MEASURED,
        count=count_verdicts,
        estimate=estimate,
        facts=facts,
    )


def _typeset(text: object) -> str:
    """Return text with signs as they are printed."""
    printed = str(text)
    for plain, sign in ((">=", "≥"), ("<=", "≤"), ("-", "−")):
        printed = printed.replace(plain, sign)
    return printed
