"""The command `doctor`: what this computer has, and whether and how fast the default run works on it."""

import os
import shutil
import tempfile
import textwrap
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter

from cuda_device import memory
from cuda_device.available_gpus import cuda_status
from cuda_device.build import build_cubin
from cuda_device.compiled_files import compiler_version, find_cxx
from cuda_device.cuda import CudaDevice
from cuda_device.errors import OneLineError
from cuda_device.gpu_limits import WITHOUT_GPU, GPULimits
from cuda_device.installed_driver import installed_driver
from cuda_device.toolkits import choose_toolkit, why_no_thrust
from retrace.devices.backends import emulator
from retrace.graphs.dataset_registry import Dataset
from retrace.planning.configuration import Configuration, project_configuration
from retrace.reports.wording import plural
from retrace.solvers import all_solvers
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS, ROOT
from retrace_commands.availability import find_places

SCREEN_WIDTH = 110
"""Characters of a line."""
DOWNLOADS = Path("resources/downloads")
SAMPLE_KERNEL = "bfs/bsp.cu"
"""A kernel file that is compiled to see that it can be, and how fast."""


@dataclass(frozen=True)
class DefaultRun:
    """What the default run took where it was measured, with all graphs at hand."""

    where: str
    sample_s: float
    """Seconds to compile `SAMPLE_KERNEL`, by which another computer is slower."""
    compile_s: float
    """Seconds to compile everything, times the cores that did."""
    other_s: float
    """All other seconds: graphs, measurements, tables and figures."""
    disk_gib: float
    """What it left on the disk, packages included."""
    memory_gib: float
    """Memory of the host that its largest job needs."""


DEFAULT_RUNS = {
    "emulator": DefaultRun("two cores", 3.5, 134, 164, 1.0, 1.0),
    "cuda": DefaultRun("an H200 and 16 cores", 0.49, 82, 193, 1.0, 1.0),
}
"""By backend, on 2026-11-27."""


@dataclass(frozen=True)
class Aspect:
    """A line of what was found."""

    about: str
    found: str
    fault: bool = False
    """Whether the default run cannot work with it."""


def examine_computer(arguments: Namespace) -> None:
    """Print what is here; raise RetraceError, which names the first fault, if the default run cannot work."""
    faults = []
    for aspect in aspects(arguments.machine):
        mark = "!" if aspect.fault else " "
        lines = textwrap.wrap(aspect.found, SCREEN_WIDTH - 16) or [""]
        print(f"{mark} {aspect.about:12}  " + f"\n{' ' * 16}".join(lines), flush=True)
        faults += [aspect] * aspect.fault
    if faults:
        raise RetraceError(f"the default run cannot work here: {faults[0].about}: {faults[0].found}")


def aspects(machine: str | None) -> Iterator[Aspect]:
    """Yield what is found, in the order in which a screen shows it, for a machine of the configuration."""
    configuration, datasets = project_configuration()
    if machine is not None and machine not in configuration.machines:
        known = ", ".join(configuration.machines)
        raise RetraceError(f"--machine: {machine} is no machine of config.yaml; expected one of {known}")
    capability = configuration.settings_of(machine or configuration.machine).compute_capability
    configured, why_not = configuration.backend, cuda_status()
    backend = "cuda" if configured != "emulator" and why_not is None else "emulator"
    limits, architecture = GPULimits.by_capability(capability or WITHOUT_GPU), ""
    if backend == "cuda":
        device = CudaDevice(compute_capability=capability)
        limits, architecture = device.limits, device.architecture()
        yield Aspect("GPU", describe_gpu(device, capability))
    else:
        gpu = f"none is used ({why_not or 'backend: emulator'}); kernels run on the emulator"
        yield Aspect("GPU", gpu, configured == "cuda")
    yield Aspect("limits", describe_limits(limits))
    driver = installed_driver()
    yield Aspect("driver", str(driver) if driver else "none")
    yield from compilers(backend, architecture)
    yield Aspect("PyCUDA", installed("pycuda"))
    default_run = DEFAULT_RUNS[backend]
    memory_gib, disk_gib = memory.available() / 2**30, shutil.disk_usage(ROOT).free / 2**30
    on_gpu = f", {device_memory(device):.1f} of the GPU" if backend == "cuda" else ""
    message = f"{memory_gib:.1f} GiB free{on_gpu}; the default run needs {default_run.memory_gib:.1f}"
    yield Aspect("memory", message, memory_gib < default_run.memory_gib)
    message = f"{disk_gib:.1f} GiB free; the default run needs {default_run.disk_gib:.1f}"
    yield Aspect("disk", message, disk_gib < default_run.disk_gib)
    yield from graphs(configuration, datasets)
    yield Aspect("solvers", count_solvers(limits, backend, architecture))
    yield time_of_run(backend, architecture)


def describe_gpu(device: CudaDevice, used_as: str | None) -> str:
    """Return name, compute capability, size and use of a GPU."""
    about = device.describe()
    used = f", used as {used_as}" if used_as not in (None, about["compute_capability"]) else ""
    processors = plural(device.multiprocessors(), "multiprocessor")
    capability = f"compute capability {about['compute_capability']}{used}"
    return f"{about['name']}, {capability}, {about['memory_gib']:g} GiB, {processors}"


