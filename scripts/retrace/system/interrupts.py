"""SIGTERM does what Ctrl-C does, also to what was started, which a terminal reaches by itself."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import NoReturn

PATIENCE_S = 1.0
"""What has not ended by itself then is killed."""


def end_in_one_line() -> None:
    """Let Ctrl-C end a run in one line, also before its first job."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)


def _exit(*_: object) -> NoReturn:
    sys.exit("\nRetrace: interrupted; nothing was begun")


def end_like_ctrl_c() -> None:
    """Let SIGTERM interrupt this program and what it started; where Ctrl-C kills at once, so does SIGTERM."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and signal.getsignal(signal.SIGINT) != signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def ends_like_ctrl_c() -> bool:
    """Return whether `end_like_ctrl_c` was called, as programs do, and not whoever imports Retrace."""
    return signal.getsignal(signal.SIGTERM) is _interrupt


def _interrupt(*_: object) -> NoReturn:
    _signal_descendants(signal.SIGINT)
    last = threading.Timer(PATIENCE_S, _signal_descendants, [signal.SIGKILL])
    last.daemon = True
    last.start()
    raise KeyboardInterrupt


def _signal_descendants(number: int) -> None:
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(
                entry.read_text(errors="replace").rpartition(")")[2].split()[1]
            )
        except OSError:
            continue  # it has ended
    processes = [os.getpid()]
    for process in processes:  # which grows meanwhile
        processes += [child for child, parent in parents.items() if parent == process]
    for process in processes[1:]:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            continue
