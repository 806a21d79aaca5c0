"""The configuration and what follows from it: each wrong value is refused in one line that names its key."""

from __future__ import annotations

import inspect
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from snakemake.cli import parse_config
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.utils import update_config

from command_line import PROJECT, Patch, refused
from cuda_device.errors import OneLineError
from fabricated import WRONG, changed, graph_info, machine_info, record, without_answer
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.graphs import csr
from retrace.graphs.dataset_registry import load_registry
from retrace.planning import experiments, plan, summary
from retrace.planning.configuration import (
    Configuration,
    check_files,
    effective_settings,
    load_configuration,
    project_keys,
    set_for_machine,
)
from retrace.records.record import GraphInfo, Record, write_records
from retrace.solvers import all_solvers
from retrace_generated.write_schemas import MODELS, as_yaml, schema

OUTCOME = "resources/build/peers/gapbs.json"
Config = dict[str, Any]


@pytest.fixture
def config() -> Config:
    return project_keys() | {"backend": "emulator", "machine": "local", "machines": {}}


EXPERIMENT, SOLVERS = "experiments/table-3.3", "experiments/table-3.3/solvers"
CLAIMS = {"claims-mine": {"solvers": ["bfs/bsp"], "graphs": ["NY"]}}


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("", {"colour": "red"}, "colour: unknown key; expected one of machine, "),
        (EXPERIMENT, {"kernels": []}, "experiments.table-3.3.kernels: unknown key"),
        ("", {"seed": ...}, "seed: required, but missing"),
        ("limits/paper", {"longest_s": ...}, "limits.paper.longest_s: required, but missing"),
        ("limits/paper", {"trials": True}, "limits.paper.trials: expected an integer, found True"),
        ("limits/paper", {"trials": 5.0}, "limits.paper.trials: expected an integer, found 5.0"),
        ("limits/paper", {"trials": "5.0"}, "limits.paper.trials: expected an integer, found 5.0"),
        ("limits/paper", {"budget_s": "nan"}, "limits.paper.budget_s: expected a finite number, found nan"),
        ("scores", {"shards": 2.0}, "scores.shards: expected an integer, found 2.0"),
        ("scores", {"shards": "many"}, "scores.shards: expected an integer, found 'many'"),
        ("machines", {"a": {"mdeg": False}}, "machines.a.mdeg: expected an integer, found False"),
        ("machines", {"a": {"blocks": 10**400}}, "machines.a.blocks: expected less than 2147483648, found "),
        ("scores", {"check": "perhaps"}, "scores.check: expected true or false, found 'perhaps'"),
        ("", {"limits": {}}, "limits.default: expected the limits of this scale"),
        ("", {"trials": "abc"}, "trials: expected an integer, found 'abc'"),
        ("", {"trials": True}, "trials: expected an integer, found True"),
        ("", {"trials": 0}, "trials: expected at least 1, found 0"),
        ("", {"budget_s": -1}, "budget_s: expected more than 0, found -1"),
        ("scores", {"solver": "betweenness/vert"},
         "scores.solver: betweenness/vert: adds up no scores in fixed point; expected one with "),
        ("scores", {"shards": 0}, "scores.shards: expected at least 1, found 0"),
        ("", {"offline": "maybe"}, "offline: expected 'stand-in' or 'fail', found 'maybe'"),
        ("", {"machine": "../up"}, "machine: expected text of the form "),
        ("", {"machines": ["h200"]}, "machines: expected a mapping, found "),
        ("machines", {"h200": {"block_sizes": 64}},
         "machines.h200.block_sizes: unknown key; did you mean block_size? expected one of block_size, "),
        ("machines", {"h200": {"block_size": "4096"}},  # as --config gives it
         "machines.h200.block_size: expected at most 1024, found 4096"),
        ("machines", {"h200": {"compute_capability": "sm_90"}},
         "machines.h200.compute_capability: expected one of 5.0, 5.2, "),
        ("machines", {"h200": {"block_size": 100}},
         "machines.h200.block_size: expected a multiple of 32, found 100"),
        ("", {"machine": "x\n"}, "machine: expected text of the form "),
        ("", {"machine": "x" * 5000}, "machine: expected at most 100 characters, found 'xxx"),
        ("", {"trials": 1000.0}, "trials: expected an integer, found 1000.0"),
        ("", {"trials": 10**400}, "trials: expected "),
        ("", {"seed": 1e308}, "seed: expected an integer, found 1e+308"),
        ("", {"seed": 10**400}, "seed: expected "),
        ("", {"budget_s": float("nan")}, "budget_s: expected a finite number, found nan"),
        ("", {"budget_s": float("inf")}, "budget_s: expected a finite number, found inf"),
        (SOLVERS, "bfs/bsp:block_size=64\n",
         r"experiments.table-3.3.solvers: bfs/bsp:block_size=64\n: block_size: '64\n' is not an integer"),
        (f"{EXPERIMENT}/graphs", "random-14-5\n", r"experiments.table-3.3.graphs: no graph random-14-5\n; "),
        ("machines", {"a": {}, "b": {"records": "results/machines/a"}},
         "machines.b.records: expected another folder than that of a"),
        (SOLVERS, "bfs/best", "experiments.table-3.3.solvers: no solver is called bfs/best"),
        (SOLVERS, {"solver": "bfs/bsp", "blocksize": [1, 2]},
         "experiments.table-3.3.solvers: bfs/bsp:blocksize=1: bfs/bsp has no setting 'blocksize'"),
        (SOLVERS, {"block_size": 1}, "experiments.table-3.3.solvers[2].solver: required, but missing"),
        (SOLVERS, "bfs/bsp", "experiments.table-3.3.solvers: expected each item once, found bfs/bsp twice"),
        (SOLVERS, "sssp/bsp",
         "experiments.table-3.3.solvers: bfs/bsp and sssp/bsp would stand under one name; give each "),
        (SOLVERS, "generate/tree-first",
         "experiments.table-3.3.solvers: expected generators, solvers of limits, or others, found several"),
        (f"{EXPERIMENT}/graphs", "Mars", "experiments.table-3.3.graphs: no graph Mars; expected BAY, "),
        (f"{EXPERIMENT}/graphs", "random-999999999-5", "experiments.table-3.3.graphs: no graph random-9999"),
        (f"{EXPERIMENT}/graphs", "random-٣-5", "experiments.table-3.3.graphs: no graph random-٣-5; "),
        (f"{EXPERIMENT}/graphs", "hub-32-5", "experiments.table-3.3.graphs: hub-32-5: 4294967296 vertices: "),
        (f"{EXPERIMENT}/graphs", "random-3-8", "experiments.table-3.3.graphs: random-3-8: 8 arcs per vertex"),
        (f"{EXPERIMENT}/graphs", "random-3-0", "experiments.table-3.3.graphs: random-3-0: 0 arcs per vertex"),
        (f"{EXPERIMENT}/graphs", "random-3-1-9", "experiments.table-3.3.graphs: random-3-1-9: 9 sources: "),
        (f"{EXPERIMENT}/larger_graphs", "dense-0", "experiments.table-3.3.larger_graphs: dense-0: "),
        ("experiments/generators", {"graphs": ["NY"]},
         "experiments.generators.graphs: no graph NY; expected a random graph such as random-14-5"),
        ("experiments", CLAIMS, "experiments: expected another name than claims-mine"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(config: Config, place: str, value: Any, told: str) -> None:
    spoiled: Any = config
    for key in place.split("/") if place else ():
        spoiled = spoiled[key]
    if isinstance(spoiled, list):
        spoiled.append(value)
    else:
        spoiled.update(value)
        for key in [key for key, given in spoiled.items() if given is ...]:
            del spoiled[key]
    assert refused(plan.make_plan, config).startswith(f"config.{told}")


def test_files_of_a_configuration_are_yaml(tmp_path: Path) -> None:
    sound, tab, twice, json = (tmp_path / name for name in ("a.yaml", "b.yaml", "c.yaml", "d.json"))
    sound.write_text("a: &a {x: 1}\nb: &b {y: 2}\nboth:\n  <<: *a\n  <<: *b\n")
    tab.write_text("machines:\n\trtx: {}\n")
    twice.write_text("machines:\n  rtx: {}\n  rtx: {}\n")
    json.write_text('{\n\t"trials": 3\n}')
    check_files([sound, json])
    assert refused(check_files, [sound, tab]).startswith(f"{tab}: expected YAML, found: ")
    assert "the key 'rtx' twice in one mapping" in refused(check_files, [twice])


def test_a_registry_that_is_missing_is_named(config: Config) -> None:
    with pytest.raises(OneLineError, match=r"^mine.yaml: no such file; expected a registry "):
        plan.make_plan(config | {"datasets": "mine.yaml"})


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd"])
def test_an_edition_is_a_file_of_the_project(tmp_path: Path, path: str) -> None:
    registry = yaml.safe_load((PROJECT / "datasets.yaml").read_text())
    registry["small-6"]["editions"][0]["path"] = path
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(registry))
    told = f"editions[0].path: expected a file of the project, found {path}"
    assert told in refused(load_registry, [tmp_path / "mine.yaml"])


