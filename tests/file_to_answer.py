"""Time the way from a graph's file to the answer of a search, each time in a process of its own.

    python tests/file_to_answer.py FILE [--runs 5]

FILE is a DIMACS `.gr`, searched for distances from vertex 1, or a list of undirected edges, for hops from the
first vertex; either may be gzipped. Prints medians of elapsed time, from the start of Python, and of peak
memory, and whether the answers are those of the first way. pandas reads the file for libraries that have no
reader of it. nx-cugraph is timed where it is installed, which takes a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

READ = """
import sys, numpy as np, pandas as pd
path, weighted = sys.argv[1], sys.argv[2] == "distances"
if weighted:
    table = pd.read_csv(path, sep=" ", comment="c", header=None, names=["kind", "u", "v", "w"], dtype=str)
    table = table[table.kind == "a"][["u", "v", "w"]].astype(np.int64)
else:
    table = pd.read_csv(path, sep=r"\\s+", comment="#", header=None, names=["u", "v"], usecols=[0, 1])
source = 1 if weighted else int(table.u.iloc[0])
"""
NETWORKX = """
import networkx as nx
kind = nx.DiGraph if weighted else nx.Graph
table = table.sort_values("w", ascending=False) if weighted else table  # of parallel arcs the last is kept
graph = nx.from_pandas_edgelist(table, "u", "v", "w" if weighted else None, kind)
if weighted:
    found = nx.single_source_dijkstra_path_length(graph, source, weight="w"{backend})
else:
    found = nx.single_source_shortest_path_length(graph, source{backend})
values = found.values()
"""
WAYS = {
    "retrace, Python": """
import sys
from retrace import load, solve
path, weighted = sys.argv[1], sys.argv[2] == "distances"
graph = load(path, directed=weighted)
solution = solve("sssp/dijkstra-heap" if weighted else "bfs/queue", graph, graph.names[0], check=False)
values = solution.values[solution.reached].tolist()
""",
    "retrace, Python, checked": """
import sys
from retrace import load, solve
path, weighted = sys.argv[1], sys.argv[2] == "distances"
graph = load(path, directed=weighted)
solver = "sssp/dijkstra-heap" if weighted else "bfs/queue"
solution = solve(solver, graph, graph.names[0])
values = solution.values[solution.reached].tolist()
""",
    "NetworkX": READ + NETWORKX.format(backend=""),
    "NetworkX, backend retrace": READ + NETWORKX.format(backend=', backend="retrace"'),
    "NetworkX, backend cugraph": READ + NETWORKX.format(backend=', backend="cugraph"'),
    "igraph": READ
    + """
import igraph
ids, ends = np.unique(table[["u", "v"]].to_numpy(), return_inverse=True)
graph = igraph.Graph(len(ids), ends.reshape(-1, 2).tolist(), directed=weighted)
weights = table.w.tolist() if weighted else None
found = graph.distances(int(np.searchsorted(ids, source)), weights=weights)[0]
values = [value for value in found if value != float("inf")]
""",
    "NetworKit": READ
    + """
import networkit
ids, ends = np.unique(table[["u", "v"]].to_numpy(), return_inverse=True)
ends = ends.reshape(-1, 2).astype(np.uint64)
weights = table.w.to_numpy(float) if weighted else np.ones(len(table))
pairs = (ends[:, 0].copy(), ends[:, 1].copy())
graph = networkit.GraphFromCoo((weights, pairs), n=len(ids), weighted=weighted, directed=weighted)
search = networkit.distance.Dijkstra if weighted else networkit.distance.BFS
search = search(graph, int(np.searchsorted(ids, source)), storePaths=False)
search.run()
values = [value for value in search.getDistances() if value < 1e300]
""",
}
SUM = "\nprint(len(values), int(sum(values)))\n"


def run(code: str, path: Path, asked: str) -> tuple[float, float, str]:
    """Return seconds, MiB and what was printed: how many vertices are reached, the sum of values."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code + SUM, str(path), asked], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    printed = process.stdout.read().strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"error: a way ended with status {process.returncode}, see above")
    return time.perf_counter() - began, usage.ru_maxrss / 1024, printed


def main() -> None:
    """Time all ways in turn."""
    parser = argparse.ArgumentParser(description="Time the way from a graph's file to an answer.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    asked = "distances" if ".gr" in given.file.name else "hops"
    lacking = set() if find_spec("nx_cugraph") else {"NetworkX, backend cugraph"}
    runs: dict[str, list[tuple[float, float, str]]] = {name: [] for name in WAYS if name not in lacking}
    for _ in range(given.runs):
        for name in runs:
            runs[name].append(run(WAYS[name], given.file, asked))
    expected = next(iter(runs.values()))[0][2]
    for name, measured in runs.items():
        seconds, mib, printed = zip(*measured, strict=True)
        same = "same" if set(printed) == {expected} else f"differs: {json.dumps(sorted(set(printed)))}"
        print(f"{name:26} {statistics.median(seconds):6.2f} s {statistics.median(mib):7.0f} MiB  {same}")


if __name__ == "__main__":
    main()
