"""The verification table: which answer of which solver was checked against what, and whether it agreed."""

from collections import Counter

import pandas as pd

from retrace.publish.page import Cell, Page, Table
from retrace.records.record import Record
from retrace.reports.frame import Frame, Measured
from retrace.reports.wording import EMPTY

COLUMNS = ["graph", "solver", "settings", "backend", "machine", "experiment", "oracle", "result", "trials"]
SHOWN = ["solver", "settings", "backend", "result", "oracle", "trials"]
"""Beside the graph, what stands on the page in a row; a section is a machine's experiment."""
WITH_GRAPH = ("pair", "target")
"""Parameters of a record that stand with the graph, not with the settings."""
OUTCOMES = ["differs", "failed", "skipped", "emulated", "agreed"]
"""The worst first; `emulated` is an answer that agreed, on the emulator."""


def answers(frame: Frame) -> pd.DataFrame:
    """Return one row per record, in the frame's order: what is known of its answer."""
    columns = [*COLUMNS, "problem", "label", "place", "vertices", "arcs", "outcome"]
    rows = [_answer(entry, frame.machines.index(entry.machine)) for entry in frame.measured]
    return pd.DataFrame(rows, columns=columns)


def _answer(entry: Measured, place: int) -> dict[str, object]:
    record, pair = entry.record, entry.record.parameters.get("pair")
    emulated = record.agreed and record.backend == "emulator"
    settings = {key: value for key, value in record.parameters.items() if key not in WITH_GRAPH}
    return {
        "graph": f"{entry.label}, {pair} pair" if pair else entry.label,
        "solver": entry.solver,
        "settings": ", ".join(f"{key}={value}" for key, value in settings.items()),
        "backend": record.backend,
        "machine": entry.machine,
        "experiment": entry.experiment,
        "oracle": record.oracle,
        "result": result(record),
        "trials": len(record.trials),
        "problem": record.problem,
        "label": entry.label,
        "place": place,
        "vertices": entry.vertices,
        "arcs": entry.arcs,
        "outcome": "emulated" if emulated else result(record).partition(":")[0],
    }


def result(record: Record) -> str:
    """Return whether a record's answer agreed with the oracle's, or why there is none."""
    if record.agreed:
        return "agreed"
    return f"{'differs' if record.status == 'ok' else record.status}: {record.reason}"


def tidy(frame: Frame) -> pd.DataFrame:
    """Return one row per record, in the order machine, experiment, graph size, solver."""
    order = ["place", "experiment", "vertices", "arcs", "graph", "solver"]
    return answers(frame).sort_values(order, kind="stable")[COLUMNS]


def outcomes(frame: Frame) -> str:
    """Count the outcomes in one line."""
    counts = Counter(result(entry.record).partition(":")[0] for entry in frame.measured)
    words = {"differs": "differs" if counts["differs"] == 1 else "differ"}
    kinds = [name for name in ("differs", "failed", "skipped") if counts[name]]
    others = ", ".join(f"{counts[name]} {words.get(name, name)}" for name in kinds)
    return f"{counts['agreed']} of {counts.total()} records verified{others and f' ({others})'}."


def page(frame: Frame) -> Page:
    """Lay the table out for reading."""
    texts = tidy(frame).astype("string").fillna("").replace("", EMPTY)
    sections = texts["machine"] + ", " + texts["experiment"]
    columns = {
        ("", name): [Cell(text, bad=name == "result" and text != "agreed") for text in texts[name]]
        for name in SHOWN
    }
    cells = pd.DataFrame(columns, index=list(zip(sections, texts["graph"], strict=True)))
    return Page(
        title="Verification",
        summary=outcomes(frame),
        label_heading=COLUMNS[0],
        tables=[Table(cells, texts=SHOWN[:-1])],
        remarks=[
            "Every trial's answer is compared with the oracle's; one that differs gives no time.",
            "The emulator runs the CUDA kernels on the CPU to check their answers, not their speed.",
        ],
    )


def marks(frame: Frame) -> pd.DataFrame:
    """Return a row for the answers of each solver, graph and machine: the worst outcome, and all records.

    `records` are numbers of `frame.measured`, `results` what came of them.
    """
    table = answers(frame).reset_index(names="number").sort_values(["solver", "place"], kind="stable")
    table["worst"] = table["outcome"].map(OUTCOMES.index)
    of_mark = table.groupby(["problem", "solver", "label", "machine", "vertices", "arcs"], sort=False)
    table = of_mark.agg(worst=("worst", "min"), records=("number", list), results=("result", list))
    return table.assign(outcome=table["worst"].map(OUTCOMES.__getitem__)).reset_index()
