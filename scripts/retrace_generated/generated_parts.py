"""Parts of pages that are written by hand: what stands between two marks is made."""

from retrace.system.errors import RetraceError

END = "<!-- end -->"


def made_from(what: str) -> str:
    """Return the mark that such a part begins with."""
    return f"<!-- made by `make pages` from {what} -->"


def with_part(text: str, begin: str, part: str) -> str:
    """Return a page with a part in place of the one between its mark `begin` and the next end.

    Raise RetraceError if it has no such mark.
    """
    before, mark, rest = text.partition(begin)
    if not mark:
        raise RetraceError(f"{begin}: expected this mark in the page, found none; put it before its table")
    _, _, after = rest.partition(END)
    return f"{before}{begin}\n\n{part}\n\n{END}{after}"
