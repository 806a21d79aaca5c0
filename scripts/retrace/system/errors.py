"""Errors that are reported to the user, in one line each."""

import os
import re
import sys
from argparse import Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TextIO

from cuda_device.errors import OneLineError, escaped
from retrace.system.interrupts import ENDED, WORK, end_like_ctrl_c

_warnings: list[Path] = []
"""The file that warnings are appended to, where one is."""


class RetraceError(OneLineError):
    """An error that the user of Retrace can fix."""


class NotVerifiedError(RetraceError):
    """An answer that differs from the oracle's, so nothing is written."""


class VertexError(RetraceError):
    """An error of vertices, which it calls by their numbers from 0 until somebody knows their names."""

    def __init__(self, where: str, words: str, vertices: tuple[int, ...]) -> None:
        super().__init__(where, words, vertices)
        self.where, self.words, self.vertices = where, words, vertices

    def __str__(self) -> str:
        first, *others = self.vertices
        return f"{self.where}: {self.words.format(f'{first} (from 0)', *others)}"

    def named(self, label: Callable[[int], str]) -> RetraceError:
        """Return the error with the names of the vertices."""
        return RetraceError(f"{self.where}: {self.words.format(*map(label, self.vertices))}")


def say(line: str, file: TextIO | None = None) -> None:
    """Print a line; characters of names in it that would direct a terminal are shown as escapes."""
    print(escaped(line), file=file)


def warn(message: str) -> None:
    """Print a warning, or append it to the file of `append_warnings`."""
    line = escaped(f"warning: {message}")
    if not _warnings:
        print(line, file=sys.stderr)
        return
    with _warnings[0].open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def append_warnings(path: Path | None) -> None:
    """Let `warn` append to a file; print, if there is none."""
    _warnings[:] = [] if path is None else [path]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the known name that is nearest to another, or nothing if none is near."""
    near = get_close_matches(name, known, 1, 0.7)
    return f"did you mean {near[0]}? " if near else ""


DASHED = re.compile(
    r"argument (--\S+): expected (?:at least )?one argument|unrecognized arguments: (-[^-]\S*)"
)
"""What argparse says of a value that begins with a dash, which it takes for an option."""


class StoreOnce(Action):
    """Stores an option's value; of two that differ, the first would be lost without a word."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        """Store it; end with an error if there is another one."""
        before = getattr(namespace, self.dest, self.default)
        if option_string and before is not self.default and before != values:
            raise ArgumentError(self, "given twice; give it once")
        setattr(namespace, self.dest, values)


class OneLineParser(ArgumentParser):
    """A parser that reports errors in one line."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does; `error` names an unknown option among `args` before one that lacks."""
        self.given = sys.argv[1:] if args is None else list(args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print the error, with what may have been meant, and exit with status 2."""
        if message.startswith("the following arguments are required"):
            options = [word.partition("=")[0] for word in self.given if word.startswith("--")]
            unknown = [each for each in options if not self._get_option_tuples(each)]
            message = f"unrecognized arguments: {unknown[0]}" if unknown else message
        name, known = self._unknown(message)
        owners = [key for key, command in self.commands.items() if name in command._option_string_actions]
        meant = f"{name} is an option of {', '.join(owners)}; " if owners else did_you_mean(name, known)
        if dashed := DASHED.match(message):
            shown = f"{dashed[1] or '--OPTION'}={dashed[2] or '-VALUE'}"
            meant += f"a value that begins with a dash stands behind =, as in {shown}; "
        self.exit(2, f"error: {message}; {meant}see {self.prog} --help\n")

    def _unknown(self, message: str) -> tuple[str, Iterable[str]]:
        """Return the name that is not known, and those that are, of choices or of options."""
        if choice := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
            return choice[1], re.findall(r"[^', ]+", choice[2])
        option = re.match(r"unrecognized arguments: (\S+)", message)
        parsers = self, *self.commands.values()
        return option[1] if option else "", chain(*(each._option_string_actions for each in parsers))

    @property
    def commands(self) -> dict[str, ArgumentParser]:
        """The parsers of the commands that it takes, by name."""
        by_name = (action.choices for action in self._actions if isinstance(action.choices, dict))
        commands = ((name, command) for choices in by_name for name, command in choices.items())
        return {name: command for name, command in commands if isinstance(command, ArgumentParser)}

    def assume(self, option: str, default: float, what: str) -> None:
        """Add an option for a number that is assumed unless it is given."""
        self.add_argument(option, type=float, default=default, help=f"{what} (default: %(default)g)")


def print_anywhere() -> None:
    """Escape characters that the terminal's encoding lacks, such as µ under LC_ALL=POSIX.

    Where standard error is closed, its lines go nowhere, and not to standard output or a file in its place.
    """
    if not sys.stderr:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the program runs
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run_command(main: Callable[[], None]) -> None:
    """Run a program; exit with the status of `status_of` if that is not 0."""
    if status := status_of(main):
        sys.exit(status)


def status_of(command: Callable[[], None]) -> int:
    """Run a command; return its exit status. What the user can mend is one line on standard error."""
    print_anywhere()
    end_like_ctrl_c()
    WORK.begin()
    try:
        status = _status_of(command)
    except KeyboardInterrupt:
        if not WORK.supervisor:
            print(WORK.line, file=sys.stderr)
        return 128 + WORK.ended_by
    WORK.state = ENDED
    return status


def _status_of(command: Callable[[], None]) -> int:
    if not sys.stdout:
        print("error: standard output is closed; redirect it to a file or to /dev/null", file=sys.stderr)
        return 1
    try:
        command()
        sys.stdout.flush()
    except OneLineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3 if isinstance(error, NotVerifiedError) else 1
    except MemoryError:
        print("error: this needs more memory than there is; take a smaller graph", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever reads our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        say(f"error: {error.filename or 'standard output'}: {error.strerror or error}", sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python tries again at its end
        return 1
    return 0
