"""Compiles each version of a file once, into `<backend>/<problem>-<variant>-<key>` of the folder for this.

The key is a hash of everything that determines the result. A file `<name>.sha256` beside it, which
`sha256sum --check` reads, has the name and a digest; what is damaged, or another's, is compiled anew.
Several jobs may ask for a file at the same time; one compiles it, and the others wait.
"""

import fcntl
import functools
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cuda_device.errors import DeviceError, OneLineError

HOST_FLAGS = ("-std=c++20", "-O3", "-march=native", "-mtune=native", "-pthread", "-shared", "-fPIC")
"""C++ that runs on the host uses all instructions of the machine on which it is measured.

For its processor g++ also orders them; on aarch64 -march does not ask for that.
"""

STALE_S = 3600
"""Seconds after which no compiler works in its folder any more."""

Make = Callable[[Path, Path], None]
"""Makes the file of the first path; what a compiler says if it fails is for the second, a log."""


def in_users_cache() -> Path:
    """Return the folder `$CUDA_DEVICE_BUILD`, else `cuda_device/` in the user's cache."""
    given = os.environ.get("CUDA_DEVICE_BUILD")
    return Path(given) if given else users_cache("cuda_device")


def users_cache(name: str) -> Path:
    """Return a folder in `$XDG_CACHE_HOME` or `~/.cache`, or where no home can be written, in `/tmp`.

    There it is the user's alone, since what is in it is run. Raise OneLineError if it is another's.
    """
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / name
    with suppress(RuntimeError):  # neither HOME nor an entry in the list of users
        home = Path.home()
        if os.access(home / ".cache" if (home / ".cache").exists() else home, os.W_OK):
            return home / ".cache" / name
    folder = Path(tempfile.gettempdir()) / f"{name}-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(0o700)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o022:
        raise OneLineError(f"{folder}: is not yours alone; set XDG_CACHE_HOME to a folder that is")
    return folder


@dataclass
class BuildPlaces:
    """Where what a process compiles lies, and where it goes. Paths begin in the current folder by default."""

    root: Path = Path()
    """What paths in messages and keys are relative to."""
    kernels: Path = Path()
    """What the names that a device loads are relative to."""
    build_folder: Callable[[], Path] = in_users_cache
    """Returns the folder for compiled files."""

    def set(self, root: Path, kernels: Path, build_folder: Callable[[], Path]) -> None:
        """Take a project's own; it does so before it opens a device."""
        self.root, self.kernels, self.build_folder = root, kernels, build_folder


PLACES = BuildPlaces()


def own_file(name: str) -> Path:
    """Return a kernel or C++ file of this package: in it where it is installed, else in the checkout."""
    inside = Path(__file__).parent / "kernels" / name
    return inside if inside.is_file() else Path(__file__).parents[2] / "kernels/cuda_device" / name


def build_host(source: Path) -> Path:
    """Compile a C++ file for the host into a shared library."""
    return build_by([find_cxx(), *HOST_FLAGS], source, "host", settings=[processor()])


def build_by(
    command: Sequence[str],
    source: Path,
    folder: str,
    ending: str = "so",
    settings: Sequence[str] = (),
    generators: Sequence[Path] = (),
) -> Path:
    """Compile one file by one command, to which input and output are added, into `folder`.

    `generators` are files that determine the result beside the command and its settings.
    """
    command = [*command, *include_option(source)]
    key = content_key([*generators, *compiled_from(source)], command, settings)
    name = f"{folder}/{source.parent.name}-{source.stem}-{key}.{ending}"

    def make(target: Path, log: Path) -> None:
        run_compiler([*command, str(source), "-o", str(target)], source, log)

    return build_once(source, name, make)


