"""Betweenness centrality: how often a vertex lies on shortest paths between others, without weights.

The score of v is the sum over sources s and targets t, both other than v, of the share of shortest paths from
s to t that lead through v. U. Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociol.
25(2), 2001, computes it by one search from each source s, in O(vertices * arcs) altogether: forwards the
search counts the shortest paths sigma[v] to every v; backwards it adds up ::

    delta[v] = sum of sigma[v] / sigma[w] * (1 + delta[w])    over the w whose predecessor is v

and delta[v] is what s contributes to the score of v. `conventions` states what counts once and what is
normalised.
"""

from retrace.solvers.betweenness import extensions, published_variants, reasons, sequential

__all__ = ["extensions", "published_variants", "reasons", "sequential"]
