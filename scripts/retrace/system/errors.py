"""Errors that are reported to the user, in one line each."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from cuda_device.errors import OneLineError
from retrace.system.interrupts import end_like_ctrl_c

_warnings: list[Path] = []
"""The file that warnings are appended to, where one is."""


class RetraceError(OneLineError):
    """An error that the user of Retrace can fix."""


class NotVerifiedError(RetraceError):
    """An answer that differs from the oracle's, so nothing is written."""


def warn(message: str) -> None:
    """Print a warning, or append it to the file of `append_warnings`."""
    line = f"warning: {message}"
    if not _warnings:
        print(line, file=sys.stderr)
        return
    with _warnings[0].open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def append_warnings(path: Path | None) -> None:
    """Let `warn` append to a file; print, if there is none."""
    _warnings[:] = [] if path is None else [path]


class OneLineParser(ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with status 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")

    def assume(self, option: str, default: float, what: str) -> None:
        """Add an option for a number that is assumed unless it is given."""
        self.add_argument(option, type=float, default=default, help=f"{what} (default: %(default)g)")


def print_anywhere() -> None:
    """Escape characters that the terminal's encoding lacks, such as µ under LC_ALL=POSIX."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run_command(main: Callable[[], None]) -> None:
    """Run a command's `main`; a `OneLineError` becomes one line on standard error and exit status 1."""
    print_anywhere()
    end_like_ctrl_c()
    try:
        main()
        sys.stdout.flush()
    except OneLineError as error:
        sys.exit(f"error: {error}")
    except BrokenPipeError:  # whoever reads our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
