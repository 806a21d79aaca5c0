"""The registry and the downloads: every way in which an address can fail, against a server on 127.0.0.1."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import threading
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, TypeVar

import pytest
import requests
import yaml

from command_line import Call, Patch, refused
from cuda_device.errors import OneLineError
from hosts import CONTENT, FILE, NOWHERE, SHA256, serving
from retrace.graphs import csr, identity
from retrace.graphs import downloads as transfers
from retrace.graphs.dataset_registry import Dataset, Edition, load_registry
from retrace.graphs.downloads import Patience
from retrace.records.record import read_records
from retrace.stages import get_graph

PAIRS = {"near": [0, 1], "far": [0, 3]}
ENTRY: dict[str, Any] = {"vertices": 4, "arcs": 6, "directed": False, "origin": "dimacs", "licence": "none"}
ENTRY |= {"source": 0, "pairs": PAIRS, "stand_in": "road"}
M = TypeVar("M", Dataset, Edition)
CONTENT_WITHOUT_WEIGHTS = b"p tw 4 3\n1 2\n1 3\n2 4\n"
BOMB = gzip.compress(bytes(64 << 20), 9)
ENCODINGS = {"decoded": "gzip", "decoded-bomb": "gzip", "twice": "gzip, gzip", "brotli": "br"}
"""Of hosts that take .gz for a way of sending text, and of hosts that mean harm."""


class Host(BaseHTTPRequestHandler):
    """Answers by the first folder of the path, and counts the requests for each."""

    requests: dict[str, int] = {}  # noqa: RUF012
    stop = threading.Event()

    def do_GET(self) -> None:
        kind = self.path.split("/")[1]
        count = self.requests[kind] = self.requests.get(kind, 0) + 1
        body = {
            "web-page": b"<!DOCTYPE html>\n<html>no such file, but status 200</html>\n",
            "wrong": gzip.compress(CONTENT.replace(b"a 1 3 7", b"a 1 3 8")),
            "fewer": gzip.compress(b"p sp 4 2\na 1 2 5\na 2 1 5\n"),
            "cut": FILE[:-9],
            "topology": CONTENT_WITHOUT_WEIGHTS,
            "bomb": BOMB,
            "decoded-bomb": BOMB,
        }.get(kind, FILE)
        if kind == "hangs":
            self.stop.wait(20)
            return
        if kind == "missing" or (kind == "busy" and count < 3) or kind == "broken":
            self.send_error(404 if kind == "missing" else 503)
            return
        self.send_response(200)
        if kind != "endless":
            self.send_header("Content-Length", str(len(body)))
        if kind in ENCODINGS:
            self.send_header("Content-Encoding", ENCODINGS[kind])
        self.end_headers()
        while kind == "endless" and not self.stop.is_set():
            self.wfile.write(bytes(1 << 16))
        if kind == "half":
            body = body[: len(body) // 2]
        if kind in ("trickles", "hangs-midway"):
            for byte in body[: 20 if kind == "trickles" else 1]:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                self.stop.wait(0.1)
            self.stop.wait(20)
            return
        self.wfile.write(body)


@pytest.fixture
def host() -> Iterator[str]:
    Host.requests = {}
    Host.stop = threading.Event()
    with serving(Host) as address:
        yield address
        Host.stop.set()


IMPATIENT = Patience(probe=2, read=1, download=2, retries=0)
obtain = partial(get_graph.obtain, patience=IMPATIENT)


def dataset(*addresses: str, sha256: str | None = SHA256, stand_in: str | None = "road") -> Dataset:
    edition = {"name": "dimacs", "format": "dimacs", "file": "tiny.gr.gz", "sha256": sha256}
    entry = ENTRY | {"stand_in": stand_in, "editions": [{**edition, "addresses": []}]}
    tiny = Dataset(name="tiny", **entry)
    # unchecked: a test's address may be a folder
    return changed(tiny, editions=(changed(tiny.editions[0], addresses=addresses),))


def changed(model: M, **values: object) -> M:
    return model.model_copy(update=values)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_the_mirror_first(host: str, tmp_path: Path) -> None:
    graph = obtain(dataset(f"{host}/right/tiny.gr.gz"), tmp_path, f"{host}/mirror", "fail", 1)
    assert (graph.vertices, graph.arcs) == (4, 6)
    info = {key: ENTRY[key] for key in ("origin", "directed", "source", "pairs")}
    assert graph.info == {"name": "tiny", "edition": "dimacs", "weights": "file", "seed": None, **info}
    assert (tmp_path / "tiny.gr.gz").read_bytes() == FILE
    assert names(tmp_path) == ["tiny.gr.gz"]
    assert Host.requests == {"right": 1, "mirror": 2}  # each is asked, one is read


def test_the_mirror_does_not_wait_for_hosts_that_hang(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hanging = dataset(*(f"{host}/hangs/{i}/tiny.gr.gz" for i in range(3)))
    start = time.monotonic()
    graph = obtain(hanging, tmp_path / "d", in_folder(tmp_path / "mirror", FILE), "fail", 1)
    assert time.monotonic() - start < IMPATIENT.probe
    assert graph.arcs == 6
    assert capsys.readouterr().err == ""


FAILURES = {
    "missing": "HTTP status 404",
    "broken": "HTTP status 503",
    "hangs": "no answer in time",
    "hangs-midway": "no",
    "trickles": "no answer in time",
    "half": "the transfer broke off",
    "cut": "expected a whole packed file",
    "web-page": "found a web page",
    "wrong": f"expected content with sha256 {SHA256}, found other content with",
    "bomb": "expected content of at most 1048960 bytes, enough for its arcs, found more",
    "decoded-bomb": "expected at most 1048960 bytes, enough for its arcs, found more",
    "endless": "expected at most 1048960 bytes",
    "twice": "expected no Content-Encoding, or gzip, found 'gzip, gzip'",
    "brotli": "expected no Content-Encoding, or gzip, found 'br'",
}


@pytest.mark.parametrize(("kind", "reason"), FAILURES.items(), ids=FAILURES)
def test_bad_address_is_named_and_passed_over(
    kind: str, reason: str, host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = f"{host}/{kind}/tiny.gr.gz"
    tracemalloc.start()
    graph = obtain(dataset(bad, f"{host}/right/tiny.gr.gz"), tmp_path, None, "fail", 1)
    most, _ = tracemalloc.get_traced_memory()[1], tracemalloc.stop()
    assert most < 48 << 20  # a bomb has 64 MiB; a piece of it, 1,000 times as much as was sent
    assert graph.info["origin"] == "dimacs"
    assert names(tmp_path) == ["tiny.gr.gz"]
    warning, *others = capsys.readouterr().err.splitlines()
    assert not others
    assert warning.startswith(f"warning: tiny: {bad}: ")
    assert reason in warning
    assert warning.endswith(f"; it comes from {host}/right/tiny.gr.gz")


def in_folder(folder: Path, content: bytes) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "tiny.gr.gz").write_bytes(content)
    return str(folder)


@pytest.mark.parametrize(
    "content", [b"<!DOCTYPE html>\n", FILE[:-9], gzip.compress(b"p sp 4 2\na 1 2 5\na 2 1 5\n"), BOMB],
    ids=["web page", "cut", "fewer", "bomb"],
)  # fmt: skip
def test_file_without_known_hash_is_parsed_and_counted(content: bytes, tmp_path: Path) -> None:
    unhashed, downloads = dataset(sha256=None), tmp_path / "downloads"
    mirror = in_folder(tmp_path / "mirror", content)
    with pytest.raises(OneLineError, match=f"tiny: could not be had, tried: {mirror}/tiny.gr.gz"):
        obtain(unhashed, downloads, mirror, "fail", 1)
    assert names(downloads) == []
    assert obtain(unhashed, downloads, in_folder(tmp_path / "mirror", FILE), "fail", 1).arcs == 6


def test_content_without_known_hash_is_trusted_on_first_use(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unhashed, downloads, mirror = dataset(sha256=None), tmp_path / "downloads", tmp_path / "mirror"
    graph = obtain(unhashed, downloads, in_folder(mirror, FILE), "fail", 1)
    pin = downloads / "tiny.gr.gz.pin"
    message = f"tiny: no sha256 of tiny.gr.gz is known; {SHA256} is trusted from now on, and kept in {pin}\n"
    kept = f"{SHA256}\n{graph.digest()}\n{replace(graph, weights=None).digest()}\n"
    assert (graph.info["trusted_sha256"], pin.read_text(), capsys.readouterr().err) == (
        SHA256, kept, message,
    )  # fmt: skip
    for text in (kept, f"{SHA256}\n"):  # as pins were before they had the digests of arrays
        pin.write_text(text)
        assert obtain(unhashed, downloads, None, "fail", 1).info == graph.info
        assert (capsys.readouterr().err, pin.read_text()) == ("", kept)
    other = gzip.compress(CONTENT.replace(b"7", b"8"))
    (downloads / "tiny.gr.gz").write_bytes(other)
    whose = f"sha256 {SHA256}, which {pin} keeps of the first download, found other content"
    assert whose in refused(obtain, unhashed, downloads, None, "fail", 1)
    (downloads / "tiny.gr.gz").unlink()
    assert whose in refused(obtain, unhashed, downloads, in_folder(mirror, other), "fail", 1)
    assert obtain(unhashed, downloads, f"{host}/right", "fail", 1).arcs == 6  # it can be checked now
    for text in ("", "7" * 63, "\n" * 9):
        pin.write_text(text)
        assert f"{pin}: expected a sha256" in refused(obtain, unhashed, downloads, None, "fail", 1)
    pin.unlink()
    os.mkfifo(pin)  # nobody will ever write into it
    assert f"{pin}: cannot be read (it is a pipe" in refused(obtain, unhashed, downloads, None, "fail", 1)


def test_content_without_known_hash_comes_over_https(host: str, tmp_path: Path, monkeypatch: Patch) -> None:
    unhashed = dataset(f"{host}/right/tiny.gr.gz", sha256=None)
    message = f"no sha256 is known to check what {host}/right/tiny.gr.gz sends; expected https"
    assert message in refused(obtain, unhashed, tmp_path, None, "fail", 1)
    assert message in refused(obtain, dataset(sha256=None), tmp_path, f"{host}/right", "fail", 1)

    hop, hops = requests.Response(), list[requests.Response]()
    hop.url = "http://elsewhere/"

    def get(url: str, **_: object) -> requests.Response:
        answer = requests.Response()
        answer.url, answer.status_code, answer.raw, answer.history = url, 200, io.BytesIO(FILE), hops
        return answer

    monkeypatch.setattr(requests, "get", get)
    hops.append(hop)
    secure = dataset("https://here/tiny.gr.gz", sha256=None)
    assert "what http://elsewhere/ sends" in refused(obtain, secure, tmp_path, None, "fail", 1)
    assert names(tmp_path) == []
    hops.clear()
    assert obtain(secure, tmp_path, None, "fail", 1).info["trusted_sha256"] == SHA256


def test_a_file_of_the_project_that_is_missing(tmp_path: Path) -> None:
    lost = Edition(name="lost", format="he", path="no/such.he", sha256=SHA256)
    message = refused(obtain, changed(dataset(), editions=(lost,)), tmp_path, None, "fail", 1)
    assert message.endswith("no/such.he: cannot be read (No such file or directory); check the path")


def test_arrays_are_those_of_the_registry(tmp_path: Path) -> None:
    known = dataset()
    mirror = in_folder(tmp_path / "mirror", FILE)
    arrays = obtain(known, tmp_path, mirror, "fail", 1).digest()
    right, wrong = (changed(known.editions[0], arrays_sha256=sha256) for sha256 in (arrays, "0" * 64))
    assert obtain(changed(known, editions=(right,)), tmp_path, None, "fail", 1).digest() == arrays
    message = refused(obtain, changed(known, editions=(wrong,)), tmp_path, None, "fail", 1)
    assert f"expected arrays with sha256 {'0' * 64}, as the registry says, found {arrays}" in message


def test_content_that_the_host_has_unpacked_is_right_too(host: str, tmp_path: Path) -> None:
    assert obtain(dataset(f"{host}/decoded/tiny.gr.gz"), tmp_path, None, "fail", 1).arcs == 6
    assert obtain(dataset(), tmp_path, None, "fail", 1).arcs == 6


def test_busy_host_is_asked_again(host: str, tmp_path: Path) -> None:
    busy = dataset(f"{host}/busy/tiny.gr.gz")
    patience = replace(IMPATIENT, retries=2, download=10)
    assert obtain(busy, tmp_path, None, "fail", 1, patience=patience).arcs == 6


def test_mirror_folder_and_address(host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    first, second = tmp_path / "first", tmp_path / "second"
    nowhere = dataset(f"{NOWHERE}/tiny.gr.gz")
    with pytest.raises(OneLineError, match=r"mirror/tiny.gr.gz \(no such file\)"):
        obtain(nowhere, first, str(mirror), "fail", 1)
    (mirror / "tiny.gr.gz").write_bytes(FILE)
    assert obtain(nowhere, first, str(mirror), "fail", 1).info["edition"] == "dimacs"
    assert obtain(nowhere, second, f"{host}/mirror/", "fail", 1).info["edition"] == "dimacs"
    assert names(first) == names(second) == ["tiny.gr.gz"]
    assert capsys.readouterr().err == ""  # hosts that fail are no news where the mirror has the file


def test_editions_in_order_and_generated_weights(host: str, tmp_path: Path) -> None:
    full = dataset(f"{host}/missing/tiny.gr.gz")
    where = (f"{host}/topology/tiny.pace.gr",)
    sha256 = hashlib.sha256(CONTENT_WITHOUT_WEIGHTS).hexdigest()
    lesser = Edition(name="pace16", format="pace", file="tiny.pace.gr", addresses=where, sha256=sha256)
    both = changed(full, editions=(*full.editions, lesser))
    graph = obtain(both, tmp_path, None, "fail", 7)
    assert (graph.info["edition"], graph.info["weights"], graph.info["seed"]) == ("pace16", "generated", 7)
    assert graph.info["origin"] == "dimacs"
    assert graph.weights is not None
    assert obtain(both, tmp_path, None, "fail", 7).digest() == graph.digest()  # from the file now there
    assert obtain(both, tmp_path, None, "fail", 8).digest() != graph.digest()
    # The mirror's better edition goes before the lesser one on the spot.
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "tiny.gr.gz").write_bytes(FILE)
    assert obtain(both, tmp_path, str(tmp_path / "mirror"), "fail", 7).info["weights"] == "file"


def unpacked(content: bytes) -> bytes:
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


def test_other_counts_may_be_the_registrys_fault(host: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.gr.gz").write_bytes(FILE)
    message = refused(obtain, changed(dataset(f"{host}/right"), arcs=7), tmp_path, None, "fail", 1)
    assert "7 arcs, as the registry says, found 4 and 6: the registry or the file is wrong" in message


@pytest.mark.parametrize("offline", ["stand-in", "fail"])
@pytest.mark.parametrize(
    "damaged",
    [FILE[:-9], gzip.compress(CONTENT.replace(b"5", b"6")), b"", b"<html>", FILE + b"junk"],
    ids=["truncated", "altered", "empty", "web page", "trailing junk"],
)
def test_a_damaged_file(damaged: bytes, offline: str, host: str, tmp_path: Path, monkeypatch: Patch) -> None:
    file = tmp_path / "tiny.gr.gz"
    file.write_bytes(damaged)
    monkeypatch.setattr(get_graph, "parse_stream", lambda *_: pytest.fail("parsed"))
    message = refused(obtain, dataset(f"{host}/right/tiny.gr.gz"), tmp_path, None, offline, 1)
    assert message.startswith(f"{file}: expected ")
    assert message.endswith(f"delete {file} and run again")
    assert SHA256 in message
    whole = damaged if "packed file" in message else unpacked(damaged)
    assert hashlib.sha256(whole).hexdigest() in message


def test_pairs_that_the_registry_does_not_name_are_found(tmp_path: Path) -> None:
    named = changed(dataset(f"{NOWHERE}/tiny.gr.gz"), pairs=None)
    (tmp_path / "tiny.gr.gz").write_bytes(FILE)
    graph = obtain(named, tmp_path, None, "fail", 1)
    levels = by_levels(graph, 0)
    last = min(vertex for vertex, level in levels.items() if level == max(levels.values()))
    assert graph.info["pairs"] == {"near": [0, last], "far": [0, last]}


def by_levels(graph: csr.CSRGraph, source: int) -> dict[int, int]:
    """The level of each vertex that is reached."""
    levels = {source: 0}
    for vertex in (order := [source]):
        for head in graph.indices[graph.indptr[vertex] : graph.indptr[vertex + 1]].tolist():
            if head not in levels:
                levels[head] = levels[vertex] + 1
                order.append(head)
    return levels


def test_an_optional_graph_may_be_missing(tmp_path: Path, script: Call, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    edition = {"name": "dimacs", "file": "tiny.gr.gz", "format": "dimacs", "addresses": [f"{NOWHERE}/t"]}
    entry = {key: value for key, value in ENTRY.items() if key != "stand_in"} | {"editions": [edition]}
    registry = {"tiny": entry | {"optional": True}, "needed": entry}
    registry["pairless"] = {key: value for key, value in registry["tiny"].items() if key != "pairs"}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(registry))
    asked = ("--datasets", "mine.yaml", "--downloads", "d", "--output", "g", "--graph")
    for asking in (("needed",), ("tiny", "--offline", "fail")):
        done = script("get-graph", *asked, *asking)
        assert done.status == 1
        assert done.err.splitlines()[-1].startswith(f"error: {asking[0]}: could not be had, tried: ")
    assert not (tmp_path / "g").exists()
    assert script("get-graph", *asked, "tiny").status == 0
    info = identity.stored_info(Path("g"))
    assert (info["vertices"], info["missing"]) == (4, "its file could not be had")
    assert script("get-graph", *asked[:4], "--output", "h", "--graph", "pairless").status == 0
    options = ("--backend", "emulator", "--output", "r", "--experiment")
    for graph, experiment, solvers, expected in (
        ("g", "table-3.5", ("sssp/bsp", "sssp/dijkstra-heap"), [None] * 2),
        ("g", "table-3.4", ("stcon/bsp",), ["near", "far"]),
        ("h", "table-3.4", ("stcon/bsp",), [None]),  # pairs are drawn by the arcs
    ):
        done = script("measure-experiment", "--graphs", graph, *options, experiment, "--solvers", *solvers)
        assert done.status == 0
        records = read_records([Path(f"r/{graph}.jsonl")])
        assert {(record.status, record.reason) for record in records} == {
            ("skipped", "its file could not be had")
        }
        assert [record.parameters.get("pair") for record in records] == expected


def test_stand_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    large = changed(dataset(f"{NOWHERE}/tiny.gr.gz"), vertices=1000, arcs=2800, source=500)
    graph = obtain(large, tmp_path, str(tmp_path / "none"), "stand-in", 3)
    assert (graph.vertices, graph.arcs) == (1000, 2800)
    info = {"name": "tiny", "origin": "stand-in", "edition": "stand-in", "weights": "generated", "seed": 3}
    assert graph.info.items() >= (info | {"source": 500}).items()
    near, far = graph.info["pairs"]["near"], graph.info["pairs"]["far"]
    assert near[0] == far[0] == 500
    assert near != far
    assert "unreachable" not in graph.info["pairs"]
    lacking = f"{tmp_path}/none/tiny.gr.gz: no such file"
    message = f"{lacking}; {NOWHERE}/tiny.gr.gz: no connection; a generated stand-in takes its place"
    assert capsys.readouterr().err == f"warning: tiny: {message}\n"
    assert names(tmp_path) == []


def test_stand_in_of_a_social_network_has_no_weights(tmp_path: Path) -> None:
    social = changed(dataset(stand_in="heavy-tailed"), weighted=False, sources=3, source=1)
    graph = obtain(social, tmp_path, None, "stand-in", 3)
    assert (graph.vertices, graph.arcs, graph.weights) == (4, 6, None)
    assert (graph.info["weights"], graph.info["origin"], graph.info["seed"]) == ("none", "stand-in", 3)
    assert graph.info["sources"] == {"count": 3, "seed": 3}
    assert "sources" not in obtain(changed(social, sources=4), tmp_path, None, "stand-in", 3).info
    weighted = obtain(changed(social, weighted=True), tmp_path, None, "stand-in", 3)
    assert weighted.weights is not None
    assert weighted.info["weights"] == "generated"


def test_weights_that_replace_the_files_own(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "tiny.gr.gz").write_bytes(gzip.compress(CONTENT))
    original, uniform, unit = (
        obtain(changed(dataset(), weights=weights), tmp_path / "downloads", str(mirror), "fail", 3)
        for weights in (None, "uniform", "unit")
    )
    assert [graph.info["weights"] for graph in (original, uniform, unit)] == ["file", "generated", "unit"]
    assert [graph.info["seed"] for graph in (original, uniform, unit)] == [None, 3, None]
    for graph in (uniform, unit):
        assert graph.weights is not None
        assert (graph.indices == original.indices).all()
    assert (unit.weights == 1).all()
    assert list(uniform.weights) != list(original.weights)
    assert len({graph.digest() for graph in (original, uniform, unit)}) == 3


def test_editions_that_number_vertices_differently_are_one_graph(tmp_path: Path) -> None:
    files = {
        "theirs": "0 2\n0 3\n1 3\n2 0\n3 0\n3 1\n",  # names 0, 2, 3, 1 in this order
        "ours": "0 1\n0 2\n1 0\n2 0\n2 3\n3 2\n",
    }
    digests = set()
    for name, content in files.items():
        (tmp_path / f"{name}.txt").write_text(content)
        edition = Edition(name=name, format="snap", file=f"{name}.txt", renumber=name == "theirs")
        unweighted = changed(dataset(), weighted=False, editions=(edition,))
        graph = obtain(unweighted, tmp_path / "downloads", str(tmp_path), "fail", 1)
        assert (graph.info["edition"], graph.info["weights"], graph.info["seed"]) == (name, "none", None)
        digests.add(graph.digest())
    assert len(digests) == 1


def test_hosts_that_fail_alike_are_told_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hosts = [NOWHERE.removeprefix("http://"), "127.0.0.2:9"]
    obtain(dataset(*(f"http://{host}/tiny.gr.gz" for host in hosts)), tmp_path, None, "stand-in", 1)
    message = f"warning: tiny: {', '.join(hosts)}: no connection; a generated stand-in takes its place\n"
    assert capsys.readouterr().err == message


def test_offline_failure_lists_what_was_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = dataset(f"{NOWHERE}/a/tiny.gr.gz", f"{NOWHERE}/b/tiny.gr.gz")
    message = refused(obtain, both, tmp_path, None, "fail", 1)
    assert f"{NOWHERE}/a/tiny.gr.gz (no connection), {NOWHERE}/b/tiny.gr.gz (no connection)" in message
    assert "GRAPH_MIRROR" in message
    assert capsys.readouterr().err == ""
    with pytest.raises(OneLineError, match="could not be had"):  # a graph for which nothing may stand in
        obtain(dataset(stand_in=None), tmp_path, None, "stand-in", 1)


def test_data_sets_that_share_a_file_are_had_side_by_side(tmp_path: Path, monkeypatch: Patch) -> None:
    mirror, downloads, copied = tmp_path / "mirror", tmp_path / "downloads", []
    mirror.mkdir()
    (mirror / "tiny.gr.gz").write_bytes(FILE)

    whole = transfers._write

    def slow_copy(pieces: Iterator[bytes], target: Path, most: int) -> None:
        copied.append(target)
        time.sleep(0.2)
        whole(pieces, target, most)

    monkeypatch.setattr(transfers, "_write", slow_copy)
    with ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(obtain, changed(dataset(), name=f"tiny-{count}"), downloads, str(mirror), "fail", 1)
            for count in range(5)
        ]
    assert [job.result().info["origin"] for job in jobs] == ["dimacs"] * 5
    assert len(copied) == 1
    assert names(downloads) == ["tiny.gr.gz"]


def test_hosts_that_hang_are_all_found_out_at_once(host: str, tmp_path: Path) -> None:
    addresses = [f"{host}/hangs/{i}/tiny.gr.gz" for i in range(8)]
    start = time.monotonic()
    obtain(dataset(*addresses), tmp_path, None, "stand-in", 1)
    assert time.monotonic() - start < 2 * IMPATIENT.probe


def test_downloads_that_cannot_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OneLineError, match=r"no folder .*/file/downloads to download to"):
        obtain(dataset(str(tmp_path / "file")), tmp_path / "file" / "downloads", None, "fail", 1)


def test_the_projects_registry() -> None:
    registry = load_registry(["datasets.yaml"])
    york = ["NY", "NY-uniform", "NY-unit", "NY-264", "NY-1056"]
    others = ["BAY", "COL", "FLA", "NE", "CAL", "LKS", "E", "W", "CTR", "USA"]
    times = [f"{name}-t" for name in ("NY", *others[:3], "NW", *others[3:])]
    road = [*york, "NW", *others, *times]
    assert list(registry) == ["small-6", "small-9", *road, "Gowalla", "Gowalla-4096"]
    challenge = "https://www.diag.uniroma1.it/challenge9/data"
    for name in ("NY", "NW", *others, *times):
        (edition, *_), kind = registry[name].editions, "t" if name.endswith("-t") else "d"
        assert edition.file == f"USA-road-{kind}.{name.removesuffix('-t')}.gr.gz"
        assert edition.addresses[0] == f"{challenge}/USA-road-{kind}/{edition.file}"
        by_distance = registry[name.removesuffix("-t")]
        assert (registry[name].vertices, registry[name].arcs) == (by_distance.vertices, by_distance.arcs)
    sizes = [(registry[name].vertices, registry[name].arcs) for name in others]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == ((321_270, 800_172), (23_947_347, 58_333_344))
    whole, sampled = registry["Gowalla"], registry["Gowalla-4096"]
    assert sampled == changed(whole, name="Gowalla-4096", title=sampled.title, sources=4096)
    assert registry["NW"].editions[1].arcs == 2 * 1_410_387


@pytest.mark.parametrize("name", ["small-6", "small-9"])
def test_small_graphs(name: str, tmp_path: Path) -> None:
    graph = obtain(load_registry(["datasets.yaml"])[name], tmp_path, None, "fail", 1)
    assert (graph.info["origin"], graph.info["weights"]) == ("report", "file")
    reached = [0]
    for vertex in reached:
        heads = graph.indices[graph.indptr[vertex] : graph.indptr[vertex + 1]].tolist()
        reached += [head for head in dict.fromkeys(heads) if head not in reached]
    pairs = graph.info["pairs"]
    assert pairs["near"][1] in reached
    assert pairs["far"][1] == reached[-1]
    assert (name == "small-9") == ("unreachable" in pairs)
    assert pairs.get("unreachable", [0, 8])[1] not in reached


def edition(**values: object) -> dict[str, object]:
    return {"name": "dimacs", "format": "dimacs", "file": "tiny.gr.gz", **values}


@pytest.mark.parametrize(
    ("key", "entry"),
    [("NY.vertexes: unknown key; did you mean vertices? expected one of title, vertices, ", {"vertexes": 3}),
     ("NY.vertices: expected an integer, found 'many'", {"vertices": "many"}),
     ("NY.source: expected ids below 4, found 4", {"source": 4}),
     ("NY.pairs.far: expected ids below 4, found 9", {"pairs": {"near": [0, 1], "far": [0, 9]}}),
     ("NY.pairs.far[1]: required, but missing", {"pairs": {"near": [0, 1], "far": [0]}}),
     ("NY.sources: expected at least 1, found 0", {"sources": 0}),
     ("NY.stand_in: expected 'road' or 'heavy-tailed', found 'tree'", {"stand_in": "tree"}),
     ("NY.editions[0].sha256: expected text of the form", {"editions": [edition(sha256="37F5")]}),
     ("NY.editions[0].file: expected text of the form", {"editions": [edition(file="../NY.gr.gz")]}),
     ("NY.editions[0]: expected either path, or file", {"editions": [edition(path="NY.gr.gz")]}),
     ("NY.editions: expected a different name for each", {"editions": [edition(), edition()]}),
     ("NY.editions: required, but missing", {})],
)  # fmt: skip
def test_registry_errors_name_file_and_key(key: str, entry: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    editions = {"editions": [edition()]} if entry else {}
    file.write_text(yaml.safe_dump({"NY": {**ENTRY, **editions, **entry}}))
    assert refused(load_registry, [file]).startswith(f"{file}: {key}")


def test_a_registry_laid_over_another_replaces_its_entries(tmp_path: Path) -> None:
    mine = write_registry(tmp_path / "mine.yaml", name="NY")
    registry = load_registry(["datasets.yaml", mine])
    assert (registry["NY"].vertices, registry["NW"].vertices) == (4, 1_207_945)


def write_registry(path: Path, *addresses: str, name: str = "tiny") -> Path:
    entry = {**ENTRY, "editions": [edition(sha256=SHA256, addresses=list(addresses))]}
    path.write_text(yaml.safe_dump({name: entry}))
    return path


def test_command(host: str, tmp_path: Path, script: Call, monkeypatch: Patch) -> None:
    config, folder = write_registry(tmp_path / "datasets.yaml"), tmp_path / "graphs/tiny"
    monkeypatch.setenv("GRAPH_MIRROR", f"{host}/right")
    asked = ("--datasets", config, "--graph", "tiny", "--downloads", tmp_path / "downloads")
    done = script("get-graph", *asked, "--output", folder)
    assert (done.status, done.err) == (0, "")
    assert csr.load(folder).info.items() >= {"name": "tiny", "arcs": 6, "edition": "dimacs"}.items()


@pytest.mark.parametrize(("text", "expected"), [(None, "no such file"), ("{", "YAML"), ("3", "mapping")])
def test_command_with_bad_config(text: str | None, expected: str, tmp_path: Path, script: Call) -> None:
    config = tmp_path / "datasets.yaml"
    if text is not None:
        config.write_text(text)
    asked = ("--datasets", config, "--graph", "tiny", "--output", tmp_path / "tiny")
    error = script("get-graph", *asked).refusal(1)
    assert error.startswith(f"error: {config}: ")
    assert expected in error


def test_a_key_that_is_written_twice_is_refused(tmp_path: Path) -> None:
    """PyYAML would forget the first one."""
    path = tmp_path / "twice.yaml"
    path.write_text("road:\n  source: 1\nother: {}\nroad:\n  source: 2\n")
    message = refused(load_registry, [path])
    assert "twice.yaml: expected YAML, found: the key 'road' twice in one mapping in" in message
    assert "line 4" in message


@pytest.mark.parametrize(
    ("kind", "content", "directed", "told"),
    [("snap", "0 1\n0 4\n1 2\n", False, "some arcs have no reverse, but the registry says directed: false"),
     ("he", "H 5 3 0\nE 0 1 1\nE 0 4 1\nE 1 2 1\n", False, "its header says that it is directed"),
     ("he", "H 5 3 1\nE 0 1 1\nE 0 4 1\nE 1 2 1\n", True, "the file says undirected"),
     ("pace", "p tw 5 3\n1 2\n1 5\n2 3\n", True, "the file says undirected"),
     ("he", "H 5 3 1\nE 0 1 1\nE 0 4 1\nE 1 2 1\n", False, None), ("snap", "0 1\n0 4\n1 2\n", True, None),
     ("snap", "0 1\n1 0\n4 1\n1 4\n", False, None)],
)  # fmt: skip
def test_directions_of_the_registry_are_those_of_the_arcs(
    kind: str, content: str, directed: bool, told: str | None, tmp_path: Path
) -> None:
    (tmp_path / "own").write_text(content)
    edges = len(content.splitlines()) - (kind != "snap")
    arcs = 2 * edges if "H 5 3 1" in content or kind == "pace" else edges
    edition = {"name": "own", "format": kind, "file": "own", "addresses": []}
    entry = ENTRY | {"directed": directed, "vertices": 5, "arcs": arcs, "stand_in": None, "weighted": False}
    own = Dataset(name="own", **entry | {"editions": [edition]})
    if told is None:
        assert obtain(own, tmp_path, None, "fail", 1).info["directed"] is directed
    else:
        assert told in refused(obtain, own, tmp_path, None, "fail", 1)
