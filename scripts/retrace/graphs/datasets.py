"""Download the graphs of the registry, check them, and generate a stand-in for a graph that is not available.

A download is renamed to its file name only after it has been hashed, parsed and counted. A file that is there
already is hashed before it is parsed.
"""

import hashlib
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pooch
import requests
import scipy

from retrace.graphs import formats
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.dataset_registry import Dataset, Edition
from retrace.graphs.generators import ROAD_WEIGHTS, heavy_tailed_stand_in, random_weights, road_stand_in
from retrace.system.errors import RetraceError
from retrace.system.files import alone
from retrace.system.models import one_line
from retrace.system.project import ROOT

NEAR_HOPS = 15
"""Arcs between source and target of a stand-in's near pair."""

WEB = ("http://", "https://")


@dataclass(frozen=True)
class Patience:
    """How long to wait for an address, in seconds."""

    probe: float = 5.0
    """For a first answer. All addresses are asked at once, so without a network a graph costs this time."""
    read: float = 20.0
    """For the next bytes of a download."""
    download: float = 600.0
    """For a whole download."""
    retries: int = 2
    """How often a download is tried again."""


def obtain(
    dataset: Dataset,
    downloads: Path,
    mirror: str | None,
    offline: str,
    seed: int,
    patience: Patience = Patience(),
) -> CSRGraph:
    """Return a graph: the first edition that is available, or a stand-in generated with `seed`.

    Files are downloaded to `downloads`. `mirror`, a folder or an http(s) address, is tried after an edition's
    own addresses. `offline` says what to do if no edition is available: `stand-in` or `fail`.

    The graph has weights, unless the data set has none. Its `info` holds name, origin, edition, weights
    (`file`, `generated` or `none`), seed (None if nothing was generated), directed, source and pairs, and for
    a sample of sources their count and seed.

    Raises RetraceError if a file already there is wrong, or no edition is available and no stand-in allowed.
    """
    missing = list(
        takewhile(lambda edition: edition.file and not (downloads / edition.file).is_file(), dataset.editions)
    )
    if missing:
        try:
            downloads.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RetraceError(f"no folder {downloads} to download to ({error.strerror})") from None
    tried = []
    deadline = time.monotonic() + patience.probe
    probes = [
        (edition, address, _in_background(_probe, address, patience))
        for edition in missing
        for address in (*edition.addresses, *([f"{mirror.rstrip('/')}/{edition.file}"] if mirror else []))
    ]
    for edition, address, probe in probes:
        try:
            probe.result(max(0.0, deadline - time.monotonic()))
            return _fetch(address, edition, dataset, seed, downloads, patience)
        except (RetraceError, OSError, ValueError) as error:
            tried.append(f"{address} ({_reason(error)})")
            print(f"warning: {address}: {_reason(error)}", file=sys.stderr)
    if len(missing) < len(dataset.editions):
        edition = dataset.editions[len(missing)]
        path = ROOT / edition.path if edition.path else downloads / str(edition.file)
        try:
            return _check(path, str(path), edition, dataset, seed)
        except RetraceError as error:
            advice = f"; delete {path} and run again" if edition.file else ""
            raise RetraceError(f"{error}{advice}") from None
    if offline == "fail" or not dataset.stand_in:
        files = " or ".join(str(edition.file) for edition in missing)
        raise RetraceError(
            f"{dataset.name}: could not be had, tried: {', '.join(tried) or 'nothing'}; "
            f"set GRAPH_MIRROR to a folder or address with {files}"
        )
    print(f"{dataset.name}: could not be had; a generated stand-in takes its place", file=sys.stderr)
    return _stand_in(dataset, seed)


def _probe(address: str, patience: Patience) -> None:
    """Raise an error if an address does not have the file; errors of a busy host are left to the download."""
    if address.startswith(WEB):
        with requests.get(address, stream=True, timeout=patience.probe) as response:
            if 400 <= response.status_code < 500:
                response.raise_for_status()
    elif not Path(address).is_file():
        raise FileNotFoundError("no such file")


