"""Kernels compiled before jobs run side by side, a module for each engine."""
