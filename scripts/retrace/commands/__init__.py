"""The commands of `python -m retrace`; `retrace.cli` defines their arguments."""
