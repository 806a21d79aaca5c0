"""The modules of all calls of libraries, each of which registers its own."""

from retrace_peers import distances, hops, negative_weights, pairs, scores

__all__ = ["distances", "hops", "negative_weights", "pairs", "scores"]
