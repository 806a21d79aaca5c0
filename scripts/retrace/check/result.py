"""The result of checking an answer, and the exact comparison of two answers."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import Int32Array


@dataclass(frozen=True)
class CheckResult:
    """The result of checking an answer."""

    verified: bool
    oracle: str
    """What the answer was checked against."""
    reason: str | None = None
    """The first difference."""
    observed: dict[str, float] = field(default_factory=dict)
    """What a record should store about the comparison, such as the largest error."""


def digest(array: NDArray[Any]) -> str:
    """Return the sha256 of an array's content, little-endian."""
    little_endian = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return hashlib.sha256(little_endian.data).hexdigest()


def find_mismatch(expected: NDArray[Any], answer: NDArray[Any]) -> str | None:
    """Return how two answers differ in shape or type, or None if they do not."""
    if expected.shape == answer.shape and expected.dtype == answer.dtype:
        return None
    return f"{answer.dtype} {answer.shape} instead of {expected.dtype} {expected.shape}"


def compare(expected: Int32Array, answer: Int32Array, oracle: str) -> CheckResult:
    """Compare two answers entry by entry; the reason names the first vertex where they differ."""
    if fault := find_mismatch(expected, answer):
        return CheckResult(False, oracle, fault)
    different = np.flatnonzero(expected != answer)
    if len(different) == 0:
        return CheckResult(True, oracle)
    first = int(different[0])
    difference = f"vertex {first} has {answer[first]} instead of {expected[first]}"
    return CheckResult(False, oracle, f"{difference}; {len(different)} of {len(answer)} differ")
