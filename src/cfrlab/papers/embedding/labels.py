"""Names of games, methods, solvers and averaging rules in the results of Embedding CFR."""

from __future__ import annotations

from cfrlab.papers.embedding import artifacts
from cfrlab.papers.embedding.artifacts import AS_TRAINED

EMBEDDING, LOSSLESS = artifacts.EMBEDDING, artifacts.LOSSLESS
BASELINE, SHARPENED = "baseline", "sharpened"
CLUSTERINGS = ("ehs", "paemd", "krwemd")
"""The paper's baselines, by family; other clusterings are ours."""

DEFINITION = (
    "Exploitability is the half-sum (b0 + b1) / 2, exact, in the game without abstraction, lower "
    "is better; NashConv is twice that. The game has no blind: the paper's mb/g are read as "
    "milli-antes a hand."
)

ROUNDS = ("preflop", "flop", "turn")
"""Names of the rounds of a game that has three."""

_GAMES = {
    "numeral211": "Numeral211 hold'em",
    "numeral211-authors": "Numeral211 at the authors' stakes",
}
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
_AVERAGES = {
    "uniform": "uniform average (the paper's)",
    "advisor": "average weighted by advisors' reach",
    "infoset": "average weighted by infosets' reach",
}
_SOLVERS = {
    "cfr": "CFR",
    "cfr-baseline": "CFR (advisor baseline)",
    "cfr-plus": "CFR+",
    "cfr-plus-baseline": "CFR+ (advisor baseline)",
    "sampled": "CFR on sampled deals",
    "floor": "CFR+",
    "floor-baseline": "CFR+ (advisor baseline)",
}
_STUDIES = {
    "averaging": "Averaging rules",
    "floors": "A faster solver",
    "sampling": "Sampled deals",
    "sharpness": "Sharpness of Phi",
    "stakes": "Stakes of the game",
    "supervision": "What networks are trained on",
    "width": "Numbers of advisors",
}
_SOURCES = {
    "hand": "network",
    "hand-cool": "network with cool softmax",
    "hand-ev": "network trained on EVs",
    "hand-half": "network of half width",
    "hand-krw": "network trained as KrwEmd",
    "hand-quarter": "network of quarter width",
    "krwemd-constant": "KrwEmd, constant weights",
    "krwemd-exponential": "KrwEmd, exponential weights",
    "krwemd-increasing": "KrwEmd, increasing weights",
    "krwemd-linear": "KrwEmd, linear weights",
}
_PHIS = {
    AS_TRAINED: "as trained",
    "squared": "squared",
    "cubed": "cubed",
    "eighth": "8th power",
    "top-8": "8 largest",
    "top-2": "2 largest",
}


def game_label(game: str) -> str:
    """Display name of a game."""
    return _GAMES.get(game, game)


def study_label(study: str) -> str:
    """Display name of an ablation."""
    return _STUDIES.get(study, study)


def phi_label(phi: str) -> str:
    """Display name of what was done to a network's Phi."""
    return _PHIS.get(phi, phi)


def abstraction_label(abstraction: str) -> str:
    """Display name of a clustering, or of a network and what was done to its Phi."""
    source, _, phi = abstraction.partition("/")
    name = _SOURCES.get(source) or family_label(source)
    return f"{name}, Phi {phi_label(phi)}" if phi else name


def family_label(family: str) -> str:
    """Display name of a role (see `role`)."""
    return _FAMILIES.get(family, family)


def family_order(family: str) -> tuple[int, str]:
    """Sort key: the paper's clusterings, others, the embedding, its variants, lossless CFR."""
    known = list(_FAMILIES)
    return (known.index(family) if family in known else known.index("ev"), family)


def averaging_label(averaging: str) -> str:
    """Display name of an averaging rule."""
    return _AVERAGES.get(averaging, averaging)


def solver_label(solver: str) -> str:
    """Display name of a solver of the configuration."""
    return _SOLVERS.get(solver, solver)


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
