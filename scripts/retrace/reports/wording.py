"""How numbers, sizes and lists are written in tables, figures and verdicts."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from math import floor, isinf, log10

from retrace.records.statistics import ENOUGH, Summary

TIMES = "\N{MULTIPLICATION SIGN}"
INFINITE = "\N{INFINITY}"
EMPTY = "\N{EN DASH}"
PERCENT_BELOW = 1.5
"""Up to so many times a difference is written in percent."""
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def duration(ms: float) -> str:
    """Write a time with three digits, in the unit that reads best: ns, µs, ms or s."""
    ms = float(f"{ms:.3g}")
    for factor, unit in ((1e-3, "s"), (1, "ms"), (1e3, "µs")):
        if ms * factor >= 1:
            return f"{three_digits(ms * factor)} {unit}"
    return f"{three_digits(ms * 1e6)} ns"


def few_trials(times: Summary) -> str:
    """Write the number of trials behind a time if these are few."""
    return f" (n={times.n})" if times.n < ENOUGH else ""


def three_digits(value: float) -> str:
    """Write a number with three digits and no exponent; a quotient beyond all numbers is infinite."""
    if isinf(value):
        return INFINITE
    decimals = 2 - floor(log10(float(f"{value:.3g}"))) if value > 0 else 0
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def ratio(value: float) -> str:
    """Write how many times as long something takes."""
    return f"{three_digits(value)}{TIMES}"


def speed(factor: float) -> str:
    """Write with two digits how fast something is that another takes `factor` times as long as.

    `2.0 x faster`, `16 % faster`, `1.8 x slower`, with the sign of multiplication; or `as fast`.
    """
    word, times = ("faster", factor) if factor >= 1 else ("slower", 1 / factor)
    if times < PERCENT_BELOW:
        percent = round(100 * (times - 1))
        return f"{percent}\N{NO-BREAK SPACE}% {word}" if percent else "as fast"
    return f"{two_digits(times)}\N{NO-BREAK SPACE}{TIMES} {word}"


def speed_range(least: float, most: float) -> str:
    """Write a range of speeds: `4.4 to 11 x faster`, `1.3 to 2.0 x faster`, `12 % slower to 2.0 x faster`."""
    low, high = speed(least), speed(most)
    if low == high:
        return low
    number, _, unit = low.partition("\N{NO-BREAK SPACE}")
    if high.endswith(unit):
        return f"{number} to {high}"
    are_one_way = least > 1 and unit != ""
    return f"{two_digits(least) if are_one_way else low} to {high}"


def two_digits(value: float) -> str:
    """Write a number above 0 with two digits and no exponent."""
    decimals = 1 - floor(log10(float(f"{value:.2g}")))
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def comparative(over: float, than: str = "", untold: str = "") -> str:
    """Say how fast something is that takes `over` times as long, and why that cannot be told, if so.

    `16 % slower than that`, `2.0 x slower than that (within run-to-run noise)`.
    """
    said = speed(1 / over)
    joined = f" {'as' if said == 'as fast' else 'than'} {than}" if than else ""
    return f"{said}{joined}{f' ({untold})' if untold else ''}"


def times_as_much(value: float) -> str:
    """Write how many times as much something is, with two digits."""
    return f"{two_digits(value)}\N{NO-BREAK SPACE}{TIMES}"


def joules(mj: float) -> str:
    """Write an energy with two digits, in mJ or J."""
    return f"{two_digits(mj / 1000)} J" if mj >= 1000 else f"{two_digits(mj)} mJ"


def power_of_two(number: int) -> str:
    """Write a power of 2 as such, and any other number with its thousands apart."""
    power = number.bit_length() - 1
    return "2" + str(power).translate(SUPERSCRIPTS) if number == 2**power else f"{number:,}"


def word_list(words: Sequence[str]) -> str:
    """Write a list of words: `a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def side_by_side(said: Mapping[str, str]) -> str:
    """Write what each of several says, with its name, and what all say once.

    `2 ms on NW` of a and `3 ms on NW` of b become `2 ms (a) and 3 ms (b) on NW`. One alone has no name.
    """
    texts = list(said.values())
    if len(set(texts)) == 1:
        return texts[0] + f" ({word_list(list(said))})" * (len(texts) > 1)
    places = {place for _, on, place in (text.rpartition(" on ") for text in texts) if on}
    end = f" on {places.pop()}" if len(places) == 1 and all(" on " in text for text in texts) else ""
    words = [text.removesuffix(end).split(" ") for text in texts]
    alike = len(list(takewhile(lambda some: len(set(some)) == 1, zip(*words, strict=False))))
    start = alike if alike < min(map(len, words)) else 0
    own = [f"{' '.join(some[start:])} ({name})" for name, some in zip(said, words, strict=True)]
    return " ".join([*words[0][:start], word_list(own)]) + end


def plural(number: int, noun: str) -> str:
    """Write a number of things: `1 trial`, `5 trials`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
