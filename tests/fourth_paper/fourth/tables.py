"""The table of values."""

from pathlib import Path

import pandas as pd

from cfrlab.pipeline.text import write_text_atomic

NAME = "fourth_values"


def write(folder: Path, records: pd.DataFrame, footer: str) -> None:
    """Write the table as data and as Markdown."""
    rows = [f"| {r.ranks} | {r.value:.5f} | {r.exploitability:.5f} |" for r in records.itertuples()]
    lines = ["| Ranks | Value | Exploitability |", "| :--- | ---: | ---: |", *rows]
    text = "\n\n".join(["# Values of the game", "In chips.", "\n".join(lines), footer])
    write_text_atomic(folder / f"{NAME}.csv", records.to_csv(index=False, float_format="%.6g"))
    write_text_atomic(folder / f"{NAME}.md", f"{text}\n")


def headline(folder: Path) -> list[str]:
    """The value of the smallest game, in a sentence."""
    first = pd.read_csv(folder / f"tables/{NAME}.csv").iloc[0]
    return [f"With {first['ranks']:g} ranks, the first player's value is {first['value']:.4f}."]
