"""embedding_buckets: hands grouped by a plug-in, for every round but the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfrlab import plugins
from cfrlab.abstraction.quality import quality
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER
from cfrlab.papers.embedding.phi_file import about_labels
from cfrlab.papers.embedding.values_file import Values

Labels = tuple[NDArray[np.int32], ...]


def cluster(
    game: RoundGame,
    clustering: str,
    budgets: Sequence[int],
    params: Mapping[str, Any],
    rng: np.random.Generator,
    values: Values | None,
) -> tuple[Labels, list[dict[str, Any]]]:
    """Buckets of every round but the first, and what is known of them (`phi_file.save`).

    Raises CfrlabError for an unknown clustering and for budgets that do not fit the game.
    """
    module = plugins.load("cfrlab.abstraction.clusterings", clustering, "clustering")
    labels: Labels = module.buckets(game, budgets, module.Params(**params), rng, values)
    about = []
    for found, budget, alike in zip(labels, budgets, quality(game, labels), strict=True):
        about.append({**about_labels(found, budget), "quality": alike})
        LOGGER.info("round %d: %d buckets in effect of %d", alike["round"], found.max() + 1, budget)
    return labels, about
