"""What `snakemake tune` measures, which values it takes, and that later runs use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from command_line import PROJECT, Call, Patch, refused
from fabricated import WRONG, record
from retrace.planning.configuration import load_configuration, project_keys, tuned_file
from retrace.planning.plan import make_plan
from retrace.records.record import Record, write_records
from retrace.records.sweep import sweep
from retrace.solvers import find, parse

CONFIG = project_keys()
OWN = 256
"""The block size of bfs/bsp by default."""


def block(size: int, time: float, graph: str = "NY", solver: str = "bfs/bsp", **changes: Any) -> Record:
    times = [0.99 * time, time, 1.01 * time]
    given = {"parameters": {"block_size": size}, "experiment": "tune-block-size", "backend": "cuda"}
    return record(solver, graph, times, **(given | changes))


def test_the_value_that_is_best_over_all_solvers_and_graphs() -> None:
    records = [block(OWN, 10), block(64, 5), block(512, 8),
               block(OWN, 10, "NW"), block(64, 40, "NW"), block(512, 8, "NW")]  # fmt: skip
    found = sweep("block_size", records)
    assert found.best == 512
    assert (found.cases, found.costs[OWN], round(found.costs[64], 6)) == (2, 1.0, round(2**0.5, 6))
    assert round(found.costs[512], 6) == 0.8


def test_a_gain_within_the_noise_leaves_the_solvers_own() -> None:
    assert sweep("block_size", [block(OWN, 10), block(64, 9.85)]).best is None
    assert sweep("block_size", [block(OWN, 10), block(64, 9.75)]).best == 64


@pytest.mark.parametrize("bad", [WRONG, {"backend": "emulator"}])
def test_a_value_without_verified_times_of_a_gpu_is_not_taken(bad: dict[str, Any]) -> None:
    found = sweep("block_size", [block(OWN, 10), block(64, 5, **bad), block(512, 9)])
    assert (found.best, sorted(found.costs)) == (512, [OWN, 512])
    other = [block(size, 10 * size, "NW") for size in (OWN, 64, 512)]
    assert sorted(sweep("block_size", [block(OWN, 10), block(64, 5, **bad), *other]).costs) == [OWN]
    assert sweep("block_size", [block(OWN, 10, **bad), block(64, 5)]).best is None


def test_the_entry_is_what_runs_use(tmp_path: Path, script: Call, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results/tune/rtx/tune-block-size/NY.jsonl"
    write_records(path, [block(size, time, machine="rtx") for size, time in {OWN: 10, 64: 5}.items()])
    output = tuned_file("rtx")
    asked = ("--machine", "rtx", "--figures", path.parents[1], "--output", output)
    done = script("tune", "--settings", "block_size", "--records", path, *asked)
    assert done.status == 0, done.err
    costs = f"64; 1 times, over those with the solvers' own: 64: 0.500, {OWN}: 1.000"
    assert done.out == f"tune: block_size: {costs}\n"
    text = Path(output).read_text()
    assert yaml.safe_load(text) == {"block_size": 64}
    assert f"# block_size: {costs}" in text
    assert "block_size" in (path.parents[1] / "tune-block-size.svg").read_text()

    config = CONFIG | {"datasets": str(PROJECT / "datasets.yaml"), "machine": "rtx"}
    assert load_configuration(config)[0].this.settings == {"block_size": 64}
    given = config | {"machines": {"rtx": {"block_size": 128, "memory_gib": 4}}}
    assert load_configuration(given)[0].this.settings == {
        "block_size": 128
    }  # config.yaml's entry goes before
    planned = make_plan(config | {"backend": "emulator"})
    assert "bfs/bsp:block_size=64" in planned.solvers("table-3.3")
    assert planned.tuning.config.this.settings == {}  # a second sweep begins anew
    Path(output).write_text("block_sizes: 64\n")
    assert refused(load_configuration, config).startswith(f"{output}: block_sizes: unknown key")
    Path(output).write_text("[]")
    assert refused(load_configuration, config).startswith(f"{output}: expected")


def test_on_the_emulator_nothing_is_proposed(tmp_path: Path, script: Call, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "r/tune-block-size/NY.jsonl"
    write_records(path, [block(OWN, 10, backend="emulator"), block(64, 5, backend="emulator")])
    asked = ("--machine", "h200", "--figures", tmp_path / "f", "--output", tmp_path / "out.yaml")
    assert script("tune", "--settings", "block_size", "--records", path, *asked).status == 0
    assert yaml.safe_load((tmp_path / "out.yaml").read_text()) is None
    assert "# block_size: no times of a GPU" in (tmp_path / "out.yaml").read_text()


def test_what_is_measured() -> None:
    planned = make_plan(CONFIG | {"backend": "emulator", "machine": "mine"})
    tuned = planned.tuning
    assert list(tuned.experiments) == ["tune-block-size", "tune-blocks", "tune-mdeg"]
    assert tuned.own_records == "results/tune/mine"
    assert tuned.limits("tune-block-size").trials == 5
    assert set(tuned.experiments).isdisjoint(planned.experiments)
    assert not [file for files in planned.targets.values() for file in files if "tune" in file]
    told = "config.tuning.mdeg.solvers: expected values of mdeg, found betweenness/vert without one"
    wrong = {"mdeg": {"solvers": ["betweenness/vert"], "graphs": ["small-9"]}}
    assert refused(make_plan, CONFIG | {"tuning": wrong}).startswith(told)


def test_each_sweep_has_the_solvers_own_value() -> None:
    for key, one in make_plan(CONFIG | {"backend": "emulator"}).config.tuning.items():
        values = {spec.partition(":")[0]: set[object]() for spec in one.specs}
        for spec in one.specs:
            values[spec.partition(":")[0]].add(parse(spec)[1][key])
        assert all(find(name).defaults[key] in found for name, found in values.items())
