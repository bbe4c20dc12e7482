"""Counterfactual regret minimisation with abstraction, on public-tree games with private hands."""

__version__ = "0.1.0"
