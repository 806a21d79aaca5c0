"""What became of the download of the GAP Benchmark Suite: a file that a run makes."""

import json
from pathlib import Path

OUTCOME = "resources/build/peers/gapbs.json"
"""What a run makes to say whether GAPBS could be had; a run after its deletion tries again."""


def was_missing() -> bool:
    """Return whether the last run that looked for it found it missing."""
    try:
        return json.loads(Path(OUTCOME).read_text(encoding="utf-8"))["missing"] is not None
    except (OSError, ValueError, KeyError):
        return False
