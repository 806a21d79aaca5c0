"""What the host withholds: stolen time and a used-up quota; such a trial is run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command_line import Patch
from fabricated import changed, record
from graphs import NAMED, identified
from retrace.measure import trials as trials_module
from retrace.measure import withheld
from retrace.measure.trials import Effort
from retrace.measure.withheld import Withheld
from retrace.records.machine_check import doubtful_trials
from solving import measure

GRID = identified(NAMED["grid"], "grid", source=0)


class Host:
    """A host of 4 cores, in ticks of 10 ms."""

    def __init__(self, folder: Path, patch: Patch) -> None:
        self.stat, self.quota, self.now = folder / "stat", folder / "cpu.stat", 10.0
        patch.setattr(withheld, "perf_counter", lambda: self.now)
        patch.setattr(withheld.os, "cpu_count", lambda: 4)
        patch.setattr(withheld.os, "sysconf", lambda name: 100)
        self.say(0, 7)
        self.withheld = Withheld(self.stat, [folder / "none", self.quota])

    def say(self, stolen: int, stops: int) -> None:
        self.stat.write_text(f"cpu  9 9 9 9 9 9 9 {stolen} 50 50\ncpu0 1 1 1 1 1 1 1 99 1 1\n")
        self.quota.write_text(f"nr_periods 90\nnr_throttled {stops}\nthrottled_time 800\n")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: Patch) -> Host:
    return Host(tmp_path, monkeypatch)


def test_stolen_time_is_a_share_of_all_cores_since_it_began(host: Host) -> None:
    host.say(500, 7)
    host.withheld.begin()
    host.now += 0.5
    host.say(504, 7)  # 40 ms of 2 s
    assert host.withheld.of_trial() == {"steal": 0.02, "held_back": False}
    host.say(505, 7)
    assert host.withheld.of_trial() == {"steal": 0.025, "held_back": True}
    host.withheld.begin()
    host.now += 0.5
    assert host.withheld.of_trial() == {"steal": 0.0, "held_back": False}


def test_a_quota_that_was_used_up_holds_back(host: Host) -> None:
    host.withheld.begin()
    host.now += 0.5
    host.say(0, 8)
    assert host.withheld.of_trial() == {"steal": 0.0, "held_back": True}
    host.stat.unlink()
    assert host.withheld.of_trial() == {"steal": None, "held_back": True}
    host.quota.unlink()
    assert host.withheld.of_trial() == {"steal": None, "held_back": None}


@pytest.mark.parametrize("text", ["", "cpu 1 2", "cpu a b c d e f g h", "intr 1 2 3 4 5 6 7 8"])
def test_a_system_that_does_not_say(tmp_path: Path, text: str) -> None:
    (tmp_path / "stat").write_text(text)
    assert Withheld(tmp_path / "stat", [tmp_path / "stat"]).of_trial() == {"steal": None, "held_back": None}


@pytest.mark.parametrize(
    ("states", "runs", "kept"), [([True, False], 2, False), ([True] * 3, 3, True), ([False], 1, False)]
)
def test_a_trial_that_was_held_back_is_run_again(
    states: list[bool], runs: int, kept: bool, monkeypatch: Patch
) -> None:
    class Some:
        begun = 0

        def begin(self) -> None:
            self.begun += 1

        def of_trial(self) -> dict[str, Any]:
            return {"steal": 0.25, "held_back": states.pop(0)}

    host = Some()
    monkeypatch.setattr(trials_module, "WITHHELD", host)
    (case,) = measure("x", GRID, ["bfs/queue"], Effort(trials=1, setups=0), ("emulator", None))  # type: ignore[arg-type]
    assert [(trial.held_back, trial.steal) for trial in case.trials] == [(kept, 0.25)]
    assert (host.begun, len(case.seconds), states) == (runs, 1, [])


def test_many_trials_that_were_held_back_are_doubtful() -> None:
    one = record("bfs/queue", "NY", [float(n) for n in range(100, 120)])
    for number, doubtful in ((2, False), (3, True)):
        trials = [t.model_copy(update={"held_back": n < number}) for n, t in enumerate(one.trials)]
        found = [doubt.found for doubt in doubtful_trials(changed(one, trials=trials))]
        assert found == (["the host withheld processors in 3 of 20"] if doubtful else [])
