"""The experiments of Fu, Liu, Xu and Huang (2026): Figure 5, and what the paper leaves open."""
