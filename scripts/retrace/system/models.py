"""The base of all models of files, and the one line that says what is wrong with a file."""

import ast
import inspect
import re
import reprlib
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from yaml.composer import Composer

from retrace.system.errors import RetraceError, did_you_mean
from retrace.system.files import check_regular

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=100)]
"""A key that is part of file names."""
SHA256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A digest in hexadecimal digits."""
Text = Annotated[
    str,
    BeforeValidator(
        lambda value: str(value) if isinstance(value, int | float) else value,
        json_schema_input_type=str | float,
    ),
]
"""A text or number of a YAML file; the model holds a text."""
Many = Annotated[tuple[T, ...], Strict(False)]
"""A list of a YAML or JSON file; the model holds a tuple."""
Some = Annotated[tuple[T, ...], Strict(False), Field(min_length=1)]
"""A list with at least one item."""


def as_list(value: object) -> object:
    """Return a list as it is, and anything else as a list of one item."""
    return value if isinstance(value, list | tuple) else [value]


OneOrMore = Annotated[Some[str], BeforeValidator(as_list, json_schema_input_type=str | Some[str])]
"""A list that may be written as a single item."""
OneOrMoreTexts = Annotated[
    Some[Text], BeforeValidator(as_list, json_schema_input_type=str | float | Some[Text])
]
"""The same of texts or numbers."""

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Characters that no page may show: an ESC reaches the reader's terminal, others turn or hide a text."""

COMPLAINTS = {
    "at_key": "{message}",
    "value_error": "{error}",
    "missing": "required, but missing",
    "extra_forbidden": "unknown key",
    "json_invalid": "not JSON ({error})",
    "int_type": "expected an integer, found {found}",
    "int_parsing": "expected an integer, found {found}",
    "int_from_float": "expected an integer, found {found}",
    "float_type": "expected a number, found {found}",
    "float_parsing": "expected a number, found {found}",
    "bool_type": "expected true or false, found {found}",
    "bool_parsing": "expected true or false, found {found}",
    "string_type": "expected text, found {found}",
    "tuple_type": "expected a list, found {found}",
    "dict_type": "expected a mapping, found {found}",
    "model_type": "expected a mapping, found {found}",
    "string_pattern_mismatch": "expected text of the form {pattern}, found {found}",
    "string_too_short": "expected at least {min_length} character, found {found}",
    "string_too_long": "expected at most {max_length} characters, found {found}",
    "multiple_of": "expected a multiple of {multiple_of}, found {found}",
    "too_short": "expected at least {min_length} item, found {found}",
    "greater_than_equal": "expected at least {ge}, found {found}",
    "greater_than": "expected more than {gt:g}, found {found}",
    "less_than_equal": "expected at most {le}, found {found}",
}
"""What is said of an error, by its type; other types keep pydantic's words."""

SHORT = reprlib.Repr()
"""Quotes a value. YAML can write a list of 10^9 items in ten lines, so it is not written out first."""
SHORT.maxstring = SHORT.maxother = 120
LONGEST_MESSAGE = 300
"""Characters of a message that are shown; an error takes one line."""


class Model(BaseModel):
    """A mapping with known keys. It cannot be changed, and values are not converted to other types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class FileModel(Model):
    """A part of a file that people write: an unknown key is answered with the nearest one, and all."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, value: Any) -> Any:
        if isinstance(value, dict) and cls.model_config.get("extra") == "forbid":
            for key in value:
                if key not in {field.alias or name for name, field in cls.model_fields.items()}:
                    meant = did_you_mean(str(key), cls.model_fields)
                    raise at(str(key), f"unknown key; {meant}expected one of {', '.join(cls.model_fields)}")
        return value


class Given(FileModel):
    """A mapping that the command line may give, too, where Snakemake's --config leaves numbers as texts."""

    @model_validator(mode="before")
    @classmethod
    def _read_texts(cls, value: Any) -> Any:
        return read_text(value) if isinstance(value, dict) else value


