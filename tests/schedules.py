"""How much a test tries: all that it names, or with --quick a part, such as a quarter of the schedules."""

LEAST = 3

quick = False
"""conftest.py sets it before it reads any test."""


def seeds(number: int) -> range:
    """Return the seeds that a test tries of so many."""
    return range(min(number, max(LEAST, number // 4)) if quick else number)


def runs(*seeds: int) -> tuple[int | None, ...]:
    """Return None, for a run in order, and seeds: with --quick the last of these alone.

    A schedule finds what a run in order does: docs/testing.md has the table.
    """
    return seeds[-1:] if quick else (None, *seeds)


def examples(number: int) -> int:
    """Return how many random examples or sources a test tries of so many: with --quick two of five."""
    return min(number, max(LEAST, number * 2 // 5)) if quick else number


def ends(*vertices: int) -> set[int]:
    """Return the vertices that a test tries, each once: with --quick the first two."""
    return {*(vertices[:2] if quick else vertices)}
