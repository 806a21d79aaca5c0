"""The RO-Crate of a run: every file is in it, every reference leads somewhere, and what measured is named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from command_line import Call, Patch
from fabricated import record
from retrace.records.record import Record, write_records

SHOWN = ("tables/my table.md", "figures/figure-3.3.svg", "report/index.html")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: Patch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RETRACE_COMMIT", "c" * 40 + "-dirty")
    for name in (*SHOWN, "published/bsp-suite.yaml"):
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True)
        path.write_text(name)
    return tmp_path / "results"


def measured(solver: str, graph: str, commit: str, **changes: Any) -> Record:
    one = record(solver, graph, **changes)
    return one.model_copy(update={"software": one.software.model_copy(update={"git_commit": commit})})


def described(results: Path) -> dict[str, dict[str, Any]]:
    graph = json.loads((results / "ro-crate-metadata.json").read_text())["@graph"]
    found = {entity["@id"]: entity for entity in graph}
    assert len(found) == len(graph)
    return found


def references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for one in value for name in references(one)]
    return [value["@id"]] if isinstance(value, dict) else []


def test_all_is_described(results: Path, script: Call) -> None:
    records = results / "machines/h200/table-3.3"
    write_records(
        records / "NY.jsonl", [measured("bfs/queue", "NY", "a" * 40), measured("bfs/igraph", "NY", "b" * 40)]
    )
    assert script("make-crate").status == 0
    found = described(results)

    files = {quote(str(path.relative_to(results))) for path in results.rglob("*") if path.is_file()}
    assert {name for name, one in found.items() if one["@type"] == "File"} == files - {
        "ro-crate-metadata.json"
    }
    assert set(references(found["./"]["hasPart"])) == files - {"ro-crate-metadata.json"}
    content = (results / SHOWN[0]).read_bytes()
    assert found[quote(SHOWN[0])]["sha256"] == hashlib.sha256(content).hexdigest()
    assert found[quote(SHOWN[0])]["contentSize"] == str(len(content))
    assert found["./"]["datePublished"] == record("bfs/queue", "NY").started[:10]

    outside = ("https://w3id.org/ro/crate/1.1",)
    led = {name for one in found.values() for value in one.values() for name in references(value)}
    assert led - found.keys() == set(outside)
    assert found.keys() - led == {"ro-crate-metadata.json"}

    first, second = (found[name] for name in references(found["./"]["mentions"]) if name != "#publish")
    assert [one["instrument"]["@id"] for one in (first, second)] == [f"#retrace-{c * 40}" for c in "ab"]
    assert first["result"] == second["result"] == {"@id": "machines/h200/table-3.3/NY.jsonl"}
    assert found[first["object"]["@id"]]["sha256"] == record("bfs/queue", "NY").graph.sha256
    assert "H200" in first["description"]
    published = found["#publish"]
    assert published["instrument"] == {"@id": f"#retrace-{'c' * 40}-dirty"}
    assert set(references(published["result"])) == set(map(quote, SHOWN))
    assert set(references(published["object"])) == {
        "published/bsp-suite.yaml",
        "machines/h200/table-3.3/NY.jsonl",
    }

    before = (results / "ro-crate-metadata.json").read_bytes()
    assert script("make-crate").status == 0
    assert (results / "ro-crate-metadata.json").read_bytes() == before


def test_what_was_not_run_is_not_described(results: Path, script: Call) -> None:
    (results / SHOWN[0]).unlink()
    (results / "tables").rmdir()
    assert "results/tables: there is no such folder; run make reproduce first" in script(
        "make-crate"
    ).refusal(1)
    assert not (results / "ro-crate-metadata.json").exists()