def test_the_source_of_gapbs_is_had_for_what_calls_it(config: Config) -> None:
    made = plan.make_plan(config)
    calling = [name for name in ("table-3.3", "table-3.4", "table-3.5") if OUTCOME in made.targets[name]]
    assert calling == ["table-3.3", "table-3.5"]  # if it is deleted, a run gets it again
    called = ["kernels/retrace_peers/bfs.cpp" in made.kernels(name) for name in ("table-3.3", "table-3.4")]
    assert called == [True, False]


def test_libraries_are_added_to_an_experiment_whose_solvers_are_not_configured(config: Config) -> None:
    shipped = config["experiments"]["table-3.3"]

    def specs(**changes: Any) -> list[str]:
        configured = config["experiments"] | {"table-3.3": shipped | changes}
        return plan.make_plan(config | {"experiments": configured}).experiments["table-3.3"].specs

    libraries = ["bfs/scipy", "bfs/igraph", "bfs/networkit", "bfs/gapbs"]
    assert specs(graphs=["small-6"]) == [*shipped["solvers"], *libraries]
    assert specs(solvers=["bfs/queue", "bfs/gapbs"]) == ["bfs/queue", "bfs/gapbs"]


def test_what_uses_thrust_is_compiled_before_its_experiments(config: Config) -> None:
    made = plan.make_plan(config)
    assert [Path(path).name for path in made.thrust_kernels] == ["sssp_thrust.cpp"]
    before = {name for name in made.experiments if made.compiled_before(name) == [plan.THRUST]}
    assert before == {
        name
        for name, experiment in made.experiments.items()
        if any(spec.startswith("sssp/thrust") for spec in experiment.specs)
    }
    assert "table-2" in before


