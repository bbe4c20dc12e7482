"""The compiled inner loops of the engine for public trees.

Everything works on flat float64 arrays of ``rows x hands`` numbers (see ``layout``). Arguments are
marked IN (read), OUT (written) or both; what is called working space is overwritten.
"""

from cfrlab.solve.kernels.alternation import SETTLE, STEP, iterate
from cfrlab.solve.kernels.arrays import CHUNK, Learner, Scratch, make_scratch
from cfrlab.solve.kernels.learning import averaged, gain, instant, match, step
from cfrlab.solve.kernels.passes import add_up, best_values, fair, mixed_values, reaches
from cfrlab.solve.kernels.phi import IDENTITY, PhiArrays, phi_arrays
from cfrlab.solve.kernels.terminals import terminal_values

__all__ = [
    "CHUNK", "IDENTITY", "SETTLE", "STEP", "Learner", "PhiArrays", "Scratch", "add_up",
    "averaged", "best_values", "fair", "gain", "instant", "iterate", "make_scratch", "match",
    "mixed_values", "phi_arrays", "reaches", "step", "terminal_values",
]  # fmt: skip
