"""The graphs by name: where each comes from, how its files are downloaded and checked, what stands in for it.

Nothing is taken on trust. A download becomes a file only after its content has been hashed, parsed and
counted; a file that is already there is hashed before it is parsed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pooch
import requests
import scipy

from retrace.graphs import formats
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.generators import (
    ROAD_WEIGHTS,
    heavy_tailed_stand_in,
    random_weights,
    road_stand_in,
)
from retrace.graphs.registry import Dataset, Edition
from retrace.system.errors import RetraceError
from retrace.system.project import ROOT

PROBE_S = 5.0
"""How long an address may take to answer at all; with no network this is all the time a graph costs."""
READ_S = 20.0
"""How long a download may stand still before it is tried again."""
DOWNLOAD_S = 600.0
"""How long an address may take in all, retries included."""
RETRIES = 2
NEAR_HOPS = 15
"""How far the near pair of a stand-in is apart."""


def obtain(dataset: Dataset, downloads: Path, mirror: str | None, offline: str, seed: int) -> CSRGraph:
    """Get a graph: each edition from `downloads`, its addresses and the mirror, or else a stand-in.

    Parameters
    ----------
    dataset
        Which graph.
    downloads
        Folder of downloaded files.
    mirror
        A folder or an http(s) address that may have the files too.
    offline
        What to do if no edition can be had: `stand-in` or `fail`.
    seed
        Of the weights of an edition without, and of a stand-in.

    Returns
    -------
    graph
        With weights if the data set has some; `info` holds name, origin, edition, weights (`file`,
        `generated` or `none`), seed (None if nothing was generated), directed, source and pairs, and for a
        sample of sources their count and seed.

    Raises
    ------
    RetraceError
        If a file that is already there is not as expected, or no edition can be had and none may stand in.
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
    deadline = time.monotonic() + PROBE_S
    probes = [
        (edition, address, _in_background(_ask, address)) for edition, address in _addresses(missing, mirror)
    ]
    for edition, address, probe in probes:
        try:
            probe.result(max(0.0, deadline - time.monotonic()))
            return _describe(_fetch(address, edition, dataset, downloads), edition, dataset, seed)
        except (RetraceError, OSError, ValueError) as error:
            reason = _reason(error)
        print(f"warning: {address}: {reason}", file=sys.stderr)
        tried.append(f"{address} ({reason})")
    if len(missing) < len(dataset.editions):
        edition = dataset.editions[len(missing)]
        path = _here(edition, downloads)
        try:
            return _describe(_check(path, str(path), edition, dataset), edition, dataset, seed)
        except RetraceError as error:
            raise RetraceError(
                f"{error}; delete {path} and run again" if edition.file else str(error)
            ) from None
    if offline == "fail" or not dataset.stand_in:
        files = " or ".join(str(edition.file) for edition in missing)
        raise RetraceError(
            f"{dataset.name}: could not be had, tried: {', '.join(tried) or 'nothing'}; "
            f"set GRAPH_MIRROR to a folder or address with {files}"
        )
    print(f"{dataset.name}: could not be had; a generated stand-in takes its place", file=sys.stderr)
    return _stand_in(dataset, seed)


def _here(edition: Edition, downloads: Path) -> Path:
    """Where the edition's file is or will be."""
    return ROOT / edition.path if edition.path else downloads / str(edition.file)


def _addresses(editions: list[Edition], mirror: str | None) -> Iterator[tuple[Edition, str]]:
    """Yield each edition with each of its addresses, the mirror's last."""
    for edition in editions:
        for address in edition.addresses:
            yield edition, address
        if mirror:
            yield edition, f"{mirror.rstrip('/')}/{edition.file}"


def _ask(address: str) -> None:
    """Raise if an address has nothing to offer; what may pass, such as a busy host, is for retries to see."""
    if _is_web(address):
        with requests.get(address, stream=True, timeout=PROBE_S) as response:
            if 400 <= response.status_code < 500:
                response.raise_for_status()
    elif not Path(address).is_file():
        raise FileNotFoundError("no such file")


