"""What `python -m retrace` can be told to do; `retrace.cli` says how it is told."""

from retrace.system.errors import RetraceError


class NotVerifiedError(RetraceError):
    """An answer that the oracle does not share; nothing of it is written."""
