"""Make the environment .venv: the packages of a lock, each checked by its hash, and Retrace itself.

    python3 scripts/set_up.py requirements.lock

The Makefile and the Snakefile call this; it needs nothing but Python's own library. uv takes a tenth of pip's
time; pip, which reads the user's own pip.conf, installs what uv cannot get. Without a lock, Retrace alone is
installed, so that `retrace` works in any folder.
"""

import argparse
import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from cuda_device.compiled_files import users_cache
from retrace.system.job_python import was_moved

ROOT = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
"""The oldest version of Python that the packages of the locks have."""

OF_OTHER_ENVIRONMENTS = ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
"""What a caller may have set for other environments."""


class SetUpError(Exception):
    """A step that failed, with what to do."""


def run(*command: object, quiet: bool = False) -> bool:
    """Run a command; return whether it is there and succeeded."""
    output = subprocess.DEVNULL if quiet else None
    settings = {name: value for name, value in os.environ.items() if name not in OF_OTHER_ENVIRONMENTS} | {
        "PIP_USER": "0",
        "LC_ALL": "C.UTF-8",
        "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR") or str(users_cache("uv")),
    }
    try:
        words = [str(part) for part in command]
        return subprocess.run(words, stdout=output, env=settings, check=False).returncode == 0
    except OSError as error:
        print(error, file=sys.stderr)
        return False


def set_up(environment: Path, lock: Path | None, wheels: Path | None, project: bool) -> None:
    """Make an environment, or bring it up to date; only one process does so at a time.

    `wheels` is a folder of packages that takes the network's place. Raise SetUpError if a step fails.
    """
    if project and re.search("[{}]", f"{ROOT}{environment.absolute()}"):
        raise SetUpError(
            f"{environment.absolute()}: setuptools and Snakemake take braces in a path for names; move it"
        )
    environment.mkdir(parents=True, exist_ok=True)
    with (environment / "set-up.lock").open("w") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        python = environment / "bin/python"
        # activate is the last file that venv writes: what was interrupted is done again
        if was_moved(environment) or not (environment / "bin/activate").exists():
            tell(f"making {environment} with Python {'.'.join(map(str, sys.version_info[:3]))}")
            made = run(sys.executable, "-m", "venv", "--clear", environment)
            require(made, f"{sys.executable} -m venv --clear {environment}")
        if lock is not None:
            tell(f"installing the packages of {lock.name}")
            require(install(python, lock, wheels), f"the installation of {lock.name}")
            # Packages, but not their tests, are compiled on all cores, which pip does on one.
            run(python, "-m", "compileall", "-q", "-j", 0, "-x", "/tests/", environment / "lib", quiet=True)
        if project:
            options = (
                "--disable-pip-version-check",
                "install",
                "--quiet",
                "--no-deps",
                "--no-build-isolation",
            )
            require(run(python, "-m", "pip", *options, "--editable", ROOT), "the installation of Retrace")
            name_place_relatively(environment)


def name_place_relatively(environment: Path) -> None:
    """Let an environment in the checkout name its packages from there, so that a copy runs its own."""
    if environment.resolve().is_relative_to(ROOT):
        for file in environment.resolve().glob("lib/python*/site-packages/__editable__.retrace-*.pth"):
            file.write_text(os.path.relpath(ROOT / "scripts", file.parent) + "\n")


def install(python: Path, lock: Path, wheels: Path | None) -> bool:
    """Install the packages of a lock by uv, which pip installs first; else by pip."""
    offline = ("--no-index", "--find-links", wheels) if wheels else ()
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile")
    checked = ("--require-hashes", *offline)
    uv = (python.parent / "uv", "pip", "install", "--quiet", *checked, "--python", python)
    by_uv = run(*pip, *checked, "-r", ROOT / "requirements-uv.lock") and run(*uv, "-r", lock)
    return by_uv or run(*pip, *checked, "-r", lock)


def require(done: bool, step: str) -> None:
    """Raise SetUpError unless a step succeeded."""
    if not done:
        raise SetUpError(f"{step} failed, see above; mend its cause and repeat the command, which goes on")


def tell(step: str) -> None:
    """Say what is done now."""
    print(f"set-up: {step}", file=sys.stderr, flush=True)


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with status 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


def main() -> None:
    """Read the arguments and set up."""
    if sys.version_info < OLDEST:
        sys.exit(f"error: {sys.executable} is older than 3.11; name a newer one: make PYTHON=python3.12")
    parser = OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lock", type=Path, nargs="?", help="such as requirements.lock")
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv", help="by default .venv")
    parser.add_argument("--wheels", type=Path, metavar="FOLDER", help="packages, in place of the network")
    parser.add_argument("--without-project", action="store_true", help="do not install Retrace itself")
    arguments = parser.parse_args()
    if arguments.lock is not None and not arguments.lock.is_file():
        sys.exit(f"error: {arguments.lock}: no such lock; expected one such as requirements.lock")
    try:
        set_up(arguments.environment, arguments.lock, arguments.wheels, not arguments.without_project)
    except SetUpError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: {arguments.environment}: cannot be made ({error.strerror}); name another folder")


if __name__ == "__main__":
    main()
