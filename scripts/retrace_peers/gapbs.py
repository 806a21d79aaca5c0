"""The GAP Benchmark Suite (GAPBS): its source, which is downloaded, and the libraries compiled with it.

S. Beamer, K. Asanović and D. Patterson, "The GAP Benchmark Suite", arXiv:1508.03619. No file of it is part of
the project: those of `kernels/retrace_peers/` include its own, which lie in `build/gapbs-<commit>/` once
`obtain_source` has put them there. Nothing else downloads them.
"""

import ctypes
import functools
import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cuda_device.compiled_files import HOST_FLAGS, alone, build_by, find_cxx, naming_output, processor
from cuda_device.errors import OneLineError
from retrace.devices.host import Address
from retrace.graphs.downloads import USUAL, Patience, download, probe, reason
from retrace.graphs.formats.lines import open_graph
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS, build_folder
from retrace.system.solver_packages import missing_library
from retrace_peers import GAPBS_COMMIT, downloads, outcome

(ARCHIVE,) = downloads
ADDRESSES = (f"https://github.com/sbeamer/gapbs/archive/{GAPBS_COMMIT}.tar.gz",)
FILES_SHA256 = "5a44e9d7221752eb1e26b1f60e91de778e9eb58d52f4afa7980665d842b7c481"
"""Of the files of its folder `src`, by name: of each a line `<name> <bytes>`, then its content."""
MOST_BYTES = 1 << 20
"""More than the archive has, packed or unpacked."""
OPENMP = ("-fopenmp",)


def source_folder() -> Path:
    """Return the folder of GAPBS's own files, whether or not they are there."""
    return build_folder() / f"gapbs-{GAPBS_COMMIT}"


def why_missing() -> str | None:
    """Return why what calls GAPBS cannot be compiled here; None if it can."""
    if not source_folder().is_dir():
        if missing_library(outcome) is None:
            return "GAPBS's source is not here yet; a run gets it, as does `retrace stage get-gapbs`"
        again = f"`retrace stage get-gapbs` tries again, as does a run after rm {outcome}"
        return f"GAPBS's source could not be had; {again}"
    if not has_openmp(find_cxx()):
        return f"{find_cxx()} has no OpenMP, without which GAPBS would run on one core; set CXX to another"
    return None


@functools.cache
def has_openmp(compiler: str) -> bool:
    """Return whether a compiler makes libraries with OpenMP."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-shared", "-fPIC", "-x", "c++", "-", "-o", f"{folder}/it.so"]
        program = "#include <omp.h>\nint threads() { return omp_get_max_threads(); }\n"
        command = [compiler, *OPENMP, *options]
        return subprocess.run(command, input=program, text=True, capture_output=True).returncode == 0


def build_gapbs(source: Path) -> Path:
    """Compile a file of `kernels/retrace_peers/` with GAPBS's own; raise RetraceError without these."""
    if (why_not := why_missing()) is not None:
        raise RetraceError(why_not)
    folder = source_folder()
    if files_digest({path.name: path.read_bytes() for path in folder.iterdir()}) != FILES_SHA256:
        raise RetraceError(f"{folder}: expected the files of src/ of GAPBS, found others; rm -r it")
    command = [find_cxx(), *HOST_FLAGS, *OPENMP, f"-I{source_folder()}"]
    return build_by(command, source, "host", settings=[processor()])


@functools.cache
def loaded(source: str) -> ctypes.CDLL:
    """Return a file of `kernels/retrace_peers/`, compiled and loaded once: to look for it takes 0.1 s."""
    return ctypes.CDLL(str(build_gapbs(KERNELS / source)))


