"""Shards of betweenness: the same bits for any cut, any number of devices, and after any interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import forked_snakemake
from command_line import ENVIRONMENT, PROJECT, Call, Patch, refused
from cuda_on_cpu.device import EmulatedDevice
from exact_betweenness import exact_scores
from graphs import grid, identified, two_level_star
from retrace.catalogue.known_solvers import fixed
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.query import Query
from retrace.records.record import read_records
from retrace.solvers import make
from retrace_today.betweenness import lanes
from retrace_today.betweenness.fixed_point import FixedPoint, FixedSums
from retrace_today.betweenness.multi_gpu import MultiGpu
from retrace_today.scores.crew import Crew, deal
from retrace_today.scores.shards import Shard, compute_shard, gather
from solving import solved

LANES = "betweenness/lane-queues:block_size=32,lanes=32"
QUERY = Query()


def grid_with_trees() -> CSRGraph:
    """Make a grid whose corner has a star of paths: compaction takes the first vertices away."""
    lattice, star = grid(11, 9), two_level_star(4, 2)
    tails = np.concatenate((lattice.tails(), star.tails() + 98, star.indices + 98))
    heads = np.concatenate((lattice.indices, star.indices + 98, star.tails() + 98))
    last = 98 + star.vertices - 1
    return from_arcs(last + 1, last - tails, last - heads, None, {"name": "test", "directed": False})


GRAPH = identified(grid_with_trees(), "test")


@pytest.fixture(scope="module")
def crews() -> Iterator[dict[int, Crew]]:
    """One device, and three; the graph is compacted, as for many sources."""
    with pytest.MonkeyPatch.context() as patch, EmulatedDevice() as host:
        patch.setattr(lanes, "COMPACTING_PAYS", 1)
        yield {count: Crew(host.peers(count), fixed(LANES), GRAPH) for count in (1, 3)}


def shard_name(number: int, of: int) -> str:
    """Name the file of a shard as the workflow does."""
    return f"{number}-of-{of}.npz"


def cut(crew: Crew, of: int, folder: Path, every_s: float = 10.0) -> list[Path]:
    """Compute all shards of a cut."""
    paths = [folder / shard_name(number, of) for number in range(of)]
    for number, path in enumerate(paths):
        compute_shard(crew, GRAPH, QUERY, number, of, path, every_s)
    return paths


@pytest.mark.long
def test_any_cut_on_any_number_of_devices_gives_the_same_bits(crews: dict[int, Crew], tmp_path: Path) -> None:
    with EmulatedDevice() as device:
        at_once = solved(fixed(LANES), GRAPH, QUERY, device).download()
    expected, _ = gather(cut(crews[1], 1, tmp_path / "whole"), GRAPH, QUERY)
    np.testing.assert_allclose(expected, exact_scores(GRAPH), rtol=1e-12)
    np.testing.assert_allclose(at_once, expected, rtol=2.0**-52)  # extra is added last
    for (devices, crew), of in [(item, of) for item in crews.items() for of in (1, 2, 3, 7)]:
        scores, shards = gather(cut(crew, of, tmp_path / str(devices), every_s=1e-4), GRAPH, QUERY)
        assert scores.tobytes() == expected.tobytes(), (devices, of)
        assert sum(len(shard.done) for shard in shards) == shards[0].facts["passes"] == 4
        assert [shard.number for shard in shards] == list(range(of))


def test_a_shard_goes_on_from_its_checkpoint(crews: dict[int, Crew], tmp_path: Path) -> None:
    whole = compute_shard(crews[1], GRAPH, QUERY, 0, 1, tmp_path / "whole.npz")
    asked, beside = [], tmp_path / "part.npz.checkpoint"
    for left in (3, 1):  # passes that the checkpoint lacks
        crew = crews[1]
        crew.prepare(QUERY)
        sums, done = crew.unsearched(), np.arange(4) < 4 - left

        def keep(_: object, more: FixedPoint, sums: FixedPoint = sums) -> None:
            sums[:] = (as_int(sums) + as_int(more))[:, None] >> np.array([0, 64]) & (2**64 - 1)

        crew.search(np.flatnonzero(done), keep)
        Shard(beside, whole.identity, sums, done, seconds=5).write()
        found = compute_shard(crew, GRAPH, QUERY, 0, 1, tmp_path / "part.npz")
        asked.append(found.seconds)
        assert found.sums.tobytes() == whole.sums.tobytes()
        assert not beside.exists()
    assert min(asked) > 5


def as_int(numbers: FixedPoint) -> np.ndarray:
    """Return whole Python numbers."""
    words = numbers.astype(object)
    return words[:, 1] * 2**64 + words[:, 0]


def test_what_does_not_belong_together_is_refused(crews: dict[int, Crew], tmp_path: Path) -> None:
    first, second = cut(crews[1], 2, tmp_path)
    assert "is shard 0 once more; name each shard once" in refused(gather, [first, first], GRAPH, QUERY)
    assert "is of another shards than wanted" in refused(gather, [first], GRAPH, QUERY)
    assert "is of another set of sources" in refused(gather, [first, second], GRAPH, Query(sources=(1,)))
    assert "is of another graph" in refused(gather, [first, second], identified(grid(3, 3), "other"), QUERY)
    for what in ("kernel, order of sources or processor", "direction of arcs"):
        shard = Shard.read(second)
        shard.identity[what] = "another"
        shard.path = tmp_path / "altered.npz"
        shard.write()
        assert f"is of another {what} than wanted" in refused(gather, [first, shard.path], GRAPH, QUERY)
    for name, altered in (("sums", lambda sums: sums * 3), ("done", np.logical_not)):
        with np.load(second) as stored:
            np.savez(tmp_path / "altered.npz", **{**stored, name: altered(stored[name])})
        altered_file = [first, tmp_path / "altered.npz"]
        assert "is not the file of a shard" in refused(gather, altered_file, GRAPH, QUERY)
    shard = Shard.read(second)
    shard.done[0] = False
    shard.write()
    assert "is a checkpoint; finish the shard first" in refused(gather, [first, second], GRAPH, QUERY)
    second.write_bytes(first.read_bytes()[:-40])
    assert "is not the file of a shard" in refused(gather, [first, second], GRAPH, QUERY)
    unreadable = Path("/proc/self/mem")  # a regular file, of which the system reads nothing
    assert "is not the file of a shard" in refused(gather, [first, unreadable], GRAPH, QUERY)
    beside = tmp_path / "2-of-3.npz.checkpoint"
    beside.write_bytes(first.read_bytes())
    told = refused(compute_shard, crews[1], GRAPH, QUERY, 2, 3, tmp_path / "2-of-3.npz")
    assert "2-of-3.npz.checkpoint: is of another shards than wanted; delete it, and run again" in told


def test_batches_are_spread_over_all_passes() -> None:
    taken, left = deal(np.arange(10), 3)
    assert taken.tolist() == [0, 3, 6]
    assert left.tolist() == [1, 2, 4, 5, 7, 8, 9]
    assert deal(np.arange(5), 5)[1].size == 0


@pytest.mark.parametrize("noticed", [False, True])
def test_a_device_that_is_lost_is_told_in_one_line(noticed: bool) -> None:
    with EmulatedDevice() as host:
        crew = Crew(host.peers(1), fixed(LANES), GRAPH)
        crew.prepare(QUERY)
        pool = crew.workers[0].process
        assert pool is not None
        (process,) = pool._processes.values()
        process.kill()
        while noticed and not pool._broken:  # before it is asked
            time.sleep(0.01)
        told = refused(crew.search, np.arange(4), lambda *_: None)
        assert told == "the process of device 0 has ended, perhaps for want of memory; run again"


def test_nothing_is_left_of_the_search_before() -> None:
    with EmulatedDevice() as device:
        solver = make(fixed(LANES), device)
        assert isinstance(solver, FixedSums)
        solver.setup(GRAPH)
        solver.upload(QUERY)
        once, after_another = (
            np.zeros((GRAPH.vertices, 2), np.uint64),
            np.full((GRAPH.vertices, 2), 7, np.uint64),
        )
        for sums in (once, after_another):
            solver.search(np.arange(solver.passes), sums)
        assert after_another.tolist() == once.tolist()


class NotingDevice(EmulatedDevice):
    """Writes a file when it is closed."""

    def __init__(self, note: Path) -> None:
        super().__init__()
        self.note = note

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.note.write_text("closed", encoding="utf-8")


def test_a_worker_closes_its_device_before_it_ends(tmp_path: Path) -> None:
    """A process that ends with an open context is aborted by PyCUDA."""
    crew = Crew([partial(NotingDevice, tmp_path / "note")], fixed(LANES), GRAPH)
    crew.prepare(QUERY)
    (worker,) = crew.workers
    assert worker.process is not None
    worker.process.shutdown()
    assert (tmp_path / "note").read_text(encoding="utf-8") == "closed"


class Stored:
    """A graph in a folder, and the scripts that compute its shards."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.graph = folder, folder / "test"
        csr.save(identified(grid(19, 13), "test"), self.graph)

    def command(self, script: str, *more: object) -> list[str]:
        solver = "betweenness/bitmap-queue:block_size=32"
        usual = ["--graph", self.graph, "--solver", solver, "--backend", "emulator"]
        return [sys.executable, str(PROJECT / "scripts" / script), *map(str, [*usual, *more])]

    def shard(self, number: int, of: int, devices: int = 1) -> list[str]:
        output = self.folder / shard_name(number, of)
        more = ["--shard", number, "--shards", of, "--devices", devices, "--checkpoint-s", 1e-3]
        return self.command("retrace_today/scores/compute_shard.py", *more, "--output", output)

    def gather(self, of: int) -> bytes:
        """Return the table of scores."""
        scores, record = self.folder / "scores.csv", self.folder / "record.jsonl"
        shards = [self.folder / shard_name(number, of) for number in range(of)]
        self.run(
            self.command(
                "retrace_today/scores/gather_shards.py",
                "--shards",
                *shards,
                "--scores",
                scores,
                "--record",
                record,
            )
        )
        (found,) = read_records([record])
        assert found.verified
        assert found.observed["shards"] == of
        return scores.read_bytes()

    def run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.mark.long
