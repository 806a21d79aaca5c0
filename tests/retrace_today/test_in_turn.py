"""The program that times two solvers in turn: on the emulator, whose times say nothing."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import in_turn
import pytest
from in_turn import choices, longer, main, solve_time

from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from graphs import grid, identified
from retrace.graphs.csr import save
from retrace.graphs.query import Query
from retrace.measure.trials import one_pass
from retrace.solvers import make
from solving import solved

NEAR = Query(0, 1)
GRID = identified(grid(8, 4), "grid", source=0, pairs={"near": [0, 1], "far": [0, 31]})


def rows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str
) -> list[list[str]]:
    """Return what the program prints of a small grid."""
    save(GRID, folder / "G")
    which, *others = words
    given = ["", which, str(folder / "G"), "--backend", "emulator", "--seconds", "0", *others]
    monkeypatch.setattr(sys, "argv", given)
    with suppress(OneLineError):  # the emulator's times are no GPU's
        main()
    return [line.split() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.long
def test_searches_are_timed_without_and_with_predecessors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(in_turn, "FAR", 1e9)  # a busy host delays the one or the other
    asked = "--solvers", "bfs/cluster", "stcon/cluster", "sssp/near-far"
    found = rows(capsys, monkeypatch, tmp_path, "predecessors", *asked)
    names = ["bfs/cluster", "sssp/near-far", "stcon/cluster", "stcon/cluster"]
    assert sorted(row[1] for row in found) == [f"{name}:predecessors=no" for name in names]
    assert [row[2] for row in found] == [row[1].replace("=no", "=yes") for row in found]
    assert sorted(row[3] for row in found) == ["-", "-", "far", "near"]
    assert {row[4] for row in found} == {"10"}


def test_a_choice_is_timed_beside_the_candidates_that_are_not_far_slower(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    times = {"stcon/auto": 1.0, "stcon/fewer-arcs": 1.9, "stcon/cluster": 2.1}
    monkeypatch.setattr(in_turn, "solve_time", lambda solver, *_, **__: times.get(solver.name, 9.0))
    found = rows(capsys, monkeypatch, tmp_path, "choices", "--solvers", "stcon/auto")
    answers = ["no", "no", "yes", "yes"]
    assert [row[1] for row in found] == [f"stcon/fewer-arcs:predecessors={one}" for one in answers]
    assert [row[2] for row in found] == [f"stcon/auto:predecessors={one}" for one in answers]
    monkeypatch.setattr(in_turn, "FAR", 1e9)
    assert len(rows(capsys, monkeypatch, tmp_path, "choices", "--solvers", "stcon/auto")) == 3 * len(found)


def test_a_candidate_is_asked_for_what_the_choice_is() -> None:
    pairs = list(choices())
    assert ("bfs/queue", "bfs/auto:predecessors=yes") not in pairs
    assert ("bfs/direction:predecessors=yes", "bfs/auto:predecessors=yes") in pairs
    assert ("betweenness/seq-array", "betweenness/auto") in pairs


def test_a_second_that_is_shown_to_take_longer_ends_in_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    save(GRID, tmp_path / "G")
    given = ["", "choices", str(tmp_path / "G"), "--backend", "emulator", "--solvers", "stcon/auto"]
    monkeypatch.setattr(sys, "argv", given)
    monkeypatch.setattr(in_turn, "compared", lambda *_: [[1.0, 1.0], [1.06, 1.06]])
    with pytest.raises(OneLineError, match="12 pairs: the second takes more than 5% longer"):
        main()
    monkeypatch.setattr(in_turn, "compared", lambda *_: [[1.0, 1.0], [1.04, 1.06]])
    main()


def test_longer_is_a_share_of_the_first() -> None:
    assert longer([1.0], [1.25]) == (0.25, 0.25, 0.25)
    assert longer([1.0, 2.0, 4.0], [1.5, 3.0, 6.0]) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("spec", "on_host"),
    [("bfs/auto", True),  # small, so that one core answers
     ("stcon/auto", True),
     ("stcon/auto:take=cluster", True),  # found before the launch
     ("stcon/cluster", False)],
)  # fmt: skip
def test_no_clock_waits_for_a_device_that_does_nothing(
    spec: str, on_host: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search on the host is timed as one, whoever chose it."""
    waits: list[str] = []
    with EmulatedDevice() as device:
        solver = solved(spec, GRID, NEAR, device)
        monkeypatch.setattr(device, "synchronize", lambda: waits.append("waited"))
        solve_time(solver, NEAR, device, solves=2)
        assert len(waits) == (1 if on_host else 3)
        prepared = make(spec, device)
        prepared.setup(GRID)
        waits.clear()
        prepared.upload(NEAR)
        in_upload = len(waits)
        waits.clear()
        one_pass(prepared, NEAR, device)
        others = in_upload + 3  # after `upload` and `download`, and before the first `again`
        assert len(waits) == others if on_host else len(waits) > others + 1
