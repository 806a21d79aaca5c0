"""Ctrl-C must reach the commands that tests start, also where the tests run in the background."""

from __future__ import annotations

import signal

if (
    signal.getsignal(signal.SIGINT) == signal.SIG_IGN
):  # as a shell sets it for a command with &; children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
