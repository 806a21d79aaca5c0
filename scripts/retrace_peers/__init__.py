"""What the reports and our kernels are compared with: calls of libraries on CPU and GPU.

Retrace finds this package by the entry points in `pyproject.toml`, and works without it.
"""

from pathlib import Path

from retrace.system.project import KERNELS

kernels = KERNELS / "retrace_peers"
solvers = "retrace_peers.every_call"
experiments = Path(__file__).with_name("experiments.yaml")
rules = Path(__file__).with_name("gapbs.smk")
outcome = "resources/build/peers/gapbs.json"
GAPBS_COMMIT = "b5e3e19c2845f22fb338f4a4bc4b1ccee861d026"
downloads = (f"gapbs-{GAPBS_COMMIT}.tar.gz",)
