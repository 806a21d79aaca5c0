"""What all tests share: the device fixture, and Ctrl-C for the commands that they start."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import runpy
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import schedules
from command_line import Call, Outcome, program_of
from cuda_device.available_gpus import cuda_available
from cuda_device.build import build_cubin
from cuda_device.compiled_files import build_host, compiled_from
from cuda_device.cuda import CudaDevice
from cuda_device.errors import LacksError, OneLineError
from cuda_device.gpu_limits import GPULimits
from cuda_device.interface import Device
from cuda_on_cpu import device as emulator
from cuda_on_cpu.build import build_emulator
from cuda_on_cpu.device import EmulatedDevice, EmulatedKernel
from retrace import cli
from retrace.devices import host
from retrace.measure import environment, trials
from retrace.records.margins import Margins
from retrace.solvers import REGISTRY
from retrace.system.project import KERNELS, build_folder
from retrace.system.solver_packages import import_solvers
from tiny_files import TINY, TINY_WITHOUT_WEIGHTS

import_solvers()  # their solvers are tested with the project's

# A shell starts a command with & so that Ctrl-C and SIGQUIT are ignored, nohup so that SIGHUP is, and its
# children inherit that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)

BACKENDS = [
    pytest.param(EmulatedDevice, id="emulator"),
    pytest.param(lambda: EmulatedDevice(seed=7), id="shuffled"),
]
if cuda_available():
    BACKENDS.append(pytest.param(CudaDevice, id="cuda", marks=pytest.mark.gpu))


@pytest.fixture(scope="module", autouse=True)
def little_to_collect() -> None:
    """Set aside what stays, thousands of tests and what others have read: each trial collects garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def quiet_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Withhold no processors: a trial that is run again would count twice."""
    monkeypatch.setattr(trials.WITHHELD, "of_trial", lambda: {"steal": 0.0, "held_back": False})


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all machines repeat their times within 2 %, whatever the committed records say of them."""
    monkeypatch.setattr(Margins, "of", lambda *_: 1.02)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that run the tests as if the devices were others, and only those that are short."""
    what = "use GPU and emulator as one of it, such as 8.6; tests of what it lacks are skipped"
    parser.addoption("--compute-capability", metavar="CC", help=what)
    less = "leave out the tests marked long, and most schedules of the emulator and random examples"
    parser.addoption("--quick", action="store_true", help=less)


def pytest_configure(config: pytest.Config) -> None:
    """Let each device that names no compute capability be of the one that was asked for."""
    schedules.quick = config.getoption("--quick")
    if (wanted := config.getoption("--compute-capability")) is not None:
        try:
            GPULimits.by_capability(wanted)
        except OneLineError as error:
            raise pytest.UsageError(f"--compute-capability: {error}") from None
        for kind in (CudaDevice, EmulatedDevice):
            kind.__init__ = as_another(kind.__init__, wanted)  # type: ignore[method-assign]


def as_another(opened: Callable[..., None], wanted: str) -> Callable[..., None]:
    """Return what makes a device of the compute capability that is wanted, unless it is given one."""
    names = [*signature(opened).parameters]

    @wraps(opened)
    def make(self: Device, *values: Any, **given: Any) -> None:
        given |= dict(zip(names[1:], values, strict=False))
        opened(self, **{**given, "compute_capability": given.get("compute_capability") or wanted})

    return make


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Skip a test of what a device lacks that is used as another."""
    try:
        yield
    except LacksError as error:
        if item.config.getoption("--compute-capability") is None:
            raise
        pytest.skip(str(error))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests of solvers that cannot run on this computer, such as those of a peer not downloaded.

    With --quick, tests that are marked long are deselected.

    Whole runs of the pipeline come first: they take minutes, and would end long after all others.
    """
    if schedules.quick:
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    items.sort(key=lambda item: item.get_closest_marker("pipeline") is None)
    for item in items:
        for name in solvers_of(item):
            if (why_not := REGISTRY.solvers[name].unavailable()) is not None:
                item.add_marker(pytest.mark.skip(reason=f"{name}: {why_not}"))


def solvers_of(item: pytest.Item) -> set[str]:
    """List the solvers that a test takes as a parameter, perhaps with settings or options."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = {re.split("[ :]", value)[0] for value in values if isinstance(value, str)}
    return names & REGISTRY.solvers.keys()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile the solvers of the chosen tests on all cores, where each test would compile its own.

    The longest files come first, lest one core waits for the other in the end. What does not compile is left
    to the test, which reports it.
    """
    if session.config.option.collectonly:
        return
    on_gpu = [item for item in session.items if item.get_closest_marker("gpu")]
    emulated = [item for item in session.items if item not in set(on_gpu)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(build_host, file) for file in kernel_files(session.items, ".cpp")]
        for file in sorted(kernel_files(emulated, ".cu"), key=length, reverse=True):
            jobs += [pool.submit(build_emulator, file, shuffled=shuffled) for shuffled in (True, False)]
        if on_gpu and cuda_available():
            architecture = CudaDevice().architecture()
            jobs += [pool.submit(build_cubin, file, architecture) for file in kernel_files(on_gpu, ".cu")]
        wait(jobs)


@pytest.fixture(scope="session", autouse=True)
def looked_up_once() -> Iterator[None]:
    """Look for changes of a kernel of the project once, not at each of the many thousands of loads.

    To read the files on which it depends takes 2.5 ms, as long as a small graph.
    """

    def once(build: Callable[..., Path]) -> Callable[..., Path]:
        @cache
        def found(folder: Path, source: Path, *flags: bool) -> Path:
            return build(source, *flags)

        def found_or_built(source: Path, *flags: bool) -> Path:
            ours = KERNELS in source.parents
            return found(build_folder(), source, *flags) if ours else build(source, *flags)

        return found_or_built

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emulator, "build_emulator", once(build_emulator))
        patch.setattr(host, "build_host", once(build_host))
        yield


def kernel_files(items: Sequence[pytest.Item], suffix: str) -> set[Path]:
    """List the files of the solvers that tests take as a parameter; `.cpp` means those for the host."""
    given = {name for item in items for name in solvers_of(item)}
    files = {KERNELS / file for name in given for file in REGISTRY.solvers[name].sources}
    return {
        file for file in files if file.suffix == suffix and (suffix == ".cu" or file.parent.name == "host")
    }


def length(source: Path) -> int:
    """Return the bytes of a kernel file and of those that it includes, but not of headers."""
    return sum(path.stat().st_size for path in compiled_from(source) if path.suffix == ".cu")


@pytest.fixture(scope="module")
def kept_context() -> Iterator[None]:
    """Keep a GPU's context between devices: to create one takes 0.1 s, and hypothesis opens hundreds."""
    if not cuda_available():
        yield
        return
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    yield
    driver.cuDevicePrimaryCtxRelease_v2(0)


