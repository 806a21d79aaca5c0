"""Graph files: what is read, what is refused, and that the fast pass reads nothing the slow one refuses."""

from __future__ import annotations

import gzip
import io
import os
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from command_line import refused
from cuda_device import memory
from cuda_device.errors import OneLineError
from graphs import read_graph
from retrace.graphs.csr import CSRGraph
from retrace.graphs.formats import lines, parsing
from retrace.graphs.formats.lines import LAYOUTS, open_graph, read_any, read_header, read_plain
from retrace.graphs.formats.parsing import parse_stream
from retrace_commands import he_files
from retrace_commands.he_files import write_he
from schedules import examples
from tiny_files import TINY, TINY_WITHOUT_WEIGHTS

MIRROR = os.environ.get("GRAPH_MIRROR", "")
needs_mirror = pytest.mark.skipif(
    not Path(MIRROR, "USA-road-d.NY.gr.gz").is_file(), reason="no GRAPH_MIRROR folder"
)

BANNER = b"%%MatrixMarket matrix coordinate integer general\n"
REAL = BANNER.replace(b"integer", b"real")


def parse(content: bytes, kind: str) -> CSRGraph:
    return parse_stream(io.BytesIO(content), kind, Path("tiny"))


def refusal(content: bytes, kind: str) -> str:
    return refused(parse, content, kind)


