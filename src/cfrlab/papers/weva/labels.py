"""Names, order and colours of games, methods and averaging rules, alike in tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex

#: Games of the WEVA paper: table number by name.
WEVA_TABLES: Mapping[int, str] = {1: "hunl-river", 2: "double-board", 3: "random-game"}
WEVA_GAMES = tuple(WEVA_TABLES.values())

_GAMES = {
    "hunl-river": "HUNL river endgame",
    "double-board": "Double board",
    "random-game": "Random game",
}
_METHODS = ("equity", "rank", "rank-2d", "ev-root", "ev-nd")
_SOLVERS = {"pcfr-plus": "PCFR+", "dcfr": "DCFR", "cfr": "CFR", "cfr-plus": "CFR+"}
_AVERAGING = {
    "simultaneous-uniform": "simultaneous updates, uniform average",
    "alternating-quadratic": "alternating updates, quadratic average",
}

# Okabe and Ito's palette, told apart with every common colour blindness; warm-up lengths of one
# feature are shades of one hue.
_COLOURS = {"equity": "#4d4d4d", "rank": "#cc79a7", "rank-2d": "#d55e00"}
_SHADES = {"ev-root": "YlOrBr", "ev-nd": "Blues"}
_MARKERS = {"equity": "o", "rank": "v", "rank-2d": "^", "ev-root": "D", "ev-nd": "s"}
_OTHER_COLOURS = ("#009e73", "#f0e442", "#8c564b", "#17becf")


@dataclass(frozen=True)
class Style:
    """How one method is drawn: colour (hex) and marker."""

    colour: str
    marker: str


def game_label(game: str) -> str:
    """Display name of a game."""
    return _GAMES.get(game, game)


def solver_label(solver: str) -> str:
    """Display name of a regret minimiser."""
    return _SOLVERS.get(solver, solver)


def averaging_label(averaging: str) -> str:
    """Display name of an averaging rule."""
    return _AVERAGING.get(averaging, averaging)


def method_label(method: str, warmup: object = None) -> str:
    """Display name of a method: ``ev-nd (W = 50)``; without warm-up the method's own name."""
    return method if warmup is None or pd.isna(warmup) else f"{method} (W = {warmup})"


def method_order(method: str) -> tuple[int, str]:
    """Sort key of a method: the paper's order, then others by name, labelled variants after all.

    A variant is ``method [label]``.
    """
    name, variant = (*method.split(" ["), "")[:2]
    place = _METHODS.index(name) if name in _METHODS else len(_METHODS)
    return (place + (len(_METHODS) + 1) * bool(variant), method)


def averaging_order(averaging: str) -> tuple[int, str]:
    """Sort key of an averaging rule: those of the default configuration first."""
    known = list(_AVERAGING)
    return (known.index(averaging) if averaging in known else len(known), averaging)


def sort_methods(methods: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
    """Return the distinct (method, warm-up) pairs in the order of tables and legends."""
    unique = {(name, None if pd.isna(w) else int(str(w))) for name, w in methods}
    return sorted(unique, key=lambda pair: (method_order(pair[0]), pair[1] or 0))


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
        if name in others:
            colours = [_OTHER_COLOURS[others.index(name) % len(_OTHER_COLOURS)]] * len(labels)
        else:
            colours = _colours(name, len(labels))
        marker = _MARKERS.get(name, "P")
        result.update(
            {label: Style(colour, marker) for label, colour in zip(labels, colours, strict=True)}
        )
    return result


def shades(colormap: str, count: int) -> list[str]:
    """Return `count` shades of one hue from light to dark, as hex; any number of them differ."""
    places = np.linspace(0.42, 0.98, count) if count > 1 else np.array([0.55])
    return [to_hex(colormaps[colormap](place)) for place in places[:count]]


def _colours(name: str, count: int) -> list[str]:
    if name in _COLOURS:
        return [_COLOURS[name]] * count
    return shades(_SHADES[name], count)
