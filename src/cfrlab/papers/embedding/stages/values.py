"""embedding_values: expected values of hands under the average of a short CFR run."""

from __future__ import annotations

from cfrlab.games.rounds import RoundGame
from cfrlab.logs import Progress
from cfrlab.papers.embedding.jit import ensure_compiled
from cfrlab.papers.embedding.values_file import Values
from cfrlab.solve.cfr import Rule
from cfrlab.solve.rounds.averages import INFOSET
from cfrlab.solve.rounds.cfr import RoundCFR
from cfrlab.solve.rounds.values import expected_values


def warm_up(game: RoundGame, rule: Rule, iterations: int) -> Values:
    """Expected values after some iterations without abstraction.

    Returns float32 [classes, features] of every round: a value at each betting decision, both
    seats side by side (`solve.rounds.values`).
    """
    ensure_compiled()
    solver = RoundCFR(game, rule, averages=(INFOSET,))
    progress = Progress(iterations, "iterations")
    for _ in range(iterations):
        solver.run(1)
        progress.step()
    return tuple(expected_values(game, solver.average(INFOSET)))
