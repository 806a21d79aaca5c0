"""The commands of `retrace` for a graph, a computer or records in hand; `arguments` describes them."""
