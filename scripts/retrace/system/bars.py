"""Progress bars, on a terminal only."""

import os
from collections.abc import Iterable
from typing import Any

from cuda_device.errors import escaped

SHOW_BARS = "RETRACE_BARS"
"""An environment variable that a run sets for its jobs if it prints to a terminal: they see a pipe."""


def bar(iterable: Iterable[Any] | None = None, **options: Any) -> Any:
    """Return a `tqdm`, which by itself would draw into files and pipes too."""
    from tqdm import tqdm  # here, since planning does without

    options["desc"] = escaped(options.get("desc", ""))
    return tqdm(iterable, leave=False, disable=False if SHOW_BARS in os.environ else None, **options)
