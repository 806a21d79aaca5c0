"""Download a graph of the registry, check it and store it; or generate a stand-in if it is not available."""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy

from cuda_device.compiled_files import alone
from cuda_device.errors import OneLineError
from retrace.graphs import csr
from retrace.graphs.arc_sets import is_symmetric
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.dataset_registry import Dataset, Edition, load_registry
from retrace.graphs.downloads import USUAL, Patience, download, host, probe, reason
from retrace.graphs.formats.lines import PIECE, open_graph
from retrace.graphs.formats.parsing import parse_stream
from retrace.graphs.generators import ROAD_WEIGHTS, heavy_tailed_stand_in, random_weights, road_stand_in
from retrace.graphs.pins import Pin, is_trusted, pin_of, read_pin, write_pin
from retrace.system.errors import RetraceError, warn
from retrace.system.models import Many
from retrace.system.project import ROOT
from retrace.system.stage import WarningStage

NEAR_HOPS = 15
"""Arcs between source and target of a near pair that the registry does not name."""

BYTES_PER_LINE, BYTES_OF_COMMENTS = 64, 1 << 20
"""The longest line of an arc has 36 bytes; content that is longer than all its lines can be is refused."""


class UnavailableError(RetraceError):
    """None of a data set's files is available."""


class GetGraph(WarningStage):
    """Download one graph of the registry and store it as memory-mappable CSR arrays.

    The folder or http(s) address in $GRAPH_MIRROR is tried before the official addresses.
    """

    graph: str
    """Its name in the registry."""
    datasets: Many[str] = ("datasets.yaml",)
    """Registries; an entry replaces one of the same name in an earlier file."""
    downloads: Path = Path("resources/downloads")
    """Folder of downloaded files."""
    output: Path
    """Folder to store the graph in."""
    offline: Literal["stand-in", "fail"] = "stand-in"
    """What to do if the graph is not available."""
    seed: int = 1
    """Of what is generated."""

    def run(self) -> None:
        """Store the graph; of an optional one that cannot be had, only its identity."""
        registry = load_registry(self.datasets)
        if self.graph not in registry:
            raise RetraceError(f"--graph: no graph {self.graph!r}; expected one of {', '.join(registry)}")
        dataset, mirror = registry[self.graph], os.environ.get("GRAPH_MIRROR") or None
        try:
            graph = obtain(dataset, self.downloads, mirror, self.offline, self.seed)
        except UnavailableError as error:
            if self.offline == "fail" or not dataset.optional:
                raise
            warn(str(error))
            weights = dataset.weights or ("file" if dataset.weighted else "none")
            known = dataset.model_dump(include={"name", "vertices", "arcs", "origin", "directed", "source"})
            known |= {"edition": dataset.editions[0].name, "weights": weights, "seed": None}
            known |= {"pairs": dataset.pairs.by_name()} if dataset.pairs else {}
            csr.save_missing(known, "its file could not be had", self.output)
        else:
            csr.save(graph, self.output)


def obtain(
    dataset: Dataset, downloads: Path, mirror: str | None, offline: str, seed: int, patience: Patience = USUAL
) -> CSRGraph:
    """Return a graph: the first edition that is available, or a stand-in generated with `seed`.

    Files are downloaded to `downloads`. `mirror`, a folder or an http(s) address, is tried before the own
    addresses of an edition. `offline` says what to do if no edition is available: `stand-in` or `fail`. One
    warning tells of all addresses that failed.

    A download is renamed to its file name only after it has been hashed, parsed and counted. A file that is
    there already is hashed before it is parsed. Nothing is read that is longer than a file of the graph can
    be. Where the registry has no sha256, the content that is found first is trusted from then on (`pins`).
    Until it is known, a file comes over https or from a folder.

    The graph has weights, unless the data set has none. Its `info` holds name, origin, edition, weights
    (`file`, `generated` or `none`), seed (None if nothing was generated), directed, source and pairs, and for
    a sample of sources their count and seed.

    Raises RetraceError if a file already there is wrong; UnavailableError if no edition is available and no
    stand-in allowed.
    """
    missing = list(
        takewhile(lambda edition: edition.file and not (downloads / edition.file).is_file(), dataset.editions)
    )
    if missing:
        try:
            downloads.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RetraceError(f"no folder {downloads} to download to ({error.strerror})") from None
    tried: dict[str, str] = {}
    deadline = time.monotonic() + patience.probe
    probes = [
        (edition, address, probe(address, patience))
        for edition in missing
        for address in (*([f"{mirror.rstrip('/')}/{edition.file}"] if mirror else []), *edition.addresses)
    ]
    for edition, address, answer in probes:
        try:
            answer.result(max(0.0, deadline - time.monotonic()))
            graph = _fetch(address, edition, dataset, seed, downloads, patience)
        except (OneLineError, OSError, ValueError) as error:
            tried[address] = reason(error)
            continue
        if tried:
            _warn(dataset, tried, f"it comes from {address}")
        return graph
    if len(missing) < len(dataset.editions):
        edition = dataset.editions[len(missing)]
        path = ROOT / edition.path if edition.path else downloads / str(edition.file)
        try:
            graph = _check(path, str(path), edition, dataset, seed, downloads)
        except OneLineError as error:
            advice = f"; delete {path} and run again" if edition.file else ""
            raise RetraceError(f"{error}{advice}") from None
        if tried:
            _warn(dataset, tried, f"it comes from {path}")
        return graph
    if offline == "fail" or not dataset.stand_in:
        files = " or ".join(str(edition.file) for edition in missing)
        failed = ", ".join(f"{address} ({failure})" for address, failure in tried.items())
        raise UnavailableError(
            f"{dataset.name}: could not be had, tried: {failed or 'nothing'}; "
            f"set GRAPH_MIRROR to a folder or address with {files}"
        )
    _warn(dataset, tried, "a generated stand-in takes its place")
    return _stand_in(dataset, seed)


