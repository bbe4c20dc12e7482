"""Kinds of jobs that all papers share: a module for each."""
