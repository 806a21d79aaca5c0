"""Measuring: trials, provenance and records."""
