"""The commands of `python -m retrace`; `retrace.cli` defines their arguments."""

from retrace.system.errors import RetraceError


class NotVerifiedError(RetraceError):
    """An answer that differs from the oracle's, so nothing is written."""
