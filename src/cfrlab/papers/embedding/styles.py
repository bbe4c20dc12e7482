"""Colours, strokes and marks of methods and averaging rules, the same in all figures."""

from __future__ import annotations

import pandas as pd
from matplotlib.lines import Line2D

from cfrlab.papers.embedding.labels import (
    BASELINE,
    EMBEDDING,
    LOSSLESS,
    SHARPENED,
    averaging_label,
)
from cfrlab.reporting import palette
from cfrlab.reporting.plotting import Look, key
from cfrlab.solve.rounds.averages import AVERAGES

_COLOURS = {
    "ehs": palette.PURPLE,
    "paemd": palette.ORANGE,
    "krwemd": palette.GREEN,
    "ev": palette.BROWN,
    EMBEDDING: palette.BLUE,
    BASELINE: palette.SKY,
    SHARPENED: palette.VERMILION,
    LOSSLESS: palette.DARK_GREY,
}
_DASHES = {BASELINE: "-.", SHARPENED: "--", LOSSLESS: ":"}
AVERAGE_COLOURS = dict(zip(AVERAGES, (palette.BLUE, palette.ORANGE, palette.GREEN), strict=True))
AVERAGE_MARKERS = dict(zip(AVERAGES, ("o", "s", "D"), strict=True))


def family_colour(family: str) -> str:
    """Colour (hex) of a role (see `labels.role`)."""
    return _COLOURS.get(family, "#666666")


def role_look(role: str) -> Look:
    """How the curve of a role is drawn."""
    return {"color": family_colour(role), "linestyle": _DASHES.get(role, "-")}


def rules(rows: pd.DataFrame) -> list[str]:
    """Averaging rules that are there, in order."""
    present = set(rows["averaging"])
    return [rule for rule in AVERAGES if rule in present]


def rule_look(rule: str) -> Look:
    """How a mark under an averaging rule is drawn."""
    return {
        "color": AVERAGE_COLOURS[rule],
        "marker": AVERAGE_MARKERS[rule],
        "linestyle": "none",
    }


def rule_keys(rows: pd.DataFrame) -> list[Line2D]:
    """Legend entries of averaging rules."""
    return [key(averaging_label(rule), **rule_look(rule)) for rule in rules(rows)]
