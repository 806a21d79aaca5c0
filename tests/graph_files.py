"""Small files of each format that is read: most have the triangle 1, 2, 3, once undirected and once not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from functools import partial

UNDIRECTED = {
    "SNAP says undirected": "# Undirected graph: tiny\n# Nodes: 3 Edges: 3\n1\t2\n2\t3\n1\t3\n",
    "KONECT": "% sym unweighted\n% 3 3 3\n1 2 \n2 3 \n1 3\n",
    "KONECT without counts, CRLF": "% sym unweighted\r\n1 2\r\n2 3\r\n1 3\r\n",
    "DIMACS edge": "c colouring\np edge 3 3\ne 1 2\ne 2 3\nc in the middle\ne 1 3\n",
    "DIMACS col, both ways": "p col 3 3\ne 1 2\ne 2 1\ne 2 3\ne 3 2\ne 1 3\ne 3 1\n",
    **{
        f"PACE {kind}": f"p {kind} 3 3\n1 2\n\n2 3 \n1\t3\n"
        for kind in ("tw", "td", "ds", "tww", "tdp", "cep")
    },
    "Steiner": "SECTION Graph\nNodes 3\nEdges 3\nE 1 2 5\nE 2 3 5\nE 1 3 5\nEND\n"
    "SECTION Terminals\nT 1\nEND\nEOF\n",
    "matrix": "%%MatrixMarket matrix coordinate pattern symmetric\n% a\n3 3 3\n2 1\n3 2\n3 1\n",
    "matrix with one sign": "%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1.0\n3 2 2\n3 1 3\n",
    "matrix of all entries": "%%MatrixMarket matrix array real symmetric\n3 3\n0\n1\n1\n0\n1\n0\n",
    "PACE ocr with an order": "p ocr 1 2 3 2\n3\n1\n2\n1 2\n2 3\n1 3\n",
    "DIMACS col of all lines": "p col 3 3\nn 1 5\nd 2 1 2\nv 3 4\nx 1 2\ne 1 2\ne 2 3\ne 1 3\n",
    "METIS": "3 3\n2 3\n1 3\n1 2\n",
    "METIS with weights": "% c\n3 3 011 1\n7 2 5 3 5\n7 1 5 3 5\n7 1 5 2 5\n",
    "GML": 'graph [\n node [ id 7 label "1" graphics [ x 1 ] ]\n node [ id 8 label "2" ]\n'
    ' node [ id 9 label "3" ]\n'
    " edge [ source 7 target 8 ]\n edge [ source 8 target 9 ]\n edge [ source 7 target 9 ]\n]\n",
    "Pajek": '*Vertices 3\n1 "1"\n2 "2"\n3 "3"\n\n*Edges\n1 2\n2 3\n1 3\n',
    "GraphML": '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph '
    'edgedefault="undirected"><node id="1"/><node id="2"/><node id="3"/><edge source="1" target="2"/>'
    '<edge source="2" target="3"/><edge source="1" target="3"/></graph></graphml>\n',
}  # fmt: skip

DIRECTED = {
    "SNAP says directed": "# Directed graph: tiny\n1 2\n2 3\n1 3\n",
    "KONECT": "% asym positive\n1 2 1 1000\n2 3 1 1001\n1 3 1 1002\n",
    "Pajek": '*Vertices 3\n1 "1"\n2 "2"\n3 "3"\n*Arcs\n1 2\n2 3\n1 3\n',
    "Pajek without names": "% c\n*Network tiny\n*Vertices 3\n\n*Arcslist\n1 2 3\n2 3\n*Edges\n",
    "PACE 2022": "% c\n3 3 0\n2 3\n3\n\n",
    "GML": 'graph [ directed 1\n'
    ' node [ id 1 label "1" ]\n node [ id 2 label "2" ]\n node [ id 3 label "3" ]\n'
    " edge [ source 1 target 2 ]\n edge [ source 2 target 3 ]\n edge [ source 1 target 3 ]\n]\n",
}  # fmt: skip

EDGES = {
    "spaces at ends, CRLF": "1 2  \r\n\r\n  2 3\r\n1 3 ",
    "tabs and comments in the middle": "1\t2\n# so\n2\t\t3\n% so\n1\t3\n",
    "CSV with a header": "source,target\n1,2\n2,3\n1,3\n",
    "CSV without": "1,2\n2, 3\n1 ,3\n",
    "other words": "From;To\n1;2\n2;3\n1;3\n",
    "quotes": '"id1","id2","w"\n"1","2","5"\n"2","3","5"\n1,3,5\n',
    "comment header with weights": "# FromNodeId ToNodeId Weight\n1 2 5\n2 3 5\n1 3 5\n",
    "byte order mark": "\ufeff1 2\n2 3\n1 3\n",
    "old line ends": "1 2\r2 3\r1 3\r",
}  # fmt: skip

DIMACS = b"p sp 3 2\na 1 2 5\na 2 3 7\n"


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("net.gr", content)
    return file.getvalue()


# Names of tests have what is packed, which must not change from second to second.
PACKERS = {"gzip": partial(gzip.compress, mtime=0), "bzip2": bz2.compress, "xz": lzma.compress, "zip": zipped}
PACKED = {
    **{name: pack(DIMACS) for name, pack in PACKERS.items()},
    "gzip twice": gzip.compress(gzip.compress(DIMACS)), "zip in gzip": gzip.compress(zipped(DIMACS)),
    "UTF-16": DIMACS.decode().encode("utf-16"),
    "mark": b"\xef\xbb\xbf" + DIMACS, "xz of UTF-16": lzma.compress(DIMACS.decode().encode("utf-16")),
}  # fmt: skip


Edge = tuple[int, int, int]
"""Two vertices from 1, and a weight from 1."""


def renderings(n: int, edges: list[Edge], directed: bool) -> dict[str, str]:
    """The graph as a file of each format that holds it, by a name that ends with the format.

    Vertices are 1 to n; a list of edges has only those with an edge.
    """
    plain = "".join(f"{u} {v}\n" for u, v, _ in edges)
    weighted = "".join(f"{u} {v} {w}\n" for u, v, w in edges)
    kind, arcs = ("directed", "arcs") if directed else ("undirected", "edges")
    word = "A" if directed else "E"
    symmetry = "general" if directed else "symmetric"
    low = "".join(f"{max(u, v)} {min(u, v)} {w}.0\n" for u, v, w in edges)
    nodes = range(1, n + 1)
    files = {
        "edges": f"# {kind.title()} graph\n{weighted}",
        "csv edges": "source,weight,target\n" + "".join(f"{u},{w},{v}\n" for u, v, w in edges),
        "konect": f"% {'asym' if directed else 'sym'} weighted\n% {len(edges)} {n} {n}\n{weighted}",
        "matrix-market": f"%%MatrixMarket matrix coordinate real {symmetry}\n{n} {n} {len(edges)}\n"
        + (weighted if directed else low),
        "integer matrix-market": f"%%MatrixMarket matrix coordinate integer {symmetry}\n"
        + f"{n} {n} {len(edges)}\n"
        + (weighted if directed else low.replace(".0", "")),
        "he": f"H {n} {len(edges)} {int(not directed)}\n"
        + "".join(f"E {u - 1} {v - 1} {w}\n" for u, v, w in edges),
        "steiner": f"SECTION Graph\nNodes {n}\n{arcs.title()} {len(edges)}\n"
        + "".join(f"{word} {u} {v} {w}\n" for u, v, w in edges)
        + "END\n",
        "pajek": f"*Vertices {n}\n" + "".join(f'{v} "{v}"\n' for v in nodes) + f"*{arcs.title()}\n{weighted}",
        "gml": f"graph [ directed {int(directed)}\n"
        + "".join(f"node [ id {v} ]\n" for v in nodes)
        + "".join(f"edge [ source {u} target {v} weight {w} ]\n" for u, v, w in edges)
        + "]\n",
        "graphml": '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        + f'<key id="w" for="edge" attr.name="weight" attr.type="int"/><graph edgedefault="{kind}">'
        + "".join(f'<node id="{v}"/>' for v in nodes)
        + "".join(f'<edge source="{u}" target="{v}"><data key="w">{w}</data></edge>' for u, v, w in edges)
        + "</graph></graphml>",
    }
    if directed:
        files["dimacs"] = f"p sp {n} {len(edges)}\n" + "".join(f"a {u} {v} {w}\n" for u, v, w in edges)
        heads = [[v for u, v, _ in edges if u == vertex] for vertex in nodes]
        lines = "".join(" ".join(map(str, row)) + "\n" for row in heads)
        files["plain metis"] = f"{n} {len(edges)} 0\n{lines}"
    else:
        files["plain dimacs"] = f"p edge {n} {len(edges)}\n" + "".join(f"e {u} {v}\n" for u, v, _ in edges)
        files["plain pace"] = f"p tw {n} {len(edges)}\n{plain}"
        if all(u != v for u, v, _ in edges):
            ends = [*edges, *((v, u, w) for u, v, w in edges)]
            rows = [" ".join(f"{v} {w}" for u, v, w in ends if u == vertex) for vertex in nodes]
            files["metis"] = f"{n} {len(edges)} 1\n" + "".join(f"{row}\n" for row in rows)
    return files
