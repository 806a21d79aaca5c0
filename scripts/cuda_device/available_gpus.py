"""Whether there is a GPU that PyCUDA can use, and which; planning asks this without NumPy."""

import functools

from cuda_device.management import find_gpu


@functools.cache
def cuda_status() -> str | None:
    """Return why CUDA cannot be used here, or None if it can."""
    try:
        import pycuda.driver as cuda
    except ModuleNotFoundError:
        return "PyCUDA is not installed: make gpu"
    except ImportError as error:  # the extension module found no driver
        return f"{error}: install the NVIDIA driver"
    try:
        cuda.init()
        return None if cuda.Device.count() else "no device"
    except cuda.Error as error:
        return f"no device: {error}"


def cuda_available() -> bool:
    """Return whether there is a CUDA device and PyCUDA can use it."""
    return cuda_status() is None


def visible_gpus() -> list[str]:
    """Return number and driver of each GPU that this process may use; without NVML, the number of its bus."""
    import pycuda.driver as cuda

    cuda.init()
    buses = [cuda.Device(index).pci_bus_id() for index in range(cuda.Device.count())]
    return [f"{gpu.number} {gpu.driver}" if (gpu := find_gpu(bus)) else bus for bus in buses]