def _warn(dataset: Dataset, tried: dict[str, str], instead: str) -> None:
    """Print one line about the addresses that failed; several that failed alike are named by their hosts."""
    by_failure = defaultdict(list)
    for address, failure in tried.items():
        by_failure[failure].append(address)
    failed = [
        f"{', '.join(map(host, addresses) if len(addresses) > 1 else addresses)}: {failure}"
        for failure, addresses in by_failure.items()
    ]
    warn(f"{dataset.name}: {'; '.join(failed) or 'no address'}; {instead}")


def _fetch(
    address: str, edition: Edition, dataset: Dataset, seed: int, downloads: Path, patience: Patience
) -> CSRGraph:
    """Download a file into a temporary folder, check it, and move it to `downloads`."""
    target, most = downloads / str(edition.file), _most_bytes(edition, dataset)
    with alone(downloads / f".lock-{target.name}"):
        if target.is_file():  # another job has downloaded it in the meantime
            return _check(target, str(target), edition, dataset, seed, downloads)
        prefix = f".{target.name}."
        for stale in downloads.glob(f"{prefix}*"):
            shutil.rmtree(stale, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=downloads, ignore_cleanup_errors=True) as folder:
            partial = Path(folder, target.name)
            known = edition.sha256 is not None or read_pin(pin_of(edition, downloads)) is not None
            download(address, partial, most, known, patience)
            graph = _check(partial, target.name, edition, dataset, seed, downloads)
            partial.replace(target)
            return graph


def _most_bytes(edition: Edition, dataset: Dataset) -> int:
    """Return the most bytes that an edition's content may have, packed or not."""
    return BYTES_PER_LINE * dataset.arcs_of(edition) + BYTES_OF_COMMENTS


def _content_sha256(path: Path, shown: str, most: int) -> tuple[str, bool]:
    """Return the sha256 of a file's content, and whether it is a web page; RetraceError if it is too long."""
    sha, size, start = hashlib.sha256(), 0, b""
    with open_graph(path, shown) as file:
        while piece := file.read(PIECE):
            start, size = start or piece, size + len(piece)
            if size > most:
                raise RetraceError(
                    f"{shown}: expected content of at most {most} bytes, enough for its arcs, found more"
                )
            sha.update(piece)
    return sha.hexdigest(), start.lstrip().startswith(b"<")


def _check(
    path: Path, shown: str, edition: Edition, dataset: Dataset, seed: int, downloads: Path
) -> CSRGraph:
    """Read an edition's file; check its hash, then parse it, then check the graph; add what it lacks."""
    trusted, pin, expected, whose = is_trusted(edition), pin_of(edition, downloads), edition.sha256, ""
    pinned = read_pin(pin) if trusted else None
    if pinned:
        expected, whose = pinned.sha256, f", which {pin} keeps of the first download"
    try:
        sha256, is_page = _content_sha256(path, shown, _most_bytes(edition, dataset))
    except OneLineError as error:
        if not expected or not os.access(path, os.R_OK):
            raise
        with path.open("rb") as file:
            raw = hashlib.file_digest(file, "sha256").hexdigest()
        hashes = f"(sha256 of the content wanted: {expected}, of the file found: {raw})"
        raise RetraceError(f"{error} {hashes}") from None
    if expected and sha256 != expected:
        kind = "a web page" if is_page else "other content"
        raise RetraceError(
            f"{shown}: expected content with sha256 {expected}{whose}, found {kind} with {sha256}"
        )
    with open_graph(path, shown) as file:
        counts = (dataset.vertices, dataset.arcs_of(edition))
        graph = parse_stream(file, edition.format, shown, counts)
    _check_directions(graph, edition, dataset, shown)
    if edition.renumber:
        graph = _by_appearance(graph)
    if edition.arrays_sha256 and (arrays := graph.digest()) != edition.arrays_sha256:
        message = f"expected arrays with sha256 {edition.arrays_sha256}, as the registry says, found {arrays}"
        raise RetraceError(f"{shown}: {message}")
    weights = "none" if graph.weights is None else "file"
    info = {"edition": edition.name, "weights": weights, "seed": None}
    if trusted:
        info["trusted_sha256"] = sha256
        if pinned != (renewed := Pin(sha256, graph.digest(), replace(graph, weights=None).digest())):
            write_pin(pin, renewed)
        if not pinned:
            message = (
                f"no sha256 of {edition.file} is known; {sha256} is trusted from now on, and kept in {pin}"
            )
            print(f"{dataset.name}: {message}", file=sys.stderr)
    return _complete(graph, dataset, seed, info)