@pytest.mark.parametrize("kind", TINY)
def test_same_graph_in_every_format(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "tiny"
    path.write_bytes(gzip.compress(TINY[kind]))
    graph = read_graph(path, kind)
    assert_array_equal(graph.indptr, [0, 2, 4, 6, 6])
    assert_array_equal(graph.indices, [1, 2, 0, 2, 0, 1])
    assert_array_equal(graph.weights, [5, 7, 5, 0, 7, 0])


@pytest.mark.parametrize("kind", TINY_WITHOUT_WEIGHTS)
def test_same_graph_in_every_format_without_weights(kind: str) -> None:
    graph = parse(TINY_WITHOUT_WEIGHTS[kind], kind)
    last = [6] if kind != "snap" else []  # SNAP files do not say how many vertices there are
    assert_array_equal(graph.indptr, [0, 2, 4, 6, *last])
    assert_array_equal(graph.indices, [1, 2, 0, 2, 0, 1])
    assert graph.weights is None


def test_parallel_arcs_and_self_loops_stay_in_file_order() -> None:
    graph = parse(b"p sp 2 5\na 2 2 1\na 1 2 9\na 1 1 3\na 1 2 4\na 1 2 9\n", "dimacs")
    assert_array_equal(graph.indices, [1, 0, 1, 1, 1])
    assert_array_equal(graph.weights, [9, 3, 4, 9, 1])


def test_self_loop_of_an_undirected_graph() -> None:
    assert_array_equal(parse(b"H 1 1 1\nE 0 0 4\n", "he").indices, [0, 0])  # each line is two arcs
    symmetric = BANNER.replace(b"general", b"symmetric")
    assert_array_equal(parse(symmetric + b"2 2 2\n1 1 3\n2 1 4\n", "matrix-market").indices, [0, 1, 0])


def test_snap_keeps_ids() -> None:
    graph = parse(b"7\t2\n", "snap")
    assert (graph.vertices, graph.arcs) == (8, 1)


@pytest.mark.parametrize(
    "content",
    [
        TINY["dimacs"].replace(b"\n", b"\r\n"),
        TINY["dimacs"].rstrip(),
        TINY["dimacs"].replace(b"a ", b"a\t "),
        TINY["dimacs"] + b"\n\n",
        TINY["dimacs"].replace(b" 7\n", b" 0007 \n"),
    ],
    ids=["CRLF", "no last line end", "white space", "blank lines", "leading zeros"],
)
def test_harmless_variation(content: bytes) -> None:
    assert parse(content, "dimacs").digest() == parse(TINY["dimacs"], "dimacs").digest()


def test_no_arcs() -> None:
    for vertices in (0, 3):
        graph = parse(b"p sp %d 0\n" % vertices, "dimacs")
        assert (graph.vertices, graph.arcs) == (vertices, 0)


BAD = {
    "empty": (b"", "dimacs", 1, "header 'p sp N M'"),
    "only comments": (b"c\nc\n", "dimacs", 1, "header"),
    "missing header": (b"c\na 1 2 3\n", "dimacs", 2, "header 'p sp N M'"),
    **{
        f"header {said.decode()}": (b"%b\na 1 2 3\n" % said, "dimacs", 1, "header")
        for said in (b"p tw 2 1", b"p sp 2 1 1", b"p sp 2 x")
    },
    "too many vertices": (b"p sp 2147483647 0\n", "dimacs", 1, "at most 2147483646"),
    "second header": (b"p sp 2 1\np sp 2 1\na 1 2 3\n", "dimacs", 2, "'a u v w'"),
    "too few arcs": (b"p sp 2 3\na 1 2 3\na 2 1 3\n", "dimacs", 3, "the 3 that line 1 announces"),
    "too many arcs": (b"p sp 2 1\na 1 2 3\na 2 1 3\n", "dimacs", 3, "no more than the 1 lines"),
    "trailing junk": (b"p sp 2 1\na 1 2 3\njunk\n", "dimacs", 3, "found 'junk'"),
    "id zero": (b"p sp 2 1\na 0 2 3\n", "dimacs", 2, "ids from 1 to 2"),
    "id too large": (b"p sp 2 2\na 1 2 3\na 3 2 3\n", "dimacs", 3, "ids from 1 to 2"),
    "id without vertices": (b"p sp 0 1\na 1 1 3\n", "dimacs", 2, "ids from 1 to 0"),
    "negative id": (b"H 2 1 0\nE -1 1 3\n", "he", 2, "ids from 0 to 1"),
    "negative weight": (b"c\np sp 2 1\na 1 2 -3\n", "dimacs", 3, "whole weight from 0"),
    **{
        f"weight {said!r}": (b"p sp 2 1\na 1 2 %b\n" % said, "dimacs", 2, "whole weight")
        for said in (b"3.5", b"3.0", b"+3", b"1_0", b"0x1", b"nan", b'"3"', b"3\x00")
    },
    **{
        f"weight of {len(said)} digits": (b"p sp 2 1\na 1 2 %b\n" % said, "dimacs", 2, "to 2147483646")
        for said in (b"2147483647", b"18446744073709551617", b"9" * 9999)
    },
    "missing field": (b"p sp 2 2\na 1 2 3\na 1 2\n", "dimacs", 3, "'a u v w'"),
    "fields moved": (b"p sp 2 2\na 1 2 \n3a 1 2 3\n", "dimacs", 2, "'a u v w'"),
    "extra field": (b"p sp 2 1\na 1 2 3 4\n", "dimacs", 2, "'a u v w'"),
    "old line ends": (b"p sp 2 2\na 1 2 3\ra 2 1 3\n", "dimacs", 2, "'a u v w'"),
    "binary": (bytes(range(256)), "dimacs", 1, "header"),
    "web page": (b"<!DOCTYPE html>\n<html></html>\n", "dimacs", 1, "<!DOCTYPE html>"),
    "H/E without header": (b"E 0 1 2\n", "he", 1, "'H N M U'"),
    "H/E neither directed nor not": (b"H 2 1 2\nE 0 1 2\n", "he", 1, "'H N M U'"),
    "H/E with comment": (b"H 2 1 0\n# no\nE 0 1 2\n", "he", 2, "'E u v w'"),
    "SNAP empty": (b"", "snap", 1, "found the file's end"),
    "SNAP without arcs": (b"# Nodes: 0\n", "snap", 1, "found the file's end"),
    "SNAP with words": (b"0\t1\na\tb\n", "snap", 2, "whole ids"),
    "SNAP with weights": (b"0\t1\n0\t2\t5\n", "snap", 2, "'u v'"),
    "PACE with weights": (b"p tw 2 1\n1 2 5\n", "pace", 2, "'u v'"),
    "PACE cut short": (b"p tw 2 2\n1 2\n", "pace", 2, "cut short"),
    "matrix without banner": (b"2 2 1\n1 2 3\n", "matrix-market", 1, "banner"),
    "matrix empty": (b"", "matrix-market", 1, "Matrix Market header"),
    "matrix of fractions": (REAL + b"1 1 0\n", "matrix-market", 1, "real general"),
    "matrix not square": (BANNER + b"2 3 1\n1 2 3\n", "matrix-market", 2, "header 'N N M'"),
    "matrix with a fraction": (BANNER + b"2 2 1\n1 2 1.5\n", "matrix-market", 3, "whole weight"),
    "matrix cut short": (BANNER + b"2 2 2\n1 2 1\n", "matrix-market", 3, "cut short"),
    "matrix with negative entry": (BANNER + b"2 2 1\n1 2 -1\n", "matrix-market", 3, "whole weight"),
}


@pytest.mark.parametrize(("content", "kind", "line", "expected"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("fast", [False, True])
def test_bad_input_is_one_line_with_its_place(
    content: bytes, kind: str, line: int, expected: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "FEW_BYTES", 0 if fast else 1 << 16)
    message = refusal(content, kind)
    assert message.startswith(f"tiny, line {line}: expected ")
    assert expected in message


def test_damaged_gzip(tmp_path: Path) -> None:
    path, whole = tmp_path / "tiny.gr.gz", gzip.compress(TINY["dimacs"])
    for damaged in (whole[:-9], whole + b"junk", whole[:20] + b"????" + whole[24:]):
        path.write_bytes(damaged)
        with pytest.raises(OneLineError, match=r"tiny.gr.gz: expected a whole packed file"):
            read_graph(path, "dimacs")


@pytest.mark.parametrize(
    ("content", "kind"), [(b"p sp 2147483646 0\n", "dimacs"), (b"0 2147483645\n", "snap")]
)
def test_counts_are_compared_before_memory_is_taken(content: bytes, kind: str) -> None:
    with pytest.raises(OneLineError, match=r"expected 3 vertices and 2 arcs, .* found 2147483646 and [01]: "):
        parse_stream(io.BytesIO(content), kind, "tiny", (3, 2))


def test_a_graph_that_memory_does_not_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 2**20)
    told = refusal(b"0 1000000\n", "snap")
    assert told.startswith("tiny: 1000001 vertices and 1 arcs: needs 19.1 MiB of memory, 1.0")
    assert parse(b"0 1000\n", "snap").vertices == 1001


@pytest.mark.parametrize(
    ("content", "kind", "arcs"),
    [(b"0 2147483645\n", "snap", 1), (b"p sp 2147483646 1\na 1 2 3\n", "dimacs", 1),
     (b"H 2147483646 1 1\nE 0 1 3\n", "he", 2), (b"p tw 2147483646 0\n", "pace", 0)],
)  # fmt: skip
def test_ids_far_beyond_the_arcs_take_no_memory(content: bytes, kind: str, arcs: int) -> None:
    tracemalloc.start()
    told = refusal(content, kind)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told.startswith(f"tiny: expected at most 1048576 vertices with {arcs} arcs, found 2147483646")
    assert told.endswith("number the vertices without gaps")
    assert most < 32 << 20
    assert parse(b"0 1048575\n", "snap").vertices == 1 << 20


def test_a_line_without_end_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"# " + bytes(128 << 20), 1))
    tracemalloc.start()
    with pytest.raises(OneLineError, match=r"bomb.gz, line 1: expected 'u v'"):
        read_graph(path, "snap")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 64 << 20


