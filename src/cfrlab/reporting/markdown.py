"""The little Markdown that tables and captions are written in, as HTML.

Headings, paragraphs, pipe tables, and **bold**, *emphasis* and `code` within a line. The page shows
the same text as the files, so tables are laid out once.
"""

from __future__ import annotations

import html
import re

_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)


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
