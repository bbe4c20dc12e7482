"""Results of the workflow as data frames: one row for every solve, or every point of a curve."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from cfrlab.pipeline.store import Artifact

#: Columns that are the same in a whole file, and live in its metadata.
UNIT_COLUMNS = ["game", "solver", "method", "warmup"]
CURVE_COLUMNS = [
    *("game", "instance", "iteration", "exploitability", "player", "where", "rho", "rho_min"),
]


def solves(artifacts: Iterable[Artifact]) -> pd.DataFrame:
    """Records of solves, from artifacts of kind `artifacts.EXPLOITABILITY`.

    Returns:
        Columns game, solver, method (label), warmup (Int64, NA without), instance, buckets (K asked
        for), k_effective_0, k_effective_1, kmeans_seed, averaging, iteration, exploitability
        (half-sum) and value (of player 0), both in fractions of the initial pot, and is_final
        (whether the iteration is the last).
    """
    frames = [_records(artifact) for artifact in artifacts]
    return pd.concat(frames, ignore_index=True).astype({"warmup": "Int64"})


def curves(artifacts: Iterable[Artifact]) -> pd.DataFrame:
    """Curves of Figure 1, from artifacts of kind `artifacts.ORACLE`; no rows without any.

    Returns:
        Columns game, instance, iteration, exploitability (half-sum, fraction of the initial pot),
        player, where ("root", "inner"), rho (Spearman, over hands, with the oracle; its mean over
        nodes for "inner") and rho_min (the least over nodes).
    """
    frames = [_curves(artifact) for artifact in artifacts]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=CURVE_COLUMNS)


def _records(artifact: Artifact) -> pd.DataFrame:
    frame = pd.DataFrame(artifact.arrays)
    for place, name in enumerate(UNIT_COLUMNS):
        value = artifact.meta[name]
        frame.insert(place, name, pd.NA if value is None else value)
    frame["is_final"] = frame["iteration"] == artifact.meta["iterations"]
    return frame


def _curves(artifact: Artifact) -> pd.DataFrame:
    points = pd.DataFrame(
        {
            "game": artifact.meta["game"],
            "instance": artifact.meta["instance"],
            "iteration": artifact.arrays["iterations"],
            "exploitability": artifact.arrays["exploitability"],
        }
    )
    frames = []
    for player in (0, 1):
        root = artifact.arrays["rho_root"][:, player]
        inner = artifact.arrays["rho_inner"][:, player]
        for where, rho, least in (
            ("root", root, root),
            ("inner", np.nanmean(inner, axis=1), np.nanmin(inner, axis=1)),
        ):
            frames.append(
                points.assign(player=player, where=where, rho=rho, rho_min=least),
            )
    return pd.concat(frames, ignore_index=True)
