"""The example of the package's page runs as it is printed."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from running import run_program

import cuda_on_cpu


def page() -> str:
    """The page: beside the package in a checkout, else in what is known of the installed package."""
    if (file := Path(cuda_on_cpu.__file__).parent / "README.md").exists():
        return file.read_text(encoding="utf-8")
    try:
        return str(metadata("cuda-on-cpu").get_payload())
    except PackageNotFoundError:
        pytest.skip("the page is neither in a checkout nor installed")


@pytest.mark.long
def test_the_race_shows_as_it_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"```python\n(.*?)```", page(), re.DOTALL)
    (printed,) = re.findall(r"```\n(seed .*?)```", page(), re.DOTALL)
    done = run_program(program)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
    assert len(program.splitlines()) <= 20
    done = run_program(program.replace("*total += 1", "atomicAdd(total, 1)"))
    assert [line.split()[2] for line in done.stdout.splitlines()] == ["64"] * 4