def test_matrices_are_multiplied_out_in_order(config: Config) -> None:
    matrix = {"solver": ["betweenness/vert", "betweenness/edge:batch=9"], "blocks": [1, 2], "block_size": 64}
    config["experiments"] = {"mine": {"solvers": ["betweenness/igraph", matrix], "graphs": ["small-6"]}}
    assert plan.make_plan(config).solvers("mine") == [
        "betweenness/igraph",
        "betweenness/vert:blocks=1,block_size=64",
        "betweenness/vert:blocks=2,block_size=64",
        "betweenness/edge:batch=9,blocks=1,block_size=64",
        "betweenness/edge:batch=9,blocks=2,block_size=64",
    ]


@pytest.mark.parametrize(
    ("spec", "laid"),
    [("bfs/queue", "bfs/queue"), ("bfs/bsp", "bfs/bsp:block_size=64"),
     ("betweenness/vert:blocks=33", "betweenness/vert:blocks=33,block_size=64"),
     ("betweenness/vert-virt", "betweenness/vert-virt:block_size=64,blocks=8,mdeg=2")],
)  # fmt: skip
def test_a_machines_settings_leave_those_of_an_experiment(spec: str, laid: str) -> None:
    machine = on_machine(block_size=64, blocks=8, mdeg=2)
    assert set_for_machine(spec, machine, "cuda") == laid


def on_machine(**block: Any) -> Configuration:
    """Return the project's configuration for a machine with such a block."""
    return load_configuration(project_keys() | {"machine": "mine", "machines": {"mine": block}})[0]


def test_a_machines_setting_is_at_most_what_a_solver_may_have() -> None:
    """Or a tuned block size would leave machines without our own searches, which the catalogue knows."""
    machine = on_machine(block_size=1024)
    for spec, size in (("bfs/direction", 768), ("sssp/near-far:registers=32", 768), ("bfs/bsp", 1024)):
        assert CATALOGUE.parse(set_for_machine(spec, machine, "cuda"))[1]["block_size"] == size
    cut = effective_settings("bfs/direction", machine, "cuda")["block_size"]
    assert cut.origin == "machines.mine, cut from 1024 to the most it takes"


def test_each_setting_says_where_it_is_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/tune").mkdir(parents=True)
    (tmp_path / "results/tune/mine.yaml").write_text("blocks: 33\nmdeg: 2\n")
    machine = on_machine(mdeg=16)
    for backend, threads in (("cuda", "the solver's own"), ("emulator", "the emulator's limit")):
        settings = effective_settings("betweenness/vert-virt:batch=9", machine, backend)
        assert {key: (setting.value, setting.origin) for key, setting in settings.items()} == {
            "blocks": (33, "results/tune/mine.yaml"),
            "block_size": (1024 if backend == "cuda" else 256, threads),
            "batch": (9, "its name"),
            "precision": ("double", "the solver's own"),
            "streams": (4, "the solver's own"),
            "mdeg": (16, "machines.mine"),
        }
    block = on_machine(block_size=512)
    assert effective_settings("bfs/bsp", block, "emulator")["block_size"].origin == "machines.mine"
    small = effective_settings("bfs/bsp", on_machine(), "emulator")["block_size"]
    assert (small.value, small.origin) == (256, "the solver's own")


def test_what_a_machine_sets_reaches_its_commands(config: Config) -> None:
    config["machines"] = {"mine": {"block_size": 64, "memory_gib": 8, "compute_capability": 8.9}}
    planned = plan.make_plan(config | {"machine": "mine"})
    assert planned.solvers("table-3.3")[:2] == ["bfs/queue", "bfs/bsp:block_size=64"]
    limits = {"--memory-gib": "8.0", "--compute-capability": "8.9"}
    words = planned.measuring("table-3.3")
    assert limits.items() <= dict(pairwise(words)).items()
    assert plan.make_plan(config).solvers("table-3.3")[1] == "bfs/bsp"
    assert limits.keys().isdisjoint(plan.make_plan(config).measuring("table-3.3"))


