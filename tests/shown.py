"""Keep what a run shows of committed machines and printed numbers, and compare a later run with it.

    python tests/shown.py keep results shown.json
    python tests/shown.py compare results shown.json

All rows of all tables are kept but those of the computer that ran, whose times differ from run to run; all
pages of docs/results/, which have every verdict; and of each of its figures the title and the description.
For a change of the code that must change nothing that is shown.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs/results"
OWN = "local"
"""The name of the machine whose rows are left out."""


def rows(results: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name of each table with each of its rows."""
    for path in sorted((results / "tables").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row.get("machine") != OWN:
                    yield path.name, row


def words_of(path: Path) -> str:
    """Return the text of a page, or what a figure says of itself."""
    text = path.read_text("utf-8")
    if path.suffix != ".svg":
        return text
    return "\n".join(re.findall(r"<(?:title|desc)[^>]*>([^<]*)<", text))


def shown(results: Path) -> list[str]:
    """Return all that is kept, a line each."""
    cells = [json.dumps([name, row], sort_keys=True) for name, row in rows(results)]
    pages = [json.dumps([path.name, words_of(path)]) for path in sorted(PAGES.iterdir())]
    return cells + pages


def main() -> None:
    """Keep or compare; exit with status 1 if anything differs."""
    action, results, kept = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    lines = shown(results)
    if action == "keep":
        kept.write_text(json.dumps(lines))
        print(f"{len(lines)} rows and pages are kept")
        return
    before = json.loads(kept.read_text())
    differences = [f"- {line[:300]}" for line in before if line not in set(lines)]
    differences += [f"+ {line[:300]}" for line in lines if line not in set(before)]
    print("\n".join(differences) or f"all {len(lines)} rows and pages are the same")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
