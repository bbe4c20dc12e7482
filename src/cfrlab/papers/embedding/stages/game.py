"""game: build a game of betting rounds, its hands up to suits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cfrlab import plugins
from cfrlab.games.rounds import RoundGame
from cfrlab.logs import LOGGER
from cfrlab.papers.embedding import artifacts
from cfrlab.pipeline.job import Job


def generate(zoo: str, options: Mapping[str, Any]) -> RoundGame:
    """The game that module `zoo` makes of its options; nothing in it is random.

    Raises CfrlabError for an unknown game, and for cards that cannot be dealt.
    """
    module = plugins.load("cfrlab.games.zoo", zoo, "game")
    game: RoundGame = module.rounds(module.Params(**options))
    LOGGER.info("%s: %s classes of hands in its rounds", zoo, ", ".join(map(str, game.hands)))
    return game


def run(job: Job) -> None:
    """Run the stage."""
    job.save(artifacts.GAME, *generate(**job.config).to_arrays())
