"""Betweenness scores of one graph, however large: shards, what runs them, and what they would cost."""
