"""Measurement records: their model, and the statistics of their trials."""
