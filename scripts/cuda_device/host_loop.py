"""The loop of a program on the host: it launches kernels, reads what they wrote, and goes on while that asks.

Programs in C have such loops, and so it is executed by C++ (`kernels/cuda_device/repeat.cpp`). Python can
execute it too, so that what Python costs is a number.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, cycle, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_device.compiled_files import build_host, own_file

if TYPE_CHECKING:
    from cuda_device.interface import Buffer, Device, PackedLaunch

ENDLESS = 2**31 - 1
"""Iterations of a loop that always ends."""


class Repeated(NamedTuple):
    """How a loop ended."""

    iterations: int
    ended: bool
    """Whether the host found nothing more to do; else there were `most` iterations."""
    positions: int
    """The positions at which the host found a mask to be set, added up."""


@dataclass(frozen=True, kw_only=True)
class HostLoop:
    """Iterations of launches, until the host finds nothing more to do in what kernels wrote.

    An iteration has the launches of a round. After each of the last `looks` of them the host looks: it reads
    `state` into `seen`. It goes on, with the next iteration, as soon as a mask has an element that is set, or
    as `seen[more]` is not 0 and `seen[met]` is. If no look of an iteration tells it to, the loop ends.
    """

    rounds: Sequence[Sequence[PackedLaunch]]
    """The launches of each iteration. After the last round the last `recurring` ones follow each other."""
    state: Buffer | None
    """What is read; None where kernels write to `seen`, so that the host only waits."""
    seen: NDArray[Any]
    """int32, or bool for a mask. A launch without a grid has a thread for each item of `seen[more]`."""
    recurring: int = 1
    looks: int = 1
    clears: bool = False
    """Whether, before each iteration, `seen[more]` is set to 0 and `seen` is written to `state`."""
    more: int = 0
    met: int | None = None
    blind: int = 0
    """The first iterations, in which the host does not look, but goes on."""
    most: int = ENDLESS
    """Iterations after which it ends in any case."""

    def in_python(self, device: Device) -> Repeated:
        """Execute it in Python."""
        positions = 0
        endless = chain(self.rounds[: -self.recurring], cycle(self.rounds[-self.recurring :]))
        for iteration, launches in enumerate(islice(endless, self.most)):
            if self.clears and self.state is not None:
                self.seen[self.more] = 0
                device.write(self.state, self.seen)
            blind = iteration < self.blind
            position = 0 if blind else None
            for number, launch in enumerate(launches, self.looks - len(launches)):
                launch(None if launch.grid is not None else self.blocks(launch))
                if number < 0 or blind:
                    continue
                position = self.look(device)
                if position is not None:
                    positions += position
                    break
            if position is None:
                return Repeated(iteration + 1, True, positions)
        return Repeated(self.most, False, positions)

    def blocks(self, launch: PackedLaunch) -> int:
        """Return how many blocks have a thread for each item that was counted."""
        return -(-int(self.seen[self.more]) // launch.threads)

    def look(self, device: Device) -> int | None:
        """Return where a mask is set, or 0 of words that ask for more; None if there is nothing to do."""
        if self.state is None:
            device.synchronize()
        else:
            device.read(self.state, self.seen)
        if self.seen.dtype == np.bool_:
            first = int(self.seen.argmax())  # which stops at the first, as std::find does
            return first if self.seen[first] else None
        return 0 if self.seen[self.more] and (self.met is None or not self.seen[self.met]) else None

    def in_cpp(self, driver: CDriver, launches: Sequence[CLaunch], state: int) -> tuple[int, Repeated]:
        """Execute it in C++, with the launches of all rounds; return also what the driver returned, 0 if ok.

        `state` is the address of the state, 0 of none.
        """
        ends = [*accumulate(map(len, self.rounds))]
        loop = CHostLoop(
            (CLaunch * len(launches))(*launches), (ctypes.c_int * len(ends))(*ends),
            len(ends), self.recurring, self.looks, state, self.seen.ctypes.data, self.seen.nbytes,
            self.seen.dtype == np.bool_, self.clears, self.more, -1 if self.met is None else self.met,
            self.blind, self.most,
        )  # fmt: skip
        outcome = COutcome()
        code = repeater().repeat(ctypes.byref(driver), ctypes.byref(loop), ctypes.byref(outcome))
        return code, Repeated(outcome.iterations, bool(outcome.ended), outcome.positions)

    def by_callbacks(self, device: Device) -> Repeated:
        """Execute it in C++ that calls a device's own launches and copies, and raises what these raise."""
        launches, errors = [*chain(*self.rounds)], list[BaseException]()

        def caught(work: Callable[..., object]) -> Callable[..., int]:
            def call(*arguments: int) -> int:
                try:
                    work(*arguments)
                except BaseException as error:
                    errors.append(error)
                return len(errors)

            return call

        def launch(number: int | None, blocks: int, *_: int) -> None:
            packed = launches[number or 0]
            packed(None if packed.grid is not None else blocks)

        driver = CDriver(
            CALL_LAUNCH(caught(launch)),
            CALL_WRITE(caught(lambda *_: self.state and device.write(self.state, self.seen))),
            CALL_READ(caught(lambda *_: self.state and device.read(self.state, self.seen))),
            CALL_WAIT(caught(device.synchronize)),
        )
        numbered = [CLaunch.numbered(number, launch) for number, launch in enumerate(launches)]
        _, repeated = self.in_cpp(driver, numbered, int(self.state is not None))
        for error in errors:
            raise error
        return repeated


CALL_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)
CALL_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
CALL_READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t)
CALL_WAIT = ctypes.CFUNCTYPE(ctypes.c_int)


class CDriver(ctypes.Structure):
    """`Driver` of the C++ file."""

    _fields_ = (("launch", CALL_LAUNCH), ("write", CALL_WRITE), ("read", CALL_READ), ("wait", CALL_WAIT))


class CLaunch(ctypes.Structure):
    """`Launch` of the C++ file."""

    _fields_ = (
        ("function", ctypes.c_void_p), ("arguments", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
    )  # fmt: skip

    @classmethod
    def numbered(cls, number: int, launch: PackedLaunch) -> CLaunch:
        """Return a launch for a driver that knows launches by number."""
        return cls(number, None, (int(launch.grid is not None), 1, 1), (launch.threads, 1, 1), 0)


class CHostLoop(ctypes.Structure):
    """`HostLoop` of the C++ file."""

    _fields_ = (
        ("launches", ctypes.POINTER(CLaunch)), ("ends", ctypes.POINTER(ctypes.c_int)),
        ("rounds", ctypes.c_int), ("recurring", ctypes.c_int), ("looks", ctypes.c_int),
        ("state", ctypes.c_uint64), ("seen", ctypes.c_void_p), ("bytes", ctypes.c_size_t),
        ("is_mask", ctypes.c_int), ("clears", ctypes.c_int), ("more", ctypes.c_int), ("met", ctypes.c_int),
        ("blind", ctypes.c_int), ("most", ctypes.c_int),
    )  # fmt: skip


class COutcome(ctypes.Structure):
    """`Outcome` of the C++ file."""

    _fields_ = (("iterations", ctypes.c_int), ("ended", ctypes.c_int), ("positions", ctypes.c_longlong))


@cache
def repeater() -> ctypes.CDLL:
    """Return the C++, compiled once."""
    return ctypes.CDLL(str(build_host(own_file("repeat.cpp"))))
