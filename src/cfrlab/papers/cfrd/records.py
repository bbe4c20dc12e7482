"""Results of the CFR-D experiments as one data frame, a row for every number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
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
from cfrlab.papers.cfrd.artifacts import CURVE, GRID, IMPROVED, MEASURED, SCALED, TIMED
from cfrlab.papers.cfrd.labels import METHODS
from cfrlab.pipeline.job import Job
from cfrlab.pipeline.store import Artifact

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

figure: ``fig3``, ``fig4``, ``fig5``, ``memory``, ``scaling`` or ``runtime``. method: how subgames
are re-solved, or the variant of CFR-D, or whose memory. case: start, seed, equilibrium, or what
else tells runs apart. trunk, subgame, iterations: of the trunk, in each subgame and of re-solving;
0 where it does not apply. quantity: what ``value`` is, in the unit of the game, bytes or seconds.

In ``scaling`` a case is a line, and its points are games:

- case ``choice-C``, game ``leduc/4-subgames``: CFR-D with 4 subgames apart: ``subgames`` (4),
  ``root_infosets`` (augmented infosets of both players at their roots), ``exploitability`` and
  ``exact`` (after exact re-solving).
- case ``raises``, game ``leduc/8-raises``: what the calculator gives for Leduc hold'em with 8 bets
  and raises in a round, for methods ``cfr`` and ``cfr-d``: ``memory`` and ``infosets`` (of both
  players).
"""

_NOTHING = {"method": "", "case": "", "trunk": 0, "subgame": 0, "iterations": 0}
"""What stands where a column does not apply."""

ENGINE_NUMBERS = 6
"""Numbers that this engine keeps for an infoset and action: regret, strategy, reach, average,
value, and the weight of the opponent's reach."""


def read(job: Job) -> pd.DataFrame:
    """The records of all artifacts that a job is given, each kind as the input of its name.

    Raises CfrlabError for artifacts that are damaged or not what the plan says.
    """
    scaling = job.config.get("scaling") or {}
    artifacts = {kind: job.load_all(kind, kind) for kind in _ROWS if job.has(kind)}
    return load(artifacts, scaling.get("raises", ()))


def load(artifacts: Mapping[str, Iterable[Artifact]], raises: Iterable[int] = ()) -> pd.DataFrame:
    """The records of artifacts, given by kind, and of calculated memory.

    Args:
        artifacts: by the kinds of `artifacts`, except ``RUN``.
        raises: numbers of bets and raises in a round of Leduc hold'em to calculate memory for.
    """
    rows = [row for kind, some in artifacts.items() for one in some for row in _ROWS[kind](one)]
    rows += _memory_by_raises(raises)
    return pd.DataFrame([{**_NOTHING, **row} for row in rows], columns=COLUMNS)


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


def _scaled(artifact: Artifact) -> Iterator[dict[str, Any]]:
    meta, arrays = artifact.meta, artifact.arrays
    same = {
        "figure": "scaling",
        "game": f"{meta['game']}/{meta['subgames']}-subgames",
        "method": "cfr-d",
        "trunk": meta["trunk_iterations"],
        "subgame": meta["subgame_iterations"],
        "iterations": meta["resolving_iterations"],
    }
    for choice in range(len(arrays["exploitability"])):
        case = f"choice-{choice + 1}"
        yield {**same, "case": case, "quantity": "subgames", "value": float(meta["subgames"])}
        for quantity in ("root_infosets", "exploitability", "exact"):
            value = float(arrays[quantity][choice])
            yield {**same, "case": case, "quantity": quantity, "value": value}


def _memory_by_raises(raises: Iterable[int]) -> Iterator[dict[str, Any]]:
    for count in raises:
        rules = leduc_holdem(leduc.Params(max_raises=count))
        kept = footprint(rules, 1)
        same = {"figure": "scaling", "game": f"{rules.name}/{count}-raises", "case": "raises"}
        for method, memory in (("cfr", kept.cfr), ("cfr-d", kept.cfrd)):
            for quantity, value in (("infosets", rules.infosets()), ("memory", memory)):
                yield {**same, "method": method, "quantity": quantity, "value": float(value)}


def _timed(artifact: Artifact) -> Iterator[dict[str, Any]]:
    """Seconds for an iteration of safe or unsafe re-solving, in pairs of runs side by side."""
    meta, times = artifact.meta, artifact.arrays["seconds"]
    same = {"figure": "runtime", "game": meta["game"], "iterations": meta["iterations"]}
    for (m, player, r), seconds in np.ndenumerate(times):
        yield {
            **same,
            "method": METHODS[m],
            "case": f"player-{player}/repeat-{r + 1}",
            "quantity": "seconds_each",
            "value": float(seconds) / meta["iterations"],
        }


_ROWS = {
    GRID: _grid,
    CURVE: _curve,
    IMPROVED: _improved,
    MEASURED: _measured,
    SCALED: _scaled,
    TIMED: _timed,
}