def test_a_job_that_is_killed_goes_on_and_ends_with_the_same_table(tmp_path: Path) -> None:
    stored = Stored(tmp_path)
    stored.run(stored.shard(0, 1))
    expected = stored.gather(1)

    beside = tmp_path / f"{shard_name(0, 2)}.checkpoint"
    killed = 0
    for _ in range(3):
        written = beside.stat().st_mtime_ns if beside.exists() else 0
        job = subprocess.Popen(stored.shard(0, 2, devices=2), env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        while job.poll() is None and not (beside.exists() and beside.stat().st_mtime_ns > written):
            time.sleep(1e-3)
        os.kill(job.pid, signal.SIGKILL)
        job.wait()
        done = Shard.read(beside).done
        assert killed < done.sum() < len(done)
        killed = int(done.sum())
    stored.run(stored.shard(0, 2, devices=2))
    assert not beside.exists()
    stored.run(stored.shard(1, 2))
    assert stored.gather(2) == expected
    assert json.loads((tmp_path / "record.jsonl").read_text())["observed"]["devices"] == 2


@pytest.mark.long
@pytest.mark.pipeline
def test_a_run_makes_the_same_scores_in_any_number_of_shards(tmp_path: Path) -> None:
    """The workflow adds up one shard and three, whose sources are sampled."""
    words = ["--cores", "2", "--snakefile", str(PROJECT / "Snakefile"), "--directory", str(tmp_path)]
    words += ["results/scores/random-6-5-40.csv", "--config", "backend=emulator", "machine=mine"]
    tables = []
    for shards in (1, 3):
        asked = f"scores={{shards: {shards}, solver: 'betweenness/bitmap-queue:block_size=32'}}"
        status, printed = forked_snakemake.call(PROJECT, *words, asked, environment=os.environ, timeout=200)
        assert status == 0, printed
        tables.append((tmp_path / "results/scores/random-6-5-40.csv").read_bytes())
        (record,) = read_records([tmp_path / "results/scores/random-6-5-40.jsonl"])
        assert record.verified
        assert record.parameters["sources"] == 40
        assert record.observed["shards"] == shards
        assert f"{shards} shards" in printed
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("program", "needed"),
    [
        ("compute_shard", "--graph --shard --shards --backend --output"),
        ("gather_shards", "--graph --backend --shards --scores --record"),
        ("price_betweenness", "--record --solver --target"),
        ("simulate_shards", "--record --solver --name --vertices --arcs --output-prefix"),
    ],
)
def test_programs_of_scores_say_what_they_need(program: str, needed: str, script: Call) -> None:
    line = script(f"retrace_today/scores/{program}.py").refusal(2)
    assert f"required: {', '.join(needed.split())};" in line


@pytest.mark.parametrize("kernel", ["lane-queues", "bitmap-queue,compacted=yes"])
@pytest.mark.parametrize("compacting_pays", [1, 1000])
def test_scores_of_all_gpus_are_the_same_bits(kernel: str, compacting_pays: int, monkeypatch: Patch) -> None:
    """Whether or not the graph is compacted, and some scores follow without a search."""
    monkeypatch.setattr(lanes, "COMPACTING_PAYS", compacting_pays)
    scores_by_devices = []
    for devices in (1, 2, 3):
        with EmulatedDevice() as device:
            spec = f"betweenness/multi-gpu:devices={devices},block_size=32,kernel={kernel}"
            solver = solved(spec, GRAPH, QUERY, device)
            assert isinstance(solver, MultiGpu)
            assert len(solver.crew.workers) == devices
            assert all(worker.process is None for worker in solver.crew.workers)  # only GPUs have one each
            scores_by_devices.append(solver.download())
    np.testing.assert_allclose(scores_by_devices[0], exact_scores(GRAPH), rtol=1e-12)
    assert len({scores.tobytes() for scores in scores_by_devices}) == 1
