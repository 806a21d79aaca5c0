"""Errors that are reported to the user, in one line each."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import NoReturn


class RetraceError(Exception):
    """An error that the user can fix; one line says what was found, what was expected and what to do.

    Messages quote files and names: what would end the line, or direct a terminal, is shown as an escape.
    """

    def __init__(self, message: str) -> None:
        super().__init__("".join(c if c.isprintable() else ascii(c)[1:-1] for c in message))


class TooLargeError(RetraceError):
    """A graph does not fit into memory. The solver is then skipped, not failed."""


class NotVerifiedError(RetraceError):
    """An answer that differs from the oracle's, so nothing is written."""


class OneLineParser(ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with status 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


def run_command(main: Callable[[], None]) -> None:
    """Run a command's `main`; a `RetraceError` becomes one line on standard error and exit status 1."""
    try:
        main()
    except RetraceError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
