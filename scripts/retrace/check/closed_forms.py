"""Checks what the kernels of the problem limits found against closed forms, which need no loop."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.check.result import CheckResult, find_mismatch
from retrace.graphs.csr import Int32Array
from retrace.graphs.query import Query

MULTIPLIER, INCREMENT = 1664525, 1013904223
"""Of the cycle that loads follow: see kernels/retrace_today/limits/cycle.cuh."""


class LimitChecker:
    """Checks answers of the form (words, steps, found), uint64."""

    def check(
        self, solver: str, query: Query, answer: NDArray[Any], predecessor: Int32Array | None = None
    ) -> CheckResult:
        """Compare what was found with the closed form for the solver's kind, such as `load` or `barrier`."""
        kind = solver.partition("/")[2].partition(":")[0].partition("-")[0]
        if fault := find_mismatch(np.zeros(3, np.uint64), answer):
            return CheckResult(False, "three numbers", fault)
        words, steps, value = map(int, answer)
        quantity, expected = {
            "load": ("end of the cycle", end_of_cycle(words, steps) if words else 0),
            "barrier": ("number of barriers", steps),
            "launch": ("number of launches", steps),
            "read": ("sum of the words", steps * words * (words - 1) // 2 % 2**64),
            "copy": ("sum of the words", words * (words - 1) // 2),
        }[kind]
        if value == expected:
            return CheckResult(True, quantity)
        return CheckResult(False, quantity, f"{quantity} is {value} instead of {expected}")


def end_of_cycle(words: int, steps: int) -> int:
    """Return where a walk from 0 is: INCREMENT * (MULTIPLIER^steps - 1) / (MULTIPLIER - 1), mod words."""
    power = pow(MULTIPLIER, steps, words * (MULTIPLIER - 1))  # so that the quotient is exact
    return INCREMENT * ((power - 1) // (MULTIPLIER - 1)) % words
