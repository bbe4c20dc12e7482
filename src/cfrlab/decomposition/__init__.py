"""Solving games by parts: subgames, safe re-solving and CFR-D (Burch, Johanson, Bowling 2014)."""
