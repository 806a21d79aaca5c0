"""Gets files from http(s) addresses and folders; none takes more time or space than it may."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from retrace.system.bars import bar
from retrace.system.errors import RetraceError
from retrace.system.models import one_line

WEB = ("http://", "https://")

PIECE = 1 << 16
"""Bytes read at a time; unpacked they may be 1,000 times as many."""


@dataclass(frozen=True)
class Patience:
    """How long to wait for an address, in seconds."""

    probe: float = 5.0
    """For a first answer. All addresses are asked at once, so without a network a graph costs this time."""
    read: float = 20.0
    """For the next bytes of a download."""
    download: float = 600.0
    """For a whole download."""
    retries: int = 2
    """How often a download is tried again."""


USUAL = Patience()


def probe(address: str, patience: Patience) -> Future[None]:
    """Begin to ask whether an address has the file; the result is an error if it does not."""
    return _in_background(_probe, address, patience)


def download(address: str, target: Path, most: int, known: bool, patience: Patience) -> None:
    """Get a file of at most `most` bytes; only over https or from a folder if no sha256 of it is `known`."""
    if address.startswith(WEB):
        # requests does not limit the time of a whole download.
        task = _in_background(_download, address, target, most, known, patience)
        task.result(patience.download)
    else:
        with Path(address).open("rb") as file:
            _write(iter(lambda: file.read(PIECE), b""), target, most)


def host(address: str) -> str:
    """Return the host of an address; a folder's is its path."""
    return urlsplit(address).netloc or address


def reason(error: Exception) -> str:
    """Describe in a few words why an address failed."""
    import requests

    match error:
        case TimeoutError() | requests.Timeout():
            return "no answer in time"
        case requests.HTTPError() if error.response is not None:
            return f"HTTP status {error.response.status_code}"
        case requests.exceptions.ChunkedEncodingError():
            return "the transfer broke off"
        case requests.ConnectionError():
            return "no connection"
        case _:
            return one_line(error)


def _probe(address: str, patience: Patience) -> None:
    """Raise an error if an address does not have the file; errors of a busy host are left to the download."""
    import requests  # where it is used: all solvers import this module, and few runs download

    if address.startswith(WEB):
        with requests.get(address, stream=True, timeout=patience.probe) as response:
            if 400 <= response.status_code < 500:
                response.raise_for_status()
    elif not Path(address).is_file():
        raise FileNotFoundError("no such file")


def _download(address: str, target: Path, most: int, known: bool, patience: Patience) -> None:
    import requests

    options: dict[str, Any] = {"timeout": (patience.probe, patience.read), "stream": True}
    for attempt in range(patience.retries + 1):
        time.sleep(attempt)
        try:
            with requests.get(address, headers={"Accept-Encoding": "identity"}, **options) as response:
                response.raise_for_status()
                hops = [hop.url for hop in (*response.history, response) if hop.url.startswith("http://")]
                if hops and not known:
                    raise RetraceError(f"no sha256 is known to check what {hops[0]} sends; expected https")
                encoding = response.headers.get("Content-Encoding", "identity")
                if encoding not in ("identity", "gzip"):  # others, or several, unpack to far more at a time
                    raise RetraceError(f"expected no Content-Encoding, or gzip, found {encoding!r}")
                _write(response.iter_content(PIECE), target, most)
                return
        except requests.RequestException:
            if attempt == patience.retries:
                raise


def _write(pieces: Iterable[bytes], target: Path, most: int) -> None:
    """Write what is downloaded; raise RetraceError before it has more than `most` bytes."""
    progress = bar(unit="B", unit_scale=True, desc=f"getting {target.name}")
    with target.open("wb") as file, progress:
        for piece in pieces:
            if file.tell() + len(piece) > most:
                raise RetraceError(f"expected at most {most} bytes, enough for its arcs, found more")
            file.write(piece)
            progress.update(len(piece))


def _in_background(function: Callable[..., None], *arguments: object) -> Future[None]:
    """Call a function in a thread that does not keep the program from ending, unlike one of an executor."""
    future: Future[None] = Future()

    def run() -> None:
        try:
            function(*arguments)
            future.set_result(None)
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
