"""How many cores other processes keep busy."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Patch
from retrace.measure import other_work
from retrace.measure.other_work import OtherWork


def test_others_are_all_but_this_process(tmp_path: Path, monkeypatch: Patch) -> None:
    """In ticks of 10 ms: what waits or idles is not busy, what is stolen is."""
    stat, clock = tmp_path / "stat", {"wall": 0.0, "own": 0.0}
    monkeypatch.setattr(other_work, "perf_counter", lambda: clock["wall"])
    monkeypatch.setattr(other_work, "process_time", lambda: clock["own"])
    monkeypatch.setattr(other_work.os, "sysconf", lambda name: 100)

    def busy(*ticks: int) -> None:
        stat.write_text(f"cpu  {' '.join(map(str, ticks))}\ncpu0 9 9\n")

    busy(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    work = OtherWork(stat)
    assert work.cores() is None
    clock.update(wall=2.0, own=1.5)
    busy(100, 10, 50, 7000, 9000, 5, 5, 30, 1, 1)
    assert work.cores() == pytest.approx((2.0 - 1.5) / 2)
    clock.update(wall=2.4, own=1.5)
    busy(500, 10, 50, 7000, 9000, 5, 5, 30, 1, 1)
    assert work.cores() == pytest.approx(0.25)
    clock.update(wall=4.0, own=1.5)
    assert work.cores() == pytest.approx(4.0 / 2)
    clock.update(wall=6.0, own=9.0)
    assert work.cores() == 0.0


@pytest.mark.parametrize("text", ["", "cpu 1 2", "cpu a b c d e f g h", "intr 1 2 3 4 5 6 7 8"])
def test_a_system_that_does_not_say(tmp_path: Path, text: str) -> None:
    (tmp_path / "stat").write_text(text)
    assert OtherWork(tmp_path / "stat").cores() is None
    assert OtherWork(tmp_path / "missing").cores() is None
