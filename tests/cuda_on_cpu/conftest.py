"""The marks of the emulator's tests, where no settings of the project name them."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Name the marks of tests."""
    config.addinivalue_line("markers", "gpu: needs a CUDA device; runs on a machine that has one")
    config.addinivalue_line("markers", "long: takes long")
