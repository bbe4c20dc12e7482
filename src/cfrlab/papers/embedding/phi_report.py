"""embedding_transform: a sharper Phi; and what is known of any, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction.embedding import report
from cfrlab.abstraction.embedding.sharpen import sharpen
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER

Matrix = NDArray[np.float32]

LEARNED = ("r2", "r2_by_group")
"""What only a network's training tells; a transform leaves it as it is."""


def about_phi(game: RoundGame, r: int, phi: Matrix) -> dict[str, Any]:
    """What is known of a round's Phi [m, n], as JSON.

    The first are columns of `records.PHI_COLUMNS`; the last, rows of `report.nearest` and
    `report.between` for a few well-known hands, which `neighbours` reads.
    """
    found = report.traits(phi)
    where = phi, game.deck, game.classes[r], report.well_known(game.deck, r)
    return {
        "classes": found.hands,
        "budget": found.advisors,
        "rows": found.rows,
        "effective": found.effective,
        "dead": found.dead,
        "in_use": found.in_use,
        "largest": found.largest,
        "nearest": report.nearest(*where).to_dict("records"),
        "between": report.between(*where).to_dict("records"),
    }


def transform(
    game: RoundGame,
    matrices: Sequence[Matrix],
    before: Sequence[dict[str, Any]],
    power: float,
    top: int | None,
    cut: float,
) -> tuple[list[Matrix], list[dict[str, Any]]]:
    """Sharpen the Phi of every round but the first, and say what is known of the result.

    Args:
        game: the game.
        matrices: float32 [m, n] each.
        before: what is known of them.
        power, top, cut: see `abstraction.embedding.sharpen`.
    """
    sharper, about = [], []
    for r, (phi, known) in enumerate(zip(matrices, before, strict=True), start=1):
        sharper.append(sharpen(phi, power, top, cut).phi)
        kept = {name: known[name] for name in LEARNED}
        about.append({**about_phi(game, r, sharper[-1]), **kept})
        LOGGER.info(
            "round %d: a hand trusts %.1f advisors, %.1f before",
            r + 1,
            about[-1]["effective"],
            known["effective"],
        )
    return sharper, about
