"""Devices: one interface for CUDA and the emulator, the C++ functions of the host, and the compilers."""
