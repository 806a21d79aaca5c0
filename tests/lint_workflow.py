"""Runs `snakemake --lint`; accepts its advice to use containers or conda, whose work the lock files do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ACCEPTED = "Specify a conda environment or container for each rule."


def main() -> None:
    """Print what is not accepted, and fail if there is any."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--lint"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    # each advice starts "    * title:", and the rule it is for stands on a line of its own before
    lines = done.stderr.splitlines() + done.stdout.splitlines()
    advice = [line.strip(" *") for line in lines if line.startswith("    * ")]
    unwanted = [line for line in advice if not line.startswith(ACCEPTED)]
    if unwanted or not advice:  # with none at all, the linter did not get to the rules
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main()
