"""The compiled inner loops of the engine for games of rounds, on one board.

Numbers of a hand class are contiguous: reaches [class, slot, lane], values [class, player, node,
lane], strategies and regrets [row, edge, lane], so that a class passes through the betting of a
round inside the first-level cache. Sweeps over terminals run along the classes of a board, which
are sorted by showdown strength, and vectorise over lanes. Sums run in a fixed order.

All arrays are of one floating type, float32 or float64; scalars come in it too, since a literal
would turn float32 arithmetic into float64. Arguments are marked IN (read), OUT (written) or both.
"""

from cfrlab.solve.rounds.kernels.learning import (
    baseline,
    fair,
    infoset_average,
    learn,
    normalise,
    own_reach,
    regrets,
    row_average,
    uniform_average,
)
from cfrlab.solve.rounds.kernels.mixtures import merge, spread
from cfrlab.solve.rounds.kernels.passes import down, enter, leave, respond, up
from cfrlab.solve.rounds.kernels.terminals import sampled_terminals, terminals

__all__ = [
    "baseline", "down", "enter", "fair", "infoset_average", "learn", "leave", "merge",
    "normalise", "own_reach", "regrets", "respond", "row_average", "sampled_terminals", "spread",
    "terminals", "uniform_average", "up",
]  # fmt: skip
