"""The table of docs/testing.md says which faults the emulator finds: it is what `faults.py` gives."""

import re

import faults
import pytest

TABLE = re.search(r"<!-- made by `[^`]*faults.py` -->\n(.*?)<!-- end -->", faults.PAGE.read_text(), re.DOTALL)
ROWS = [line.strip("|").split("|") for line in TABLE[1].splitlines()[2:]] if TABLE else []
CELLS = {key: row[1:] for key, row in zip(faults.CASES, ROWS, strict=False)}
SEEDS = 20


def test_the_table_has_all_cases() -> None:
    assert [row[0] for row in ROWS] == [name for name, _ in faults.CASES.values()]


@pytest.mark.long
@pytest.mark.parametrize("key", faults.CASES)
def test_what_is_found_is_what_the_table_says(key: str) -> None:
    """A count may differ between compilers, since the accesses to memory differ that are left."""
    plain, seeded, _ = CELLS[key]
    assert ("no", "yes")[faults.is_found(key, None)] == plain
    rate = sum(faults.is_found(key, seed) for seed in range(SEEDS)) / SEEDS
    if seeded in ("no", "yes"):
        assert rate == ("no", "yes").index(seeded)
    else:
        assert abs(rate - int(seeded.split()[0]) / faults.SEEDS) < 0.25


@pytest.mark.long
def test_so_does_the_debug_build() -> None:
    found = dict(zip(faults.CASES, faults.times_found(faults.CASES, mode="debug"), strict=True))
    assert found == {key: ("no", "yes").index(debug) for key, (*_, debug) in CELLS.items()}


@pytest.mark.parametrize("key", [key for key in faults.CASES if key.startswith("right:")])
def test_a_right_kernel_raises_no_alarm(key: str) -> None:
    assert CELLS[key] == ["no"] * 3
