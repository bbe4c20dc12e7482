"""The table of values."""

import pandas as pd

from cfrlab.reporting.markdown import Table, pipe_table


def values(records: pd.DataFrame) -> Table:
    """Value and exploitability by number of ranks."""
    rows = [
        [str(r.ranks), f"{r.value:.5f}", f"{r.exploitability:.5f}"] for r in records.itertuples()
    ]
    lines = pipe_table(["Ranks", "Value", "Exploitability"], rows)
    return Table(records, f"# Values of the game\n\nIn chips.\n\n{lines}")


TABLES = {"fourth_values": values}
