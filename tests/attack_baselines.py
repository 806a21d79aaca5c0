"""Run the C++ baselines under the address and undefined-behaviour sanitizers; not a test of its own.

    python tests/attack_baselines.py [SECONDS]

Random graphs are stored, every second one with an entry altered and the digests forged to match. What is no
graph then must be refused; on what is one, each baseline's answer is checked. A finding ends the program.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import numpy as np

from graphs import identified
from retrace.check.checkers import checker_of
from retrace.compilers import build
from retrace.devices.emulator import debug_environment
from retrace.graphs import csr
from retrace.solvers import REGISTRY, Query
from retrace.solvers.solver import HostSolver
from retrace.system.errors import RetraceError
from solving import solved
from test_stored_graphs import made_up

SANITIZED = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
BASELINES = [
    name
    for name, kind in REGISTRY.solvers.items()
    if issubclass(kind, HostSolver) and kind.sources and name != "bellman-ford/dijkstra-dense"
]  # which takes complete graphs, known by their seeds


def random_graph(random: np.random.Generator) -> csr.CSRGraph:
    """Make a graph of up to 40 vertices, with loops, parallel arcs and weights of any size."""
    vertices = int(random.integers(1, 41))
    tails, heads = random.integers(0, vertices, (2, int(random.integers(0, 4 * vertices))))
    weights = random.choice([0, 1, 7, 1000, 2**24, 2**30], len(tails))
    return csr.from_arcs(vertices, tails, heads, weights, {"directed": True})


def alter(folder: Path, graph: csr.CSRGraph, random: np.random.Generator) -> None:
    """Change an entry of one of a stored graph's arrays, and forge the digests."""
    name = str(random.choice([one for one in csr.ARRAYS if getattr(graph, one).size]))
    values = getattr(graph, name).tolist()
    wrong = [-(2**31), -5, -1, 0, 1, graph.vertices - 1, graph.vertices, graph.arcs, 2**30, 2**31 - 1]
    values[random.integers(len(values))] = int(random.choice(wrong))
    made_up(folder, **{name: values})


def is_graph(arrays: csr.CSRGraph, vertices: int) -> bool:
    """Return whether arrays of a graph of so many vertices are one, by other means than `csr.load`."""
    ends, heads, weights = (getattr(arrays, name).tolist() for name in csr.ARRAYS)
    rising = ends == sorted(ends) and ends[0] == 0 and ends[-1] == len(heads)
    return rising and all(0 <= head < vertices for head in heads) and all(weight >= 0 for weight in weights)


def solve_all(graph: csr.CSRGraph, random: np.random.Generator) -> int:
    """Run each baseline and check its answer; return how many ran, since some decline large weights."""
    source, target = (int(random.integers(graph.vertices)) for _ in range(2))
    ran = 0
    for name in BASELINES:
        problem = name.split("/")[0]
        query = Query(source, target if problem == "stcon" else None)
        if problem == "betweenness":
            query = Query(sources=tuple(range(graph.vertices)))
        try:
            solver = solved(name, graph, query)
            result = checker_of(problem, graph).check(name, query, solver.download(), solver.predecessors())
        except RetraceError:
            continue
        assert result.verified, f"{name}: {result.reason}"
        ran += 1
    return ran


def main() -> None:
    """Attack for some seconds, and print what came of it."""
    if "LD_PRELOAD" not in os.environ:
        with tempfile.TemporaryDirectory() as folder:
            own = {**debug_environment(), "RETRACE_BUILD": folder, "PYTHONMALLOC": "malloc"}
            sys.exit(subprocess.call([sys.executable, *sys.argv], env=os.environ | own))
    build.HOST_FLAGS = (*build.HOST_FLAGS, *SANITIZED)
    end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 600)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph")
        while time.monotonic() < end:
            seed = counts["graphs"]
            random = np.random.default_rng(seed)
            graph = random_graph(random)
            csr.save(identified(graph, "attack"), path)
            if seed % 2:
                alter(path, graph, random)
            arrays = {name: np.load(path / f"{name}.npy") for name in csr.ARRAYS}
            try:
                sound = is_graph(csr.CSRGraph(**arrays), graph.vertices)
            except ValueError:
                sound = False
            loaded = None
            with suppress(RetraceError):
                loaded = csr.load(path)
            assert sound == (loaded is not None), f"seed {seed}: a graph: {sound}"
            if loaded is None:
                counts["refused"] += 1
            else:
                # in arrays of their own, beside which the sanitizer sees; what is mapped ends with its page
                own = {name: np.array(array) for name, array in arrays.items()}
                counts["runs"] += solve_all(replace(loaded, **own), random)
            counts["graphs"] += 1
    print(", ".join(f"{name}: {count}" for name, count in counts.items()))


if __name__ == "__main__":
    main()