def test_limits_are_those_of_the_scale_the_experiment_or_the_command(config: Config) -> None:
    def longest(**given: Any) -> list[float]:
        planned = plan.make_plan(config | given)
        return [planned.limits(experiment).longest_s for experiment in ("table-3.3", "table-3.5")]

    config["limits"] = {
        "default": {"trials": 5, "budget_s": 10, "longest_s": 10},
        "paper": {"trials": 10, "budget_s": 30, "longest_s": 30},
    }
    config["experiments"]["table-3.5"]["longest_s"] = {"paper": 300}
    assert longest() == [10, 10]
    assert longest(scale="paper") == [30, 300]
    assert longest(scale="paper", longest_s=7) == [7, 7]
    config["experiments"]["table-3.5"] |= {"least_trials": {"paper": 9}, "budget_s": {"default": 4}}
    small, large = (
        plan.make_plan(config | {"scale": scale}).limits("table-3.5") for scale in ("default", "paper")
    )
    assert [(one.least_trials, one.budget_s) for one in (small, large)] == [(3, 4), (9, 30)]
    assert plan.make_plan(config | {"least_trials": 5}).limits("table-3.5").least_trials == 5
    config["limits"]["paper"]["rounds"] = 3
    for given, rounds in (({"scale": "default"}, 1), ({"scale": "paper"}, 3), ({"rounds": 2}, 2)):
        words = plan.make_plan(config | given).measuring("table-3.3")
        assert words[words.index("--rounds") + 1] == str(rounds)


GIVEN = "{sources: {default: 5}, energy: {default: 1.5}, budget_s: {default: 7}, least_trials: {paper: 9}}"
"""Settings by scale, of which the experiments have others."""


@pytest.mark.parametrize("experiment", ["table-3.3", "fast-bfs"])
@pytest.mark.parametrize("by", ["command line", "second file"])
def test_a_setting_of_a_scale_is_given_as_it_is_in_experiments_yaml(
    config: Config, experiment: str, by: str
) -> None:
    """Of an experiment of experiments.yaml, and of one that a package has."""
    if experiment == "table-3.3":
        config["experiments"][experiment]["sources"] = {"default": 4, "paper": 64}
    before = load_configuration(config)[0].experiments[experiment]
    text = f"{{{experiment}: {GIVEN}}}"
    given = (
        parse_config([f"experiments={text}"])
        if by == "command line"
        else {"experiments": yaml.safe_load(text)}
    )
    update_config(config, given)
    assert load_configuration(config)[0].experiments[experiment] == before.model_copy(
        update={
            "sources": {"default": 5, "paper": 64},
            "energy": {**before.energy, "default": 1.5},
            "budget_s": {**before.budget_s, "default": 7},
            "least_trials": {"paper": 9},
        }
    )


@pytest.mark.parametrize("experiment", ["table-3.3", "fast-bfs"])
@pytest.mark.parametrize(
    ("given", "told"),
    [("{sources: 4}", "sources: expected a mapping, found 4"),
     ("{sources: {default: few}}", "sources.default: expected an integer, found 'few'"),
     ("{sources: {quick: 4}}", "sources.quick: expected 'default' or 'paper', found 'quick'"),
     ("{energy: {default: 0}}", "energy.default: expected more than 0, found 0"),
     ("{setups: {default: 4}}", "setups: expected an integer, found {'default': 4}")],
)  # fmt: skip
def test_what_cannot_be_merged_is_named(config: Config, experiment: str, given: str, told: str) -> None:
    update_config(config, parse_config([f"experiments={{{experiment}: {given}}}"]))
    assert refused(load_configuration, config) == f"config.experiments.{experiment}.{told}"


def test_each_round_has_a_source(config: Config) -> None:
    """Or the plan says which key of which experiment has too few, and no job fails."""
    config["experiments"]["table-3.3"]["sources"] = {"default": 4, "paper": 64}
    plan.make_plan(config | {"rounds": 4})
    said = refused(plan.make_plan, config | {"rounds": 5})
    assert said.endswith(
        "experiments.table-3.3.sources.default: expected at least one for each of 5 rounds, found 4"
    )


def test_an_experiment_draws_sources_and_measures_energy_by_scale(config: Config) -> None:
    config["experiments"]["table-3.3"] |= {"sources": {"default": 4, "paper": 64}, "energy": {"paper": 2}}
    for scale, expected in (("default", ["4"]), ("paper", ["64", "2"])):
        words = plan.make_plan(config | {"scale": scale}).measuring("table-3.3")
        keys = [key for key in ("--sources", "--energy-s") if key in words]
        assert [words[words.index(key) + 1].removesuffix(".0") for key in keys] == expected
    assert "--sources" not in plan.make_plan(config).measuring("table-3.5")
    solvers = config["experiments"]["table-3.3"]["solvers"]
    config["experiments"]["table-3.3"]["solvers"] = ["bellman-ford/scipy"]
    told = refused(plan.make_plan, config)
    expected = "expected solvers of bfs or sssp or stcon or betweenness alone"
    assert f"table-3.3.sources: {expected}, found bellman-ford" in told
    config["experiments"]["table-3.3"] |= {"solvers": solvers, "sources": {"paper": 0}}
    assert "table-3.3.sources.paper: expected at least 1" in refused(plan.make_plan, config)


def sound(graph: str | GraphInfo, machine: str) -> Record:
    """Fabricate a record that no check refuses."""
    return record("bfs/queue", graph, machine=machine, setup=1.0, copies=0.01)