def test_overflow_of_distances_names_the_heaviest_arc() -> None:
    big = 2**30
    path = b"p sp 4 3\na 1 2 %d\nc\na 2 3 %d\na 3 4 %d\n"
    told = refusal(path % (big, big + 1, big), "dimacs")
    assert told.startswith("tiny, line 4: expected distances of at most")
    parse(path % (big // 2, big // 2, big // 2), "dimacs")
    # Heavy arcs that no shortest path takes are no harm; neither are arcs that vertex 0 does not reach.
    parse(b"p sp 4 4\na 1 2 1\na 1 3 9\na 1 4 1\na 3 2 2147483640\n", "dimacs")


def test_overflow_check_minds_zero_weights_and_parallel_arcs() -> None:
    heavy = b"a 1 2 2000000000\na 2 3 2000000000\n"
    assert "line 2" in refusal(b"p sp 3 2\n" + heavy, "dimacs")
    # A free arc to vertex 2, and another to vertex 3, leave the heavy ones one step from 0.
    parse(b"p sp 3 4\n" + heavy + b"a 1 2 0\na 1 3 0\n", "dimacs")
    # Parallel arcs are not added up.
    parse(b"p sp 3 4\na 1 2 9\na 1 2 1073741823\na 1 2 1073741823\na 2 3 1073741823\n", "dimacs")


def test_write_he_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(he_files, "ARCS_WRITTEN", 0)
    with pytest.raises(ValueError, match="must not be zero"):
        write_he(parse(TINY["he"], "he"), tmp_path / "tiny.he")
    assert list(tmp_path.iterdir()) == []


PIECES = [b"", b"\n", b"\r\n", b"\r", b" ", b"  ", b"\t", b"p sp 4 6\n", b"\nc x\n", b"\x00", b"\xff"]
PIECES += b'a c E # % 0 9 -1 +1 1.5 1e3 nan " , _ 0x 4294967297 99999999999999999999999'.split()


@pytest.mark.parametrize("kind", LAYOUTS)
@settings(max_examples=examples(300), deadline=None)
@given(edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4), st.sampled_from(PIECES)), max_size=4))
@example(edits=[])
def test_fast_pass_reads_only_what_the_slow_reads(kind: str, edits: list[tuple[float, int, bytes]]) -> None:
    content = {**TINY, **TINY_WITHOUT_WEIGHTS}[kind]
    layout = LAYOUTS[kind]
    header = read_header(content, layout, Path("tiny"))
    body = content[header.end :]
    for where, length, piece in edits:
        start = int(where * len(body))
        body = body[:start] + piece + body[start + length :]
    content = content[: header.end] + body
    fast, _ = read_plain(content, header.end, layout, header.bound)
    try:
        slow = read_any(content, layout, header, Path("tiny"))
    except OneLineError:
        assert fast is None or not header.allows(fast.shape[1], last=True)
    else:
        assert fast is None or np.array_equal(fast, slow)
        assert edits or fast is not None


