"""How strategies are averaged over iterations, by name."""

UNIFORM, ADVISOR, INFOSET = "uniform", "advisor", "infoset"
AVERAGES = (UNIFORM, ADVISOR, INFOSET)
"""Those of the rows as they are (Fu et al. 2026, Eq. 7); weighted by the reach of the hands that
play a row; each infoset's own, weighted by its reach."""
