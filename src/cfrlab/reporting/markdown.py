"""The little Markdown that tables and captions are written in, its files, and the same as HTML.

Headings, paragraphs, pipe tables, and **bold**, *emphasis* and `code` within a line. The page shows
the same text as the files, so tables are laid out once.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pandas as pd

from cfrlab.errors import CfrlabError
from cfrlab.pipeline.text import write_text_atomic

_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)


Made = TypeVar("Made")
"""What a paper's tables are made of."""


@dataclass(frozen=True)
class Table:
    """A table as data, and as Markdown to read."""

    data: pd.DataFrame
    text: str


def require(data: pd.DataFrame, what: str) -> None:
    """Refuse to draw or lay out nothing. Raises CfrlabError, which names what the run lacks."""
    if data.empty:
        raise CfrlabError(f"this run has no {what}; leave what shows it out of the run")


def count(number: int, noun: str) -> str:
    """``1 seed``, ``4 seeds``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def span(values: pd.Series, form: str = "g") -> str:
    """Least and largest value in a format, ``2 to 5``; one number where these are alike."""
    low, high = f"{values.min():{form}}", f"{values.max():{form}}"
    return low if low == high else f"{low} to {high}"


def pipe_table(header: Sequence[str], lines: Iterable[Sequence[str]], text: int = 1) -> str:
    """Lay out a table whose first `text` columns are flush left, the others flush right."""
    alignment = [":---"] * text + ["---:"] * (len(header) - text)
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, alignment, *lines])


def write(
    folder: str | os.PathLike[str], name: str, data: pd.DataFrame, text: str, footer: str = ""
) -> None:
    """Write ``{name}.csv`` (see `write_csv`) and ``{name}.md``, which ends with `footer`."""
    write_csv(Path(folder) / f"{name}.csv", data)
    blocks = [block for block in (text.rstrip(), footer) if block]
    write_text_atomic(Path(folder) / f"{name}.md", "\n\n".join(blocks) + "\n")


def write_all(
    outputs: Sequence[str], tables: Mapping[str, Callable[[Made], Table]], made: Made, footer: str
) -> None:
    """Lay out and write the tables that some output files are of; see `write`."""
    for folder, name in dict.fromkeys((Path(path).parent, Path(path).stem) for path in outputs):
        table = tables[name](made)
        write(folder, name, table.data, table.text, footer)


def write_csv(path: str | os.PathLike[str], data: pd.DataFrame) -> None:
    """Write a table that is to be read by people too: six significant digits."""
    write_text_atomic(path, data.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def to_html(text: str, *, top: int = 1, label: str = "") -> str:
    """Return HTML for a Markdown text.

    Args:
        text: the Markdown; blocks are separated by blank lines.
        top: level of the heading that ``#`` becomes.
        label: what screen readers call the scrolling regions around tables.
    """
    blocks = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    return "\n".join(_block(block, top, label) for block in blocks)


def inline(text: str) -> str:
    """Return HTML for one line of Markdown, special characters escaped."""
    result = html.escape(text)
    for pattern, replacement in _INLINE:
        result = pattern.sub(replacement, result)
    return result


def _block(block: str, top: int, label: str) -> str:
    if block.startswith("|"):
        return _table(block.splitlines(), label)
    heading = re.fullmatch(r"(#+) +(.+)", block)
    if heading:
        level = min(top + len(heading[1]) - 1, 6)
        return f"<h{level}>{inline(heading[2])}</h{level}>"
    return f"<p>{inline(' '.join(block.splitlines()))}</p>"


def _table(lines: list[str], label: str) -> str:
    """Lay out a pipe table whose second line gives the alignment, in a region that scrolls."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    header, alignment, *body = rows
    right = [" class='number'" if cell.endswith(":") else "" for cell in alignment]
    top = "".join(
        f"<th scope='col'{style}>{inline(cell)}</th>"
        for cell, style in zip(header, right, strict=True)
    )
    lower = "\n".join(
        "<tr>"
        + f"<th scope='row'>{inline(first)}</th>"
        + "".join(
            f"<td{style}>{inline(cell)}</td>" for cell, style in zip(rest, right[1:], strict=True)
        )
        + "</tr>"
        for first, *rest in body
    )
    return (
        f"<div class='scroll' role='region' tabindex='0' aria-label='{html.escape(label)}'>"
        f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{lower}\n</tbody></table></div>"
        # Shown on narrow screens, where columns may be out of sight.
        f"<p class='hint'>Scroll the table sideways: it has {len(header)} columns.</p>"
    )
