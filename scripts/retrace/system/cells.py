"""Cells of CSV files, some of which a spreadsheet would calculate."""


def no_formula(value: object) -> object:
    """Put an apostrophe before a text that begins like a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value
