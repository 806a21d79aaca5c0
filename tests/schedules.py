"""How many schedules of the emulator a test tries: all that it names, or with --quick a quarter of them."""

from dataclasses import dataclass

LEAST = 3


@dataclass
class Effort:
    """Set by conftest.py before any test is read."""

    quick: bool = False


EFFORT = Effort()


def seeds(number: int) -> range:
    """Return the seeds that a test tries of so many."""
    return range(min(number, max(LEAST, number // 4)) if EFFORT.quick else number)
