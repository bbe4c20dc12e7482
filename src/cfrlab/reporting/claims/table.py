"""Verdicts as a file, and their tally."""

from __future__ import annotations

import os

import pandas as pd

from cfrlab.errors import CfrlabError
from cfrlab.pipeline.text import write_text_atomic
from cfrlab.reporting.claims.judge import COLUMNS
from cfrlab.reporting.claims.model import KINDS, SOURCES
from cfrlab.reporting.claims.verdicts import VERDICTS

_NUMBERS = ["ours", "ci_low", "ci_high", "beside_value", "beside_low", "beside_high"]
_KEY = ["paper", "source", "kind"]


def write(path: str | os.PathLike[str], verdicts: pd.DataFrame) -> None:
    """Write verdicts, with columns `COLUMNS`, as CSV."""
    text = verdicts.to_csv(index=False, float_format="%.5g", lineterminator="\n")
    write_text_atomic(path, text)


def read(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read what `write` wrote. Raises CfrlabError if the file is missing or another table."""
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        lacking = [name for name in COLUMNS if name not in table]
        if lacking:
            raise ValueError(f"no column '{lacking[0]}'")
        numbers = table[_NUMBERS].replace("", "nan").astype(float)
        return table.assign(**numbers, n=table["n"].astype(int))[COLUMNS]
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise CfrlabError(f"{path}: not a table of claims ({reason}); run: snakemake") from None


def tally(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts of each paper's claims, apart by source and kind.

    Returns:
        One row for each paper, source and kind that occurs (index levels ``paper``, ``source`` and
        ``kind``, the paper's own first), one column for each of `VERDICTS`.
    """
    table = verdicts.assign(paper=verdicts["paper"].str.split(",").str[0])
    counts = table.groupby([*_KEY, "verdict"]).size().unstack("verdict", fill_value=0)
    papers = list(dict.fromkeys(table["paper"]))
    order = [(p, s, k) for p in papers for s in SOURCES for k in KINDS if (p, s, k) in counts.index]
    return counts.reindex(index=pd.MultiIndex.from_tuples(order, names=_KEY)).reindex(
        columns=list(VERDICTS), fill_value=0
    )
