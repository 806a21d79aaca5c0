"""The program `retrace`, or `python -m retrace`: the command line, which Ctrl-C ends from here on."""

import sys

from retrace.system.interrupts import supervise


def supervised_main() -> int:
    """Run the command that the program's words name; return its exit status."""
    supervise()
    from retrace import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(supervised_main())
