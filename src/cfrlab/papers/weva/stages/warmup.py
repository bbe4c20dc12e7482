"""warmup_cfr: a short run of CFR on the full game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cfrlab.games.game import Game, Profile
from cfrlab.logs import Progress
from cfrlab.pipeline.compiled import ensure_compiled
from cfrlab.solve.cfr import CFR, Rule


def warm_up(games: Iterable[Game], count: int, rule: Rule, iterations: int) -> Iterator[Profile]:
    """Yield the average profile of each of `count` games after `iterations` of a rule."""
    ensure_compiled()
    progress = Progress(count, "instances")
    for game in games:
        solver = CFR(game, rule)
        solver.run(iterations)
        yield solver.average()
        progress.step()
