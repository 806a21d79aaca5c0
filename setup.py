"""What a wheel has beside modules: kernels and data, so that it solves without the checkout.

All else is said in pyproject.toml. An editable installation reads the checkout.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
OF_PACKAGES = {"cuda_device": "cuda_device/kernels", "cuda_on_cpu": "cuda_on_cpu/kernels"}
"""Folders of `kernels/` that have a place in their own package; others are of `PROJECT`."""
PROJECT = "retrace/project"
"""What `retrace.system.project` takes for the project's folder where it is installed."""
DATA = ("config.yaml", "datasets.yaml", "experiments.yaml", "workflow/schemas/solvers.json")


class BuildWithKernels(build_py):
    """Copies kernels and data beside the modules."""

    def run(self) -> None:
        """Copy the modules, then the rest, into an empty folder: setuptools packs all that is there."""
        if self.editable_mode:
            super().run()
            return
        into = Path(self.build_lib)
        shutil.rmtree(into, ignore_errors=True)
        super().run()
        for folder in sorted(path for path in (ROOT / "kernels").iterdir() if path.name != "README.md"):
            target = into / OF_PACKAGES.get(folder.name, f"{PROJECT}/kernels/{folder.name}")
            copy = shutil.copytree if folder.is_dir() else shutil.copy
            target.parent.mkdir(parents=True, exist_ok=True)
            copy(folder, target)
        for name in DATA:
            (into / PROJECT / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, into / PROJECT / name)


setup(cmdclass={"build_py": BuildWithKernels})
