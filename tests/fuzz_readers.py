"""Damage small files of every format by a seed, and read each: it is read, or refused in one line.

    python tests/fuzz_readers.py INPUTS [--seed S] [--from K] [--seconds S] [--keep FOLDER]

Input K of a seed is always the same. A finding is a traceback, a refusal of several lines, more than
`SLOW` seconds, or more than `MOST_BYTES` of memory; each kind is printed once, with how often it came, and
`--keep` writes its first input into a folder. The status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import io
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from types import FrameType

from cuda_device.errors import OneLineError
from graph_files import DIMACS, DIRECTED, EDGES, PACKED, UNDIRECTED, zipped
from retrace_commands import graph_file
from retrace_commands.graph_file import read_graph

SLOW = 5.0
"""Seconds that a reader may take."""
MOST_BYTES = 4 << 30
"""Address space of the process, with all libraries."""

SEEDS = [
    *(content.encode() for content in [*UNDIRECTED.values(), *DIRECTED.values(), *EDGES.values()]),
    *PACKED.values(),
    DIMACS,
    b"H 3 2 0\nE 0 1 5\nE 1 2 7\n",
    b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 1e3\n",
    b"%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 2 7\n",
    b"p ocr 2 2 3\n1 3\n1 4\n2 3\n",
    b"p max 4 2\nn 1 s\nn 4 t\na 1 2 5\na 2 4 7\n",
    b"4 3\n0 1\n1 2\n2 3\n",
    b"# Nodes: 3 Edges: 2\n0 1 0.5\n1 2 0.25\n",
    b"time,cost,b,a\n9,5,2,1\n9,7,3,2\n",
    b"alice bob\nbob eve\n",
]
NUMBERS = (
    *b"0 -1 1 2 007 +3 1.5 1e999 -1e-999 nan inf 2147483647 2147483648 4294967296".split(),
    b"9223372036854775808", b"9" * 40, b"9" * 5000, b"1_0", b"\xd9\xa3",
)  # fmt: skip
PIECES = (
    b"\0", b"\xff", b"\xfe\xff", b"\n", b"\r", b"\t", b" ", b",", b";", b'"', b"#", b"%", b"//", b"p ", b"e ",
    b"a ", b"E ", b"*Vertices ", b"*Arcs\n", b"graph [", b"]", b"<node", b"&lt;", b"SECTION ", b"symmetric",
    b"%%MatrixMarket ",
)  # fmt: skip
SUFFIXES = ("", "", ".graph", ".csv", ".gr", ".mtx", ".gml", ".he")
KINDS = (
    "edges", "counted", "snap", "konect", "metis", "matrix-market", "pace", "dimacs", "he", "steiner",
    "graphml", "gml", "pajek",
)  # fmt: skip
SOLVERS = (None, "bfs/queue", "sssp/dijkstra-heap", "bellman-ford/sequential", "betweenness/seq-array")


class TooSlowError(BaseException):
    """Reading took more than `SLOW` seconds; no handler of errors takes it."""


def damaged(draw: random.Random) -> bytes:
    """Return a file of some format after a few changes."""
    content = draw.choice(SEEDS)
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        begin = draw.randint(0, len(content))
        end = min(len(content), begin + draw.choice((0, 1, 1, 4, 20)))
        match draw.randrange(7):
            case 0:
                content = content[:begin] + bytes([draw.randrange(256)]) + content[begin + 1 :]
            case 1:
                content = content[:begin] + content[end:]
            case 2:
                content = content[:begin] + content[begin:end] * draw.choice((2, 3, 50)) + content[end:]
            case 3:
                content = content[:begin] + draw.choice(PIECES) + content[end:]
            case 4:
                lines = content.split(b"\n")
                place, other = draw.randrange(len(lines)), draw.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
                content = b"\n".join(lines)
            case 5:
                words = content.split(b" ")
                words[draw.randrange(len(words))] = draw.choice(NUMBERS)
                content = b" ".join(words)
            case 6:
                other_file = draw.choice(SEEDS)
                content = content[:begin] + other_file[draw.randint(0, len(other_file)) :]
    pack = draw.randrange(40)
    if pack < 2:
        content = (gzip.compress, zipped)[pack](content)
    return content


def read_once(seed: int, k: int, folder: Path) -> tuple[str, bytes] | None:
    """Read one damaged file; return the kind of finding and the input, or None."""
    draw = random.Random(f"{seed}:{k}")
    content = damaged(draw)
    path = folder / f"damaged{draw.choice(SUFFIXES)}"
    kind = "auto" if draw.random() < 0.8 else draw.choice(KINDS)
    columns = ("1", "2", "3")[: draw.choice((2, 3))] if draw.random() < 0.05 else ()
    path.write_bytes(content)
    graph_file.LARGE_LIST = draw.choice((1, 1 << 20))  # lists of edges in pieces, or whole
    try:
        signal.setitimer(signal.ITIMER_REAL, SLOW)
        read_graph(path, kind, draw.choice(SOLVERS), draw.choice((None, None, True, False)), columns)
    except OneLineError as error:
        text = str(error)
        return (f"a refusal of several lines: {text[:200]!r}", content) if "\n" in text else None
    except TooSlowError:
        frames = traceback.extract_tb(sys.exc_info()[2])
        return f"more than {SLOW} s: {frames[-2].name} <- {frames[-3].name}", content
    except Exception as error:
        frames = list(traceback.extract_tb(error.__traceback__)[-2:])
        where = " <- ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
        return f"{type(error).__name__}: {str(error)[:80]!r} at {where}", content
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        path.unlink()
    return None


def main() -> None:
    """Read the inputs, and print what came."""
    parser = argparse.ArgumentParser(description="Damage small files of every format, and read them.")
    parser.add_argument("inputs", type=int, help="number of inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after this time")
    parser.add_argument("--keep", type=Path, help="folder for inputs with findings")
    options = parser.parse_args()

    def too_slow(_: int, __: FrameType | None) -> None:
        raise TooSlowError

    signal.signal(signal.SIGALRM, too_slow)
    warnings.simplefilter("error")  # a warning of a library says nothing to a user
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    sys.stdin = io.StringIO()
    kinds: Counter[str] = Counter()
    begin, slowest, k = time.monotonic(), (0.0, 0), options.first
    with tempfile.TemporaryDirectory() as folder:
        while k < options.first + options.inputs and time.monotonic() - begin < options.seconds:
            faulthandler.dump_traceback_later(10 * SLOW, exit=True)  # in code that Python cannot interrupt
            started = time.monotonic()
            found = read_once(options.seed, k, Path(folder))
            slowest = max(slowest, (time.monotonic() - started, k))
            if found is not None:
                kinds[found[0]] += 1
                if kinds[found[0]] == 1:
                    print(f"input {k}: {found[0]}", flush=True)
                    if options.keep is not None:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        (options.keep / str(k)).write_bytes(found[1])
            k += 1
        faulthandler.cancel_dump_traceback_later()
    for kind, count in kinds.most_common():
        print(f"{count} times {kind}")
    result = {
        "inputs": k - options.first,
        "findings": sum(kinds.values()),
        "seconds": round(time.monotonic() - begin, 1),
        "slowest_s": round(slowest[0], 2),
        "slowest": slowest[1],
        "peak_MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }
    print(json.dumps(result))
    sys.exit(1 if kinds else 0)


if __name__ == "__main__":
    main()
