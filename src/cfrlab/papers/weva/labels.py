"""Names and order of games, methods and averaging rules, alike in tables and figures."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from cfrlab.papers.weva.section import WEVA_TABLES

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
