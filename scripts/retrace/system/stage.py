"""A stage of a run: a model whose fields are the options of its command line, which jobs and people use."""

import ast
import signal
from abc import ABC, abstractmethod
from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from retrace.system.errors import OneLineParser, RetraceError, append_warnings
from retrace.system.interrupts import doing
from retrace.system.models import Model, explain, field_texts
from retrace.system.solver_packages import BESIDE, STAGE_GROUP, imported_for, named_in, top_level

CORE, STAGES = "retrace.stages", Path(__file__).parents[1] / "stages"
"""The package of a module for each stage; `get_graph` there has the stage `get-graph`, a class `GetGraph`."""
PROGRAM = "python -m retrace stage"


class Stage(Model, ABC):
    """The base of all stages: what a field says below itself is the help of its option."""

    model_config = ConfigDict(strict=False)  # a command line has nothing but texts
    ends_at_once: ClassVar[bool] = False
    """Whether the system ends the process on Ctrl-C, which Python does not see while C++ runs."""

    @abstractmethod
    def run(self) -> None:
        """Carry the stage out."""

    @classmethod
    def from_words(cls, name: str, words: Sequence[str]) -> Self:
        """Read a command line; exit if it is not understood, raise RetraceError if a value is wrong."""
        parser = OneLineParser(f"{PROGRAM} {name}", description=cls.__doc__, argument_default=SUPPRESS)
        texts = field_texts(cls)
        for key, field in cls.model_fields.items():
            text = f"{texts[key]}{default_words(field)}".replace("%", "%%")
            parser.add_argument(
                option_of(key), dest=key, required=field.is_required(), help=text, **form_of(field)
            )
        try:
            return cls.model_validate(vars(parser.parse_args(words)))
        except ValidationError as error:
            key, _, complaint = explain(error, "options").removeprefix("options.").partition(": ")
            raise RetraceError(f"{option_of(key)}: {complaint}") from None

    def words(self) -> list[str]:
        """Return the command line that `from_words` reads as this stage."""
        return words_of(**self.model_dump(mode="json"))


class WarningStage(Stage):
    """The base of stages that warn."""

    warnings: Path | None = None
    """File to append warnings to, for a run's last words; without it they are printed."""


def run_stage(words: Sequence[str]) -> None:
    """Run the stage that the first word names, with the options that follow."""
    name = parser_of_names().parse_args(words[:1]).name
    kind = stage_class(name)
    if kind.ends_at_once:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    stage = kind.from_words(name, words[1:])
    if isinstance(stage, WarningStage):
        append_warnings(stage.warnings)
    with doing(f"running the stage {name}"):
        stage.run()


def run_named(arguments: Namespace) -> None:
    """Run the stage that a command of `retrace` names, or list all."""
    if arguments.stage == "list":
        parser_of_names().print_help()
    else:
        run_stage([arguments.stage, *arguments.words])


def parser_of_names() -> ArgumentParser:
    """Describe all stages, without importing them."""
    purposes = {name: purpose(place.partition(":")[0]) for name, place in stage_places().items()}
    parser = OneLineParser(PROGRAM, f"{PROGRAM} NAME [--OPTION VALUE ...]", "Run one stage of the workflow.")
    parser.formatter_class = RawDescriptionHelpFormatter
    width = max(map(len, purposes)) + 2
    listed = [f"  {name:{width}}{text.splitlines()[0]}" for name, text in purposes.items()]
    parser.epilog = "\n".join(["stages, each of which answers --help:", *listed])
    parser.add_argument("name", choices=purposes, metavar="NAME", help="the stage")
    return parser


def purpose(module: str) -> str:
    """Return the first words of a stage's module, or its package if that is no part of the project."""
    file = BESIDE / f"{module.replace('.', '/')}.py"
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) if file.exists() else None
    return text or f"of the package {top_level(module)}"


def stage_places() -> dict[str, str]:
    """Return the module and the class of each stage, `module:Class`: the core's and those of packages."""
    places = {
        path.stem.replace("_", "-"): f"{CORE}.{path.stem}:{path.stem.title().replace('_', '')}"
        for path in STAGES.glob("[a-z]*.py")
    }
    return dict(sorted((dict(named_in(STAGE_GROUP)) | places).items()))


def stage_class(name: str) -> type[Stage]:
    """Import a stage by its name."""
    module, _, title = stage_places()[name].partition(":")
    kind: type[Stage] = getattr(
        import_module(module) if module.startswith(CORE) else imported_for(name, module, STAGE_GROUP), title
    )
    return kind


def default_words(field: FieldInfo) -> str:
    """Return what help says of a field's default: nothing if it is required, or says so itself."""
    default = field.default
    if field.is_required() or default is None or default is False or default == ():
        return ""
    return f" (default: {' '.join(map(str, default)) if isinstance(default, tuple) else default})"


def words_of(**options: object) -> list[str]:
    """Return options as the words of a command line, such as `--trials 3`, without those that are None.

    A list is an option with several words, and `True` is one without any.
    """
    words: list[str] = []
    for key, value in options.items():
        if value is not None and value is not False:
            values = value if isinstance(value, list | tuple) else [] if value is True else [value]
            words += [option_of(key), *map(str, values)]
    return words


def option_of(key: str) -> str:
    """Return the option of a field."""
    return f"--{key.replace('_', '-')}"


def form_of(field: FieldInfo) -> dict[str, Any]:
    """Return what argparse needs to know of a field's type: how many words it takes, and which."""
    kind: Any = field.annotation
    if get_origin(kind) is UnionType:  # with None, for what need not be given
        kind = get_args(kind)[0]
    if kind is bool:
        return {"action": "store_true"}
    form: dict[str, Any] = {}
    if get_origin(kind) is tuple:
        kind, *others = get_args(kind)
        form["nargs"] = "*" if Ellipsis in others else 1 + len(others)
    return form | ({"choices": get_args(kind)} if get_origin(kind) is Literal else {})
