"""How numbers, sizes and lists are written in tables, figures and verdicts."""

from collections.abc import Sequence
from math import floor, isinf, log10

TIMES = "\N{MULTIPLICATION SIGN}"
INFINITE = "\N{INFINITY}"
EMPTY = "\N{EN DASH}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def duration(ms: float) -> str:
    """Write a time with three digits, in the unit that reads best: ns, µs, ms or s."""
    ms = float(f"{ms:.3g}")
    for factor, unit in ((1e-3, "s"), (1, "ms"), (1e3, "µs")):
        if ms * factor >= 1:
            return f"{three_digits(ms * factor)} {unit}"
    return f"{three_digits(ms * 1e6)} ns"


def three_digits(value: float) -> str:
    """Write a number with three digits and no exponent; a quotient beyond all numbers is infinite."""
    if isinf(value):
        return INFINITE
    decimals = 2 - floor(log10(float(f"{value:.3g}"))) if value > 0 else 0
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def ratio(value: float) -> str:
    """Write how many times as long something takes."""
    return f"{three_digits(value)}{TIMES}"


def power_of_two(number: int) -> str:
    """Write a power of 2 as such, and any other number with its thousands apart."""
    power = number.bit_length() - 1
    return "2" + str(power).translate(SUPERSCRIPTS) if number == 2**power else f"{number:,}"


def word_list(words: Sequence[str]) -> str:
    """Write a list of words: `a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def plural(number: int, noun: str) -> str:
    """Write a number of things: `1 trial`, `5 trials`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
