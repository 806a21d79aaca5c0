"""Errors that are reported to the user, in one line each."""

import re
import sys
from argparse import Action, ArgumentParser
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from retrace.system.interrupts import end_like_ctrl_c

LONGEST_WORD = 300
"""Characters of a name that are shown."""
_warnings: list[Path] = []
"""The file that warnings are appended to, where one is."""


def escaped(text: str) -> str:
    """Write line ends, ESC and other control characters as Python's `repr` does."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class RetraceError(Exception):
    """An error that the user can fix; one line says what was found, what was expected and what to do.

    Messages quote files and names: what would end the line, or direct a terminal, is shown as an escape.
    """

    def __str__(self) -> str:
        """Escape line ends and other control characters of names, and cut words of absurd length."""
        shown = escaped(super().__str__())
        return re.sub(rf"(\S{{{LONGEST_WORD}}})\S+", r"\1…", shown)


class TooLargeError(RetraceError):
    """A graph does not fit into memory, or a distance into a library. The solver is skipped, not failed."""


class LacksError(RetraceError):
    """A GPU, or what compiles for it, lacks what a solver needs. The solver is skipped, not failed."""


class NotVerifiedError(RetraceError):
    """An answer that differs from the oracle's, so nothing is written."""


def warn(told: str) -> None:
    """Print a warning, or append it to the file of `--warnings`."""
    line = f"warning: {told}"
    if not _warnings:
        print(line, file=sys.stderr)
        return
    with _warnings[0].open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


class KeepWarnings(Action):
    """An option that names the file which warnings are appended to."""

    def __call__(self, parser: object, namespace: object, value: object, option: str | None = None) -> None:
        """Take the file."""
        _warnings[:] = [Path(str(value))]


class OneLineParser(ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with status 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")

    def may_keep_warnings(self) -> None:
        """Add the option with which a run keeps warnings for its last words."""
        what = "append warnings to a file (default: print them)"
        self.add_argument("--warnings", action=KeepWarnings, metavar="FILE", help=what)

    def assume(self, option: str, default: float, what: str) -> None:
        """Add an option for a number that is assumed unless it is given."""
        self.add_argument(option, type=float, default=default, help=f"{what} (default: %(default)g)")


def print_anywhere() -> None:
    """Escape characters that the terminal's encoding lacks, such as µ under LC_ALL=POSIX."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run_command(main: Callable[[], None]) -> None:
    """Run a command's `main`; a `RetraceError` becomes one line on standard error and exit status 1."""
    print_anywhere()
    end_like_ctrl_c()
    try:
        main()
    except RetraceError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
