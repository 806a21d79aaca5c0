"""The commands `convert` and `generate`, which write graphs."""

from argparse import Namespace
from dataclasses import replace

from retrace.graphs.formats.lines import LARGEST
from retrace.graphs.generators import random_weights
from retrace.graphs.graph_names import resolve_arcs
from retrace.graphs.query import Query
from retrace.graphs.random import WEIGHTS, RandomGraph
from retrace.solvers import find
from retrace.solvers import generate as generators
from retrace.system.errors import RetraceError, say
from retrace_commands.arguments import seed_of
from retrace_commands.backend import on_backend
from retrace_commands.graph_file import check_outputs, losses, read_graph, read_otherwise, stage, write_graph
from retrace_commands.parquet_files import require_pyarrow


def convert_graph(arguments: Namespace) -> None:
    """Write a graph in another format, with generated weights if asked for.

    A folder has what records say of a graph; its source is the first vertex with arcs, unless it has one.
    """
    check_outputs([arguments.output], arguments.graph, folders=True)
    if arguments.output.suffix == ".parquet":
        require_pyarrow(arguments.output, "written", "write .mtx")
    graph_file = read_graph(
        arguments.graph, arguments.format, directed=arguments.directed, columns=arguments.columns
    )
    graph = graph_file.graph
    if graph_file.no_weights and arguments.weights is None:
        raise RetraceError(f"{graph_file.path}: {graph_file.no_weights}")
    of_weights = "none" if graph.weights is None else "file"
    known = {"origin": "own", "edition": graph_file.kind, "weights": of_weights, "seed": None}
    source = {"source": int((graph.degrees() > 0).argmax())} if graph.arcs else {}
    graph = replace(graph, info={**known, **source, **graph.info})
    if arguments.weights is not None:
        (low, high), seed = arguments.weights, seed_of(arguments)
        if graph.weights is not None:
            raise RetraceError(f"{graph.name} has weights of its own; leave --weights out")
        if not 0 <= low <= high <= LARGEST:
            raise RetraceError(f"--weights {low} {high}: expected a range within 0 to {LARGEST}")
        weights = random_weights(graph.tails(), graph.indices, low, high, seed)
        graph = replace(graph, weights=weights, info={**graph.info, "weights": "generated", "seed": seed})
    kind = write_graph(graph, arguments.output)
    graph_file.print_notes()
    lost = losses(replace(graph_file, graph=graph), arguments.output)
    said = "".join(f"; {one}" for one in lost + read_otherwise(graph, arguments.output))
    say(
        f"{graph_file.path} ({graph_file.form}) -> {arguments.output} ({kind}): {graph.vertices} vertices, "
        f"{graph.arcs} arcs{said}"
    )


def generate_graph(arguments: Namespace) -> None:
    """Make a random graph and write it."""
    check_outputs([arguments.output], folders=True)
    name = f"generate/{arguments.generator}"
    kind = find(name)
    assert issubclass(kind, generators.Generator)
    arcs = resolve_arcs(
        arguments.vertices,
        density=arguments.density,
        per_vertex=arguments.arcs_per_vertex,
        arcs=arguments.arcs,
        connected=kind.connected,
    )
    low, high = arguments.weights or WEIGHTS
    wanted = RandomGraph(arguments.vertices, arcs, seed_of(arguments), (low, high))
    measurement = on_backend(name, Query(), arguments.backend)
    task = f"generating {wanted.vertices} vertices and {arcs} arcs on {measurement.backend}"
    with stage(task), measurement.device() as device:
        graph = generators.generate(name, wanted, device)
    written = write_graph(graph, arguments.output)
    connected = "weakly connected" if kind.connected else "perhaps not connected"
    say(
        f"{arguments.output} ({written}): {graph.vertices} vertices, {graph.arcs} arcs, {connected}, "
        f"weights {low} to {high}, seed {wanted.seed}, sha256 {graph.digest()}"
    )
