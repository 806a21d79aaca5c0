"""What Ctrl-C and other signals end, and what is said of it.

A command goes on in a child (`supervise`), which its parent ends in one line: no Python need run for that,
which waits while C++ does, or while a library is imported.
"""

import mmap
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import sleep
from typing import NoReturn

PATIENCE_S = 1.0
"""What has not ended by itself then is killed."""
WAIT_S = 0.01
"""Between two looks at a child that ends."""
LINE_BYTES = 4096
WORKING, WRITING, ENDED = range(3)
"""What a child does: it may be killed, it must clean up what is half-written, or all is done."""
ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT
"""What ends a command in one line, unless whoever started it ignores the signal."""


class SharedWork:
    """What a command is doing, in memory that it shares with its supervisor: a state and a line."""

    def __init__(self) -> None:
        self.shared: mmap.mmap | bytearray = bytearray(1 + LINE_BYTES)
        self.supervisor = 0
        """The process that supervises this one; 0 for none."""
        self.ended_by: int = signal.SIGINT
        """The signal that raised KeyboardInterrupt."""
        self.begin()

    def begin(self) -> None:
        """Forget what an earlier command in this process did."""
        self.state = WORKING
        self.task, self.again = "starting", "run the same command again"
        self.written: list[str] = []
        self.tell()

    @property
    def state(self) -> int:
        """WORKING, WRITING or ENDED."""
        return self.shared[0]

    @state.setter
    def state(self, state: int) -> None:
        self.shared[0] = state

    @property
    def line(self) -> str:
        """What is said if it is interrupted now."""
        kept = ", ".join(self.written) + " is whole" if self.written else "no file is written"
        return f"interrupted while {self.task}; {kept}; {self.again}"

    def tell(self) -> None:
        """Put the line where the supervisor finds it."""
        line = self.line if self.line.isprintable() else ascii(self.line)[1:-1]
        encoded = line.encode(getattr(sys.stderr, "encoding", None) or "ascii", "backslashreplace")
        self.shared[1:] = encoded[:LINE_BYTES].ljust(LINE_BYTES, b"\0")


WORK = SharedWork()


def supervise() -> None:
    """Go on in a child, whose exit status this process has, too; on a signal it says what was ended.

    Where Ctrl-C is ignored, as in a shell's background, or already handled, or where no more processes can
    be made, nothing is done.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    WORK.shared = mmap.mmap(-1, 1 + LINE_BYTES)
    WORK.supervisor = os.getpid()
    WORK.begin()
    before = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        child = os.fork()
    except OSError:
        WORK.supervisor = 0
        for number, handler in before.items():
            signal.signal(number, handler)
        return
    if child:
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code < 0:  # the shell says what ended it
            with suppress(OSError):  # of SIGKILL
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        os._exit(code)
    from retrace.system.processes import die_with_parent  # with what takes longer to import

    die_with_parent(WORK.supervisor)


_heard: list[int] = []
"""The signals that came."""


def _end(number: int, _: object) -> None:
    """End the child, unless all is done; in the child, leave no half of a file behind."""
    _heard.append(number)
    if os.getpid() != WORK.supervisor:
        if WORK.state == WRITING and len(_heard) == 1:
            raise KeyboardInterrupt
        if WORK.state == WORKING and number != signal.SIGINT:  # which a terminal sends to both
            os.kill(WORK.supervisor, number)
        return
    if len(_heard) == 1:
        if WORK.state == WRITING:
            _signal_descendants(number)
        while WORK.state == WRITING and _is_running():
            sleep(WAIT_S)
        if WORK.state == ENDED:
            return
    _signal_descendants(signal.SIGKILL)
    with suppress(ChildProcessError):
        os.wait()
    line = bytes(WORK.shared[1:]).rstrip(b"\0")
    with suppress(OSError):
        os.write(2, (b"\r\x1b[K" if os.isatty(2) else b"") + line + b"\n")
    os._exit(128 + number)


def _is_running() -> bool:
    with suppress(ChildProcessError):
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    return False


@contextmanager
def doing(task: str, again: str = "") -> Iterator[None]:
    """Say that this is interrupted, and how to go on, if Ctrl-C comes in the block."""
    before = WORK.task, WORK.again
    WORK.task, WORK.again = task, again or WORK.again
    WORK.tell()
    yield
    WORK.task, WORK.again = before  # else what was interrupted
    WORK.tell()


@contextmanager
def writing_whole(path: object) -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt in the block, which deletes what is half-written then."""
    before, WORK.state = WORK.state, WRITING
    try:
        yield
        WORK.written += [str(path)] if str(path) not in WORK.written else []
        WORK.tell()
    finally:
        WORK.state = before


def end_in_one_line() -> None:
    """Let Ctrl-C end a run in one line, also before its first job."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)


def is_interrupted() -> bool:
    """Whether a signal has come that ends this program."""
    return bool(_heard)


def _exit(number: int, _: object) -> NoReturn:
    _heard.append(number)
    sys.exit("\nRetrace: interrupted; nothing was begun")


def end_like_ctrl_c() -> None:
    """Let SIGTERM interrupt this program and what it started; where Ctrl-C kills at once, so does SIGTERM."""
    import threading

    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and not WORK.supervisor and signal.getsignal(signal.SIGINT) != signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, _: object) -> NoReturn:
    import threading

    _heard.append(number)
    WORK.ended_by = number
    _signal_descendants(signal.SIGINT)
    last = threading.Timer(PATIENCE_S, _signal_descendants, [signal.SIGKILL])
    last.daemon = True
    last.start()
    raise KeyboardInterrupt


def _signal_descendants(number: int) -> None:
    from pathlib import Path  # here, since it takes long

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
