"""Devices: one interface, with PyCUDA behind it or the emulator."""
