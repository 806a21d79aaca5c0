"""What is fast today: kernels of our own, choices among them, and what limits any kernel of a machine.

Retrace finds this package by the entry point in `pyproject.toml`, as it finds any package of solvers, and
works without it.
"""

from pathlib import Path

from retrace.system.project import KERNELS

FOLDER = Path(__file__).parent
kernels = KERNELS / "retrace_today"
solvers = "retrace_today.every_solver"
experiments = FOLDER / "experiments.yaml"
report = FOLDER / "today.yaml"
rules = FOLDER / "rules.smk"
