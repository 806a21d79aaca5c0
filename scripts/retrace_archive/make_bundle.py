"""Pack the project with all that it needs of the network."""

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from itertools import chain
from pathlib import Path

from retrace.graphs.dataset_registry import load_registry
from retrace.system.errors import RetraceError
from retrace.system.files import check_writable, replacing, unpack
from retrace.system.solver_packages import declaration, solver_packages
from retrace.system.stage import Stage

LOCKS = ("requirements.lock", "requirements-uv.lock")
CARRIED_DOWNLOADS = "resources/downloads"
SUMS_FILE = "SHA256SUMS"


class MakeBundle(Stage):
    """Pack what `make reproduce` needs of the network, with the project: retrace-COMMIT.tar.gz.

    The project is that of the commit, whatever has been edited since. The wheels are for the Python that runs
    this. Files of graphs, and GAPBS, come from resources/downloads or from the folder in $GRAPH_MIRROR; those
    that are in neither are named and left out. The same commit, wheels and graphs make the same bytes.
    """

    output: Path | None = None
    """Archive to write; without it retrace-COMMIT.tar.gz."""
    wheels: Path | None = None
    """Folder of the locks' wheels; without it they are downloaded."""
    no_sbom: bool = False
    """Leave out sbom.json, for which there are tools."""

    def run(self) -> None:
        """Pack the repository in this folder."""
        name = f"retrace-{git('describe', '--always').decode().strip()}"
        output = self.output or Path(f"{name}.tar.gz")
        check_writable(output)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, name)
            add_project(folder)
            add_wheels(folder, self.wheels)
            add_downloads(folder)
            if not self.no_sbom:
                add_sbom(folder)
            (folder / SUMS_FILE).write_text(sums(folder))
            pack(folder, output, int(git("log", "-1", "--format=%ct")))
        print(f"{output}: {output.stat().st_size / 2**20:.0f} MiB")


def git(*arguments: str) -> bytes:
    """Return what Git prints; RetraceError if it fails, as it does outside a repository."""
    process = subprocess.run(["git", *arguments], capture_output=True, check=False)
    if process.returncode != 0:
        reason = process.stderr.decode(errors="replace").strip().splitlines()[:1]
        raise RetraceError(f"git {arguments[0]} failed ({''.join(reason)}); pack in a clone of the project")
    return process.stdout


def add_project(folder: Path) -> None:
    """Write the commit's files, and COMMIT, which the Makefile hands to each record."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD"))) as archive:
        unpack(archive, folder)
    (folder / "COMMIT").write_bytes(git("rev-parse", "HEAD"))
    if git("status", "--porcelain"):
        print("warning: files differ from the commit; the bundle has those of the commit", file=sys.stderr)


def add_wheels(folder: Path, source: Path | None) -> None:
    """Write what the locks pin to wheels/<Python's version>, each file checked by its hash.

    Of a package without wheels this is its source. With isolation pip would take what builds it from the
    network, whatever its hash, only to ask for its name.
    """
    target = folder / "wheels" / f"{sys.version_info.major}.{sys.version_info.minor}"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--require-hashes", "--dest", str(target)]
    command += ["--no-index", "--find-links", str(source)] if source else []
    for lock in LOCKS:
        command += ["-r", str(folder / lock)]
    if subprocess.run(command, check=False).returncode != 0:
        raise RetraceError("pip download failed, see above; fix the cause and run make bundle again")


def add_downloads(folder: Path) -> None:
    """Copy the files of graphs, and GAPBS, to where a run looks first."""
    places = [Path(CARRIED_DOWNLOADS)]
    if (mirror := os.environ.get("GRAPH_MIRROR")) and Path(mirror).is_dir():
        places.append(Path(mirror))
    registry = load_registry([folder / "datasets.yaml"])
    editions = [edition.file for graph in registry.values() for edition in graph.editions if edition.file]
    (folder / CARRIED_DOWNLOADS).mkdir(parents=True)
    missing = []
    more = (declaration(package, "downloads", tuple) or () for package in solver_packages())
    for file in dict.fromkeys([*editions, *chain.from_iterable(more)]):
        copies = [place / file for place in places if (place / file).is_file()]
        if copies:
            shutil.copy(copies[0], folder / CARRIED_DOWNLOADS)
            if (pin := copies[0].with_name(f"{file}.pin")).is_file():
                shutil.copy(pin, folder / CARRIED_DOWNLOADS)
        else:
            missing.append(file)
    print(f"not carried, for want of the file: {', '.join(missing) or 'nothing'}")


def add_sbom(folder: Path) -> None:
    """Write sbom.json, the locked packages in CycloneDX's format; its tool validates it."""
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", "--output-reproducible", "--validate"]
    command += ["--pyproject", str(folder / "pyproject.toml"), "--output-file", str(folder / "sbom.json")]
    process = subprocess.run(
        [*command, str(folder / LOCKS[0])], capture_output=True, text=True, errors="replace", check=False
    )
    if process.returncode != 0:
        reason = process.stderr.strip().splitlines()[-1:]
        raise RetraceError(
            f"cyclonedx-py failed ({''.join(reason)}); make bundle installs it, --no-sbom does without"
        )


def sums(folder: Path) -> str:
    """Return the sha256 of each file, as sha256sum prints and checks it."""
    lines = []
    for path in files(folder):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder)}\n")
    return "".join(lines)


def files(folder: Path) -> list[Path]:
    """List a folder's files, in order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def pack(folder: Path, output: Path, changed: int) -> None:
    """Write a folder's files to an archive that does not depend on when, where and by whom it is packed."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = changed, 0, 0, "", ""
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    with (
        replacing(output) as partial,
        partial.open("wb") as raw,
        # Wheels are packed already, so the least effort does.
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=changed) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for path in files(folder):
            archive.add(path, f"{folder.name}/{path.relative_to(folder)}", filter=plain)
