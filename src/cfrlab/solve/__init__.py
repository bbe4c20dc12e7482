"""Solvers: compiled trees, regret minimisers, vector CFR, best response, linear program."""
