"""What is known of a round's Phi, as JSON, for the artifacts of networks and of transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction.embedding import report
from cfrlab.games.rounds import RoundGame


def about_matrix(game: RoundGame, r: int, phi: NDArray[np.float32]) -> dict[str, Any]:
    """What is known of a round's Phi [m, n], as JSON.

    The first are columns of `records.PHI_COLUMNS`; the last, rows of `report.nearest` and
    `report.between` for a few well-known hands, which `neighbours` reads.
    """
    traits = report.traits(phi)
    where = phi, game.deck, game.classes[r], report.well_known(game.deck, r)
    return {
        "classes": traits.hands,
        "budget": traits.advisors,
        "rows": traits.rows,
        "effective": traits.effective,
        "dead": traits.dead,
        "in_use": traits.in_use,
        "largest": traits.largest,
        "nearest": report.nearest(*where),
        "between": report.between(*where),
    }
