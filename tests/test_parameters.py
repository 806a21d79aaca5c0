"""Kernel parameters of every size arrive as they were given, on every backend that this machine has."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import from_dtype

from cuda_device.interface import Device

SOURCE = str(Path(__file__).parent / "kernels/parameters.cu")

KERNELS = {
    "small_before_wide": ("bool", "f8", "i1", "u8", "f4"),
    "wide_before_small": ("i8", "bool", "u8", "i2", "f8"),
    "small_alone": ("u1", "i2", "bool", "u2", "i1"),
    "middle": ("i4", "u8", "u4", "f4", "i2"),
    "after_the_pointer": ("f4", "i4", "f4", "bool", "i8"),
}


@pytest.mark.parametrize("name", KERNELS)
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_parameters_arrive(device: Device, name: str, data: st.DataObject) -> None:
    values = [data.draw(from_dtype(np.dtype(word))).view(word) for word in KERNELS[name]]
    out = device.empty(5, np.uint64)
    device.load(SOURCE).kernel(name)(1, 1, *values[:4], out, values[4])
    for slot, value in zip(device.download(out), values, strict=True):
        assert slot.tobytes() == value.tobytes().ljust(8, b"\0")
