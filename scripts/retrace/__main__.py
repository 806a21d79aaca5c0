"""Lets `python -m retrace` run the command line."""

import sys

from retrace.cli import main

sys.exit(main())
