"""Learned soft abstractions: HandEbdNet, its supervision and weights, and what is done with a Phi.

A network maps every class of hands of a betting round to a distribution over advisors, a column of
Phi (Fu et al., *No-Regret Strategy Solving in Imperfect-Information Games via Pre-Trained
Embedding*, AAAI 2026). Only ``network`` and ``training`` import torch.
"""
