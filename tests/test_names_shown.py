"""Names that would direct a terminal, turn a text round, or pass for something else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import Call
from fabricated import record
from retrace.graphs.dataset_registry import load_registry
from retrace.records.record import parse_record
from retrace.system.errors import RetraceError, warn
from retrace.system.models import CONTROLS, read_yaml
from tiny_files import TINY

HOSTILE = "a\x1b[31m\u202eb"
ASKED = {
    "solve": ("sssp/dijkstra-heap", "IN", "--source", 1),
    "path": ("IN", "--source", 1, "--target", 2),
    "convert": ("IN", "OUT.he"),
    "generate": ("OUT.he", "--vertices", 9, "--arcs", 20),
    "check-machine": ("FOLDER",),
    "compare": ("FOLDER", "FOLDER"),
}


def shown_plainly(text: str) -> bool:
    return CONTROLS.search(text.replace("\n", "")) is None


@pytest.mark.parametrize("command", ASKED)
def test_a_command_shows_no_control_characters_of_names(command: str, tmp_path: Path, call: Call) -> None:
    graph, folder = tmp_path / f"{HOSTILE}.gr", tmp_path / HOSTILE / "machines/rtx"
    graph.write_bytes(TINY["dimacs"])
    path = folder / "table-3.5/NY.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(f"{record('sssp/gapbs', 'NY', machine='rtx').model_dump_json()}\n")
    places = {"IN": graph, "OUT.he": tmp_path / f"out{HOSTILE}.he", "FOLDER": folder}
    done = call(command, *(places.get(str(word), word) for word in ASKED[command]))
    assert (done.status == 0) == (command != "check-machine")
    said = done.out + done.err
    assert shown_plainly(said)
    assert r"\x1b[31m\u202e" in said or command == "compare"  # which names the last folder alone


def test_a_warning_shows_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    warn(HOSTILE)
    assert shown_plainly(capsys.readouterr().err)


@pytest.mark.parametrize("character", ["\x1b", "\x9b", "\u202e", "\u2066", "\u200b", "\ufeff"])
def test_no_text_of_a_file_turns_or_hides_others(character: str, tmp_path: Path) -> None:
    line = record("sssp/gapbs", "NY").model_dump_json()
    for escape in (character, f"\\u{ord(character):04x}"):
        for text in ("Some CPU", "0123456789abcdef" * 2):
            with pytest.raises(RetraceError, match="control character"):
                parse_record(line.replace(text, f"{text}{escape}"), "a:1")
    path = tmp_path / "a.yaml"
    path.write_text(f'name: "a\\u{ord(character):04x}"\n')
    with pytest.raises(RetraceError, match="control character"):
        read_yaml(path)


ENTRY = """
{name}:
  vertices: 4
  arcs: 3
  directed: true
  origin: own
  licence: mine
  source: 0
  editions: [{{name: official, format: dimacs, file: {file}, addresses: ["https://example.org/a"]}}]
"""


@pytest.mark.parametrize(
    ("name", "file", "complaint"),
    [("none", "a.gr", "none: expected a data set's name"),
     ("random-5-5", "a.gr", "random-5-5: expected a data set's name"),
     ("random-5-5-64", "a.gr", "random-5-5-64: expected a data set's name"),
     ("hub-5-5", "a.gr", "hub-5-5: expected a data set's name"),
     ("dense-64", "a.gr", "dense-64: expected a data set's name"),
     ("mine", "a.gr.pin", "mine.editions[0].file: expected a name that does not end in .pin"),
     ("mine", "a.gr", None), ("random-5", "a.gr", None), ("none-5", "pin", None)],
)  # fmt: skip
def test_a_data_set_passes_for_nothing_else(
    name: str, file: str, complaint: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(ENTRY.format(name=name, file=file))
    if complaint is None:
        assert list(load_registry([path])) == [name]
    else:
        with pytest.raises(RetraceError, match=re.escape(f"{path}: {complaint}")):
            load_registry([path])
