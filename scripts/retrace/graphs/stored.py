"""Loads a stored graph of any kind: a sparse one from its arrays, a complete one from its seed."""

from pathlib import Path

from retrace.graphs import csr, dense, identity
from retrace.graphs.dense import Graph


def load_graph(folder: Path, negative: bool = False, wide: bool = False) -> Graph:
    """Load whichever kind `graph.json` names.

    A complete graph needs neither option: its weights are positive and it has no offsets. Raises RetraceError
    as `csr.load` and `dense.load` do.
    """
    if identity.stored_info(folder).get("edition") == dense.EDITION:
        return dense.load(folder)
    return csr.load(folder, negative, wide)
