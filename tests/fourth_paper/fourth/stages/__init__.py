"""Kinds of jobs."""
