"""Graphs: the graph types, the file formats, the generators and the registry of data sets."""
