"""The device interface on an NVIDIA GPU, through PyCUDA; no other module imports PyCUDA."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Callable, Sequence
from contextlib import ContextDecorator
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_device.available_gpus import cuda_status
from cuda_device.build import build_cubin, build_thrust
from cuda_device.capability import Capability, architecture
from cuda_device.compiled_files import PLACES, own_file, shown_path
from cuda_device.driver import Driver, DriverKernel, DriverModule, Launch
from cuda_device.errors import DeviceError, TooLargeError
from cuda_device.gpu_limits import GPULimits
from cuda_device.host_loop import CLaunch, HostLoop, Repeated, repeater
from cuda_device.interface import Buffer, Device, Dim, Event, as_xyz, check_launch
from cuda_device.management import find_gpu
from cuda_device.memory_pool import MemoryPool
from cuda_device.staged_copies import LEAST_STAGED, StagedCopies, stager
from cuda_device.toolkits import known_capabilities

HOLD_STEPS = 150
"""Dependent loads: 20 to 100 microseconds, longer than the host needs to queue two events and a launch."""


class _NamingCuda(ContextDecorator):
    """Turns an error of PyCUDA into a `DeviceError`; an earlier asynchronous kernel may have caused it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            import pycuda.driver

            if isinstance(error, pycuda.driver.Error):
                raise DeviceError(f"CUDA: {error}") from error


naming_cuda = _NamingCuda()


class CudaBuffer:
    """Device memory, freed when the device is closed or when nothing refers to it any more."""

    def __init__(
        self, size: int, dtype: np.dtype[Any], owner: Any, address: int, whole: CudaBuffer | None = None
    ) -> None:
        self.size = size
        self.dtype = dtype
        self._owner = owner  # PyCUDA's or the pool's allocation
        self._whole = whole  # for a view: the buffer that it is part of
        self.address = address

    def release(self) -> None:
        """Free the memory."""
        if self._owner is not None:
            self._owner.free()
        self._owner = None
        self.address = 0


class CudaStream:
    """A CUDA stream."""

    def __init__(self, stream: Any) -> None:
        self.pycuda = stream

    @naming_cuda
    def synchronize(self) -> None:
        self.pycuda.synchronize()


class CudaEvent:
    """A CUDA event."""

    def __init__(self, event: Any) -> None:
        self._event = event

    @naming_cuda
    def record(self, stream: CudaStream | None = None) -> None:
        self._event.record(stream and stream.pycuda)

    @naming_cuda
    def synchronize(self) -> None:
        self._event.synchronize()

    @naming_cuda
    def milliseconds_since(self, earlier: Self) -> float:
        return float(self._event.time_since(earlier._event))


