"""Marks the conversions to an integer that a kernel file does not write out, such as `int i = x`.

Only a compiler can tell them: g++ warns of each and says where its operand is. There, `x` becomes
`emulator::real(x)`, which converts itself as a GPU does (`kernels/cuda_on_cpu/language/conversions.h`). Of
`i += x`, the operand on the right is marked.
"""

import json
import re
from collections import defaultdict
from typing import Any

WARNING = "-Wfloat-conversion"
WARNINGS = (WARNING, "-Woverflow")
"""The second is for constants."""
AS_JSON = ("-fsyntax-only", "-fdiagnostics-format=json")

CONVERSION = re.compile(r"\bconversion from \W(?:float|double)\W to \W(?!float\b|double\b|long double\b)")
ASSIGNMENTS = (b"+=", b"-=", b"*=", b"/=")
BEFORE = (b"=", b"(", b",", b"{", b"return")
AFTER = (b";", b")", b",", b"}")
"""What a whole operand stands between. g++ sometimes names its last token alone."""


def warns_of_conversions(log: str) -> bool:
    """Whether g++ has said anything that `with_marks` may be able to use."""
    return any(option in log for option in WARNINGS)


def with_marks(text: str, warnings: str) -> str:
    """Mark what g++ has warned of, as JSON, in C++ with the preprocessor's line markers."""
    try:
        reports: list[dict[str, Any]] = json.loads(warnings)
    except ValueError:  # another compiler's
        return text
    code = text.encode()
    begins = _begins_of_lines(code)

    def offset(place: dict[str, Any]) -> int:
        column = int(place["byte-column"]) - 1
        pieces = ((begin + column, line[column:]) for begin, line in begins[place["file"], place["line"]])
        (found,) = (at for at, rest in pieces if rest[:1].strip())  # where the line is cut, it is indented
        return found

    operands = set()
    for report in reports:
        if report.get("option") in WARNINGS and CONVERSION.search(report["message"]):
            place = report["locations"][0]
            try:
                begin, end = (offset(place.get(part, place["caret"])) for part in ("start", "finish"))
                operator = offset(place["caret"])
            except ValueError:  # it is not in the text, or twice
                continue
            if code[operator : operator + 2] in ASSIGNMENTS:
                begin = operator + 2
            before, after = code[:begin].rstrip(), code[end + 1 :].lstrip()
            if before.endswith(BEFORE) and after.startswith(AFTER):
                operands.add((begin, end + 1))
    written = [(begin, 1, b"emulator::real(") for begin, _ in operands] + [
        (end, 0, b")") for _, end in operands
    ]
    for at, _, mark in sorted(written, reverse=True):
        code = code[:at] + mark + code[at:]
    return code.decode()


def _begins_of_lines(code: bytes) -> dict[tuple[str, int], list[tuple[int, bytes]]]:
    """Return the pieces of each line of each file, with their places in the text."""
    begins: dict[tuple[str, int], list[tuple[int, bytes]]] = defaultdict(list)
    file, number, begin = "", 1, 0
    for line in code.splitlines(keepends=True):
        if marker := re.match(rb'# (\d+) "(.*)"', line):
            file, number = marker[2].decode(), int(marker[1])
        else:
            begins[file, number].append((begin, line))
            number += 1
        begin += len(line)
    return begins
