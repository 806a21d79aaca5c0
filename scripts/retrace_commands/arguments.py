"""The arguments of the commands; each names what it calls, so that --help loads no library."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from pathlib import Path

FORMATS = (
    "dimacs", "he", "snap", "pace", "matrix-market",
    "edges", "counted", "metis", "konect", "steiner", "graphml", "gml", "pajek",
)  # fmt: skip
BACKENDS = ("auto", "cuda", "emulator")
RANDOM_GENERATORS = ("tree-first", "random-degree")
PHASES = ("setup", "upload", "solve", "download", "total", "kernel", "again", "lock", "prepare")
"""Both named here, and checked by a test, so that --help need not load the libraries."""

IDS = (
    "Vertex ids are those of the graph's file. They count from 1 in most formats, and from 0 in H/E files "
    "and stored folders; columns say which: vertex_from_1. In lists of edges they are what these name. "
    "H/E that is written counts from 0."
)


def add_commands(add_command: Callable[..., ArgumentParser]) -> None:
    """Describe all commands to `retrace.cli`, which parses the words and calls what they name."""

    def add(name: str, run: str, does: str, example: str = "", ids: str = IDS) -> ArgumentParser:
        return add_command(name, f"retrace_commands.{run}", does, example, ids)

    solve = add(
        "solve", "searches:solve_query", "run one solver on a graph and check its answer",
        "sssp/bsp USA-road-d.NY.gr.gz --source 1 --output distances.csv",
    )  # fmt: skip
    solve.add_argument(
        "solver", help="its name; `solvers` lists them. Settings may follow, as in bfs/bsp:block_size=64"
    )
    add_graph(solve)
    what = "where paths begin; not for betweenness; may be repeated, for a matrix with a row for each"
    solve.add_argument("--source", action="append", default=[], metavar="V", help=what)
    solve.add_argument("--target", metavar="V", help="where they end; for stcon, and only there")
    solve.add_argument(
        "--paths-to", nargs="+", default=[], metavar="V",
        help="print the shortest path to each; H/E then holds only these",
    )  # fmt: skip
    add_solving(
        solve,
        "where to write: .csv, .npy, .npz, .parquet and .json hold levels, distances or scores, and "
        "predecessors if the solver has them; .he holds the arcs of shortest paths to all vertices, or "
        "--paths-to; may be repeated",
    )
    what = (
        "print, and write, only the K vertices of the highest scores, or reached ones of the greatest lengths"
    )
    solve.add_argument("--top", type=positive, metavar="K", help=what)
    what = "K vertices, sampled: search from each, for betweenness only the paths from there"
    solve.add_argument("--sources", type=positive, metavar="K", help=what)
    what = "of this sample (default: 1)"
    solve.add_argument("--seed", type=int, help=what)
    solve.set_defaults(check_usage=check_usage)
    scores = solve.add_argument_group("for betweenness")
    scores.add_argument(
        "--normalized", action="store_true",
        help="divide scores by the number of pairs without the vertex, as NetworkX does; those of a sample "
        "are scaled up to all sources",
    )  # fmt: skip
    scores.add_argument(
        "--checkpoint", type=Path, metavar="FILE",
        help="store what is done every ten seconds or so, and go on from there; deleted in the end",
    )  # fmt: skip

    path = add(
        "path",
        "searches:find_path",
        "find one shortest path",
        "USA-road-d.NY.gr.gz --source 1 --target 84336",
    )
    add_graph(path)
    path.add_argument("--source", required=True, metavar="V", help="where it begins")
    path.add_argument("--target", required=True, metavar="V", help="where it ends")
    path.add_argument(
        "--solver",
        help="a bfs solver for the fewest arcs, or a stcon solver with predecessors=yes (default: "
        "sssp/dijkstra-heap if there are weights, bellman-ford/sequential if one is negative)",
    )
    path.set_defaults(check_usage=check_usage)
    add_solving(path, "where to write it as well: .he, .csv, .npy, .npz, .parquet or .json; may be repeated")

    eccentricities = add(
        "eccentricities", "eccentricities:bound_graph",
        "bound the diameter, and how far each vertex is from its farthest, by few searches",
        "USA-road-d.NY.gr.gz --searches 20",
    )  # fmt: skip
    add_graph(eccentricities)
    what = "a bfs or sssp solver (default: sssp/dijkstra-heap if there are weights, else bfs/queue)"
    eccentricities.add_argument("--solver", help=what)
    what = "at most so many (default: until the diameter is known)"
    eccentricities.add_argument("--searches", type=positive, metavar="K", help=what)
    what = "go on until each vertex's eccentricity is known, too"
    eccentricities.add_argument("--every-vertex", action="store_true", help=what)
    what = "where to write bounds of each vertex: .csv, .npy, .npz, .parquet or .json"
    add_solving(eccentricities, what, NUMBERS_FILE)

    convert = add(
        "convert", "new_graphs:convert_graph", "write a graph in another format", "USA-road-d.NY.gr.gz NY.he"
    )
    add_graph(convert)
    add_new_graph(convert, "draw weights for a graph without", "of these weights")
    convert.set_defaults(check_usage=check_usage)

    generate = add(
        "generate", "new_graphs:generate_graph",
        "make a random directed graph, the same everywhere for the same seed",
        "random.he --vertices 1024 --arcs-per-vertex 5", ids="",
    )  # fmt: skip
    add_new_graph(generate, "range of the weights (default: 1 100)", "any number")
    generate.add_argument("--vertices", type=int, required=True, metavar="N", help="number of vertices")
    generate.add_argument("--density", type=float, metavar="D", help="arcs: share of all N (N - 1), 0 to 1")
    generate.add_argument("--arcs-per-vertex", type=float, metavar="K", help="arcs: on average")
    generate.add_argument("--arcs", type=int, metavar="M", help="arcs: their number")
    generate.add_argument(
        "--generator", choices=RANDOM_GENERATORS, default=RANDOM_GENERATORS[0],
        help="tree-first: weakly connected; random-degree: on a GPU, perhaps not (default: %(default)s)",
    )  # fmt: skip
    add_backend(generate)

    does = "list the solvers, where they run, what they implement and their settings"
    add("solvers", "lists:list_solvers", does, ids="")
    does = "list what a solver runs with on a machine, and where each setting is from"
    explain = add("explain", "lists:explain_settings", does, "betweenness/vert --machine h200", ids="")
    explain.add_argument("solver", help="perhaps with settings: betweenness/vert:blocks=33")
    explain.add_argument("--machine", metavar="NAME", help="a name of a machine (default: config.yaml's)")
    what = "where it runs (default: cuda, if it runs there)"
    explain.add_argument("--backend", choices=("cuda", "emulator"), help=what)

    does = "list the machines that have records in results/machines"
    add("machines", "lists:list_machines", does, ids="")

    does = "say what this computer has, and whether and how fast the default run works on it"
    doctor = add("doctor", "doctor:examine_computer", does, ids="")
    doctor.add_argument(
        "--machine", metavar="NAME", help="a block of machines in config.yaml (default: its machine)"
    )

    check = add(
        "check-machine", "machine_records:check_machine",
        "check a machine's records: what keeps them out of the tables, and what is doubtful",
        "results/machines/h200", ids="",
    )  # fmt: skip
    check.add_argument("folder", type=Path, help="folder of its records, results/machines/NAME")
    what = "registries of data sets (default: those of config.yaml)"
    check.add_argument("--datasets", nargs="+", metavar="FILE", help=what)

    compare = add(
        "compare", "machine_records:compare_machines",
        "compare the times of two machines, or of two commits of one, for each solver and graph",
        "results/machines/h200 results/machines/rtx4090 --output ratios.csv", ids="",
    )  # fmt: skip
    compare.add_argument("first", type=Path, help="folder of records, such as results/machines/NAME")
    compare.add_argument("second", type=Path, help="folder of records; its times are divided by the first's")
    what = "which times (default: %(default)s, which is upload + solve + download)"
    compare.add_argument("--phase", choices=PHASES, default="total", help=what)
    what = "compare this experiment alone, such as table-3.3 (default: all)"
    compare.add_argument("--experiment", metavar="NAME", help=what)
    what = "a file to write as well: .csv with all digits, .svg with the ratios as dots; may be repeated"
    compare.add_argument(
        "--output", type=COMPARISON_FILE, action="append", default=[], metavar="FILE", help=what
    )


def add_graph(command: ArgumentParser) -> None:
    """Add what names the graph."""
    what = "graph file, perhaps packed; - for standard input; or a folder that `convert` wrote"
    command.add_argument("graph", type=Path, help=what)
    what = "of the file (default: told by its first lines)"
    command.add_argument("--format", choices=("auto", *FORMATS), default="auto", help=what)
    what = "of a list of edges: its tails, heads and perhaps weights, by the header's names or from 1"
    command.add_argument("--columns", nargs="+", action="extend", default=[], metavar="COLUMN", help=what)
    ways = command.add_mutually_exclusive_group()
    what = "take arcs as they are; scores then count both directions, even if every arc has its reverse"
    ways.add_argument("--directed", action="store_true", default=None, help=what)
    what = "add the reverse of each arc that has none"
    ways.add_argument("--undirected", dest="directed", action="store_false", default=None, help=what)


def add_new_graph(command: ArgumentParser, weights: str, seed: str) -> None:
    """Add where to write a graph, and the weights to generate."""
    command.add_argument(
        "output", type=GRAPH_PATH, help="FILE.he, .gr, .mtx or .graph (METIS), or a folder to store arrays in"
    )
    command.add_argument("--weights", type=int, nargs=2, metavar=("LOW", "HIGH"), help=weights)
    command.add_argument("--seed", type=int, help=f"{seed} (default: 1)")


def add_solving(command: ArgumentParser, outputs: str, file: Callable[[str], Path] | None = None) -> None:
    """Add how to solve, and where to write."""
    add_backend(command)
    ways = command.add_mutually_exclusive_group()
    what = (
        "whole: by another search; sample, which is cheaper: lengths by a proof in one pass over the arcs, "
        "scores by those from 16 sources (default: %(default)s)"
    )
    ways.add_argument("--check", choices=("whole", "sample"), default="whole", help=what)
    believe = "believe the answer: do not ask the oracle"
    ways.add_argument("--no-check", dest="check", action="store_const", const="none", help=believe)
    what = "print one JSON object in place of text; its schema is answer.schema.json of this package"
    command.add_argument("--json", action="store_true", help=what)
    command.add_argument(
        "--output", type=file or TABLE_FILE, action="append", default=[], metavar="FILE", help=outputs
    )


def add_backend(command: ArgumentParser) -> None:
    """Add where CUDA kernels run."""
    where = (
        "where CUDA kernels run (default: on the GPU if there is one; else on the emulator, "
        "but in place of PROBLEM/auto a program on a core runs)"
    )
    command.add_argument("--backend", choices=BACKENDS, default="auto", help=where)


def check_usage(arguments: Namespace) -> None:
    """Refuse options that do not go together, as argparse would."""
    from retrace.catalogue.known_solvers import CATALOGUE  # here, so that --help is fast

    solver: str = getattr(arguments, "solver", None) or ""
    scores, pair = (solver.partition("/")[0] == problem for problem in ("betweenness", "stcon"))
    if arguments.command == "path" and scores:
        arguments.usage(f"{solver} finds scores, but no path; use a bfs solver")
    if arguments.command == "path" and pair and "predecessors=yes" not in solver:
        setting = "set predecessors=yes, or " if "predecessors" in CATALOGUE.find(solver).settings else ""
        arguments.usage(f"{solver} finds a length, but no path; {setting}use a bfs solver")
    if arguments.command == "convert" and arguments.seed is not None and arguments.weights is None:
        arguments.usage("--seed is that of --weights; leave it out")
    if arguments.command != "solve":
        return
    sums = [option for option in ("normalized", "checkpoint") if getattr(arguments, option)]
    sampled = arguments.sources is not None
    begins, ends, paths = bool(arguments.source), arguments.target is not None, arguments.paths_to
    several = not scores and (sampled or len(arguments.source) > 1)
    he = any(path.suffix == ".he" for path in arguments.output)
    for refused, why in (
        (
            scores and (begins or ends or paths),
            f"{solver} takes no --source, --target or --paths-to; see --sources",
        ),
        (scores and he, f"{solver} finds scores, and .he holds paths; use .csv or .npy"),
        (sums and not scores, f"--{''.join(sums[:1])} is for betweenness"),
        (arguments.seed is not None and not sampled, "--seed is that of --sources; leave it out"),
        (not scores and sampled and begins, "--sources samples them; leave --source out"),
        (not scores and not begins and not sampled, f"{solver} needs --source"),
        (several and pair, f"{solver} takes one --source"),
        (several and (paths or he), "paths lead from one --source"),
        (several and arguments.top is not None, "--top is for one --source"),
        (pair and arguments.top is not None, f"{solver} finds one length; leave --top out"),
        (not scores and not pair and ends, "--target is for stcon; see --paths-to"),
        (pair and not ends, f"{solver} needs --target"),
        (
            pair and (paths or he) and "predecessors=yes" not in solver,
            f"{solver} finds a length, but no path; see `path`",
        ),
        (pair and paths and {*paths} != {arguments.target}, f"{solver} finds the path to --target alone"),
    ):
        if refused:
            CATALOGUE.parse(solver)  # an unknown one, or an unknown setting, is told first
            arguments.usage(why)


def seed_of(arguments: Namespace) -> int:
    """Return the seed that was given, or 1."""
    return 1 if arguments.seed is None else arguments.seed


def positive(text: str) -> int:
    """Take a whole number from 1 on."""
    if not (text.isdecimal() and int(text) > 0):
        raise ArgumentTypeError(f"expected a whole number from 1 on, found {text!r}")
    return int(text)


def path_ending(expected: str, *suffixes: str) -> Callable[[str], Path]:
    """Return what takes a path with one of some suffixes, which say what to write."""

    def take(text: str) -> Path:
        if text == "-" or Path(text).suffix not in suffixes:
            raise ArgumentTypeError(f"{text!r} should {expected}")
        return Path(text)

    return take


TABLE_FILE = path_ending(
    "end in .csv, .npy, .npz, .parquet, .json or .he", ".csv", ".npy", ".npz", ".parquet", ".json", ".he"
)
NUMBERS_FILE = path_ending(
    "end in .csv, .npy, .npz, .parquet or .json", ".csv", ".npy", ".npz", ".parquet", ".json"
)
COMPARISON_FILE = path_ending("end in .csv or .svg", ".csv", ".svg")
GRAPH_PATH = path_ending(
    "end in .he, .gr, .mtx, .graph or .parquet, or be a folder's name without a dot",
    "", ".he", ".gr", ".mtx", ".graph", ".metis", ".parquet",
)  # fmt: skip