@pytest.fixture(params=BACKENDS)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Open a device of each backend that this machine has."""
    with request.param() as opened:
        yield opened


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Note the grid and the block of each kernel's last launch on the emulator."""
    noted: dict[str, Any] = {}
    launch = EmulatedKernel.__call__

    def noting(kernel: EmulatedKernel, grid: Any, block: Any, *arguments: Any, **options: Any) -> None:
        noted[kernel.name] = grid, block
        launch(kernel, grid, block, *arguments, **options)

    monkeypatch.setattr(EmulatedKernel, "__call__", noting)
    return noted


@pytest.fixture(scope="session")
def provenance() -> dict[str, Any]:
    """What records hold of this machine and its software."""
    return {"machine": environment.machine("local", None), "software": environment.software()}


@pytest.fixture(autouse=True)
def sigterm() -> Iterator[None]:
    """Give SIGTERM back, which the commands take in this process."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the command line in this process."""
    return lambda *argv: Outcome(capsys, lambda: cli.main([str(word) for word in argv]))


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Run a stage, or a program of `scripts/`, in this process: each would load the large libraries."""
    interrupt = signal.getsignal(signal.SIGINT)

    def call(name: str, *argv: object) -> Outcome:
        stages = "retrace.stages.", "retrace_generated.make_"
        for module in [module for module in sys.modules if module.startswith(stages)]:
            # as in a process of its own, and with what a test has patched; back when the test has ended
            monkeypatch.delitem(sys.modules, module)
        program, *words = program_of(name)
        monkeypatch.setattr(sys, "argv", [program, *words, *map(str, argv)])
        return Outcome(capsys, lambda: runpy.run_path(program, run_name="__main__") and 0)

    yield call
    signal.signal(signal.SIGINT, interrupt)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Write a small weighted graph that counts from 1."""
    path = tmp_path / "tiny.gr"
    path.write_bytes(TINY["dimacs"])
    return path


@pytest.fixture
def unweighted(tmp_path: Path) -> Path:
    """Write one without weights that counts from 0."""
    path = tmp_path / "tiny.txt"
    path.write_bytes(TINY_WITHOUT_WEIGHTS["snap"])
    return path