def describe_limits(limits: GPULimits) -> str:
    """Return in words what a GPU of such limits has."""
    cluster = f"clusters of {limits.cluster} blocks" if limits.cluster else "no thread-block clusters"
    cooperative = "cooperative launches" if limits.cooperative_launch else "no cooperative launches"
    shared = f"{limits.shared_of_block // 1024} KiB of shared memory in a block"
    threads = f"{limits.threads_of_multiprocessor:,} threads on a multiprocessor"
    return f"compute capability {limits.capability}: {shared}, {threads}, {cooperative}, {cluster}"


def compilers(backend: str, architecture: str) -> Iterator[Aspect]:
    """Yield what compiles kernels, baselines and Thrust."""
    try:
        compiler = find_cxx()
        yield Aspect("C++", compiler_version(compiler).splitlines()[0])
    except OneLineError as error:
        yield Aspect("C++", str(error), fault=True)
    if backend != "cuda":
        return
    try:
        thrust = why_no_thrust(architecture) or "Thrust, too"
        yield Aspect("CUDA", f"{choose_toolkit(architecture)} compiles for {architecture}; {thrust}")
    except OneLineError as error:
        yield Aspect("CUDA", str(error), fault=True)


def installed(package: str) -> str:
    """Return the version of a package, or that it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed; `make gpu` installs it where there is a GPU"


def device_memory(device: CudaDevice) -> float:
    """Return the GiB of the GPU that are free."""
    with device:
        return device.free_memory() / 2**30


def graphs(configuration: Configuration, datasets: dict[str, Dataset]) -> Iterator[Aspect]:
    """Yield whether there is a network, and where the graphs of the default run come from."""
    used = dict.fromkeys(
        name for experiment in configuration.experiments.values() for name in experiment.graphs
    )
    needed = [datasets[name] for name in used if name in datasets]
    places = find_places(needed, DOWNLOADS, os.environ.get("GRAPH_MIRROR"))
    by_place: dict[str, list[str]] = defaultdict(list)
    for dataset in needed:
        instead = (
            "left out" if dataset.optional else "a generated stand-in" if dataset.stand_in else "missing"
        )
        by_place[places.by_dataset[dataset.name] or instead].append(dataset.name)
    network = f"{places.answered} of {places.asked} addresses of graphs answer"
    yield Aspect("network", network if places.asked else "not asked, since all graphs are here")
    listing = "; ".join(f"{place}: {', '.join(names)}" for place, names in by_place.items())
    lacking = "missing" in by_place or (
        configuration.offline == "fail" and {"a generated stand-in", "left out"} & by_place.keys()
    )
    yield Aspect("graphs", listing, bool(lacking))


def count_solvers(limits: GPULimits, backend: str, architecture: str) -> str:
    """Return how many solvers run here, and why the others do not."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    solvers = all_solvers()
    thrust = why_no_thrust(architecture) if backend == "cuda" else None
    for kind in solvers:
        missing = kind.missing_from(limits) if "cuda" in kind.backends else None
        if missing is None and backend not in kind.backends and "host" not in kind.backends:
            missing = "runs on a GPU alone"
        try:
            missing = missing or kind.unavailable()
        except OneLineError as error:  # such as of a missing compiler
            missing = str(error)
        if missing is None and kind.source.startswith("thrust/"):
            missing = thrust
        if missing is not None:
            by_reason[missing.partition("; this GPU")[0]].append(kind.name)
    left_out = "".join(f"; {', '.join(names)}: {reason}" for reason, names in by_reason.items())
    return f"{len(solvers) - sum(map(len, by_reason.values()))} of {len(solvers)} run here{left_out}"


def time_of_run(backend: str, architecture: str) -> Aspect:
    """Return how long the default run will take, from what it took elsewhere and how fast this compiles."""
    known, cores = DEFAULT_RUNS[backend], len(os.sched_getaffinity(0))
    try:
        began = perf_counter()
        compile_sample(backend, architecture)
        slower = (perf_counter() - began) / known.sample_s
    except OneLineError as error:
        return Aspect("default run", str(error), fault=True)
    compile_s, other_s = slower * known.compile_s / cores, slower * known.other_s
    duration = f"about {in_minutes(compile_s + other_s)}, {in_minutes(other_s)} if all is compiled already"
    judged = f"judged by what it took with {known.where} and how fast a kernel is compiled here"
    return Aspect("default run", f"{duration}; {judged}")


def compile_sample(backend: str, architecture: str) -> None:
    """Compile a kernel file anew."""
    usual_folder = os.environ.get("RETRACE_BUILD")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RETRACE_BUILD"] = folder
        try:
            if backend == "cuda":
                build_cubin(KERNELS / SAMPLE_KERNEL, architecture)
            else:
                emulator().compile(KERNELS / SAMPLE_KERNEL)
        finally:
            if usual_folder is None:
                del os.environ["RETRACE_BUILD"]
            else:
                os.environ["RETRACE_BUILD"] = usual_folder


def in_minutes(seconds: float) -> str:
    """Return a rough time in words."""
    return f"{max(1, round(seconds / 60))} min"