def _fetch(
    address: str, edition: Edition, dataset: Dataset, seed: int, downloads: Path, patience: Patience
) -> CSRGraph:
    """Download a file into a temporary folder, check it, and move it to `downloads`."""
    target = downloads / str(edition.file)
    with alone(downloads / f".lock-{target.name}"):
        if target.is_file():  # another job has downloaded it in the meantime
            return _check(target, str(target), edition, dataset, seed)
        prefix = f".{target.name}."
        for stale in downloads.glob(f"{prefix}*"):
            shutil.rmtree(stale, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=downloads, ignore_cleanup_errors=True) as folder:
            partial = Path(folder, target.name)
            if address.startswith(WEB):
                # Neither pooch nor requests limits the time of a whole download.
                _in_background(_download, address, partial, patience).result(patience.download)
            else:
                shutil.copyfile(address, partial)
            graph = _check(partial, target.name, edition, dataset, seed)
            partial.replace(target)
            return graph


def _download(address: str, target: Path, patience: Patience) -> None:
    pooch.get_logger().setLevel("WARNING")
    times = (patience.probe, patience.read)
    downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=times)
    files, urls = {target.name: None}, {target.name: address}
    store = pooch.create(target.parent, "", registry=files, urls=urls, retry_if_failed=patience.retries)
    store.fetch(target.name, downloader=downloader)


def _check(path: Path, shown: str, edition: Edition, dataset: Dataset, seed: int) -> CSRGraph:
    """Read an edition's file; check its hash, then parse it, then check the counts; add what it lacks."""
    raw = formats.read_bytes(path)
    wanted = edition.sha256
    try:
        content = formats.unpack(raw, shown)
    except RetraceError as error:
        found = hashlib.sha256(raw).hexdigest()
        hashes = f" (sha256 of the content wanted: {wanted}, of the file found: {found})" if wanted else ""
        raise RetraceError(f"{error}{hashes}") from None
    if wanted and (found := hashlib.sha256(content).hexdigest()) != wanted:
        kind = "a web page" if content.lstrip().startswith(b"<") else "other content"
        raise RetraceError(f"{shown}: expected content with sha256 {wanted}, found {kind} with {found}")
    arcs = dataset.arcs if edition.arcs is None else edition.arcs
    graph = formats.parse_graph(content, edition.format, shown, (dataset.vertices, arcs))
    if edition.renumber:
        graph = _by_appearance(graph)
    weights = "none" if graph.weights is None else "file"
    return _complete(graph, dataset, seed, {"edition": edition.name, "weights": weights, "seed": None})


def _complete(graph: CSRGraph, dataset: Dataset, seed: int, info: dict[str, Any]) -> CSRGraph:
    """Complete `info` from the data set, and generate weights if the data set has some and the graph none."""
    alike = {"name": dataset.name, "origin": dataset.origin, "directed": dataset.directed}
    info = {**alike, "source": dataset.source, "pairs": dataset.pairs.by_name(), **info}
    if dataset.sources is not None and dataset.sources < dataset.vertices:
        info["sources"] = {"count": dataset.sources, "seed": seed}
    if graph.weights is not None or not dataset.weighted:
        return replace(graph, info=info)
    weights = random_weights(graph.tails(), graph.indices, *ROAD_WEIGHTS, seed)
    return replace(graph, weights=weights, info={**info, "weights": "generated", "seed": seed})


def _by_appearance(graph: CSRGraph) -> CSRGraph:
    """Renumber the vertices in the order in which the arcs name them; sort the arcs of each vertex."""
    named = np.column_stack((graph.tails(), graph.indices)).ravel()
    vertices, first = np.unique(named, return_index=True)
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
    hops = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), unweighted=True, indices=[dataset.source])[0]
    near, far = (int(np.argmax(hops == wanted)) for wanted in (min(NEAR_HOPS, hops.max()), hops.max()))
    pairs = {"near": [dataset.source, near], "far": [dataset.source, far]}
    weights = "none" if graph.weights is None else "generated"
    info = {"origin": "stand-in", "edition": "stand-in", "directed": False, "seed": seed}
    return _complete(graph, dataset, seed, {**info, "pairs": pairs, "weights": weights})


def _in_background(function: Callable[..., None], *arguments: object) -> Future[None]:
    """Call a function in a thread that does not keep the program from ending, unlike one of an executor."""
    future: Future[None] = Future()

    def run() -> None:
        try:
            function(*arguments)
            future.set_result(None)
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def _reason(error: Exception) -> str:
    """Describe in a few words why an address failed."""
    match error:
        case TimeoutError() | requests.Timeout():
            return "no answer in time"
        case requests.HTTPError() if error.response is not None:
            return f"HTTP status {error.response.status_code}"
        case requests.exceptions.ChunkedEncodingError():
            return "the transfer broke off"
        case requests.ConnectionError():
            return "no connection"
        case _:
            return one_line(error)