def test_records_of_other_machines_are_used(config: Config, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    (edition,) = load_registry([str(PROJECT / "datasets.yaml")])["NY"].editions
    new_york = graph_info("NY", edition=edition.name, sha256=edition.arrays_sha256)
    write_records(tmp_path / "elsewhere/table-3.3/NY.jsonl", [sound(new_york, "other")])
    config["machines"] = {"other": {"records": str(tmp_path / "elsewhere")}, "new": None}
    found = plan.make_plan(config | {"machine": "new"}).records("table-3.3")
    graphs = ("small-6", "small-9", "NY", "NW")
    own = [f"results/machines/new/table-3.3/{graph}.jsonl" for graph in graphs]
    assert found == [f"{tmp_path}/elsewhere/table-3.3/NY.jsonl", *own]


@pytest.mark.parametrize("name", ["h200", "local"])
def test_a_folder_of_records_is_its_machines(
    config: Config, name: str, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Also one that config.yaml names, and whose path says of no machine."""
    monkeypatch.chdir(tmp_path)
    write_records(tmp_path / "elsewhere/table-3.3/NY.jsonl", [sound("NY", name)])
    config["machines"] = {"other": {"records": str(tmp_path / "elsewhere")}}
    told = "elsewhere/table-3.3/NY.jsonl:1: machine.name: expected other, as the path says, found "
    assert refused(plan.make_plan, config) == f"{tmp_path}/{told}{name}"


def test_an_emulator_never_replaces_a_gpus_records(config: Config, monkeypatch: Patch) -> None:
    monkeypatch.chdir(PROJECT)
    config.update(machines={"h200": {}})
    assert plan.make_plan(config)
    config.update(machine="h200")
    with pytest.raises(OneLineError, match="h200 has records of the NVIDIA H200, which"):
        plan.make_plan(config)


def test_backends(config: Config, monkeypatch: Patch) -> None:
    monkeypatch.setattr(plan, "cuda_status", lambda: "there is no driver")
    assert plan.make_plan(config | {"backend": "auto"}).backend == "emulator"
    asked = plan.make_plan(config | {"backend": "cuda"})  # the GPU may be another computer's
    assert (asked.backend, asked.why_no_gpu) == ("cuda", None)
    with pytest.raises(OneLineError, match=r"config.backend: cuda cannot be used \(there is no driver\)"):
        plan.check_place(asked, here=True, cores=4)
    monkeypatch.setattr(plan, "cuda_status", lambda: None)
    plan.check_place(asked, here=True, cores=4)
    assert plan.make_plan(config | {"backend": "auto"}).backend == "cuda"
    assert plan.make_plan(config).backend == "emulator"


def test_a_cluster_is_told_its_backend_and_no_cores(config: Config) -> None:
    for backend in ("cuda", "emulator"):  # whether this computer has a GPU is no matter
        plan.check_place(plan.make_plan(config | {"backend": backend}), here=False, cores=None)
    planned = plan.make_plan(config | {"backend": "auto"})
    told = refused(plan.check_place, planned, here=False, cores=None)
    assert told == "config.backend: auto looks for a GPU on this computer; expected cuda or emulator"
    told = refused(plan.check_place, plan.make_plan(config), here=False, cores=1)
    assert told.startswith("--cores: 1 is for jobs on this computer; use --jobs")


def test_a_named_machine_is_warned_of_a_tree_with_changes(config: Config, monkeypatch: Patch) -> None:
    """Its records would be refused after hours; those of `local` enter no table of others."""
    monkeypatch.setenv("RETRACE_COMMIT", f"{'0' * 40}-dirty")
    told = plan.warning(plan.make_plan(config | {"machine": "rtx"}))
    assert told == (
        "warning: the project has uncommitted changes, so what is measured now keeps the records of rtx out "
        "of the tables; commit config.yaml and the other changes first"
    )
    assert plan.warning(plan.make_plan(config)) is None
    monkeypatch.setenv("RETRACE_COMMIT", "0" * 40)
    assert plan.warning(plan.make_plan(config | {"machine": "rtx"})) is None


def test_a_record_of_a_setting_that_is_gone_is_deleted(
    config: Config, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Who renames a setting of a new kernel is told how to go on."""
    monkeypatch.chdir(tmp_path)
    path = Path("results/machines/local/table-3.3/NY.jsonl")
    write_records(path, [record("bfs/queue", "NY", machine="local")])
    path.write_text(path.read_text().replace('"parameters":{', '"parameters":{"width":4'))
    told = refused(plan.make_plan, config)
    assert told.startswith(f"{path}:1: parameters: width: bfs/queue has no such parameter")
    assert told.endswith("; delete the file, and it is measured again")


def test_a_stored_stand_in_is_refused(config: Config, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    info = {"name": "NY", "origin": "stand-in", "vertices": 4, "arcs": 6}
    csr.save_missing(info, "no room", tmp_path / "resources/graphs/NY")
    assert plan.make_plan(config).stand_ins == ["NY"]
    with pytest.raises(
        OneLineError,
        match=r"for NY; rm -rf resources/graphs/NY results/machines/local/\*/NY.jsonl, and run again",
    ):
        plan.make_plan(config | {"offline": "fail"})


@pytest.fixture
def alone(monkeypatch: Patch) -> None:
    """Leave out the experiments of packages."""
    monkeypatch.setattr(experiments, "declared_files", lambda *_, **__: [])


@pytest.mark.usefixtures("alone")
def test_any_name_is_an_experiment_with_a_table_and_a_figure(config: Config) -> None:
    config["experiments"] = {"my.own-2": {"solvers": ["sssp/scipy"], "graphs": ["small-6"]}}
    planned = plan.make_plan(config)
    table, verification = (
        [f"results/tables/{name}.{form}" for form in ("csv", "md", "html")]
        for name in ("my.own-2", "verification")
    )
    figure = [f"results/figures/my.own-2.{form}" for form in ("svg", "png", "md")]
    own = ["results/machines/local/my.own-2/small-6.jsonl"]
    assert planned.targets == {
        "my.own-2": table + own + figure,
        "verification": verification,
        "page": ["results/report/index.html"],
    }
    assert planned.report_files("my.own-2") == []


@pytest.mark.usefixtures("alone")
def test_a_report_has_its_tables_figures_and_claims(config: Config) -> None:
    config["experiments"] = {"bellman-ford-edges": {"solvers": ["sssp/scipy"], "graphs": ["small-6"]}}
    planned = plan.make_plan(config)
    figures = {f"bellman-ford-{end}" for end in ("edges-size", "edges-count")}  # and not all of its table
    assert planned.figures == dict.fromkeys(figures, "bellman-ford-edges")
    made = {Path(path).stem for path in planned.targets["an-bellman-ford"]}
    assert made == {"bellman-ford-edges", "claims-an-bellman-ford", *figures, "small-6"}
    assert planned.targets.keys() | {"small-6"} == made | {
        *("an-bellman-ford", "claims-summary", "verification", "page")
    }
    assert planned.judged == ["an-bellman-ford"]
    stored = "results/machines/local/bellman-ford-edges/small-6.jsonl"
    assert planned.report_records("an-bellman-ford") == [stored]
    assert {Path(path).stem for path in planned.report_files("bellman-ford-edges")} == {"an-bellman-ford"}


def test_a_job_shares_the_machine_if_none_of_its_times_is_shown(config: Config, monkeypatch: Patch) -> None:
    def sharing(backend: str) -> set[str]:
        return {job.name for job in plan.make_plan(config | {"backend": backend}).jobs if not job.is_timed}

    emulated = sharing("emulator")
    assert {"brandes-mdeg", "bellman-ford-edges"} <= emulated
    assert not {"table-3.3", "generators", "bellman-ford-sparse", "brandes-variants"} & emulated
    monkeypatch.setattr(plan, "cuda_status", lambda: None)
    assert sharing("cuda") == set()


def test_snakemake_can_run_without_a_limit_of_jobs_per_second() -> None:
    """What the Snakefile sets to None is asked for, and may be None."""
    assert "if self.job_rate_limiter is None" in inspect.getsource(JobScheduler)


@pytest.mark.parametrize(("gpus", "measured"), [(0, False), (1, False), (2, True), (3, True), (None, True)])
def test_larger_graphs_wait_for_as_many_gpus(
    config: Config, monkeypatch: Patch, gpus: int | None, measured: bool
) -> None:
    """Without a GPU here, jobs with `backend: cuda` run on another computer."""
    monkeypatch.setattr(plan, "cuda_available", lambda: bool(gpus))
    monkeypatch.setattr(plan, "visible_gpus", lambda: ["a GPU"] * (gpus or 0))
    monkeypatch.setattr(plan, "cuda_status", lambda: None if gpus else "no device")
    asked = {"scale": "paper", "backend": "emulator" if gpus == 0 else "cuda"}
    by_gpus = {
        "solvers": ["betweenness/vert"], "graphs": ["random-6-5"],
        "larger_graphs": ["Gowalla", "random-22-16-1024"], "gpus": 2,
    }  # fmt: skip
    experiments = {"by-gpus": by_gpus, "by-one": by_gpus | {"larger_graphs": ["Gowalla"], "gpus": 0}}
    planned = plan.make_plan(config | asked | {"experiments": config["experiments"] | experiments})
    several = planned.graphs("by-gpus")
    assert several == (["random-6-5", "Gowalla", "random-22-16-1024"] if measured else ["random-6-5"])
    assert ("random-22-16-1024" in planned.sparse) == measured
    assert "Gowalla" in planned.graphs("by-one")
    assert "random-22-16-1024" in planned.graphs("by-gpus", scale="paper")


def test_all_road_graphs_are_searched_for_each_table_of_times_against_size(
    config: Config, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(plan, "cuda_available", lambda: False)
    planned = plan.make_plan(config | {"scale": "paper"})
    bfs, stcon, sssp = ({*planned.graphs(f"table-3.{number}")} for number in (3, 4, 5))
    assert {"NY", "NW", "BAY", "USA"} < bfs == stcon == sssp


def test_larger_graphs_are_measured_by_jobs_of_their_own(config: Config, monkeypatch: Patch) -> None:
    def jobs(scale: str) -> list[tuple[str, tuple[str, ...], list[str]]]:
        planned = plan.make_plan(config | {"scale": scale})
        mine = [job for job in planned.jobs if job.experiment in ("hubs", "generators")]
        return [(job.name, job.graphs, job.stored) for job in mine]

    small = ("random-10-5", "hub-10-5", "random-10-1023")
    stored = [f"resources/graphs/{graph}" for graph in small]
    hubs, generators = ("hubs", small, stored), ("random-14-5", "random-16-5", "random-16-50")
    assert jobs("default") == [hubs, ("generators", generators, [])]
    whole = jobs("paper")
    assert [job for job in whole if "/" not in job[0]] == jobs("default")
    larger = ("random-20-5", "random-20-50")
    assert ("generators/larger", larger, []) in whole
    (apart,) = [job for job in whole if job[0] == "hubs/larger"]
    assert "hub-12-5" in apart[1]
    assert apart[2] == ["resources/graphs/{graph}"]  # a process for each
    monkeypatch.setattr(plan, "cuda_status", lambda: None)
    config["backend"] = "cuda"
    assert [job for job in jobs("paper") if job[0].startswith("generators")] == [
        ("generators", generators + larger, [])
    ]


def test_one_warning_names_all_that_is_not_as_it_should_be(config: Config, monkeypatch: Patch) -> None:
    found = {
        "BAY": {"missing": "its file could not be had"},
        "random-25-5": {"missing": "needs 3 GiB"},
        "NY": {"weights": "file", "origin": "dimacs"},
        "NY-uniform": {"weights": "generated", "origin": "dimacs"},  # as it should be
        "NW": {"weights": "generated", "origin": "dimacs"},
        "COL": {"weights": "generated", "origin": "stand-in"},
        "Gowalla": {"weights": "none", "origin": "stand-in"},
    }
    monkeypatch.setattr(summary, "info_if_stored", lambda graph: found.get(graph, {}))
    mine = {"solvers": ["bfs/queue"], "graphs": ["NY", "Gowalla"]}  # others are asked for beside the plan
    planned = plan.make_plan(config | {"experiments": {"mine": mine}})
    files = [f"resources/graphs/{graph}" for graph in found]
    lacking = ("BAY", "COL", "Gowalla", "NW", "random-25-5")
    folders = " ".join(f"resources/graphs/{graph}" for graph in lacking)
    measured = " ".join(f"results/machines/local/*/{graph}.jsonl" for graph in lacking)
    assert summary.closing_words(planned, files).splitlines()[1:] == [
        "WARNING: BAY: missing (its file could not be had); "
        "COL, Gowalla: could not be had, and generated graphs of the same size are used instead; "
        "NW: without its own weights, for which generated ones are used; "
        f"random-25-5: missing (needs 3 GiB). To try again: rm -rf {folders} {measured}, and run again. "
        "The logs say what was tried."
    ]
    assert summary.closing_words(planned, ["resources/graphs/NY"]) == "Retrace: done."
    found["NW"]["edition"] = planned.datasets["NW"].editions[0].name  # no other file is to be had
    told = summary.closing_words(planned, ["resources/graphs/NW"])
    assert "`weighted: false`" in told
    assert "To try again" not in told
    monkeypatch.setattr(summary, "missing_library", lambda _: "GAPBS")
    (_, told_of_peer) = summary.closing_words(planned, [OUTCOME]).splitlines()
    assert told_of_peer == (
        f"WARNING: GAPBS: not there, and its solvers are skipped. To try again: rm -rf {OUTCOME}, "
        "and run again. The logs say what was tried."
    )


@pytest.mark.usefixtures("alone")
def test_the_number_of_rules_does_not_grow_with_graphs(config: Config) -> None:
    """Snakemake's planning takes the square of it: a thousand graphs are planned in seconds."""
    graphs = [f"random-12-{arcs}" for arcs in range(1, 1001)]
    experiment = {"solvers": ["bfs/queue"], "graphs": graphs[:1], "larger_graphs": graphs[1:]}
    planned = plan.make_plan(config | {"scale": "paper", "experiments": {"mine": experiment}})
    assert [job.name for job in planned.jobs] == ["mine", "mine/larger"]
    assert len(planned.measured("mine")) == 1000


def test_only_the_emulator_is_kept_from_large_graphs(config: Config, monkeypatch: Patch) -> None:
    def limit(config: Config) -> list[str]:
        words = plan.make_plan(config).measuring("table-3.3")
        return [word for option, word in pairwise(words) if option == "--emulated-vertices"]

    assert limit(config) == ["500000"]
    assert limit(config | {"emulated_vertices": 7}) == ["7"]
    assert limit(config | {"scale": "paper"}) == []
    monkeypatch.setattr(plan, "cuda_status", lambda: None)
    assert limit(config | {"backend": "cuda"}) == []


def test_an_experiment_depends_on_its_own_solvers(config: Config, monkeypatch: Patch) -> None:
    planned = plan.make_plan(config)

    def kernels(experiment: str) -> set[str]:
        return {path.partition("kernels/")[2] for path in planned.kernels(experiment)}

    def modules(experiment: str) -> set[str]:
        return {path.partition("scripts/retrace/")[2] for path in planned.modules(experiment)}

    assert modules("table-3.3") >= {"solvers/bfs.py", "solvers/peer.py", "measure/trials.py"}
    assert not modules("table-3.3") & {"solvers/sssp.py", "solvers/bellman_ford/masked.py"}
    assert not {path for path in modules("table-3.3") if path.startswith(("publish/", "planning/"))}
    stages = {path for path in modules("table-3.3") if path.startswith("stages/")}
    assert stages == {"stages/measure_experiment.py"}
    assert "solvers/betweenness/sequential.py" in modules("brandes-crossover")
    ours = {"bfs/bsp.cu", "host/bfs_queue.cpp", "host/graph.h"}
    assert kernels("table-3.3") >= {*ours, "cuda_on_cpu/scheduler/launch.cpp"}
    assert "bellman-ford/sum.h" in kernels("bellman-ford-direction")
    monkeypatch.setattr(plan, "cuda_status", lambda: None)
    planned = plan.make_plan(config | {"backend": "cuda"})
    assert kernels("table-3.3") >= ours
    assert not {
        path for path in kernels("table-3.3") if path.startswith(("cuda_on_cpu/", "sssp/", "host/sssp"))
    }


def test_a_run_says_which_answers_of_its_own_code_are_wrong(config: Config, monkeypatch: Patch) -> None:
    planned = plan.make_plan(config)
    path = planned.measured("table-3.3")[0]
    here = machine_info(planned.config.machine)
    wrong = changed(record("bfs/bsp", "NY", **WRONG), machine=here)
    failed = changed(without_answer("bfs/queue", "NY", "failed", "it stopped"), machine=here)
    for faulty, told in (
        ([], None),
        ([wrong], "bfs/bsp on NY: wrong or failed"),
        ([wrong, failed], "bfs/bsp on NY and 1 more: wrong or failed"),
        ([changed(wrong, machine=machine_info("h200"))], None),
        ([changed(wrong, solver="bfs/scipy"), without_answer("bfs/bsp", "NY", "skipped", "no GPU")], None),
    ):
        monkeypatch.setattr(summary, "records_among", lambda *_, found=faulty: found)
        said = summary.fault(planned, [path])
        assert said is None if told is None else str(said).startswith(told)


def test_a_file_of_the_project_that_is_missing_is_told_before_a_run(config: Config, tmp_path: Path) -> None:
    registry = tmp_path / "mine.yaml"
    text = (PROJECT / "datasets.yaml").read_text()
    entry = yaml.safe_load(text)["small-9"]
    entry["editions"][0]["path"] = "workflow/graphs/none.he"
    registry.write_text(yaml.safe_dump({"mine": entry}))
    mine = {"solvers": ["bfs/queue"], "graphs": ["mine"]}
    asked = config | {"datasets": ["datasets.yaml", str(registry)], "experiments": {"mine": mine}}
    with pytest.raises(
        OneLineError, match=r"^mine: path: expected a file of the project, found none at work"
    ):
        plan.make_plan(asked)


def test_the_summary_counts_the_answers_that_other_machines_lack() -> None:
    here = without_answer("bfs/bsp", "NY", "skipped", "too slow", machine="local")
    there = changed(here, machine=machine_info("h200"))
    failed = changed(there, verified=None, status="failed", reason="no memory")
    again = changed(here, solver="bfs/block-queue")
    wrong = record("bfs/queue", "NY", machine="local", **WRONG)
    elsewhere = [there, there, failed, record("bfs/queue", "NY", **WRONG), record("bfs/scipy", "NY", **WRONG)]
    words = summary.say_outcomes([here, *elsewhere, again, wrong], "local")
    assert words[0].startswith("0 of 8 answers verified")
    where = f"bfs/bsp on {here.label}"
    assert words[1:] == [
        f"SKIPPED: {where}, local and 1 more: too slow",
        f"DIFFERS: bfs/queue on {here.label}, local: vertex 3: 4, expected 5",
        "SKIPPED: 2 by h200, whose committed records say why.",
        "FAILED: 1 by h200, whose committed records say why.",
        "DIFFERS: 2 by h200, whose committed records say why.",
    ]


@pytest.mark.parametrize("name", MODELS)
def test_the_schemas_are_those_of_the_models(name: str) -> None:
    file = PROJECT / f"workflow/schemas/{name}.schema.yaml"
    assert file.read_text() == as_yaml(schema(name)), "run make schemas"


def test_the_schema_of_records_has_the_settings_of_all_solvers() -> None:
    declared = schema("record")["properties"]["parameters"]["properties"]
    for kind in all_solvers():
        for key, setting in kind.settings.items():
            shown = declared[key]
            assert shown["description"] == setting.meaning
            if setting.choices:
                assert tuple(shown["enum"]) == setting.choices
            else:
                bounds = (shown["type"], shown["minimum"], shown["maximum"])
                assert bounds == ("integer", setting.least, setting.most)


def test_committed_records_are_valid_against_the_schema() -> None:
    validator = Draft202012Validator(schema("record"))
    folders = [path for path in (PROJECT / "results/machines/h200").iterdir() if path.is_dir()]
    assert folders
    for folder in folders:
        file = min(folder.glob("*.jsonl"), key=lambda path: path.stat().st_size)
        for line in file.read_text().splitlines():
            validator.validate(json.loads(line))


def test_the_schema_of_records_refuses_settings_out_of_bounds() -> None:
    validator = Draft202012Validator(schema("record"))
    value = json.loads(record("bfs/bsp", "NY").model_dump_json())
    assert validator.is_valid(value)
    assert not validator.is_valid(value | {"parameters": {"block_size": 0}})
    assert not validator.is_valid(value | {"parameters": {"precision": "half"}})
