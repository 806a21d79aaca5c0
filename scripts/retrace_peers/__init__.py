"""What the reports and our kernels are compared with: calls of libraries on CPU and GPU.

Retrace finds this package by the entry points in `pyproject.toml`, and works without it.
"""

from pathlib import Path

solvers = "retrace_peers.every_call"
experiments = Path(__file__).parent / "experiments.yaml"
