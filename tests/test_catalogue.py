"""The solvers as data: the committed file, what classes add to it, and what is said of unknown solvers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import PROJECT, refused
from cuda_device.gpu_limits import BY_CAPABILITY
from fabricated import record
from retrace.catalogue.known_solvers import CATALOGUE, Catalogue, KnownSolver, given
from retrace.catalogue.setting import Setting
from retrace.graphs.graph_names import UNREACHABLE
from retrace.records.record import parse_record
from retrace.solvers import REGISTRY, Solver
from retrace.solvers.peer import Peer
from retrace.solvers.solver import REGISTRIES
from retrace.system import project
from retrace.system.project import CATALOGUE_FILE
from retrace_generated.write_schemas import project_solvers, solvers_as_json

FILE = PROJECT / CATALOGUE_FILE


def test_the_catalogue_is_that_of_the_solvers_classes() -> None:
    assert FILE.read_text() == solvers_as_json(), "run make schemas"
    listed = [solver for solver in Catalogue(FILE).listed.values() if solver.is_there]
    kinds = {kind.name: kind for kind in project_solvers()}
    assert {solver.name: solver for solver in listed} == {
        name: kind.as_known() for name, kind in kinds.items()
    }
    for solver in listed:
        kind = kinds[solver.name]
        assert (solver.problem, solver.variant) == (kind.problem, kind.variant)
        assert (solver.defaults, solver.sources) == (kind.defaults, kind.sources)
        for limits in BY_CAPABILITY.values():
            assert solver.needs.missing_from(limits) == kind.missing_from(limits)
        assert solver.calls_library == issubclass(kind, Peer)
        assert (REGISTRIES.get(kind.problem) is None) == (given(kind.name) == "graph")


def test_a_setting_is_bounded_by_what_no_answer_reaches() -> None:
    assert Setting(1, "any").most == UNREACHABLE - 1


def test_what_is_made_by_the_catalogue_is_made_again_when_it_changes() -> None:
    for stage in ("publish-experiment", "make-claims", "make-verification", "tune"):
        assert str(FILE) in {str(PROJECT / name) for name in project.stage_code(stage)}
    for stage in ("generate-graph", "get-graph"):
        assert str(FILE) not in {str(PROJECT / name) for name in project.stage_code(stage)}


class Listless(Solver):
    """A solver that the file lacks."""

    name = "bfs/listless"
    implements = "a test"
    setup = solve = download = lambda *_: None


def test_a_class_that_is_registered_makes_its_solver_known(monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps(json.loads(record("bfs/queue", "NY").model_dump_json()) | {"solver": Listless.name})
    told = refused(parse_record, line, "a:1")
    assert told.startswith("a:1: solver: no solver is called bfs/listless; there are bfs/")
    monkeypatch.setattr(REGISTRY, "registered", dict(REGISTRY.solvers))
    monkeypatch.setattr(CATALOGUE, "added", dict(CATALOGUE.added))
    REGISTRY.add(Listless)
    assert parse_record(line, "a:1").solver == Listless.name
    assert CATALOGUE.find(Listless.name).implements == "a test"


def test_what_is_added_takes_the_place_of_what_the_file_has() -> None:
    catalogue = Catalogue(FILE)
    number = len(catalogue.solvers)
    other = KnownSolver("bfs/bsp", "a test", __name__, ("host",), settings={"passes": Setting(2, "any")})
    catalogue.add(other)
    assert catalogue.find("bfs/bsp:passes=3") is other
    assert catalogue.parse("bfs/bsp:passes=3") == (other, {"passes": 3})
    assert other in catalogue.solvers
    assert len(catalogue.solvers) == number


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bfs/listless", "no solver is called bfs/listless; there are bfs/"),
        ("generate/x", "there are generate/"),
        ("", "no solver is called nothing; there are bellman-ford/..., betweenness/..., bfs/..., sssp/"),
    ],
)
def test_an_unknown_solver_is_answered_with_those_like_it(name: str, told: str) -> None:
    refusal = refused(CATALOGUE.find, name)
    assert told in refusal
    assert refusal.endswith("; `python -m retrace solvers` lists all")


@pytest.mark.parametrize(
    "text", [None, "<<<<<<<", "[1]", '[{"name": "bfs/bsp"}]', '[{"settings": {"a": {}}}]']
)
def test_a_file_that_is_not_the_catalogue_is_named(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "solvers.json"
    if text is not None:
        file.write_text(text)
    told = refused(Catalogue(file).find, "bfs/bsp")
    assert told.startswith(f"{file}: expected the solvers as make schemas writes them (")
