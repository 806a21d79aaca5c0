"""A server on 127.0.0.1 for the tests of downloads."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONTENT = b"p sp 4 6\na 1 2 5\na 2 1 5\na 1 3 7\na 3 1 7\na 2 4 1\na 4 2 1\n"
FILE = gzip.compress(CONTENT, mtime=0)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
NOWHERE = "http://127.0.0.1:9"  # nothing listens on the discard port


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve; gives the address."""
    handler.log_message = lambda *_: None  # type: ignore[method-assign]
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that hang up are no news
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
