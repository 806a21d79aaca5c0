"""Checked data: a pydantic base model, and its errors in one line."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError


class Model(BaseModel):
    """Data whose keys are all known and whose values have exactly the declared types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def explain(error: ValidationError, where: str = "") -> str:
    """Return the first error in one line: where, the key, what was expected and what was found."""
    details = min(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    *above, last = ["", *map(_step, details["loc"])]
    key = "".join([*above, last]).removeprefix(".")
    if details["type"] == "extra_forbidden":
        text = "unknown key"
    elif details["type"] == "missing":
        text = "is missing"
    elif details["type"] in ("value_error", "assertion_error", "json_invalid"):
        text = str(details["ctx"]["error"])
    else:
        text = f"{details['msg'].replace('Input should', 'should')}, found {details['input']!r}"
    return one_line(": ".join(part for part in (where, key, text) if part))


def one_line(text: object, limit: int = 400) -> str:
    """Return a text in one line of at most `limit` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _step(part: Any) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"
