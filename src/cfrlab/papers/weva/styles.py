"""Colours and markers of methods, the same in all figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cfrlab.papers.weva.labels import method_label, sort_methods
from cfrlab.reporting import palette
from cfrlab.reporting.palette import shades

# Warm-up lengths of one feature are shades of one hue.
_COLOURS = {
    "equity": palette.DARK_GREY,
    "rank": palette.PURPLE,
    "rank-2d": palette.VERMILION,
}
_SHADES = {"ev-root": "YlOrBr", "ev-nd": "Blues"}
_MARKERS = {"equity": "o", "rank": "v", "rank-2d": "^", "ev-root": "X", "ev-nd": "s"}
_OTHER_COLOURS = (palette.GREEN, palette.YELLOW, palette.BROWN, palette.CYAN)


@dataclass(frozen=True)
class Style:
    """How one method is drawn: colour (hex) and marker."""

    colour: str
    marker: str


def styles(methods: Iterable[tuple[str, object]]) -> dict[str, Style]:
    """Return the style of each (method, warm-up) pair by its label.

    Depends on the set of pairs alone, so figures that show the same methods agree.
    """
    ordered = sort_methods(methods)
    names = list(dict.fromkeys(name for name, _ in ordered))
    others = [name for name in names if name not in _MARKERS]
    result = {}
    for name in names:
        labels = [method_label(name, w) for other, w in ordered if other == name]
        if name in _SHADES:
            colours = shades(_SHADES[name], len(labels))
        elif name in _COLOURS:
            colours = [_COLOURS[name]] * len(labels)
        else:
            colours = [_OTHER_COLOURS[others.index(name) % len(_OTHER_COLOURS)]] * len(labels)
        marker = _MARKERS.get(name, "P")
        pairs = zip(labels, colours, strict=True)
        result.update({label: Style(colour, marker) for label, colour in pairs})
    return result
