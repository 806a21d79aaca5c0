"""One small graph in every format."""

# The same graph throughout: a triangle 0, 1, 2 with a vertex 3 beside it, as two arcs an edge.
TINY = {
    "dimacs": b"c tiny\np sp 4 6\nc\na 1 2 5\na 2 1 5\na 1 3 7\nc between\na 3 1 7\na 2 3 0\na 3 2 0\n",
    "he": b"H 4 3 1\nE 0 1 5\nE 0 2 7\nE 1 2 0\n",
    "matrix-market": b"%%MatrixMarket matrix coordinate integer symmetric\n%\n4 4 3\n1 2 5\n1 3 7\n2 3 0\n",
}
TINY_WITHOUT_WEIGHTS = {
    "pace": b"c tiny\np tw 4 3\n1 2\n1 3\n2 3\n",
    "snap": b"# tiny\n# FromNodeId\tToNodeId\n0\t1\n1\t0\n0\t2\n2\t0\n1\t2\n2\t1\n",
    "matrix-market": b"%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n1 2\n1 3\n2 3\n",
}
