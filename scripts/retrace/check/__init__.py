"""Checking: oracles that are independent of the solvers."""
