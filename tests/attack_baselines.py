"""Run the C++ baselines under the address and undefined-behaviour sanitizers; not a test of its own.

    python tests/attack_baselines.py [SECONDS]
    python tests/attack_baselines.py --libfuzzer [SECONDS]

Graphs are made of random numbers, or of what libFuzzer invents, which sees what code of a baseline each of
them reaches; for that, clang and atheris are needed. Every second graph is stored with an entry altered and
the digests forged to match. What is no graph then must be refused; on what is one, each baseline's answer is
checked. A finding ends the program.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import numpy as np

from cuda_device import build
from cuda_device.errors import OneLineError
from cuda_on_cpu.device import debug_environment
from graphs import identified
from retrace.check.checkers import checker_of
from retrace.graphs import csr
from retrace.solvers import REGISTRY, Query
from retrace.solvers.solver import HostSolver
from solving import solved
from test_stored_graphs import made_up

SANITIZED = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
BASELINES = [
    name
    for name, kind in REGISTRY.solvers.items()
    if issubclass(kind, HostSolver) and kind.sources and name != "bellman-ford/dijkstra-dense"
]  # which takes complete graphs, known by their seeds


Draw = Callable[[int, int], int]
"""Returns an integer from the first to the last of a range."""


def draw_graph(draw: Draw) -> csr.CSRGraph:
    """Make a graph of up to 40 vertices, with loops, parallel arcs and weights of any size."""
    vertices = draw(1, 40)
    arcs = draw(0, 4 * vertices)
    tails, heads = ([draw(0, vertices - 1) for _ in range(arcs)] for _ in range(2))
    weights = [(0, 1, 7, 1000, 2**24, 2**30)[draw(0, 5)] for _ in range(arcs)]
    return csr.from_arcs(
        vertices, np.array(tails, int), np.array(heads, int), np.array(weights), {"directed": True}
    )


def alter(folder: Path, graph: csr.CSRGraph, draw: Draw) -> None:
    """Change an entry of one of a stored graph's arrays, and forge the digests."""
    names = [one for one in csr.ARRAYS if getattr(graph, one).size]
    name = names[draw(0, len(names) - 1)]
    values = getattr(graph, name).tolist()
    wrong = [-(2**31), -5, -1, 0, 1, graph.vertices - 1, graph.vertices, graph.arcs, 2**30, 2**31 - 1]
    values[draw(0, len(values) - 1)] = wrong[draw(0, len(wrong) - 1)]
    made_up(folder, **{name: values})


def is_graph(arrays: csr.CSRGraph, vertices: int) -> bool:
    """Return whether arrays of a graph of so many vertices are one, by other means than `csr.load`."""
    ends, heads, weights = (getattr(arrays, name).tolist() for name in csr.ARRAYS)
    rising = ends == sorted(ends) and ends[0] == 0 and ends[-1] == len(heads)
    return rising and all(0 <= head < vertices for head in heads) and all(weight >= 0 for weight in weights)


def solve_all(graph: csr.CSRGraph, draw: Draw) -> int:
    """Run each baseline and check its answer; return how many ran, since some decline large weights."""
    source, target = (draw(0, graph.vertices - 1) for _ in range(2))
    ran = 0
    for name in BASELINES:
        problem = name.split("/")[0]
        query = Query(source, target if problem == "stcon" else None)
        if problem == "betweenness":
            query = Query(sources=tuple(range(graph.vertices)))
        try:
            solver = solved(name, graph, query)
            result = checker_of(problem, graph).check(name, query, solver.download(), solver.predecessors())
        except OneLineError:
            continue
        assert result.verified, f"{name}: {result.reason}"
        ran += 1
    return ran


def attack(path: Path, draw: Draw) -> Counter[str]:
    """Store one graph, altered or not, load it, and run all baselines on it; return what was done."""
    graph = draw_graph(draw)
    csr.save(identified(graph, "attack"), path)
    if draw(0, 1):
        alter(path, graph, draw)
    arrays = {name: np.load(path / f"{name}.npy") for name in csr.ARRAYS}
    try:
        sound = is_graph(csr.CSRGraph(**arrays), graph.vertices)
    except ValueError:
        sound = False
    loaded = None
    with suppress(OneLineError):
        loaded = csr.load(path)
    assert sound == (loaded is not None), f"a graph: {sound}, loaded: {loaded is not None}"
    if loaded is None:
        return Counter(graphs=1, refused=1)
    # in arrays of their own, beside which the sanitizer sees; what is mapped ends with its page
    own = {name: np.array(array) for name, array in arrays.items()}
    return Counter(graphs=1, runs=solve_all(replace(loaded, **own), draw))


def attack_at_random(seconds: float, path: Path) -> None:
    """Attack with random numbers, a seed for each graph."""
    end, counts = time.monotonic() + seconds, Counter[str]()
    while time.monotonic() < end:
        integers = np.random.default_rng(seed := counts["graphs"]).integers
        draw = partial(integers, endpoint=True)
        try:
            counts += attack(path, lambda low, high, draw=draw: int(draw(low, high)))
        except AssertionError as error:
            sys.exit(f"seed {seed}: {error}")
    print(tell(counts))


def attack_by_libfuzzer(seconds: float, path: Path) -> None:
    """Attack with what libFuzzer invents; it ends the program, after its own statistics."""
    import atheris

    build.HOST_FLAGS = (*build.HOST_FLAGS, "-fsanitize=fuzzer-no-link", "-fno-sanitize=vptr")
    counts: Counter[str] = Counter()

    def once(data: bytes) -> None:
        counts.update(attack(path, atheris.FuzzedDataProvider(data).ConsumeIntInRange))
        if counts["graphs"] % 1000 == 0:
            print(tell(counts), flush=True)

    atheris.Setup([sys.argv[0], f"-max_total_time={seconds:.0f}", "-max_len=2000", "-len_control=0"], once)
    atheris.Fuzz()


def tell(counts: Counter[str]) -> str:
    """Return counts as text."""
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


def main() -> None:
    """Attack for some seconds, and print what came of it."""
    parser = ArgumentParser()
    parser.add_argument("seconds", type=float, nargs="?", default=600)
    parser.add_argument("--libfuzzer", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if "LD_PRELOAD" not in os.environ:
            own = {**debug_environment(), "RETRACE_BUILD": folder, "PYTHONMALLOC": "malloc"}
            if asked.libfuzzer:
                clang = shutil.which("clang++") or shutil.which("clang++-14")
                found = find_spec("asan_with_fuzzer")
                if not clang or not found or not found.origin:
                    sys.exit("error: --libfuzzer needs clang++ and atheris")
                own |= {"CXX": clang, "LD_PRELOAD": found.origin}
            sys.exit(subprocess.call([sys.executable, *sys.argv], env=os.environ | own))
        build.HOST_FLAGS = (*build.HOST_FLAGS, *SANITIZED)
        (attack_by_libfuzzer if asked.libfuzzer else attack_at_random)(asked.seconds, Path(folder, "graph"))


if __name__ == "__main__":
    main()
