"""The section ``fourth`` of the configuration."""

from cfrlab.schema import Count, Counts, Section, SolverName


class FourthSection(Section):
    """Sizes of the deck, and how each game is solved."""

    ranks: Counts
    solver: SolverName
    iterations: Count