def _fetch(address: str, edition: Edition, dataset: Dataset, downloads: Path) -> CSRGraph:
    """Download a file beside its place, and put it there if it is right; not if another job just did."""
    target = _here(edition, downloads)
    with _alone(downloads / f".lock-{target.name}"):
        if target.is_file():
            return _check(target, str(target), edition, dataset)
        for stale in downloads.glob(f".{target.name}.*"):
            shutil.rmtree(stale, ignore_errors=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{target.name}.", dir=downloads, ignore_cleanup_errors=True
        ) as folder:
            partial = Path(folder, target.name)
            if _is_web(address):
                # A host may send a byte now and then forever: neither pooch nor requests limits the whole.
                _in_background(_download, address, partial).result(DOWNLOAD_S)
            else:
                shutil.copyfile(address, partial)
            graph = _check(partial, target.name, edition, dataset)
            partial.replace(target)
    return graph


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Let one job at a time in; it deletes the file in the end, and whoever waits then takes a new one."""
    while True:
        with lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle.fileno()).st_nlink == 0:
                continue
            try:
                yield
            finally:
                lock.unlink()
            return


def _download(address: str, target: Path) -> None:
    pooch.get_logger().setLevel("WARNING")
    pooch.create(
        path=target.parent,
        base_url="",
        registry={target.name: None},
        urls={target.name: address},
        retry_if_failed=RETRIES,
    ).fetch(
        target.name,
        downloader=pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=(PROBE_S, READ_S)),
    )


def _check(path: Path, shown: str, edition: Edition, dataset: Dataset) -> CSRGraph:
    """Read an edition's file: first its hash, then its content, then the counts."""
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
    return formats.parse(content, edition.format, shown, (dataset.vertices, arcs))


def _describe(graph: CSRGraph, edition: Edition, dataset: Dataset, seed: int) -> CSRGraph:
    """Give a graph its identity, and weights if it lacks those of its data set."""
    if edition.renumber:
        graph = _by_appearance(graph)
    identity = _identity(dataset, seed, dataset.pairs.by_name())
    info = {"edition": edition.name, "weights": "none", "seed": None, **identity}
    if graph.weights is not None:
        return replace(graph, info={**info, "weights": "file"})
    if not dataset.weighted:
        return replace(graph, info=info)
    return _with_weights(replace(graph, info=info), seed)


def _identity(dataset: Dataset, seed: int, pairs: dict[str, list[int]]) -> dict[str, Any]:
    """Return what `info` says of any graph of a data set."""
    identity = {
        "name": dataset.name,
        "origin": dataset.origin,
        "directed": dataset.directed,
        "source": dataset.source,
        "pairs": pairs,
    }
    if dataset.sources is None or dataset.sources >= dataset.vertices:
        return identity
    return {**identity, "sources": {"count": dataset.sources, "seed": seed}}


def _with_weights(graph: CSRGraph, seed: int) -> CSRGraph:
    """Draw weights for a graph that has none."""
    weights = random_weights(graph.tails(), graph.indices, *ROAD_WEIGHTS, seed)
    return replace(graph, weights=weights, info={**graph.info, "weights": "generated", "seed": seed})


def _by_appearance(graph: CSRGraph) -> CSRGraph:
    """Renumber the vertices in the order in which arcs name them first; sort each vertex's arcs."""
    named = np.column_stack((graph.tails(), graph.indices)).ravel()
    vertices, first = np.unique(named, return_index=True)
    number = np.empty(graph.vertices, dtype=np.int64)
    number[np.setdiff1d(np.arange(graph.vertices), vertices)] = np.arange(len(vertices), graph.vertices)
    number[vertices[np.argsort(first)]] = np.arange(len(vertices))
    tails, heads = number[graph.tails()], number[graph.indices]
    order = np.lexsort((heads, tails))
    return from_arcs(graph.vertices, tails[order], heads[order])


def _stand_in(dataset: Dataset, seed: int) -> CSRGraph:
    """Generate a stand-in and find pairs near and far in it, where the registry's mean nothing."""
    generate = {"road": road_stand_in, "heavy-tailed": heavy_tailed_stand_in}[str(dataset.stand_in)]
    graph = generate(dataset.vertices, dataset.arcs, seed)
    ones = scipy.sparse.csr_array(
        (np.ones(graph.arcs), graph.indices, graph.indptr), shape=(graph.vertices, graph.vertices)
    )
    hops = scipy.sparse.csgraph.dijkstra(ones, unweighted=True, indices=[dataset.source])[0]
    near, far = (int(np.argmax(hops == wanted)) for wanted in (min(NEAR_HOPS, hops.max()), hops.max()))
    pairs = {"near": [dataset.source, near], "far": [dataset.source, far]}
    info = _identity(dataset, seed, pairs) | {"origin": "stand-in", "edition": "stand-in", "directed": False}
    weights = "none" if graph.weights is None else "generated"
    graph = replace(graph, info={**info, "weights": weights, "seed": seed})
    return _with_weights(graph, seed) if dataset.weighted and graph.weights is None else graph


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def _in_background(function: Callable[..., None], *arguments: object) -> Future[None]:
    """Call in a thread that may be left behind: unlike an executor's, it lets the program end."""
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
    """Say in a few words why an address was of no use."""
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
            return " ".join(str(error).split())[:400]
