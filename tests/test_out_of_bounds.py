"""All kernels under the address sanitizer, which sees a read next to a buffer that changes no answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from command_line import python
from cuda_on_cpu.build import build_emulator
from cuda_on_cpu.device import debug_environment
from retrace.solvers import REGISTRY
from retrace.system.project import KERNELS
from test_betweenness_kernels import with_settings
from test_races import APART, FINDING, NAMES

# Without an early end, bellman-ford/ablated goes on for hundreds of iterations in which nothing changes.
SPECS = [
    with_settings(name, block_size=64, edges_per_thread=3, early_end=1)
    for name in NAMES + FINDING
    if name not in APART
]
PROBLEMS = sorted({spec.partition("/")[0] for spec in SPECS})
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from graphs import grid, mixed_graph
from retrace.check.checkers import checker_of
from cuda_on_cpu.device import EmulatedDevice
from retrace.solvers import Query
from solving import solved
for found in grid(9, 8), mixed_graph(70):
    checker = checker_of(sys.argv[2], found)
    sources = (0, 1, 5, 9) if sys.argv[2] == "betweenness" else None
    query = Query(0, found.vertices - 1 if sys.argv[2] == "stcon" else None, sources=sources)
    for spec in sys.argv[3:]:
        with EmulatedDevice(seed=5) as device:
            solver = solved(spec, found, query, device)
            answer, predecessor = solver.download(), solver.predecessors()
        assert checker.check(spec, query, answer, predecessor).verified, spec
"""


@pytest.mark.long
@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_access_is_out_of_bounds(problem: str) -> None:
    assert_within_bounds(problem, [spec for spec in SPECS if spec.startswith(f"{problem}/")])


def assert_within_bounds(problem: str, specs: Sequence[str]) -> None:
    """Run solvers of a problem in a debug build, whose sanitizer needs a process of its own."""
    for kind in map(REGISTRY.find, specs):
        for source in (kind.source, *kind.more_sources):
            if source.endswith(".cu"):
                build_emulator(KERNELS / source, debug=True, shuffled=True)
    done = python(PROGRAM, str(Path(__file__).parent), problem, *specs, **debug_environment())
    assert done.returncode == 0, done.stderr[-2000:]
