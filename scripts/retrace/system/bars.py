"""Progress bars, on a terminal only."""

import os
from functools import partial

from tqdm import tqdm

SHOW_BARS = "RETRACE_BARS"
"""An environment variable that a run sets for its jobs if it prints to a terminal: they see a pipe."""

bar = partial(tqdm, leave=False, disable=False if SHOW_BARS in os.environ else None)
"""`tqdm`, which by itself would draw into files and pipes too."""
