"""Results of the CFR-D experiments as one data frame, a row for every number."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from cfrlab.decomposition.memory import (
    Footprint,
    Rules,
    footprint,
    leduc_holdem,
    limit_holdem,
    splits,
)
from cfrlab.games.zoo import leduc
from cfrlab.papers.cfrd.labels import METHODS
from cfrlab.pipeline import store
from cfrlab.pipeline.store import Artifact

RUN = "cfrd-run"
GRID = "cfrd-grid"
CURVE = "cfrd-curve"
IMPROVED = "cfrd-improved"
MEASURED = "cfrd-measured"

COLUMNS = [
    "figure",
    "game",
    "method",
    "case",
    "trunk",
    "subgame",
    "iterations",
    "quantity",
    "value",
]
"""Columns of the frame.

figure: ``fig3``, ``fig4``, ``fig5`` or ``memory``. method: how subgames are re-solved, or the
variant of CFR-D, or whose memory. case: start, seed or equilibrium. trunk, subgame, iterations: of
the trunk, in each subgame and of re-solving; 0 where it does not apply. quantity: what ``value``
is, in the unit of the game, bytes or seconds.
"""

ENGINE_NUMBERS = 6
"""Numbers that this engine keeps for an infoset and action: regret, strategy, reach, average,
value, and the weight of the opponent's reach."""


def load(paths: Iterable[str | os.PathLike[str]]) -> pd.DataFrame:
    """Read artifacts of any kind that this module names, except ``RUN``.

    Raises CfrlabError for a damaged file or another kind.
    """
    rows: list[dict[str, Any]] = []
    for path in paths:
        kind = next(k for k in (GRID, CURVE, IMPROVED, MEASURED) if f"/{k}/" in str(path))
        rows.extend(_ROWS[kind](store.load(path, kind)))
    frame = pd.DataFrame(rows)
    for column in ("trunk", "subgame", "iterations"):
        frame[column] = frame.get(column, pd.Series(0, frame.index)).fillna(0).astype("int64")
    for column in ("method", "case"):
        frame[column] = frame.get(column, pd.Series("", frame.index)).fillna("")
    return frame[COLUMNS]


def calculated() -> pd.DataFrame:
    """The calculator's table for limit hold'em and Leduc, one row for each split."""
    games = limit_holdem(), leduc_holdem(leduc.Params())
    return pd.DataFrame([_split(rules, at) for rules in games for at in splits(rules)])


def _split(rules: Rules, at: Footprint) -> dict[str, Any]:
    return {
        "game": rules.name,
        "trunk_rounds": at.trunk_rounds,
        "infosets": rules.infosets(canonical=False),
        "canonical_infosets": rules.infosets(),
        "canonical_infoset_actions": rules.infoset_actions(),
        "strategy_bytes": at.strategy,
        "cfr_bytes": at.cfr,
        "cfrd_trunk_bytes": at.trunk,
        "cfrd_root_values_bytes": at.root_values,
        "cfrd_subgame_bytes": at.subgame,
        "cfrd_bytes": at.cfrd,
    }


def _grid(artifact: Artifact) -> Iterator[dict[str, Any]]:
    meta = artifact.meta
    for k, trunk in enumerate(artifact.arrays["iterations"]):
        for quantity in ("exploitability", "exact"):
            yield {
                "figure": "fig4",
                "game": meta["game"],
                "method": meta["variant"],
                "trunk": int(trunk),
                "subgame": meta["subgame_iterations"],
                "iterations": meta["resolving_iterations"],
                "quantity": quantity,
                "value": float(artifact.arrays[quantity][k]),
            }


def _curve(artifact: Artifact) -> Iterator[dict[str, Any]]:
    meta, arrays = artifact.meta, artifact.arrays
    same = {k: meta[k] for k in ("game", "method", "case")} | {"figure": "fig3"}
    for quantity in ("equilibrium", "exact"):
        yield {**same, "quantity": quantity, "value": float(arrays[quantity][0])}
    for t, value in zip(arrays["iterations"], arrays["exploitability"], strict=True):
        point = {"quantity": "exploitability", "iterations": int(t), "value": float(value)}
        yield {**same, **point}


def _improved(artifact: Artifact) -> Iterator[dict[str, Any]]:
    meta, arrays = artifact.meta, artifact.arrays
    same = {"figure": "fig5", "game": meta["game"]}
    name = meta["equilibrium"]
    yield {**same, "case": name, "quantity": "original", "value": float(arrays["original"][0])}
    for m, method in enumerate(METHODS):
        for quantity in ("exact", "exact_gain"):
            value = float(arrays[quantity][m])
            yield {**same, "case": name, "method": method, "quantity": quantity, "value": value}
        for quantity in ("exploitability", "gain"):
            for s, line in enumerate(arrays[quantity][m]):
                case = f"{name}/sample-{s}" if s else name
                for t, value in zip(arrays["iterations"], line, strict=True):
                    yield {
                        **same,
                        "method": method,
                        "case": case,
                        "iterations": int(t),
                        "quantity": quantity,
                        "value": float(value),
                    }


def _measured(artifact: Artifact) -> Iterator[dict[str, Any]]:
    meta = artifact.meta
    same = {
        "figure": "memory",
        "game": meta["game"],
        "method": meta["mode"],
        "trunk": meta["trunk_iterations"],
        "subgame": meta["subgame_iterations"],
    }
    cfr, cfrd = meta["cfr_iterations"], meta["trunk_iterations"] * meta["subgame_iterations"]
    each = float(artifact.arrays["seconds"]) / (cfr if meta["mode"] == "cfr" else cfrd)
    yield {**same, "quantity": "seconds_each", "value": each}
    for quantity in ("peak_bytes", "seconds", "setup_seconds"):
        yield {**same, "quantity": quantity, "value": float(artifact.arrays[quantity])}
    kept = footprint(leduc_holdem(leduc.Params(**meta["options"])), 1, ENGINE_NUMBERS)
    predicted = kept.cfr if meta["mode"] == "cfr" else kept.cfrd
    yield {**same, "quantity": "predicted_bytes", "value": float(predicted)}


_ROWS = {GRID: _grid, CURVE: _curve, IMPROVED: _improved, MEASURED: _measured}
