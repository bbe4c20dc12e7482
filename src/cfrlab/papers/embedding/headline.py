"""What the README says of the Embedding CFR paper: where methods of Figure 5 end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from cfrlab.papers.embedding import labels
from cfrlab.reporting import published
from cfrlab.reporting.markdown import pipe_table


def lines(folder: Path) -> list[str]:
    """Markdown blocks for the results in a folder; none if it has no Figure 5 of the paper."""
    path = folder / "figures/embedding_fig5.csv"
    if not path.is_file():
        return []
    curves = pd.read_csv(path)
    curves = curves[curves["game"] == curves["game"].iloc[0]]
    ends = curves[curves["iteration"] == curves["iteration"].max()]
    roles = sorted(set(ends["role"]), key=labels.family_order)
    rows = [
        [str(rule), *(_lowest(ended[ended["role"] == role]) for role in roles)]
        for rule, ended in ends.groupby("averaging", sort=False)
    ]
    ratio = published.of("cfrlab.papers.embedding")["ratio"]
    about = (
        "Embedding CFR, exploitability in chips a hand (half-sum) on "
        f"{labels.game_label(ends['game'].iloc[0])} after {ends['iteration'].iloc[0]} iterations "
        "of CFR; each method's best configuration, geometric mean over seeds; in brackets, how "
        "many advisors a hand mixes in effect on flop and turn. The paper, which averages "
        f"uniformly, has Embedding CFR at {ratio.words} times the clusterings:"
    )
    header = ["Average", *(labels.family_label(role) for role in roles)]
    return [about, pipe_table(header, rows)]


def _lowest(ends: pd.DataFrame) -> str:
    """The lowest mean over seeds, with effective advisors of an embedding."""
    if ends.empty:
        return ""
    by_line = ends.assign(log=np.log(ends["exploitability"])).groupby(["abstraction", "solver"])
    means = by_line[["log", "effective_1", "effective_2"]].mean()
    low = means.loc[means["log"].idxmin()]
    embedding = (ends["family"] == labels.EMBEDDING).all()
    mixed = f" [{labels.advisors(low['effective_1'], low['effective_2'])}]" if embedding else ""
    return f"{np.exp(low['log']):.3f}{mixed}"
