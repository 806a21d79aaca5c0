"""The Python that jobs run in: Snakemake's own if it has the packages, else that of `.venv`.

Any Snakemake can run the workflow, whatever it is installed with: planning imports from `.venv` what
Snakemake's Python lacks, and jobs run in `.venv`. Imports nothing but Python's own library.
"""

import site
import subprocess
import sys
import sysconfig
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

    `root` is the folder of the project. If this Python lacks a package, and there is no environment of the
    same version of Python, one is made; this ends the process if that fails.
    """
    if not lacking():
        return Path(sys.executable).parent
    environment, lock = environment_of(root), root / "requirements.lock"
    made = environment / "run"  # as make names it
    if not made.exists() or made.stat().st_mtime < lock.stat().st_mtime:
        print(f"Snakemake's Python lacks {', '.join(lacking())}: jobs get {environment}", file=sys.stderr)
        program = str(root / "scripts/set_up.py")
        command = [sys.executable, program, str(lock), "--environment", str(environment)]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(1)
        made.touch()
    # with the folders that its .pth files name: those of packages that are installed as editable
    site.addsitedir(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))
    if missing := lacking():
        sys.exit(
            f"error: {environment} lacks {', '.join(missing)}; delete it, and the next run makes it anew"
        )
    return environment / "bin"


def environment_of(root: Path) -> Path:
    """Return `.venv`; if that is of another version of Python, whose packages do not fit, one beside it."""
    environment = root / ".venv"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not environment.exists() or (environment / f"lib/python{version}").exists():
        return environment
    return root / f".venv-{version}"
