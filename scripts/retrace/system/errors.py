"""What a user is told of errors: one line each."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import NoReturn


class RetraceError(Exception):
    """Something the user can mend, told in one line: what was found, what was expected, what to do."""


class TooLargeError(RetraceError):
    """A graph does not fit where it is wanted: a reason to skip a solver, not a failure of it."""


class OneLineParser(ArgumentParser):
    """A parser whose complaints take one line."""

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


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
