"""The Python that jobs run in: Snakemake's own if it has the packages, else that of `.venv`.

Any Snakemake can run the workflow, whatever it is installed with: planning needs nothing else, and jobs run
in `.venv`, which is made before the first one. Imports nothing but Python's own library.
"""

import re
import site
import subprocess
import sys
import sysconfig
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

NEEDED = (
    "isal", "jinja2", "matplotlib", "numpy", "pandas", "pydantic", "requests", "scipy", "tqdm",
    "yaml",
)  # fmt: skip
"""What a run imports, whatever its solvers are."""


def lacking() -> list[str]:
    """List what this Python cannot import of what a run needs."""
    return [name for name in NEEDED if find_spec(name) is None]


def python_for_jobs(root: Path) -> Path:
    """Return the folder of the Python for jobs, and let this process import what it lacks from there.

    `root` is the folder of the project. Where this Python lacks a package, that is the environment of the
    same version of Python, whether or not it is there: `make_environment` makes it before the first job.
    """
    if not lacking():
        return Path(sys.executable).parent
    environment = environment_of(root)
    lend_packages(environment)
    return environment / "bin"


def make_environment(root: Path, python: Path) -> None:
    """Make the environment that has the Python of jobs, or bring it up to date; exit if that fails.

    Does nothing if jobs run in Snakemake's own Python.
    """
    environment, lock = python.parent, root / "requirements.lock"
    if python == Path(sys.executable).parent:
        return
    stamp = environment / "run"  # as make names it
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime or was_moved(environment):
        print(f"Snakemake's Python lacks packages: jobs get {environment}", file=sys.stderr)
        program = str(root / "scripts/set_up.py")
        command = [sys.executable, program, str(lock), "--environment", str(environment)]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(1)
        stamp.touch()
        lend_packages(environment)
    if missing := lacking():
        sys.exit(
            f"error: {environment} lacks {', '.join(missing)}; delete it, and the next run makes it anew"
        )


def was_moved(environment: Path) -> bool:
    """Return whether an environment was made in another place, which its programs name."""
    with suppress(OSError):
        for line in (environment / "pyvenv.cfg").read_text().splitlines():
            if line.startswith("command = "):
                place = Path(re.sub(r"^(--\S+ )*", "", line.partition(" -m venv ")[2]))
                return not (place.exists() and place.samefile(environment))
    return False


def lend_packages(environment: Path) -> None:
    """Let this process import the packages of an environment, editable ones too, after its own."""
    packages = sysconfig.get_path("purelib", "venv", {"base": str(environment)})
    if packages not in sys.path and Path(packages).exists():
        site.addsitedir(packages)


def environment_of(root: Path) -> Path:
    """Return `.venv`; if that is of another version of Python, whose packages do not fit, one beside it."""
    environment = root / ".venv"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not environment.exists() or (environment / f"lib/python{version}").exists():
        return environment
    return root / f".venv-{version}"