def _check_directions(graph: CSRGraph, edition: Edition, dataset: Dataset, shown: str) -> None:
    """Raise RetraceError if the file contradicts the registry's `directed`, which scores depend on."""
    stated = graph.info.get("directed")
    if dataset.directed and stated is False:
        raise RetraceError(
            f"{shown}: the file says undirected, but the registry says directed: true; mend the registry"
        )
    if not dataset.directed and not edition.arrays_sha256 and not is_symmetric(graph):
        header = ", and its header says that it is directed" if stated else ""
        raise RetraceError(
            f"{shown}: some arcs have no reverse{header}, but the registry says directed: false; write each "
            "edge in both directions, as `retrace convert --undirected` does, and count both as arcs"
        )


def _complete(graph: CSRGraph, dataset: Dataset, seed: int, info: dict[str, Any]) -> CSRGraph:
    """Complete `info` from the data set; give the graph weights that it lacks, or that replace its own."""
    alike = {"name": dataset.name, "origin": dataset.origin, "directed": dataset.directed}
    info = {**alike, "source": dataset.source, **info}
    if "pairs" not in info:
        info["pairs"] = dataset.pairs.by_name() if dataset.pairs else _pairs(graph, dataset.source)
    if dataset.sources is not None and dataset.sources < dataset.vertices:
        info["sources"] = {"count": dataset.sources, "seed": seed}
    if dataset.weights == "unit":
        return replace(graph, weights=np.ones(graph.arcs, np.int32), info={**info, "weights": "unit"})
    if not dataset.weighted or (graph.weights is not None and dataset.weights is None):
        return replace(graph, info=info)
    weights = random_weights(graph.tails(), graph.indices, *ROAD_WEIGHTS, seed)
    return replace(graph, weights=weights, info={**info, "weights": "generated", "seed": seed})


def _pairs(graph: CSRGraph, source: int) -> dict[str, list[int]]:
    """Return the first vertices at 15 hops from the source and at its eccentricity, each with the source."""
    hops = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), unweighted=True, indices=[source])[0]
    eccentricity = hops[np.isfinite(hops)].max()
    distances = {"near": min(NEAR_HOPS, eccentricity), "far": eccentricity}
    return {name: [source, int(np.argmax(hops == distance))] for name, distance in distances.items()}


def _by_appearance(graph: CSRGraph) -> CSRGraph:
    """Renumber the vertices in the order in which the arcs name them; sort the arcs of each vertex."""
    ends = np.column_stack((graph.tails(), graph.indices)).ravel()
    vertices, first = np.unique(ends, return_index=True)
    number = np.empty(graph.vertices, dtype=np.int64)
    number[np.setdiff1d(np.arange(graph.vertices), vertices)] = np.arange(len(vertices), graph.vertices)
    number[vertices[np.argsort(first)]] = np.arange(len(vertices))
    tails, heads = number[graph.tails()], number[graph.indices]
    order = np.lexsort((heads, tails))
    return from_arcs(graph.vertices, tails[order], heads[order])


def _stand_in(dataset: Dataset, seed: int) -> CSRGraph:
    """Generate a stand-in, with a near and a far pair of its own."""
    generate = {"road": road_stand_in, "heavy-tailed": heavy_tailed_stand_in}[str(dataset.stand_in)]
    graph = generate(dataset.vertices, dataset.arcs, seed)
    pairs = _pairs(graph, dataset.source)
    weights = "none" if graph.weights is None else "generated"
    info = {"origin": "stand-in", "edition": "stand-in", "directed": False, "seed": seed}
    return _complete(graph, dataset, seed, {**info, "pairs": pairs, "weights": weights})
