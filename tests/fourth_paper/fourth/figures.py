"""The figure of values."""

import pandas as pd
from matplotlib.figure import Figure

from cfrlab.reporting.plotting import Figured, styled


@styled
def values(records: pd.DataFrame) -> Figured:
    """Value against the number of ranks."""
    figure = Figure(figsize=(4, 3), layout="constrained")
    figure.subplots().plot(records["ranks"], records["value"], "o")
    return Figured(figure, records, "**The first player's value in small decks.** In chips.")


FIGURES = {"fourth_fig1": values}
