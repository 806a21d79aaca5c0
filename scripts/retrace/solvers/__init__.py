"""Solvers: one module a problem, written once against the device interface."""
