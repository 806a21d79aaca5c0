"""Devices: one interface with two implementations, PyCUDA and the emulator."""