def build_once(source: Path, name: str, make: Make) -> Path:
    """Return the file `name` of the build folder; make it unless it is there and whole."""
    target = PLACES.build_folder() / name
    if is_whole(target):
        return target
    if set('"\\\n') & set(f"{PLACES.kernels}{source.resolve()}"):
        raise DeviceError(
            f"{source}: its path has a quote, backslash or line end; move the project elsewhere"
        )
    with naming_output(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone(target.with_name(f".{target.name}.lock")):
            if not is_whole(target):  # another job has compiled it in the meantime
                if target.exists():
                    print(f"{target}: is damaged, or another file; it is compiled anew", file=sys.stderr)
                make_whole(target, make)
    return target


def sum_file(target: Path) -> Path:
    """Return the file that says what a compiled file is."""
    return target.with_name(f"{target.name}.sha256")


def stated_sum(target: Path, content: Path) -> str:
    """Return what is said of a compiled file that has this content: its sha256 and its name, with the key."""
    with content.open("rb") as file:
        return f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {target.name}\n"


def is_whole(target: Path) -> bool:
    """Return whether a compiled file is there, and is what was compiled under its name."""
    try:
        status = target.stat()
        return _has_sum(target, status.st_ino, status.st_size, status.st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return False


@functools.lru_cache(maxsize=4096)
def _has_sum(target: Path, *version: int) -> bool:
    """Compare a file, of this version, with its sum: once in a process, as it may be asked for often."""
    return sum_file(target).read_bytes() == stated_sum(target, target).encode()


def make_whole(target: Path, make: Make) -> None:
    """Make a file in a folder beside the target, and rename it."""
    for left in target.parent.glob(".building-*"):  # by a compiler that was killed
        with suppress(FileNotFoundError):  # another compiler, which has ended since
            if time.time() - left.stat().st_mtime > STALE_S:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=target.parent) as folder:
        beside = Path(folder) / target.name
        make(beside, target.with_suffix(".log"))
        stated = sum_file(beside)
        stated.write_text(stated_sum(target, beside), encoding="utf-8")
        beside.replace(target)
        stated.replace(sum_file(target))


def content_key(files: Sequence[Path], command: Sequence[str], settings: Sequence[str] = ()) -> str:
    """Hash files, the compiler, its flags and further settings, but not where the project is."""
    hashed = hashlib.sha256()
    for path in [Path(__file__), *files]:
        if not path.is_file():
            raise DeviceError(f"{shown_path(path)}: no such kernel file")
        hashed.update(path.name.encode() + b"\0" + path.read_bytes())
    flags = [flag.replace(f"{PLACES.root.resolve()}/", "") for flag in command[1:]]
    hashed.update("\0".join((*flags, compiler_version(command[0]), *settings)).encode())
    return hashed.hexdigest()[:16]


def compiled_from(source: Path) -> list[Path]:
    """List a kernel file and what it includes in quotes, directly or not."""
    files = [source]
    for file in files:  # which grows meanwhile
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"(.+?)"', text, re.MULTILINE):
            places = (Path(os.path.normpath(folder / name)) for folder in (file.parent, PLACES.kernels))
            included = next((place for place in places if place.is_file()), None)
            if included and included not in files:
                files.append(included)
    return files


def include_option(source: Path) -> list[str]:
    """Return the option by which a kernel file outside a project's folder of them includes what is there."""
    kernels = PLACES.kernels.resolve()
    inside = source.resolve().is_relative_to(kernels)
    return [] if inside or kernels == PLACES.root.resolve() else [f"-I{kernels}"]


def define(macros: Sequence[str]) -> list[str]:
    """Return the options by which macros are defined."""
    return [f"-D{macro}" for macro in macros]


def find_cxx() -> str:
    """Find the C++ compiler: `$CXX`, else g++."""
    name = os.environ.get("CXX", "g++")
    if found := shutil.which(name):
        return found
    raise DeviceError(f"the C++ compiler {name} was not found; install g++ 12 or newer, or set CXX to it")


@functools.cache
def compiler_version(compiler: str) -> str:
    """Return the compiler's own description of its version."""
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout


@functools.cache
def processor() -> str:
    """Return the processor's name or numbers and its instruction sets, on which `-march=native` depends."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    telling = ("flags", "model name", "Features", "CPU ")  # the last two on aarch64
    return "".join(sorted({line for line in lines if line.startswith(telling)}))


def try_compiler(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler, whatever it comes to; its messages are in English."""
    english = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", check=False, env=english
    )


def run_compiler(command: Sequence[str], source: Path, log: Path) -> str:
    """Run a compiler and return its output; on failure, write it to `log` and raise its first error."""
    done = try_compiler(command)
    if done.returncode == 0:
        return done.stdout
    raise failure(done, source, log)


def failure(done: subprocess.CompletedProcess[str], source: Path, log: Path) -> DeviceError:
    """Write what a compiler said to `log`, and return its first error."""
    output = done.stderr + done.stdout
    log.write_text(" ".join(done.args) + "\n\n" + output, encoding="utf-8")
    telling = re.compile(r"\berror\b|cannot find -l|link failed")
    errors = [line.strip() for line in output.splitlines() if telling.search(line)]
    first = (errors or output.splitlines() or [f"exit status {done.returncode}"])[0]
    first = first.replace(f"{PLACES.root.resolve()}/", "")
    where = "" if shown_path(source) in first else f"{shown_path(source)}: "
    return DeviceError(f"{where}{first} (full log: {shown_path(log)})")


def shown_path(path: Path) -> str:
    """Return a path for messages, relative to the project where possible."""
    path, root = path.resolve(), PLACES.root.resolve()
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


@contextmanager
def naming_output(path: Path) -> Iterator[None]:
    """Turn the system's error into one line that names what cannot be written."""
    try:
        yield
    except OSError as error:
        # NumPy does not pass on the system's words when a disk is full.
        why_not = error.strerror or (
            "No space left on device" if "requested and" in str(error) else str(error)
        )
        raise OneLineError(f"{path}: cannot be written ({why_not}); check the path and disk") from None


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Let one process or thread at a time hold a lock file, and delete the file at its end."""
    while True:
        with lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle.fileno()).st_nlink == 0:
                continue
            try:
                yield
            finally:
                lock.unlink()
            return
