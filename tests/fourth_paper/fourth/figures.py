"""The figure of values."""

import pandas as pd
from matplotlib.figure import Figure

from cfrlab.reporting.plotting import Figured


def draw(records: pd.DataFrame, footer: str) -> dict[str, Figured]:
    """Value against the number of ranks."""
    figure = Figure(figsize=(4, 3), layout="constrained")
    figure.subplots().plot(records["ranks"], records["value"], "o")
    caption = f"**The first player's value in small decks.** In chips.\n\n{footer}"
    return {"fourth_fig1": Figured(figure, records, caption)}
