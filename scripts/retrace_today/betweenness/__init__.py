"""Betweenness: searches of our own, on one GPU or several, and the choice among them."""
