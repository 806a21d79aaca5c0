"""Describe the results of a run as an RO-Crate."""

import hashlib
import json
import mimetypes
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from retrace.measure.environment import software
from retrace.records.record import GraphInfo, MachineInfo, Record, SoftwareInfo, read_records
from retrace.system.errors import RetraceError
from retrace.system.files import check_writable, write_whole
from retrace.system.stage import Stage

SHOWN_FOLDERS = ("tables", "figures", "report")
INPUT_FOLDERS = ("machines", "published")
CRATE = "https://w3id.org/ro/crate/1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
MIT = "https://spdx.org/licenses/MIT"
SHA256_TERM = "https://w3id.org/ro/terms/workflow-run#sha256"
"""RO-Crate 1.1 has no term for it yet."""
MEDIA_TYPES = {".jsonl": "application/jsonl", ".md": "text/markdown", ".yaml": "application/yaml"}

Entity = dict[str, Any]


class MakeCrate(Stage):
    """Describe the results of a run: ro-crate-metadata.json, a Process Run Crate (RO-Crate 1.1, JSON-LD).

    It says which files there are, and what made them: for each computer and commit an action that measured,
    with its graphs, and one that made tables, figures and pages of the records.
    """

    results: Path = Path("results")
    """Folder of the results."""

    def run(self) -> None:
        """Write the description into the folder of results."""
        output = self.results / "ro-crate-metadata.json"
        check_writable(output)
        for name in SHOWN_FOLDERS:
            if not (self.results / name).is_dir():
                missing = self.results / name
                raise RetraceError(f"{missing}: there is no such folder; run make reproduce first")
        records = {
            path.relative_to(self.results).as_posix(): read_records([path])
            for path in sorted(self.results.glob("machines/*/*/*.jsonl"))
        }
        graph = describe(self.results, records, version(SoftwareInfo(**software())))
        context = [f"{CRATE}/context", {"sha256": SHA256_TERM}]
        write_whole(output, json.dumps({"@context": context, "@graph": graph}, indent=1) + "\n")
        print(output)


def describe(results: Path, records: dict[str, list[Record]], commit: str) -> list[Entity]:
    """Return all entities of a folder of results, by its files of records, published by `commit`."""
    inputs = [file(results, path) for path in paths_in(results, INPUT_FOLDERS)]
    shown = [file(results, path) for path in paths_in(results, SHOWN_FOLDERS)]
    all_records = [record for of_file in records.values() for record in of_file]
    measured = measuring(records)
    published = {
        "@id": "#publish",
        "@type": "CreateAction",
        "name": "Make tables, figures, verdicts and pages of the records",
        "instrument": program(commit),
        "object": inputs,
        "result": shown,
    }
    commits = {commit, *(version(record.software) for record in all_records)}
    entities: list[Entity] = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": CRATE},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": "Results of Retrace",
            "description": "Five published CUDA graph reports, run again: records, tables and figures",
            "datePublished": max((record.started for record in all_records), default="unknown")[:10],
            "license": {"@id": MIT},
            "author": {"@id": "#developers"},
            "conformsTo": {"@id": PROFILE},
            "hasPart": [*inputs, *shown],
            "mentions": [*measured, published],
        },
        {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
        {"@id": MIT, "@type": "CreativeWork", "name": "MIT licence", "description": "The licence of Retrace"},
        {"@id": "#developers", "@type": "Organization", "name": "The Retrace developers"},
        *(
            program(made_by) | {"@type": "SoftwareApplication", "name": "Retrace", "softwareVersion": made_by}
            for made_by in sorted(commits)
        ),
        *(measured_graph(record.graph) for record in all_records if record.graph.sha256),
        *measured,
        published,
        *inputs,
        *shown,
    ]
    return refer(entities)


def refer(entities: list[Entity]) -> list[Entity]:
    """Return each entity once, with references in place of those inside others."""

    def reference(value: Any) -> Any:
        if isinstance(value, list):  # as JSON-LD recommends, one value stands by itself
            return reference(value[0]) if len(value) == 1 else [reference(item) for item in value]
        return {"@id": value["@id"]} if isinstance(value, dict) else value

    return [{key: reference(value) for key, value in entity.items()} for entity in unlike(entities)]


def unlike(entities: Iterable[Entity]) -> list[Entity]:
    """List entities, each once."""
    return list({entity["@id"]: entity for entity in entities}.values())


def paths_in(results: Path, names: tuple[str, ...]) -> list[Path]:
    """List the files of some folders of the results, in order."""
    return sorted(path for name in names for path in (results / name).rglob("*") if path.is_file())


def file(results: Path, path: Path) -> Entity:
    """Describe a file."""
    content = path.read_bytes()
    kind = MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    return {
        "@id": quote(path.relative_to(results).as_posix()),
        "@type": "File",
        "name": path.name,
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
        **({"encodingFormat": kind} if kind else {}),
    }


def version(known: SoftwareInfo) -> str:
    """Return the commit that measured, as `git describe --dirty` writes it."""
    return f"{known.git_commit or 'unknown'}{'-dirty' if known.dirty else ''}"


def program(commit: str) -> Entity:
    """Refer to Retrace as of a commit."""
    return {"@id": f"#retrace-{commit}"}


def computer(machine: MachineInfo) -> str:
    """Describe the computer that measured."""
    words = f"{machine.cpu}, {machine.cores} cores, {machine.memory_gib} GiB"
    gpu = f"{machine.gpu.name}, driver {machine.gpu.driver}" if machine.gpu else "no GPU"
    return f"{words}; {gpu}; host {machine.host or 'unknown'}"


def measured_graph(graph: GraphInfo) -> Entity:
    """Describe a graph, which is an input of a run but no file of its results."""
    words = f"{graph.vertices} vertices, {graph.arcs} arcs; {graph.origin}, edition {graph.edition}"
    words += f", weights: {graph.weights}"
    return {
        "@id": f"#graph-{quote(graph.name)}-{str(graph.sha256)[:12]}",
        "@type": "CreativeWork",
        "name": graph.name,
        "description": words,
        "sha256": graph.sha256,
    }


def measuring(records: dict[str, list[Record]]) -> list[Entity]:
    """Describe for each computer and commit what it measured; it ends when its last record begins."""
    actions = defaultdict[tuple[str, str, str], list[tuple[str, Record]]](list)
    for path, of_file in records.items():
        for record in of_file:
            key = (record.machine.name, computer(record.machine), version(record.software))
            actions[key].append((path, record))
    return [
        {
            "@id": f"#measure-{number}",
            "@type": "CreateAction",
            "name": f"Measure and check on {name}",
            "description": words,
            "instrument": program(commit),
            "startTime": min(record.started for _, record in measured),
            "endTime": max(record.started for _, record in measured),
            "object": unlike(measured_graph(record.graph) for _, record in measured if record.graph.sha256),
            "result": [{"@id": quote(path)} for path in dict.fromkeys(path for path, _ in measured)],
        }
        for number, ((name, words, commit), measured) in enumerate(
            sorted(actions.items(), key=lambda item: item[0]), 1
        )
    ]
