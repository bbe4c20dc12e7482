"""Names and colours of methods, solvers and averaging rules in the results of Embedding CFR."""

from __future__ import annotations

from cfrlab.papers.embedding import artifacts
from cfrlab.papers.embedding.artifacts import AS_TRAINED
from cfrlab.papers.weva import labels
from cfrlab.solve.rounds.averages import AVERAGES

EMBEDDING, LOSSLESS = artifacts.EMBEDDING, artifacts.LOSSLESS
BASELINE, SHARPENED = "baseline", "sharpened"
CLUSTERINGS = ("ehs", "paemd", "krwemd")
"""The paper's baselines, by family; other clusterings are ours."""

ROUNDS = ("preflop", "flop", "turn")
"""Names of the rounds of a game that has three."""

DEFINITION = (
    "Exploitability is the half-sum (b0 + b1) / 2, exact, in the game without abstraction, lower "
    "is better; NashConv is twice that. The game has no blind: the paper's mb/g are read as "
    "milli-antes a hand."
)

_FAMILIES = {
    "ehs": "EHS",
    "paemd": "PaEmd",
    "krwemd": "KrwEmd",
    "ev": "EV features, clustered",
    EMBEDDING: "Embedding CFR",
    BASELINE: "Embedding CFR, advisor baseline (ours)",
    SHARPENED: "Embedding CFR, Phi sharpened (ours)",
    LOSSLESS: "CFR without abstraction",
}
# Okabe and Ito's palette, told apart with every common colour blindness.
_COLOURS = {
    "ehs": "#cc79a7",
    "paemd": "#e69f00",
    "krwemd": "#009e73",
    "ev": "#8c564b",
    EMBEDDING: "#0072b2",
    BASELINE: "#56b4e9",
    SHARPENED: "#d55e00",
    LOSSLESS: "#4d4d4d",
}
_AVERAGES = {
    "uniform": "uniform average (the paper's)",
    "advisor": "average weighted by advisors' reach",
    "infoset": "average weighted by infosets' reach",
}
AVERAGE_COLOURS = dict(zip(AVERAGES, ("#0072b2", "#e69f00", "#009e73"), strict=True))
AVERAGE_MARKERS = dict(zip(AVERAGES, ("o", "s", "D"), strict=True))


def family_label(family: str) -> str:
    """Display name of a role (see `role`)."""
    return _FAMILIES.get(family, family)


def family_colour(family: str) -> str:
    """Colour (hex) of a role (see `role`)."""
    return _COLOURS.get(family, "#666666")


def family_order(family: str) -> tuple[int, str]:
    """Sort key: the paper's clusterings, others, the embedding, its variants, lossless CFR."""
    known = list(_FAMILIES)
    return (known.index(family) if family in known else known.index("ev"), family)


def averaging_label(averaging: str) -> str:
    """Display name of an averaging rule."""
    return _AVERAGES.get(averaging, averaging)


def solver_label(solver: str) -> str:
    """Display name of a solver of the configuration."""
    return labels.solver_label(solver)


def round_name(r: int, rounds: int) -> str:
    """Display name of round r (0, 1, ...) of a game that has so many: the flop is round 1."""
    return ROUNDS[r] if rounds == len(ROUNDS) else f"round {r}"


def round_place(r: int, rounds: int) -> str:
    """Where something is that is in round r: on the flop."""
    return f"{'on the' if rounds == len(ROUNDS) else 'in'} {round_name(r, rounds)}"


def role(family: str, phi: str, baseline: bool) -> str:
    """What a curve stands for: its family, but for embeddings that are not the paper's.

    `SHARPENED` if Phi is not as trained, else `BASELINE` if the solver subtracts one.
    """
    if family != EMBEDDING or (phi == AS_TRAINED and not baseline):
        return family
    return BASELINE if phi == AS_TRAINED else SHARPENED


def advisors(effective_1: float, effective_2: float) -> str:
    """Say how many advisors a hand has in effect: ``27 and 35``."""
    return f"{effective_1:.3g} and {effective_2:.3g}"
