"""Kinds of the part's artifacts, and the names that stages and results both use."""

CURVE = "embedding-curve"
PHI = "embedding-phi"
AS_TRAINED = "as-trained"
"""A network's Phi without a transform."""

NAMES = ("game", "abstraction", "family", "network", "phi", "seed")
"""What a Phi is called, in its artifact and in the first columns of frames (`records.COLUMNS`)."""
