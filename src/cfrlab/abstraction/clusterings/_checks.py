"""What every clustering checks before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from cfrlab.errors import CfrlabError
from cfrlab.games.rounds import RoundGame


def check_budgets(game: RoundGame, budgets: Sequence[int]) -> None:
    """Raise CfrlabError unless every round after the first has a budget that it can fill."""
    rounds = len(game.classes)
    if len(budgets) != rounds - 1:
        raise CfrlabError(
            f"budgets {list(budgets)}: game {game.name} has {rounds} rounds, so {rounds - 1} "
            "budgets are needed, one for each round after the first"
        )
    for r, (budget, classes) in enumerate(zip(budgets, game.classes[1:], strict=True), 2):
        if not 1 <= budget <= len(classes):
            raise CfrlabError(
                f"budgets {list(budgets)}: {budget} buckets for the {len(classes)} classes of "
                f"hands in round {r} of game {game.name}; choose from 1 to {len(classes)}"
            )
