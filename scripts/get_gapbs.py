"""Get the source of the GAP Benchmark Suite, a peer on the CPU; without it its solvers are skipped.

The folder or http(s) address in $GRAPH_MIRROR is tried before the official address.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from cuda_device.errors import OneLineError
from retrace.devices.gapbs import COMMIT, obtain_source, why_missing
from retrace.system.errors import OneLineParser, run_command, warn
from retrace.system.files import check_writable, write_whole


def main() -> None:
    """Parse the command line, download, write why its solvers are skipped, if they are."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--downloads", type=Path, default="resources/downloads", help="default: %(default)s")
    parser.add_argument("--output", type=Path, help="file to write: the commit, and why it is missing (JSON)")
    parser.may_keep_warnings()
    arguments = parser.parse_args()

    if arguments.output:
        check_writable(arguments.output)
    missing = None
    try:
        obtain_source(arguments.downloads, os.environ.get("GRAPH_MIRROR") or None)
    except OneLineError as error:
        missing = str(error)
    missing = missing or why_missing()
    if missing:
        warn(f"the solvers that call GAPBS are skipped: {missing}")
    if arguments.output:
        write_whole(arguments.output, json.dumps({"commit": COMMIT, "missing": missing}, indent=2) + "\n")


if __name__ == "__main__":
    run_command(main)
