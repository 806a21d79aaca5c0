"""The exceptions that a user is meant to see."""

from __future__ import annotations

import sys
from collections.abc import Callable


class RetraceError(Exception):
    """Something the user can mend, told in one line: what was found, what was expected, what to do."""


class TooLargeError(RetraceError):
    """A graph does not fit where it is wanted: a reason to skip a solver, not a failure of it."""


def run_command(main: Callable[[], None]) -> None:
    """Run a command's `main`; a `RetraceError` becomes one line on standard error and exit status 1."""
    try:
        main()
    except RetraceError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
