"""Solved games as a table."""

import pandas as pd

from cfrlab.pipeline.job import Job

SOLVED = "solved"


def load(job: Job) -> pd.DataFrame:
    """Columns ranks, value (of player 0, in chips), exploitability (half-sum, in chips)."""
    rows = [
        {"ranks": one.meta["ranks"], **{name: float(x) for name, x in one.arrays.items()}}
        for one in job.load_all("solved", SOLVED)
    ]
    return pd.DataFrame(rows).sort_values("ranks", ignore_index=True)
