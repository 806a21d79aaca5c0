"""Device memory from the driver's pool, which gives it in less time than `cuMemAlloc`."""

from __future__ import annotations

import ctypes
from contextlib import suppress

from cuda_device.driver import Driver
from cuda_device.errors import DeviceError

POOLED_BYTES = 64 << 20
"""The largest allocation from the pool: `cuMemAlloc` takes 50 to 100 us, which is little for a larger one."""
KEPT_BYTES = 1 << 30
"""Free memory that the pool keeps for later allocations."""
RELEASE_THRESHOLD = 4
"""Of CUmemPool_attribute."""
DEFAULT_STREAM = None


class PooledMemory:
    """Memory of the pool. It may be used in all streams that wait for the default stream."""

    def __init__(self, driver: Driver, address: int) -> None:
        self._driver, self._address = driver, address

    def __int__(self) -> int:
        return self._address

    def __del__(self) -> None:
        self.free()

    def free(self) -> None:
        """Give the memory back, for what is queued later; where there is no context, it is free already."""
        address, self._address = self._address, 0
        if address:
            with suppress(DeviceError):  # of a failed kernel, after which all calls fail
                self._driver.call("cuMemFreeAsync", ctypes.c_uint64(address), DEFAULT_STREAM)


class MemoryPool:
    """The default pool of a GPU whose context is current."""

    def __init__(self, driver: Driver, index: int) -> None:
        """Keep what is freed, up to `KEPT_BYTES`; `index` counts GPUs in CUDA's order."""
        self._driver, self._pool = driver, ctypes.c_void_p()
        driver.call("cuDeviceGetDefaultMemPool", ctypes.byref(self._pool), driver.device(index))
        kept = ctypes.c_uint64(KEPT_BYTES)
        driver.call("cuMemPoolSetAttribute", self._pool, RELEASE_THRESHOLD, ctypes.byref(kept))

    def allocate(self, nbytes: int) -> PooledMemory | None:
        """Return memory; None for more than `POOLED_BYTES`, or if the driver has none."""
        if nbytes > POOLED_BYTES:
            return None
        address = ctypes.c_uint64()
        try:
            self._driver.call(
                "cuMemAllocAsync", ctypes.byref(address), ctypes.c_size_t(nbytes), DEFAULT_STREAM
            )
        except DeviceError:
            return None
        return PooledMemory(self._driver, address.value)

    def trim(self) -> None:
        """Give all free memory back to the GPU, when all work is finished."""
        self._driver.call("cuMemPoolTrimTo", self._pool, ctypes.c_size_t(0))
