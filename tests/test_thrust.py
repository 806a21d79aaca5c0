"""Thrust's library for CUDA compiles, which a machine without a GPU can show as well."""

from __future__ import annotations

from retrace.devices.build import KERNELS, build_thrust


def test_thrust_compiles_for_cuda() -> None:
    assert build_thrust(KERNELS / "thrust/sssp_thrust.cpp", "sm_90").exists()
