"""Names that experiments and their results share."""

METHODS = ("safe", "unsafe")
"""Ways of re-solving that the paper compares."""
