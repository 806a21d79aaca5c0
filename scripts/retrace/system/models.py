"""The base of all models of files, and the one line that says what is wrong with a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from retrace.system.errors import RetraceError

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

Many = Annotated[tuple[T, ...], Strict(False)]
"""A list of a YAML or JSON file; the model holds a tuple."""
Some = Annotated[tuple[T, ...], Strict(False), Field(min_length=1)]
"""A list with at least one item."""


class OrOne:
    """Annotation of a list that may be written as a single item."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Make a list of a single item before it is checked."""
        return core_schema.no_info_before_validator_function(
            lambda value: value if isinstance(value, list | tuple) else [value], handler(source)
        )

    def __get_pydantic_json_schema__(
        self, checked: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Allow both forms."""
        several = handler(checked)
        return {"anyOf": [several["items"], several]}


EXPECTED = {
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "string_pattern_mismatch": "text of the form {pattern}",
    "too_short": "at least {min_length} item",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt:g}",
    "less_than_equal": "at most {le}",
}
"""What was expected, by pydantic's type of an error; other types keep pydantic's words."""

LONGEST = 300
"""Characters of a message that are shown; an error takes one line."""


class Model(BaseModel):
    """A mapping with known keys. It cannot be changed, and values are not converted to other types."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class FileModel(Model):
    """A part of a file that people write: an unknown key is answered with those that are known."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, value: Any) -> Any:
        if isinstance(value, dict) and cls.model_config.get("extra") == "forbid":
            for key in value:
                if key not in {field.alias or name for name, field in cls.model_fields.items()}:
                    raise at(str(key), f"unknown key; expected one of {', '.join(cls.model_fields)}")
        return value


def at(key: str, message: str) -> PydanticCustomError:
    """Return an error for a model's own validator to raise: about one key of the model.

    Parameters
    ----------
    key
        The key, or several joined by dots.
    message
        What was expected, without the key.
    """
    return PydanticCustomError("at_key", "{message}", {"key": key, "message": message})


def explain(error: ValidationError, where: str) -> str:
    """Describe the first error in one line: the key, what was expected, and what was found.

    Parameters
    ----------
    error
        What pydantic raised.
    where
        The file, or file and line. A plain word such as `config` counts as the first part of the key.
    """
    found = error.errors(include_url=False)
    first = next((e for e in found if "unknown key" in e["msg"] or e["type"] == "extra_forbidden"), found[0])
    context = first.get("ctx", {})
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"] if part != "[key]"]
    key = "".join([*parts, f".{context['key']}"] if "key" in context else parts).removeprefix(".")
    place = (f"{where}.{key}" if where.isidentifier() else f"{where}: {key}") if key else where
    return f"{place}: {one_line(_expectation(first, context))}"


def _expectation(error: Any, context: dict[str, Any]) -> str:
    """Say what was expected, and what was found."""
    if error["type"] == "at_key":
        return str(context["message"])
    if error["type"] == "value_error":
        return str(context["error"])
    if error["type"] == "missing":
        return "required, but missing"
    if error["type"] == "extra_forbidden":
        return "unknown key"
    if error["type"] == "json_invalid":
        return f"not JSON ({context['error']})"
    expected = EXPECTED.get(error["type"], error["msg"].partition(" should be ")[2] or error["msg"])
    return f"expected {expected.format(**context)}, found {error['input']!r}"


def one_line(text: object) -> str:
    """Return a text as one line of limited length."""
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def read(model: type[M], value: object, where: str) -> M:
    """Check a value that came from `where` against a model.

    Raises
    ------
    RetraceError
        With the line of `explain`.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise RetraceError(explain(error, where)) from None


def read_yaml(path: Path) -> Any:
    """Read a YAML file.

    Raises
    ------
    RetraceError
        If the file cannot be read or is not YAML.
    """
    try:
        return yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RetraceError(f"{path}: expected YAML, found: {one_line(error)}") from None


def schema(model: type[BaseModel]) -> str:
    """Return a model's JSON Schema, as the text of a YAML file."""
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    return yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=110)
