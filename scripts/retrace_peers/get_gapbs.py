"""Get the source of the GAP Benchmark Suite."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cuda_device.errors import OneLineError
from retrace.system.errors import warn
from retrace.system.files import check_writable, write_whole
from retrace.system.stage import WarningStage
from retrace_peers import GAPBS_COMMIT, kernels
from retrace_peers.gapbs import build_gapbs, obtain_source, why_missing


class GetGapbs(WarningStage):
    """Get the source of the GAP Benchmark Suite, and compile what calls it; without it, that is skipped.

    The folder or http(s) address in $GRAPH_MIRROR is tried before the official address.
    """

    downloads: Path = Path("resources/downloads")
    """Folder of downloaded files."""
    output: Path | None = None
    """File to write, if wanted: the commit, and why it is missing (JSON)."""

    def run(self) -> None:
        """Download and compile, and write why its solvers are skipped, if they are."""
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
        else:
            with ThreadPoolExecutor() as pool:
                list(pool.map(build_gapbs, sorted(kernels.glob("*.cpp"))))
        if self.output:
            write_whole(
                self.output,
                json.dumps({"name": "GAPBS", "commit": GAPBS_COMMIT, "missing": missing}, indent=2) + "\n",
            )
