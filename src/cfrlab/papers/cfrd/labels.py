"""Names that experiments and their results share, and how they are printed."""

METHODS = ("safe", "unsafe")
"""Ways of re-solving that the paper compares."""

PAPERS_GAME = "leduc"
"""The game that the paper's numbers are about."""

_GAMES = {"leduc": "Leduc hold'em"}
_VARIANTS = {
    "paper": "the paper's algorithm",
    "warm": "subgames keep regrets",
    "best-response-values": "best-response values",
}


def game_label(game: str) -> str:
    """Display name of a game."""
    return _GAMES.get(game, game)


def variant_label(variant: str) -> str:
    """Display name of a variant of CFR-D; one of the reader's own keeps its name."""
    return _VARIANTS.get(variant, variant)
