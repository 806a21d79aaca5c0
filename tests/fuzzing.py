"""Fuzz the readers of files: each input is read, or refused in one line; anything else is a finding.

    python tests/fuzzing.py TARGET [libFuzzer's options] [folder of inputs]

For example `python tests/fuzzing.py formats -max_total_time=600 tests/corpus/formats`. libFuzzer writes the
input of a finding to `crash-*` in the working folder. Given a file instead of a folder, it reads only that.

Several targets, as in `formats,records`, are fuzzed on all cores, each in the folder of its name, where its
`log` says what libFuzzer does. To import what they read with takes longer than they need to find a bug.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

try:
    import atheris
except ModuleNotFoundError:
    sys.exit("error: atheris is not installed: make test, on Linux with x86_64")

with atheris.instrument_imports(include=["retrace", "yaml"]):
    from cuda_device.errors import OneLineError
    from retrace.graphs.dataset_registry import load_registry
    from retrace.graphs.formats.lines import LAYOUTS, read_any, read_header, read_plain
    from retrace.graphs.formats.parsing import parse_stream
    from retrace.planning.configuration import load_configuration, project_keys
    from retrace.records.record import parse_record
    from retrace.reports.printed import read_printed
    from retrace.reports.report import load_report
    from retrace.system.models import read_yaml

FOLDER = Path(tempfile.mkdtemp(prefix="fuzzing-"))
CONFIG = project_keys()


def written(data: bytes, suffix: str) -> Path:
    """Write an input into a file of one name."""
    path = FOLDER / f"input{suffix}"
    path.write_bytes(data)
    return path


def read_format(data: bytes) -> None:
    """Parse a graph in the format of the first byte; the fast reader agrees with the slow one."""
    kind = list(LAYOUTS)[data[0] % len(LAYOUTS)] if data else "dimacs"
    content, negative = data[1:], bool(data and data[0] & 128)
    if kind != "matrix-market":
        layout = LAYOUTS[kind]
        header = read_header(content, layout, "input")
        fast, _ = read_plain(content, header.end, layout, header.bound)
        if fast is not None and header.allows(fast.shape[1], last=True):
            assert np.array_equal(fast, read_any(content, layout, header, "input"))
    graph = parse_stream(io.BytesIO(content), kind, "input", negative=negative)
    assert (np.diff(graph.indptr, append=graph.arcs) >= 0).all()
    assert not graph.arcs or (graph.indices.min() >= 0 and graph.indices.max() < graph.vertices)


def read_record(data: bytes) -> None:
    """Parse a line of JSON; what is accepted can be written and read again."""
    record = parse_record(data.decode("utf-8", "replace"), "input:1")
    assert parse_record(record.model_dump_json(), "input:1") == record


def read_configuration(data: bytes) -> None:
    """Lay a configuration over the project's own."""
    value = read_yaml(written(data, ".yaml"))
    load_configuration({**CONFIG, **value} if isinstance(value, dict) else {"experiments": value})


TARGETS: dict[str, Callable[[bytes], object]] = {
    "formats": read_format,
    "records": read_record,
    "configuration": read_configuration,
    "datasets": lambda data: load_registry([written(data, ".yaml")]),
    "reports": lambda data: load_report(written(data, ".yaml")),
    "printed": lambda data: read_printed(written(data, ".csv")),
}


def fuzz(name: str) -> None:
    """Fuzz a target; libFuzzer ends the process."""

    def once(data: bytes) -> None:
        try:
            TARGETS[name](data)
        except OneLineError as error:
            if len(str(error).splitlines()) != 1:
                raise ValueError(f"an error of several lines: {error}") from error

    atheris.Setup(sys.argv, once)
    atheris.Fuzz()


def fuzz_each(names: list[str]) -> int:
    """Fuzz targets, each in a process of its own, as many at a time as there are cores.

    Returns how many failed.
    """
    failed, running = 0, 0
    for name in names:
        if running == os.cpu_count():
            failed += os.wait()[1] != 0
            running -= 1
        running += 1
        if os.fork() == 0:
            os.chdir(name)
            log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for output in (sys.stdout, sys.stderr):
                os.dup2(log, output.fileno())
            fuzz(name)
    return failed + sum(os.wait()[1] != 0 for _ in range(running))


def main() -> None:
    """Fuzz the targets that are named first."""
    names = sys.argv.pop(1).split(",") if len(sys.argv) > 1 else [""]
    if not TARGETS.keys() >= set(names):
        sys.exit(f"error: expected one of {', '.join(TARGETS)}")
    if len(names) == 1:
        fuzz(names[0])
    sys.exit(min(fuzz_each(names), 1))


if __name__ == "__main__":
    main()
