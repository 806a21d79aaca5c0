"""What a report says in words: one claim a row of `results/published/<report>.csv`."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from retrace.records.model import validate
from retrace.system.errors import RetraceError


@dataclass(frozen=True)
class Claim:
    """A statement of a report that measurements can bear out or not; the fields are `claim.schema.yaml`'s."""

    report: str
    section: str
    claim: str
    words: str
    experiment: str


def read_claims(path: Path) -> list[Claim]:
    """Read the claims of a report, in the order it makes them.

    Raises
    ------
    RetraceError
        At the first row that the schema refuses, or that makes a claim again.
    """
    claims: dict[str, Claim] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                where = f"{path}:{reader.line_num}"
                if None in row or None in row.values():
                    raise RetraceError(f"{where}: expected as many cells as the heading has")
                validate(row, "claim", where)
                if row["claim"] in claims:
                    raise RetraceError(f"{where}: claim: {row['claim']} stands here twice; expected once")
                claims[row["claim"]] = Claim(**row)
    except (OSError, UnicodeDecodeError) as error:
        raise RetraceError(f"{path}: cannot be read ({error})") from None
    if not claims:
        raise RetraceError(f"{path}: has no rows; expected claims")
    return list(claims.values())
