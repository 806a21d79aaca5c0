"""The fork that runs Snakemake for a test: what was imported before decides nothing."""

from __future__ import annotations

from pathlib import Path

from command_line import python

PROGRAM = """
import os, sys
from pathlib import Path
sys.path.append(sys.argv[1])
import forked_snakemake
forked_snakemake.FORKS.set_forkserver_preload(["retrace.system.project"])  # as a solver's own process does
status, printed = forked_snakemake.call(Path(sys.argv[2]), "--cores", "1", environment=os.environ, timeout=60)
print(printed)
sys.exit(status)
"""


def test_a_copy_of_the_project_runs_its_own_code(tmp_path: Path) -> None:
    """Otherwise its jobs depend on files of the checkout, and another run repeats them all."""
    (tmp_path / "scripts/retrace/system").mkdir(parents=True)
    for package in ("retrace", "retrace/system"):
        (tmp_path / "scripts" / package / "__init__.py").touch()
    (tmp_path / "scripts/retrace/system/project.py").write_text("NAME = 'of the copy'\n")
    (tmp_path / "Snakefile").write_text(
        "import sys\nsys.path.insert(0, 'scripts')\nfrom retrace.system import project\n"
        "print(project.NAME)\nrule all:\n"
    )
    done = python(PROGRAM, Path(__file__).parent, tmp_path)
    assert (done.returncode, "of the copy" in done.stdout) == (0, True), done
