"""How many schedules of the emulator a test tries: all that it names, or with --quick a quarter of them."""

LEAST = 3

quick = False
"""conftest.py sets it before it reads any test."""


def seeds(number: int) -> range:
    """Return the seeds that a test tries of so many."""
    return range(min(number, max(LEAST, number // 4)) if quick else number)
