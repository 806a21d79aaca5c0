"""How a message says an option: as the command line has it, or as an argument where Python calls."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_called: ContextVar[bool] = ContextVar("_called", default=False)
UNSAFE = re.compile(r"""[\s'"$`\\&;|<>()*?]""")
"""What a shell does not take as it is; brackets stand around what may be left out."""
OTHERWISE = {
    "directed": "directed=True", "undirected": "directed=False to load", "check whole": "check=True",
}  # fmt: skip
"""What Python has in place of an option that has another name there."""


@contextmanager
def called_from_python() -> Iterator[None]:
    """Let messages name arguments in place of options."""
    before = _called.set(True)
    try:
        yield
    finally:
        _called.reset(before)


def by_caller(typed: str, called: str) -> str:
    """Return the words for the command line, or those for Python."""
    return called if _called.get() else typed


def option(name: str, *values: str) -> str:
    """Return an option with its values: `--columns 1 'To Station'`, or `columns=['1', 'To Station']`."""
    quoted = [shlex.quote(value) if UNSAFE.search(value) else value for value in values]
    words = " ".join([name, *quoted])
    if any(value.startswith("-") for value in values):  # which would be an option
        words = " --".join(f"{name}={value}" for value in quoted)
    given = {0: "", 1: f"={values[0]!r}" if values else ""}.get(len(values), f"={[*values]!r}")
    return by_caller(f"--{words}", OTHERWISE.get(words, f"{name}{given}"))
