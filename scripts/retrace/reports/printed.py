"""The numbers that a report prints: `results/published/<report>.csv`, one row per number."""

import csv
import re
from pathlib import Path
from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from retrace.system.errors import RetraceError
from retrace.system.files import check_regular
from retrace.system.models import CONTROLS, Model, one_line, read_as

UNITS = {"msec": "ms", "sec": "s", "hr": "h"}
"""Printed units that we write otherwise."""
MILLISECONDS = {"msec": 1.0, "sec": 1e3, "min": 60e3, "hr": 3600e3}


class PrintedNumber(Model):
    """One number as a report prints it."""

    model_config = ConfigDict(strict=False)  # the cells of a CSV file are texts

    table: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9.-]*$")] = Field(description="the experiment")
    graph: Annotated[str, Field(min_length=1)] = Field(description="our name for the graph")
    vertices: Annotated[int, Field(ge=0)] = Field(description="as printed")
    arcs: Annotated[int, Field(ge=0)] = Field(description="as printed, or as the table's head means")
    system: Annotated[str, Field(min_length=1)] = Field(description="the computer, by its printed name")
    hardware: Annotated[str, Field(min_length=1)] = Field(description="as printed")
    name: Annotated[str, Field(min_length=1)] = Field(description="the printed name of what was timed")
    occurrence: Annotated[int, Field(ge=1)] = Field(description="which of the columns with the same head")
    printed: Annotated[str, Field(min_length=1)] = Field(description="the cell's text")
    ms: Annotated[float, Field(ge=0)] = Field(description="the text in milliseconds")
    doubt: str = Field(description="a key of the table's doubts, or empty")

    @model_validator(mode="after")
    def _says_its_value(self) -> Self:
        ms = printed_ms(self.printed)
        if ms != self.ms:
            raise ValueError(f"ms: expected {ms:g} for {self.printed!r}, found {self.ms:g}")
        return self

    @property
    def text(self) -> str:
        """The number with the printed digits, in the units of measured ones: `62.982 ms` and `7 min 7 s`."""
        parts = re.findall(r"([\d.]+) ?([a-z]*)", self.printed)
        return " ".join(f"{number} {UNITS.get(unit, unit)}".rstrip() for number, unit in parts)


def printed_ms(text: str) -> float:
    """Convert a printed time, such as `7min 7sec` or a number of milliseconds; else raise ValueError."""
    if re.fullmatch(r"\d+", text):
        return float(text)
    if not re.fullmatch(r"(\d+(\.\d+)? ?(msec|sec|min|hr) ?)+", text):
        raise ValueError(f"printed: {text!r} is not a time such as 7min 7sec")
    parts = re.findall(r"([\d.]+) ?([a-z]+)", text)
    return round(sum(float(number) * MILLISECONDS[unit] for number, unit in parts), 6)


def read_printed(path: Path) -> list[PrintedNumber]:
    """Read printed numbers; a RetraceError names the file, line and key of the first that is not sound."""
    numbers = []
    check_regular(path)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                where = f"{path}:{reader.line_num}"
                if None in row or None in row.values():
                    raise RetraceError(f"{where}: expected as many cells as the heading has")
                for key, cell in row.items():
                    if CONTROLS.search(cell):
                        raise RetraceError(f"{where}: {key}: expected no control characters, found {cell!r}")
                numbers.append(read_as(PrintedNumber, row, where))
    except (OSError, UnicodeDecodeError) as error:
        raise RetraceError(f"{path}: cannot be read ({one_line(error)})") from None
    if not numbers:
        raise RetraceError(f"{path}: has no rows; expected printed numbers")
    return numbers