@pytest.mark.parametrize(
    ("kind", "line", "row"),
    [
        ("dimacs", b"a 1 2 3\n", [0, 1, 3]),
        ("dimacs", b"a\t2  1 0000000003 \r\n", [1, 0, 3]),
        ("dimacs", b"c x\na 1 2 2147483646", [0, 1, 2147483646]),
        ("snap", b"0\t1\n", [0, 1]),
        *(
            ("dimacs", line, None)
            for line in (
                b"a1 2 3\n", b" a 1 2 3\n", b"b 1 2 3\n", b"a 0 1 3\n", b"a 3 1 3\n", b"a 1 3 3\n",
                b"a 1 2\n", b"\n", b"a 1 2 3 4\n", b"a 1 2 3x", b"a 1 2 3\ra 1 2 3\n",
                b"a", b"a 1 2 2147483647\n", b"a 1 2 9999999999\n", b"a 1 2 00000000003\n", b"a 1 2 -3\n",
                b"a 1 2 \n", b"a 1 2 3\0\n",
            )
        ),
        *(("snap", line, None) for line in (b" 0 1\n", b"01\n", b"0 2\n", b"0 1 2\n")),
    ],
)  # fmt: skip
def test_what_is_plain(kind: str, line: bytes, row: list[int] | None) -> None:
    """A graph has two vertices here."""
    before = b"not read\n"
    found, line_ends = read_plain(before + line, len(before), LAYOUTS[kind], 2)
    assert line_ends == line.count(b"\n")
    assert (None if found is None else found.T.tolist()) == (None if row is None else [row])


def result_of(content: bytes, kind: str) -> str:
    """Return the digest of a graph, or the message of what is refused."""
    try:
        return parse(content, kind).digest()
    except OneLineError as error:
        return str(error)