def read_text(value: object) -> object:
    """Return the number, or true or false, that a text says, also in a mapping; anything else as it is."""
    if isinstance(value, dict):
        return {key: read_text(text) for key, text in value.items()}
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return {"true": True, "false": False}.get(value, value)


def field_texts(model: type[Model]) -> dict[str, str]:
    """Return the text below each field of a model.

    Pydantic would read it whenever a model is imported, for 0.3 s in each of a run's processes.
    """
    texts: dict[str, str] = {}
    for kind in reversed(model.__mro__):
        if issubclass(kind, Model):
            (definition,) = ast.parse(dedent(inspect.getsource(kind))).body
            for field, below_it in pairwise(getattr(definition, "body", ())):
                match field, below_it:
                    case ast.AnnAssign(target=ast.Name(key)), ast.Expr(ast.Constant(str(text))) if (
                        key in model.model_fields
                    ):
                        texts[key] = inspect.cleandoc(text)
    return texts


def at(key: str, message: str) -> PydanticCustomError:
    """Return an error for a model's own validator to raise: about a key, or several joined by dots."""
    return PydanticCustomError("at_key", "{message}", {"key": key, "message": message})


def explain(error: ValidationError, where: str) -> str:
    """Describe the first error in one line: the key, what was expected, and what was found.

    `where` is the file, or file and line; a plain word such as `config` is the first part of the key.
    """
    errors = error.errors(include_url=False)
    first = next(
        (e for e in errors if "unknown key" in e["msg"] or e["type"] == "extra_forbidden"), errors[0]
    )
    context = first.get("ctx", {})
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"] if part != "[key]"]
    key = "".join([*parts, f".{context['key']}"] if "key" in context else parts).removeprefix(".")
    place = (f"{where}.{key}" if where.isidentifier() else f"{where}: {key}") if key else where
    value = SHORT.repr(first["input"])
    if first["type"] in COMPLAINTS:
        complaint = COMPLAINTS[first["type"]].format(**context, found=value)
    else:
        complaint = f"expected {first['msg'].partition(' should be ')[2] or first['msg']}, found {value}"
    return f"{place}: {one_line(complaint)}"


def one_line(text: object) -> str:
    """Return a text as one line of limited length."""
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


def read_as(model: type[M], value: object, where: str) -> M:
    """Check a value that came from `where` against a model; raise RetraceError with the line of `explain`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise RetraceError(explain(error, where)) from None


# libyaml, where PyYAML has it, parses several times as fast; its own composer may overflow the stack.
PARSER = (Composer, yaml.CSafeLoader) if hasattr(yaml, "CSafeLoader") else (yaml.SafeLoader,)


class StrictLoader(*PARSER):  # type: ignore[misc]
    """Reads YAML; a key that a mapping has twice is an error, where PyYAML forgets the first value.

    So is a control character in a text, other than those that end or indent its lines.
    """

    def __init__(self, text: bytes) -> None:
        PARSER[-1].__init__(self, text)
        self.anchors: dict[str, yaml.Node] = {}

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        """Look for control characters, which are written as escapes."""
        node: yaml.ScalarNode = super().compose_scalar_node(anchor)
        if control := CONTROLS.search(re.sub(r"[\n\t]", "", node.value)):
            problem = f"a control character, {control[0]!r},"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Compare the keys as they are written, before `<<` adds those of another mapping."""
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if (key.tag, key.value) in seen:
                    problem = f"the key {key.value!r} twice in one mapping"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                seen.add((key.tag, key.value))
        return node


def read_yaml(path: Path) -> Any:
    """Read a YAML file; raise RetraceError if it cannot be read, or if `StrictLoader` refuses it."""
    check_regular(path)
    try:
        return yaml.load(path.read_bytes(), StrictLoader)
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # dates and numbers raise ValueError
        raise RetraceError(f"{path}: expected YAML, found: {one_line(error)}") from None
