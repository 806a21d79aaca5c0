"""Get the source of the GAP Benchmark Suite."""

import json
import os
from pathlib import Path

from cuda_device.errors import OneLineError
from retrace.devices.gapbs import COMMIT, obtain_source, why_missing
from retrace.system.errors import warn
from retrace.system.files import check_writable, write_whole
from retrace.system.stage import WarningStage


class GetGapbs(WarningStage):
    """Get the source of the GAP Benchmark Suite, a peer on the CPU; without it its solvers are skipped.

    The folder or http(s) address in $GRAPH_MIRROR is tried before the official address.
    """

    downloads: Path = Path("resources/downloads")
    """Folder of downloaded files."""
    output: Path | None = None
    """File to write, if wanted: the commit, and why it is missing (JSON)."""

    def run(self) -> None:
        """Download, and write why its solvers are skipped, if they are."""
        if self.output:
            check_writable(self.output)
        missing = None
        try:
            obtain_source(self.downloads, os.environ.get("GRAPH_MIRROR") or None)
        except OneLineError as error:
            missing = str(error)
        missing = missing or why_missing()
        if missing:
            warn(f"the solvers that call GAPBS are skipped: {missing}")
        if self.output:
            write_whole(self.output, json.dumps({"commit": COMMIT, "missing": missing}, indent=2) + "\n")
