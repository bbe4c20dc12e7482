"""Kuhn poker solved: a paper of the least size that has all rooms."""
