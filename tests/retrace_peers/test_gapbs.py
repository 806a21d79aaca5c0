"""The GAP Benchmark Suite as a peer: how its source is had, what it cannot do, and how many cores it uses."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from command_line import PROJECT, Call, Patch, refused
from cuda_device.errors import TooLargeError
from cuda_on_cpu.device import EmulatedDevice
from exact_betweenness import exact_scores
from graphs import NAMED, graph, grid, identified
from hosts import NOWHERE
from retrace.check.checkers import checker_of
from retrace.graphs.downloads import Patience
from retrace.graphs.query import Query
from retrace.measure.experiment import as_record
from retrace.measure.trials import Effort
from retrace.publish import tables
from retrace.records.record import Record
from retrace.reports import frame as frames
from retrace.solvers import make
from retrace_peers import GAPBS_COMMIT, gapbs, outcome
from retrace_peers.distances import GapbsSSSP
from solving import measure, solved
from test_wide_graphs import widened

FILES = {"bfs.cc": b"int main() {}\n", "graph.h": b"class CSRGraph {};\n"}
SHA256 = hashlib.sha256(b"bfs.cc 14\nint main() {}\ngraph.h 19\nclass CSRGraph {};\n").hexdigest()
HURRY = Patience(probe=2, read=1, download=4, retries=0)
GRID = identified(grid(9, 7), "grid", source=0, pairs={"far": [0, 50]})
PEERS = ("bfs/gapbs", "sssp/gapbs", "betweenness/gapbs")

needs_gapbs = pytest.mark.skipif(gapbs.why_missing() is not None, reason=str(gapbs.why_missing()))


def packed(files: dict[str, bytes], packer: Any = gzip.compress) -> bytes:
    """Make an archive as GitHub does, with a file beside those of src/, and with links."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in {
            "README.md": b"GAPBS",
            **{f"src/{name}": c for name, c in files.items()},
        }.items():
            member = tarfile.TarInfo(f"gapbs-{GAPBS_COMMIT}/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for name in ("src/../../escape", "src/link.h"):
            link = tarfile.TarInfo(f"gapbs-{GAPBS_COMMIT}/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(link)
    return packer(archive.getvalue())


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A computer on which nothing was downloaded, and an official address that does not answer."""
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path / "build"))
    monkeypatch.setattr(gapbs, "ADDRESSES", (f"{NOWHERE}/it.tar.gz",))
    monkeypatch.setattr(gapbs, "FILES_SHA256", SHA256)
    return tmp_path


def mirror(folder: Path, content: bytes) -> str:
    (folder / "mirror").mkdir()
    (folder / "mirror" / gapbs.ARCHIVE).write_bytes(content)
    return str(folder / "mirror")


@pytest.mark.parametrize("packer", [gzip.compress, bytes])
def test_the_source_comes_from_the_mirror_and_is_kept(nothing_here: Path, packer: Any) -> None:
    downloads = nothing_here / "downloads"
    gapbs.obtain_source(downloads, mirror(nothing_here, packed(FILES, packer)), HURRY)
    there = {path.name: path.read_bytes() for path in gapbs.source_folder().iterdir()}
    assert there == FILES
    assert [path.name for path in downloads.iterdir()] == [gapbs.ARCHIVE]
    assert sorted(path.name for path in nothing_here.rglob("*escape*")) == []
    gapbs.source_folder().rename(nothing_here / "aside")
    gapbs.obtain_source(downloads, None, HURRY)  # from the archive, without a network
    assert gapbs.source_folder().is_dir()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(packed({**FILES, "bfs.cc": b"int main() {;}\n"}), "expected the files of src/ with sha256"),
     (packed(FILES | {"more.h": b""}), "expected the files of src/ with sha256"),
     (gzip.compress(bytes(64 << 20)), "expected at most 1048576 bytes, found more"),
     (b"<html>no such file</html>", "expected a tar archive"),
     (packed(FILES)[:-30], "expected a whole packed file")],
)  # fmt: skip
def test_another_archive_is_refused(nothing_here: Path, content: bytes, complaint: str) -> None:
    given = mirror(nothing_here, content)
    told = refused(gapbs.obtain_source, nothing_here / "downloads", given, HURRY)
    assert complaint in told
    assert told.startswith(f"{gapbs.ARCHIVE}: could not be had, tried: {given}/{gapbs.ARCHIVE} (")
    assert f"), {NOWHERE}/it.tar.gz (no connection); " in told
    assert told.endswith("set GRAPH_MIRROR to a folder or address with it")
    assert not gapbs.source_folder().exists()
    assert list((nothing_here / "downloads").iterdir()) == []


def test_a_damaged_archive_is_named(nothing_here: Path) -> None:
    (nothing_here / gapbs.ARCHIVE).write_bytes(b"<html>")
    told = refused(gapbs.obtain_source, nothing_here, None, HURRY)
    assert f"{gapbs.ARCHIVE}: expected a tar archive" in told
    assert told.strip().endswith(f"/{gapbs.ARCHIVE} {outcome}, and run again")


def test_without_it_the_script_says_why(nothing_here: Path, script: Call, monkeypatch: Patch) -> None:
    monkeypatch.delenv("GRAPH_MIRROR", raising=False)
    output = nothing_here / "gapbs.json"
    done = script("get-gapbs", "--downloads", nothing_here / "downloads", "--output", output)
    assert done.status == 0
    assert done.err.startswith("warning: the solvers that call GAPBS are skipped: ")
    assert done.err.count("\n") == 1
    assert "could not be had, tried: " in json.loads(output.read_text())["missing"]


def test_without_it_nothing_of_it_is_compiled(nothing_here: Path, script: Call) -> None:
    output = nothing_here / "host.json"
    files = [PROJECT / "kernels/retrace_peers/bfs.cpp", PROJECT / "kernels/host/bfs_queue.cpp"]
    assert script("build-kernels", "--backends", "host", "--output", output, "--files", *files).status == 0
    assert list(json.loads(output.read_text())) == ["host/bfs_queue.cpp"]


def test_a_compiler_without_openmp_is_named(tmp_path: Path, monkeypatch: Patch) -> None:
    compiler = tmp_path / "cxx"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr(gapbs, "source_folder", lambda: tmp_path)
    assert gapbs.why_missing() == (
        f"{compiler} has no OpenMP, without which GAPBS would run on one core; set CXX to another"
    )


def test_files_that_are_not_gapbs_s_are_not_compiled(tmp_path: Path, monkeypatch: Patch) -> None:
    """A folder of its name may have anything in it."""
    monkeypatch.setattr(gapbs, "source_folder", lambda: tmp_path)
    monkeypatch.setattr(gapbs, "FILES_SHA256", gapbs.files_digest({"bfs.cc": b"int main() {}"}))
    monkeypatch.setattr(gapbs, "build_by", lambda *given, **more: Path("compiled"))
    source = PROJECT / "kernels/retrace_peers/bfs.cpp"
    (tmp_path / "bfs.cc").write_text("int main() {}")
    assert gapbs.build_gapbs(source) == Path("compiled")
    (tmp_path / "bfs.cc").write_text("int main() { }")
    told = f"{tmp_path}: expected the files of src/ of GAPBS, found others; rm -r it"
    assert told in refused(gapbs.build_gapbs, source)


def measured(solver: str, provenance: dict[str, Any]) -> Record:
    (case,) = measure("mine", GRID, [solver], Effort(trials=3, budget_s=60), ("emulator", EmulatedDevice))
    return as_record("mine", GRID.info, case, provenance)


@pytest.mark.parametrize("solver", PEERS)
def test_without_it_its_solvers_are_skipped(
    solver: str, nothing_here: Path, provenance: dict[str, Any], monkeypatch: Patch
) -> None:
    monkeypatch.chdir(nothing_here)
    record = measured(solver, provenance)
    assert record.status == "skipped"
    assert str(record.reason).startswith("GAPBS's source is not here yet; a run gets it")
    Path(outcome).parent.mkdir(parents=True)
    Path(outcome).write_text(
        json.dumps({"name": "GAPBS", "missing": "no connection"})
    )  # as a run that looked for it writes
    assert str(measured(solver, provenance).reason).startswith("GAPBS's source could not be had; ")


@needs_gapbs
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("solver", PEERS)
def test_a_record_and_its_page_say_how_many_cores(
    solver: str, threads: int, provenance: dict[str, Any]
) -> None:
    record = measured(f"{solver}:threads={threads}", provenance)
    assert record.agreed
    assert (record.cores, record.software.peer) == (threads, "GAPBS b5e3e19")
    page = tables.page(frames.build([record]), "mine", None)
    told = f"local: {solver} used 3 cores of the CPU, each other solver there one."
    assert (told in page.remarks) == (threads == 3)


@needs_gapbs
def test_the_width_of_a_bucket_is_chosen_or_given() -> None:
    assert make("sssp/gapbs:delta=5").parameters["delta"] == 5
    assert solved("sssp/gapbs:delta=5", GRID, Query(0)).observed()["delta"] == 5
    chosen = int(solved("sssp/gapbs", GRID, Query(0)).observed()["delta"])
    assert chosen > 0
    assert chosen & (chosen - 1) == 0
    expected = solved("sssp/dijkstra-heap", GRID, Query(0)).download()
    for delta in (1, 2, 7, 2**30):
        assert_array_equal(solved(f"sssp/gapbs:delta={delta}", GRID, Query(0)).download(), expected)


@needs_gapbs
def test_widths_are_tried_once_and_not_in_the_set_up(monkeypatch: Patch) -> None:
    """A first search pays for the graph object; trials of widths are ours, made in the first round."""
    tried: list[int] = []
    search_from = GapbsSSSP.search_from

    def search(solver: GapbsSSSP, source: int, delta: int) -> None:
        tried.append(delta)
        search_from(solver, source, delta)

    monkeypatch.setattr(GapbsSSSP, "search_from", search)
    solver = make("sssp/gapbs:threads=1")
    solver.setup(GRID)
    assert tried == []
    solver.tune(Query(0), {"delta": 8})
    assert (tried, solver.observed()["delta"]) == ([], 8)
    solver.tune(Query(0), {})
    assert len(set(tried)) > 1
    assert solver.observed()["delta"] in tried


@needs_gapbs
def test_more_entries_than_arcs_fit_into_a_bucket() -> None:
    """Each longer path to the hub is lighter, so that its leaves are reached again and again."""
    steps, leaves = 40, 60
    hub = steps
    arcs = [(u, u + 1, 1) for u in range(steps - 1)]
    arcs += [(u, hub, 1000 - 20 * u) for u in range(steps)]
    arcs += [(hub, hub + 1 + leaf, 2000) for leaf in range(leaves)]
    verified("sssp/gapbs:delta=1500", graph(hub + 1 + leaves, arcs))


def verified(solver: str, whole: Any) -> None:
    result = checker_of("sssp", whole).check(solver, Query(0), solved(solver, whole, Query(0)).download())
    assert result.verified, result.reason


@needs_gapbs
def test_distances_beyond_its_infinity_are_refused() -> None:
    largest = 2**30 - 2
    verified("sssp/gapbs", graph(2, [(0, 1, largest)]))
    for whole in (NAMED["heavy"], graph(2, [(0, 1, largest + 1)])):
        with pytest.raises(TooLargeError, match="expected weights below 1073741823, found 10737418"):
            solved("sssp/gapbs", whole, Query(0))
    chain = graph(4, [(0, 1, largest), (1, 2, 1)])
    with pytest.raises(TooLargeError, match=r"the distance of vertex 2 \(ids from 0\) is 1073741823 or more"):
        solved("sssp/gapbs", chain, Query(0)).download()


@needs_gapbs
@pytest.mark.parametrize("directed", [True, False])
def test_scores_of_some_sources(directed: bool) -> None:
    some = np.random.default_rng(3).integers(0, 40, (70, 2))
    whole = graph(40, [(int(u), int(v), 1) for u, v in some], directed)
    for sources in [(5,), (0, 39, 7), None]:
        found = solved("betweenness/gapbs", whole, Query(sources=sources)).download()
        assert_allclose(found, exact_scores(whole, sources), rtol=1e-12, atol=1e-11)


@needs_gapbs
@pytest.mark.parametrize("name", ["bfs/gapbs", "sssp/gapbs"])
@pytest.mark.parametrize("which", ["grid", "parallel arcs", "zero weights", "two components"])
def test_offsets_of_64_bits(name: str, which: str) -> None:
    with widened(NAMED[which]) as wide:
        solver = solved(name, wide, Query(0))
        found = solver.download(), solver.predecessors()
        result = checker_of(solver.problem, wide).check(name, Query(0), *found)
    assert result.verified, result.reason
