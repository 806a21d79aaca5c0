"""The command line, `python -m retrace`: the stages of the workflow, and the commands that packages add.

A package names a function as an entry point of `retrace.commands`; it is called with what adds a command.
"""

import pkgutil
import sys
from argparse import REMAINDER, Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from retrace.system.errors import OneLineParser, RetraceError, StoreOnce, status_of
from retrace.system.interrupts import doing
from retrace.system.solver_packages import COMMAND_GROUP, imported_for, named_in

SHELLS = ("bash", "zsh", "tcsh")

STATUSES = """exit status:
  0    done
  1    something you can mend: the line on standard error says what
  2    a command line that is not understood
  3    the answer is not verified: the oracle has another; nothing is written
  130  interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    return status_of(lambda: run(argv))


def run(argv: Sequence[str] | None) -> None:
    """Run the command that the words name."""
    check_environment(Path(sys.argv[0]))
    arguments = make_parser().parse_args(argv)
    arguments.check_usage(arguments)
    command = pkgutil.resolve_name(arguments.run)
    with doing(f"running {arguments.command}"):
        command(arguments)


def print_completion(arguments: Namespace) -> None:
    """Print what lets a shell complete commands, options, and names of files."""
    import shtab  # here, since planning does without

    parser = make_parser("retrace")
    for command in parser.commands.values():
        for action in command._actions:
            if action.choices is None and action.nargs != 0:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, arguments.shell))


def check_environment(program: Path) -> None:
    """Raise RetraceError if a program of a copied environment runs the code of the original."""
    folder = program.absolute().parent
    if (folder / "activate").is_file() and not folder.samefile(Path(sys.prefix, "bin")):
        again = f"rm -r {folder.parent}, then make it anew (README)"
        raise RetraceError(f"{program}: expected to run in its own environment, found {sys.prefix}; {again}")


class ShowVersion(Action):
    """Prints the version that is installed, which is looked up only then."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        """Print it and end."""
        try:
            print(f"retrace {version('retrace')}")
        except PackageNotFoundError:
            raise RetraceError("--version: Retrace is not installed; make, or pip install it") from None
        parser.exit()


def make_parser(program: str = "python -m retrace") -> OneLineParser:
    """Describe all commands, those of packages first."""
    parser = OneLineParser(
        prog=program,
        description="Solve, convert, generate: the kernels and baselines of Retrace, for a graph in hand.",
        epilog=STATUSES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=ShowVersion, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, run: str, does: str, example: str = "", about: str = "") -> ArgumentParser:
        """Describe a command, which calls `run`, `module:function`, with its arguments."""
        command = commands.add_parser(
            name,
            help=does,
            description=f"{does[0].upper()}{does[1:]}. {about}",
            epilog=f"example: python -m retrace {name} {example}".rstrip(),
        )
        for action in (None, "store"):
            command.register("action", action, StoreOnce)
        command.set_defaults(run=run, check_usage=lambda _: None, usage=command.error)
        return command

    for name, place in named_in(COMMAND_GROUP):
        module, _, function = place.partition(":")
        getattr(imported_for(name, module, COMMAND_GROUP), function)(add)
    completion = add(
        "completion", "retrace.cli:print_completion", "print what completes commands in a shell",
        "bash > ~/.local/share/bash-completion/completions/retrace",
    )  # fmt: skip
    completion.add_argument("shell", choices=SHELLS, help="the shell that reads it")
    stage = add(
        "stage", "retrace.system.stage:run_named",
        "run one stage of the workflow, as its jobs do: `stage list` names them", "generate-graph --help",
    )  # fmt: skip
    stage.add_argument("stage", help="its name, or list")
    stage.add_argument("words", nargs=REMAINDER, metavar="...", help="its options; --help describes them")
    return parser
