"""warmup_cfr: a short run of CFR on the full game."""

from __future__ import annotations

from collections.abc import Sequence

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.stages import names
from cfrlab.experiments.stages.game_file import load_game
from cfrlab.experiments.stages.jit import ensure_compiled
from cfrlab.logs import Progress
from cfrlab.solve.cfr import CFR, Rule

KIND = "warmup"


def warm_up(
    games: Sequence[str], rule: Rule, iterations: int, out: str, made: Provenance
) -> None:
    """Write the average profile after `iterations` on each instance (``names.profile``).

    Args:
        games: files of a game's instances, in order.
        rule: how regrets are updated.
        iterations: length W of the warm-up.
        out, made: the artifact to write, and its provenance.
    """
    ensure_compiled()
    arrays = {}
    progress = Progress(len(games), "instances")
    for instance, path in enumerate(games):
        solver = CFR(load_game(path), rule)
        solver.run(iterations)
        for player, rows in enumerate(solver.average()):
            arrays[names.profile(player, instance)] = rows
        progress.step()
    store.save(out, KIND, arrays, {"iterations": iterations, "instances": len(games)}, made)
