"""Bellman-Ford: the distance of every vertex from a source, where weights may be negative.

An arc from u to v of weight w is relaxed by lowering distance[v] to distance[u] + w if that is less. After k
rounds of relaxing all arcs, every distance is at most the length of the shortest path of up to k arcs, so
that vertices - 1 rounds suffice unless the source reaches a negative cycle: O(vertices * arcs) work. Report
an-bellman-ford runs it on complete graphs stored as matrices, and on lists of arcs.
"""

from retrace.solvers.bellman_ford import active_rows, masked, masked_streams, on_host

__all__ = ["active_rows", "masked", "masked_streams", "on_host"]
