"""Arrays in a file that says of what they are, with a digest of everything: its name is not trusted."""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.system.errors import RetraceError
from retrace.system.files import check_regular, write_whole

Arrays = Mapping[str, NDArray[Any]]


def write_sealed(path: Path, identity: Mapping[str, Any], arrays: Arrays) -> None:
    """Write arrays with their identity, which JSON can hold, and the sha256 of both."""
    stated, content = json.dumps(identity), io.BytesIO()
    np.savez(content, allow_pickle=False, identity=stated, sha256=_seal(stated, arrays), **arrays)
    write_whole(path, content.getvalue())


def read_sealed(path: Path, identity: Mapping[str, Any], kind: str) -> dict[str, NDArray[Any]]:
    """Read arrays; raise RetraceError unless the file is a whole one of this `kind` and identity."""
    check_regular(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        stated, seal = str(arrays.pop("identity")), str(arrays.pop("sha256"))
        stored = json.loads(stated)
        if seal != _seal(stated, arrays) or not isinstance(stored, dict):
            raise ValueError
    except (OSError, ValueError, TypeError, KeyError, EOFError, MemoryError, zipfile.BadZipFile):
        raise RetraceError(f"{path}: is not a {kind}, or damaged; delete it, or name another file") from None
    for key, value in identity.items():
        if stored.get(key) != value:
            advice = "delete it, or name another file"
            raise RetraceError(f"{path}: is a {kind} of other {key} than requested; {advice}")
    return arrays


def _seal(stated: str, arrays: Arrays) -> str:
    sha256 = hashlib.sha256(stated.encode())
    for name, array in sorted(arrays.items()):
        sha256.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode() + array.tobytes())
    return sha256.hexdigest()