class Search:
    """A search of GAPBS on one graph: what `gapbs_make` of a file returns, freed with this object.

    It is `gapbs_make_wide` for a graph of 64-bit offsets.
    """

    def __init__(self, source: str, *arguments: Any, wide: bool = False) -> None:
        self.library = loaded(source)
        make = self.library["gapbs_make_wide" if wide else "gapbs_make"]
        make.restype = Address
        self.made = Address(make(*arguments))

    def call(self, name: str, *arguments: Any, returns: Any = ctypes.c_int) -> int:
        """Call a function of the file, such as `gapbs_solve`; return its number if it returns one."""
        function = self.library[f"gapbs_{name}"]
        function.restype = returns
        return int(function(self.made, *arguments))

    def __del__(self) -> None:
        """Free the graph and the answer; there is none if the file did not compile."""
        if hasattr(self, "made"):
            self.library.gapbs_free(self.made)


def obtain_source(downloads: Path, mirror: str | None, patience: Patience = USUAL) -> None:
    """Put GAPBS's files into `source_folder`, unless they are there.

    The archive is in `downloads`, or is downloaded: from `mirror`, a folder or an http(s) address, or else
    from `ADDRESSES`. Raises RetraceError if it cannot be had, or what is there is another.
    """
    if source_folder().is_dir():
        return
    archive = downloads / ARCHIVE
    with naming_output(archive):
        downloads.mkdir(parents=True, exist_ok=True)
        with alone(downloads / f".lock-{ARCHIVE}"):
            if archive.is_file():
                try:
                    _unpack(_files(archive, str(archive)))
                except OneLineError as error:
                    raise RetraceError(f"{error}; rm -f {archive} {outcome}, and run again") from None
            else:
                _unpack(_fetch(archive, mirror, patience))


def _fetch(archive: Path, mirror: str | None, patience: Patience) -> dict[str, bytes]:
    """Download the archive; return the files in it."""
    tried = []
    for address in (*([f"{mirror.rstrip('/')}/{ARCHIVE}"] if mirror else []), *ADDRESSES):
        with tempfile.TemporaryDirectory(prefix=f".{ARCHIVE}.", dir=archive.parent) as folder:
            partial = Path(folder, ARCHIVE)
            try:
                probe(address, patience).result(patience.probe)
                download(address, partial, MOST_BYTES, known=True, patience=patience)
                files = _files(partial, address)
            except (OneLineError, OSError) as error:
                tried.append(f"{address} ({reason(error)})")
                continue
            partial.replace(archive)
            return files
    raise RetraceError(
        f"{ARCHIVE}: could not be had, tried: {', '.join(tried)}; "
        f"set GRAPH_MIRROR to a folder or address with it"
    )


def _files(archive: Path, shown: str) -> dict[str, bytes]:
    """Return the files of the archive's folder `src` by name; RetraceError if they are not the known ones."""
    with open_graph(archive, shown) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise RetraceError(f"{shown}: expected at most {MOST_BYTES} bytes, found more")
    files = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as members:
            for member in members:
                folder, _, name = member.name.rpartition("/")
                plain = member.isfile() and folder == f"gapbs-{GAPBS_COMMIT}/src"
                if plain and (unpacked := members.extractfile(member)):
                    files[name] = unpacked.read()
    except (tarfile.TarError, ValueError):
        raise RetraceError(f"{shown}: expected a tar archive, found another file") from None
    if (digest := files_digest(files)) != FILES_SHA256:
        difference = f"found {len(files)} with {digest}"
        raise RetraceError(f"{shown}: expected the files of src/ with sha256 {FILES_SHA256}, {difference}")
    return files


def files_digest(files: Mapping[str, bytes]) -> str:
    """Return the sha256 of files by their names, as `FILES_SHA256` is one."""
    sha256 = hashlib.sha256()
    for name in sorted(files):
        sha256.update(f"{name} {len(files[name])}\n".encode() + files[name])
    return sha256.hexdigest()


def _unpack(files: dict[str, bytes]) -> None:
    """Write files into `source_folder`, which appears complete."""
    target = source_folder()
    partial = target.with_name(f".{target.name}.partial")
    with naming_output(target):
        shutil.rmtree(partial, ignore_errors=True)  # left by a killed run
        partial.mkdir(parents=True)
        for name, content in files.items():
            (partial / name).write_bytes(content)
        partial.replace(target)