class CudaKernel:
    """A `__global__` function."""

    def __init__(self, module: CudaModule, by_driver: DriverKernel) -> None:
        self.device = module.device
        self.name = by_driver.name
        self._by_driver = by_driver
        self._kinds: tuple[type, ...] | None = None
        self._checked: set[tuple[Dim, Dim, int, Dim | None, bool]] = set()

    def __call__(
        self,
        grid: Dim,
        block: Dim,
        *arguments: Any,
        shared: int = 0,
        stream: CudaStream | None = None,
        cooperative: bool = False,
        cluster: Dim | None = None,
    ) -> None:
        values = self._values(arguments)
        sizes = grid, block, shared, cluster, cooperative
        if sizes not in self._checked:  # to check them takes as long as to launch
            check_launch(self.name, grid, block, shared, self.device.limits, cluster, cooperative)
            self._checked.add(sizes)
        timer = self.device._timer
        start = self.device.mark_after_hold(stream) if timer else None
        handle = stream.pycuda.handle if stream else 0
        self._by_driver(grid, block, values, shared, handle, cooperative, cluster)
        if timer:
            timer.brackets.append((start, self.device.mark(stream)))

    def with_arguments(
        self,
        grid: Dim | None,
        block: Dim,
        *arguments: Any,
        shared: int = 0,
        cluster: Dim | None = None,
        cooperative: bool = True,
    ) -> CudaLaunch:
        check_launch(self.name, grid or 1, block, shared, self.device.limits, cluster, cooperative)
        kernel = self._by_driver
        launch = kernel.packed(grid or 1, block, self._values(arguments), shared, cooperative, cluster)
        buffers = [(a, i) for i, a in enumerate(arguments, 1) if type(a) is CudaBuffer]
        return CudaLaunch(self, grid, math.prod(as_xyz(block)), kernel, launch, buffers)

    def _values(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Return addresses of buffers, and numbers; raise TypeError for anything else."""
        kinds = tuple(map(type, arguments))
        if kinds != self._kinds:
            self._check_kinds(kinds)
            self._kinds = kinds
        return [self._address(a, i) if type(a) is CudaBuffer else a for i, a in enumerate(arguments, 1)]

    def _check_kinds(self, kinds: tuple[type, ...]) -> None:
        for position, kind in enumerate(kinds, 1):
            if kind is not CudaBuffer and not issubclass(kind, (np.number, np.bool_)):
                raise TypeError(
                    f"kernel {self.name}, parameter {position}: "
                    f"expected a buffer or a NumPy scalar, not {kind.__name__}"
                )

    def _address(self, buffer: CudaBuffer, position: int) -> int:
        if not buffer.address:
            raise ValueError(f"kernel {self.name}, parameter {position}: the buffer's device is closed")
        return buffer.address


@dataclass(frozen=True)
class CudaLaunch:
    """A launch whose arguments are packed, and the buffers among them, with their positions."""

    kernel: CudaKernel
    grid: Dim | None
    threads: int
    by_driver: DriverKernel
    launch: Launch
    buffers: Sequence[tuple[CudaBuffer, int]]

    def __call__(self, blocks: int | None = None) -> None:
        self.check()
        if self.grid is None:
            self.launch.config.grid[0] = blocks
        timer = self.kernel.device._timer
        start = self.kernel.device.mark_after_hold(None) if timer else None
        self.by_driver.launch(self.launch)
        if timer:
            timer.brackets.append((start, self.kernel.device.mark(None)))

    def check(self) -> None:
        """Raise ValueError if the device is closed, and with it all buffers."""
        for buffer, position in self.buffers[:1]:
            self.kernel._address(buffer, position)

    def for_cpp(self) -> CLaunch:
        """Return the launch as C++ takes it, which this one must outlive."""
        config, arguments = self.launch.config, ctypes.cast(self.launch.arguments, ctypes.c_void_p)
        grid = (0, 1, 1) if self.grid is None else config.grid
        return CLaunch(self.by_driver.function, arguments, grid, config.block, config.shared)


class CudaModule:
    """A kernel file, loaded into the context."""

    def __init__(self, device: CudaDevice, source: str, macros: Sequence[str] = ()) -> None:
        self.device = device
        self.source = shown_path(PLACES.kernels / source)
        file = build_cubin(PLACES.kernels / source, device.architecture(), macros)
        self.built = file.name
        self._by_driver = DriverModule(file)
        self._kernels: dict[str, DriverKernel] = {}
        device._modules.add(self._by_driver)

    def kernel(self, name: str) -> CudaKernel:
        return CudaKernel(self, self._kernel(name))

    def resident_blocks(self, kernel: str, block: Dim, shared: int = 0) -> int:
        by_limits = self.device.limits.resident_blocks(math.prod(as_xyz(block)), shared)
        by_driver = self._kernel(kernel).resident_blocks(block, shared)
        return min(by_limits, by_driver) * self.device.multiprocessors()

    def largest_cluster(self, kernel: str, block: Dim) -> int:
        most = self.device.limits.cluster
        return self._kernel(kernel).largest_cluster(block, most) if most else 0

    def resident_clusters(self, kernel: str, block: Dim, cluster: int) -> int:
        return self._kernel(kernel).resident_clusters(block, cluster)

    @naming_cuda
    def write_symbol(self, name: str, values: NDArray[Any]) -> None:
        address, size = self._by_driver.variable(name) or (0, 0)
        if not address:
            raise DeviceError(f"{self.source}: there is no __constant__ or __device__ variable {name}")
        if values.nbytes != size:
            raise ValueError(f"{name} of {self.source} has {size} bytes, not {values.nbytes}")
        self.device.cuda.memcpy_htod(address, np.ascontiguousarray(values))

    def _kernel(self, name: str) -> DriverKernel:
        if name not in self._kernels:
            function = self._by_driver.function(name)
            if function is None:
                raise DeviceError(f"{self.source}: there is no kernel {name}")
            self._kernels[name] = DriverKernel(self._by_driver, name, function)
        return self._kernels[name]


class CudaDevice(Device):
    """GPU number `index` in CUDA's order, by its primary context; DeviceError if CUDA cannot be used.

    With a `compute_capability` it is used as if it were such a GPU: kernels are compiled for that one, unless
    it is newer, and the limits are the lesser of both.
    """

    backend = "cuda"

    def __init__(
        self, index: int = 0, memory_gib: float | None = None, compute_capability: str | None = None
    ) -> None:
        status = cuda_status()
        if status is not None:
            raise DeviceError(f"CUDA cannot be used here ({status}); use the emulator backend instead")
        import pycuda.driver

        self.cuda = pycuda.driver
        self.index = index
        self._gpu = self.cuda.Device(index)
        self.memory_gib = memory_gib
        self._capability = Capability(*self._gpu.compute_capability())
        self._used_as = compute_capability
        self._driver = Driver()
        self._attribute = partial(self._driver.attribute, index)
        self.limits = GPULimits.by_driver(self._capability, self._attribute)
        if compute_capability not in (None, str(self._capability)):
            self.limits = self.limits.within(GPULimits.by_capability(compute_capability))
        self._context: Any = None
        self._pool: MemoryPool | None = None
        self._staging: StagedCopies | None = None
        self._hold: Any = None
        self._chain: Any = None
        self._buffers: weakref.WeakSet[CudaBuffer] = weakref.WeakSet()
        self._thrust: list[ctypes.CDLL] = []
        self._modules: weakref.WeakSet[DriverModule] = weakref.WeakSet()
        self._pinned: weakref.WeakSet[Any] = weakref.WeakSet()  # PyCUDA cannot free it after the context
        self._nvml = find_gpu(self._gpu.pci_bus_id())

    @naming_cuda
    def __enter__(self) -> Self:
        self._context = self._gpu.retain_primary_context()
        self._context.push()
        if self._attribute("MEMORY_POOLS_SUPPORTED"):
            self._pool = MemoryPool(self._driver, self.index)
        repeater(), stager()  # which may have to be compiled: not when something is timed
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            for buffer in list(self._buffers):
                buffer.release()
            for memory in list(self._pinned):
                memory.free()
        finally:  # after a failed kernel, freeing memory fails, but closing the context works
            self._buffers.clear()
            self._pinned.clear()
            for module in self._modules:
                module.forget()
            self._context.pop()
            self._context.detach()
            self._context = self._pool = self._staging = self._hold = self._chain = None
            # To release a primary context, PyCUDA makes it current again and leaves it current.
            ctypes.CDLL("libcuda.so.1").cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
            for library in self._thrust:
                library.thrust_close(self.index)
            self._thrust.clear()

    def peers(self, count: int) -> list[Callable[[], Device]]:
        total = self.cuda.Device.count()
        if count > total:
            raise DeviceError(f"{count} GPUs are asked for, and this host has {total}")
        return [partial(CudaDevice, index, self.memory_gib, self._used_as) for index in range(count or total)]

    def architecture(self) -> str:
        """Return what kernels are compiled for, as nvcc names it: `sm_90`."""
        return architecture(self._capability, self.limits.capability, known_capabilities())

    @naming_cuda
    def load(self, source: str, macros: Sequence[str] = ()) -> CudaModule:
        return CudaModule(self, source, macros)

    @naming_cuda
    def load_thrust(self, source: str) -> ctypes.CDLL:
        library = ctypes.CDLL(str(build_thrust(PLACES.kernels / source, self.architecture())))
        self._thrust.append(library)
        return library

    @naming_cuda
    def empty(self, size: int, dtype: DTypeLike) -> CudaBuffer:
        """Raise TooLargeError if there is not enough memory."""
        self.check_size(size)
        dtype = np.dtype(dtype)
        nbytes = max(1, size) * dtype.itemsize  # CUDA refuses to allocate 0 bytes
        try:
            memory = (self._pool and self._pool.allocate(nbytes)) or self.cuda.mem_alloc(nbytes)
        except self.cuda.MemoryError as error:
            free_gib, needed_gib = self.free_memory() / 2**30, nbytes / 2**30
            raise TooLargeError(
                f"{self._gpu.name()} has {free_gib:.1f} GiB left, {needed_gib:.1f} GiB are needed"
            ) from error
        return self._keep(CudaBuffer(size, dtype, memory, int(memory)))

    @naming_cuda
    def upload_all(self, arrays: Sequence[NDArray[Any]]) -> list[Buffer]:
        """Copy by way of page-locked memory, allocated once, which several threads fill."""
        if sum(array.nbytes for array in arrays) < LEAST_STAGED:
            return super().upload_all(arrays)
        buffers = [self.empty(array.size, array.dtype) for array in arrays]
        pairs = [*zip(buffers, arrays, strict=True)]
        for buffer, array in pairs:
            self.check_copy(buffer, array)
        if self._staging is None:
            self._staging = self._driver.staging(self.pinned)
        if code := self._staging.copy([(buffer.address, array) for buffer, array in pairs]):
            raise self._driver.failure("a copy to the GPU", code)
        return [*buffers]

    def view(self, buffer: Buffer, begin: int, size: int) -> CudaBuffer:
        """Return a part of a buffer, which keeps the whole buffer alive."""
        self.check_view(buffer, begin, size)
        address = self._address(buffer) + begin * buffer.dtype.itemsize
        return self._keep(CudaBuffer(size, buffer.dtype, None, address, cast(CudaBuffer, buffer)))

    @naming_cuda
    def write(self, buffer: Buffer, host: NDArray[Any], stream: CudaStream | None = None) -> None:
        self.check_copy(buffer, host)
        address = self._address(buffer)
        if buffer.size:
            self._call("memcpy_htod", stream, address, host)

    @naming_cuda
    def read(self, buffer: Buffer, host: NDArray[Any], stream: CudaStream | None = None) -> None:
        self.check_copy(buffer, host)
        address = self._address(buffer)
        if buffer.size:
            self._call("memcpy_dtoh", stream, host, address)

    def _call(self, name: str, stream: CudaStream | None, *arguments: Any) -> None:
        """Call a function of the driver, or its variant for a stream."""
        if stream is None:
            getattr(self.cuda, name)(*arguments)
        else:
            getattr(self.cuda, f"{name}_async")(*arguments, stream.pycuda)

    @naming_cuda
    def fill(self, buffer: Buffer, value: int | float, stream: CudaStream | None = None) -> None:
        address = self._address(buffer)
        if buffer.size == 0:
            return
        pattern = np.array([value]).astype(buffer.dtype)
        width, count = buffer.dtype.itemsize, buffer.size
        if width == 8:
            low, high = pattern.view(np.uint32).tolist()
            if low != high:  # they are equal in 0 and -1
                self.write(buffer, np.full(buffer.size, pattern[0]), stream)
                return
            width, count = 4, 2 * count
        self._call(f"memset_d{8 * width}", stream, address, int(pattern.view(f"u{width}")[0]), count)

    @naming_cuda
    def pinned(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Allocate memory that must not be used after the device is closed."""
        self.check_size(size)
        if size == 0:
            return np.empty(0, dtype)
        memory = cast("NDArray[Any]", self.cuda.pagelocked_empty(size, dtype))
        self._pinned.add(memory.base)
        return memory

    @naming_cuda
    def mapped(self, size: int, dtype: DTypeLike) -> tuple[NDArray[Any], CudaBuffer]:
        self.check_size(size)
        flags = self.cuda.host_alloc_flags.DEVICEMAP
        memory = self.cuda.pagelocked_empty(max(1, size), dtype, mem_flags=flags)
        owner = memory.base
        return memory[:size], self._keep(CudaBuffer(size, memory.dtype, owner, owner.get_device_pointer()))

    @naming_cuda
    def stream(self) -> CudaStream:
        return CudaStream(self.cuda.Stream())

    @naming_cuda
    def event(self) -> CudaEvent:
        return CudaEvent(self.cuda.Event())

    @naming_cuda
    def synchronize(self) -> None:
        self._context.synchronize()

    def repeat(self, loop: HostLoop) -> Repeated:
        launches = [cast("CudaLaunch", launch) for launches in loop.rounds for launch in launches]
        if self._timer:  # each launch is timed by itself
            return super().repeat(loop)
        for launch in launches:
            launch.check()
        if loop.state is not None:
            self.check_copy(loop.state, loop.seen)
        state = 0 if loop.state is None else self._address(loop.state)
        return self._driver.repeat(loop, [launch.for_cpp() for launch in launches], state)

    @naming_cuda
    def free_memory(self) -> int:
        if self._pool:
            self.synchronize()
            self._pool.trim()
        free, total = self.cuda.mem_get_info()
        return self.limited(int(free), int(total) - int(free))

    @naming_cuda
    def resident_blocks(self, block_size: int) -> int:
        return self.multiprocessors() * self.limits.resident_blocks(block_size)

    def multiprocessors(self) -> int:
        return self._attribute("MULTIPROCESSOR_COUNT")

    def cache_bytes(self) -> int:
        return self._attribute("L2_CACHE_SIZE")

    def mark_after_hold(self, stream: CudaStream | None) -> Event:
        """Queue a kernel that holds the stream, then an event: the next launch follows without a gap."""
        if self._hold is None:
            self._hold = CudaModule(self, str(own_file("hold.cu")))
            self._chain = self.upload(np.zeros(2, np.int32))
        chain, handle = self._chain.address, stream.pycuda.handle if stream else 0
        arguments = chain, np.int32(HOLD_STEPS), chain + 4
        self._hold._kernel("hold")(1, 1, arguments, 0, handle, False, None)
        return self.mark(stream)

    def describe(self) -> dict[str, Any]:
        return {
            "name": self._gpu.name(),
            "compute_capability": str(self._capability),
            "compiled_for": str(self.limits.capability),
            "memory_gib": round(self._gpu.total_memory() / 2**30, 1),
            "driver": self._nvml.driver if self._nvml else None,
        }

    def state(self) -> dict[str, Any]:
        return self._nvml.state() if self._nvml else {"sm_clock_mhz": None, "throttled": None}

    def joules(self) -> float | None:
        return self._nvml.joules() if self._nvml else None

    def _keep(self, buffer: CudaBuffer) -> CudaBuffer:
        self._buffers.add(buffer)
        return buffer

    def _address(self, buffer: Buffer) -> int:
        address = cast(CudaBuffer, buffer).address
        if not address:
            raise ValueError("the buffer's device is closed")
        return address
