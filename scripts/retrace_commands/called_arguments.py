"""Checks what a Python program passes to `load`, `solve` and the others, before any work."""

from collections.abc import Callable, Collection, Iterator, Set
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from numbers import Integral
from typing import Any, ParamSpec, TypeVar

import numpy as np

from cuda_device.errors import OneLineError
from retrace.system.errors import RetraceError, did_you_mean
from retrace.system.option_words import called_from_python
from retrace_commands.arguments import BACKENDS, FORMATS

Taken = ParamSpec("Taken")
ResultOfCall = TypeVar("ResultOfCall")


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value > 0


def _is_truth(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_in(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def is_name(value: Any) -> bool:
    """Return whether a value can name a vertex: it has a hash and equals itself, unlike NaN and pandas.NA."""
    try:
        hash(value)
        return value is not None and bool(value == value)
    except (TypeError, ValueError):
        return False


def _are_names(values: object) -> bool:
    """Return whether values are names in an order, which a set has not."""
    if not isinstance(values, Collection) or isinstance(values, str | bytes | Set):
        return False
    return all(map(is_name, values))


def short_form(value: object) -> str:
    """Return how a value looks, in one short line."""
    return f"{' '.join(repr(value).split()):.60}"


ACCEPTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "solver": (lambda value: isinstance(value, str), "a solver's name, such as 'bfs/queue'"),
    "directed": (_is_truth, "True or False"),
    "weight": (lambda value: value is None or isinstance(value, str), "the name of an attribute or None"),
    "format": (_is_in("auto", *FORMATS), f"one of auto, {', '.join(FORMATS)}"),
    "columns": (_are_names, "a list of names of columns"),
    "sources": (_is_count, "a whole number from 1 on"),
    "searches": (_is_count, "a whole number from 1 on"),
    "seed": (_is_whole, "a whole number"),
    "normalized": (_is_truth, "True or False"),
    "every_vertex": (_is_truth, "True or False"),
    "backend": (_is_in(*BACKENDS), f"one of {', '.join(BACKENDS)}"),
    "check": (lambda value: _is_truth(value) or _is_in("sample")(value), "True, False or 'sample'"),
}
"""By the name of an argument, what it may be, and this in words; None, too, where it is the default."""


def refusing(function: Callable[Taken, ResultOfCall]) -> Callable[Taken, ResultOfCall]:
    """Let a function raise RetraceError, of one line, for arguments that it does not take."""
    form, name = signature(function), function.__name__

    @wraps(function)
    def run(*args: Taken.args, **kwargs: Taken.kwargs) -> ResultOfCall:
        try:
            given = form.bind(*args, **kwargs).arguments
        except TypeError as error:
            unknown = next((key for key in kwargs if key not in form.parameters), None)
            near = "" if unknown is None else did_you_mean(unknown, form.parameters)
            raise RetraceError(f"{name}: {error}; {near}it takes {', '.join(form.parameters)}") from None
        for key, value in given.items():
            accepts, words = ACCEPTED.get(key, (None, ""))
            by_default = form.parameters[key].default
            if accepts is None or (value is None and by_default is None):
                continue
            if not accepts(value):
                or_none = " or None" if by_default is None else ""
                raise RetraceError(f"{name}: {key}: expected {words}{or_none}, found {short_form(value)}")
        with called_from_python(), in_one_line():
            return function(*args, **kwargs)

    return run


@contextmanager
def in_one_line() -> Iterator[None]:
    """Convert what devices and compilers raise to RetraceError, which alone a caller need expect."""
    try:
        yield
    except RetraceError:
        raise
    except OneLineError as error:
        raise RetraceError(str(error)) from error
