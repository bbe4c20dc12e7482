"""The number to see first."""

from pathlib import Path

import pandas as pd


def lines(folder: Path) -> list[str]:
    """The value of the smallest game, in a sentence."""
    first = pd.read_csv(folder / "tables/fourth_values.csv").iloc[0]
    return [f"With {first['ranks']:g} ranks, the first player's value is {first['value']:.4f}."]
