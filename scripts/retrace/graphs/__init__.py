"""Graphs: the one graph type, the formats it is read from, generators and the data-set registry."""
