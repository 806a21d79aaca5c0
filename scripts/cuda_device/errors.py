"""Errors of one line."""

import re

LONGEST_WORD = 300
"""Characters of a name that are shown."""


def escaped(text: str) -> str:
    """Write line ends, ESC and other control characters as Python's `repr` does."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class OneLineError(Exception):
    """An error that the user can fix; one line says what was found, what was expected and what to do.

    Messages quote files and names: what would end the line, or direct a terminal, is shown as an escape.
    """

    def __str__(self) -> str:
        """Escape line ends and other control characters of names, and cut words of absurd length."""
        shown = escaped(super().__str__())
        return re.sub(rf"(\S{{{LONGEST_WORD}}})\S+", r"\1…", shown)


class DeviceError(OneLineError):
    """A device, or what compiles for it, refuses what it was asked for, or cannot end it."""


class TooLargeError(OneLineError):
    """What is asked for does not fit into memory, or a distance into a library: it is skipped, not failed."""


class LacksError(OneLineError):
    """A GPU, or what compiles for it, lacks what a kernel needs: it is skipped, not failed."""