@pytest.mark.parametrize("kind", LAYOUTS)
@settings(max_examples=examples(100), deadline=None)
@given(edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4), st.sampled_from(PIECES)), max_size=4))
def test_without_a_compiler_graphs_and_messages_are_the_same(
    kind: str, edits: list[tuple[float, int, bytes]]
) -> None:
    content = {**TINY, **TINY_WITHOUT_WEIGHTS}[kind]
    for where, length, piece in edits:
        start = int(where * len(content))
        content = content[:start] + piece + content[start + length :]
    with pytest.MonkeyPatch.context() as patch:
        for module in (lines, parsing):
            patch.setattr(module, "FEW_BYTES", 0)
        for bytes_at_a_time in (1 << 20, 12, 1):
            patch.setattr(lines, "PIECE", bytes_at_a_time)
            fast = result_of(content, kind)
            with pytest.MonkeyPatch.context() as without:
                for module in (lines, parsing):
                    without.setattr(module, "reader_library", lambda: None)
                assert fast == result_of(content, kind)


def test_a_missing_compiler_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setattr(lines, "FEW_BYTES", 0)
    lines.reader_library.cache_clear()
    try:
        assert [parse(TINY["dimacs"], "dimacs").arcs for _ in range(2)]
    finally:
        lines.reader_library.cache_clear()
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(
        "warning: graph files are read line by line, in Python, which is slow: the C++ compiler"
    )


def test_large_file_takes_the_fast_pass_within_a_second() -> None:
    vertices, arcs = 1_207_945, 2_840_208  # as many as Northwest USA has
    steps = np.arange(arcs // 12, dtype=np.int64)  # the same lines twelve times: they take long to write
    columns = np.stack([steps * 5 % vertices + 1, steps * 7919 % vertices + 1, steps % 3000], axis=1)
    lines = b"\n".join([b"\n".join(b"a %d %d %d" % row for row in map(tuple, columns.tolist()))] * 12)
    content = b"c large\np sp %d %d\n%b\n" % (vertices, arcs, lines)
    start = time.process_time()
    graph = parse(content, "dimacs")
    assert time.process_time() - start < 1
    assert (graph.vertices, graph.arcs) == (vertices, arcs)


@needs_mirror
def test_new_york() -> None:
    start = time.process_time()
    graph = read_graph(Path(MIRROR, "USA-road-d.NY.gr.gz"), "dimacs")
    assert time.process_time() - start < 2
    assert (graph.vertices, graph.arcs) == (264_346, 733_846)
    assert graph.weights is not None
    assert (graph.weights.min(), graph.weights.max()) == (1, 36_946)
    pairs = graph.tails().astype(np.int64) * graph.vertices + graph.indices
    assert len(np.unique(pairs)) == 730_100
    # Reference distances of an independent Dijkstra, in the mirror's README.
    matrix = csr_array((graph.weights.astype(float), graph.indices, graph.indptr))
    for source, largest, at, total in [
        (1, 1_440_081, 90_644, 186_686_642_878),
        (132_173, 1_051_180, 4_231, 108_969_564_996),
        (264_346, 1_503_886, 90_644, 202_836_065_568),
    ]:
        distances = dijkstra(matrix, indices=[source - 1])[0]
        assert (distances.max(), distances.argmax() + 1, distances.sum()) == (largest, at, total)
        if source == 1:
            assert distances[1000 - 1] == 28_939


@needs_mirror
def test_challenge_sample() -> None:
    graph = read_graph(Path(MIRROR, "sample.gr.gz"), "dimacs")
    assert graph.weights is not None
    matrix = csr_array((graph.weights.astype(float), graph.indices, graph.indptr))
    assert_array_equal(dijkstra(matrix, indices=[0])[0], [0, 10, 10, 12, 10, 15])


def test_a_pipe_is_refused_by_any_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def read(shown: str) -> None:
        with open_graph(tmp_path / "pipe", shown):
            pass

    assert "it is a pipe or a device" in refused(read, "another name")
