"""The energy of a search: whole ticks of a counter, of that search alone; and what NVML says else."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import Patch
from cuda_device import management
from cuda_device.management import ManagedGPU
from cuda_on_cpu.device import EmulatedDevice
from fabricated import changed, record
from graphs import NAMED, identified
from retrace.check.result import CheckResult
from retrace.measure import energy, experiment
from retrace.measure import trials as trials_module
from retrace.measure.energy import energy_of, idle_power
from retrace.measure.kept_trials import RESULTS, give_back
from retrace.measure.rounds import join_rounds
from retrace.measure.trials import Effort, Measurement, Request, Results
from retrace.records.machine_check import find_errors
from retrace.records.record import Energy, Record
from retrace.reports.measures import values_of
from retrace.solvers import DeviceSolver, Query
from retrace.solvers.bfs import BspBFS
from solving import measure

TICK_S = 0.1
IDLE_W = 70.0
PREDECESSORS = Request("bfs/auto:predecessors=yes", "cuda", Query(), None)
GRID = identified(NAMED["grid"], "grid", source=0)


class Board:
    """A board whose counter moves every 100 ms, and a clock that only its work and its sleep move."""

    def __init__(self) -> None:
        self.now, self.used, self.shown, self.ticks = 3.03, 1e4, 1e4, True

    def spend(self, seconds: float, watts: float) -> None:
        """Let time pass; at each tick the counter shows what was used until then."""
        while seconds > 1e-9:
            next_tick = (int(self.now / TICK_S + 1e-9) + 1) * TICK_S
            step = min(seconds, next_tick - self.now)
            self.now, self.used, seconds = self.now + step, self.used + step * watts, seconds - step
            if abs(self.now - next_tick) < 1e-9 and self.ticks:
                self.shown = self.used

    def joules(self) -> float:
        return self.shown


@pytest.fixture
def board(monkeypatch: Patch) -> Board:
    found = Board()
    monkeypatch.setattr(energy, "perf_counter", lambda: found.now)
    monkeypatch.setattr(energy, "sleep", lambda seconds: found.spend(seconds, IDLE_W))
    return found


@pytest.mark.parametrize("ms", [0.05, 3.0, 40.0])
def test_a_search_has_its_own_energy_alone(board: Board, ms: float) -> None:
    """Whatever ran before: with less than a tick in between, it would add a tenth of a second's energy."""
    searches = {"heavy": 600.0, "light": 200.0}
    for name in ("heavy", "light", "heavy"):
        board.spend(0.047, 5000.0)  # an upload, whose energy the counter shows at the next tick
        found = energy_of(lambda name=name: board.spend(ms / 1e3, searches[name]), board.joules, 2.0, 70.0)  # type: ignore[misc]
        assert found is not None
        lag = 0.005 + ms / 1e3  # of a reading after its tick
        assert 2.0 <= found.seconds <= 2.0 + TICK_S + 2 * lag
        assert found.joules == pytest.approx(searches[name] * found.seconds, rel=2 * lag / 2.0 + 1e-6)
        assert found.searches == pytest.approx(found.seconds / (ms / 1e3), rel=1e-3)
        assert found.per_search == pytest.approx(searches[name] * ms / 1e3, rel=2 * lag / 2.0 + 1e-3)
        assert found.idle_watts == 70.0


def test_reading_the_counter_takes_no_part_of_the_searches(board: Board) -> None:
    """A reading takes milliseconds, in which a board idles: every 5 ms it would take nearly half of all."""

    def read() -> float:
        board.spend(0.004, IDLE_W)
        return board.joules()

    used = energy_of(lambda: board.spend(1e-4, 300.0), read, 2.0, IDLE_W)
    assert used is not None
    assert used.seconds / used.searches == pytest.approx(1e-4, rel=0.05)
    assert used.per_search == pytest.approx(0.03, rel=0.05)


def test_idle_power_is_that_of_a_second_without_work(board: Board) -> None:
    board.spend(0.09, 5000.0)
    begun = board.now
    assert idle_power(board.joules) == pytest.approx(IDLE_W, rel=0.01)
    assert board.now - begun >= 1.0


def test_without_a_counter_or_its_ticks_there_is_no_energy(board: Board) -> None:
    assert energy_of(lambda: board.spend(1e-3, 9.0), lambda: None, 2.0, None) is None
    assert idle_power(lambda: None) is None
    board.ticks = False
    assert energy_of(lambda: board.spend(1e-3, 9.0), board.joules, 2.0, None) is None
    assert board.now < 5.0


class Counting(EmulatedDevice):
    """An emulator that is taken for a GPU with a counter."""

    board = Board()

    def joules(self) -> float | None:
        return self.board.joules()


def trial_of(case: Measurement, **values: Any) -> None:
    case.trials = [
        record("bfs/bsp", "NY", [9]).trials[0].model_copy(update={"kernel": 1.0, "again": 2.0} | values)
    ]
    case.result = CheckResult(True, "x")


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda case: None, True),
        (lambda case: setattr(case, "round", 1), False),
        (lambda case: setattr(case, "energy", Energy(searches=1, seconds=1, joules=1)), False),
        (lambda case: setattr(case, "status", "failed"), False),
        (lambda case: setattr(case, "result", CheckResult(False, "x", "wrong")), False),
        (lambda case: trial_of(case, again=None), False),
        (lambda case: trial_of(case, kernel=None), False),
        (lambda case: setattr(case, "request", PREDECESSORS), False),
        (lambda case: setattr(case, "request", Request("bfs/auto", "emulator", Query(), None)), False),
    ],
)  # fmt: skip
def test_energy_is_measured_once_and_where_a_gpu_repeats(
    change: Callable[[Measurement], None], wanted: bool
) -> None:
    case = Measurement(request=Request("bfs/auto", "cuda", Query(), Counting))
    trial_of(case)
    change(case)
    assert case.wants_energy(Effort(energy_s=2.0)) == wanted
    assert not case.wants_energy(Effort())


def test_each_solver_repeats_its_first_search(monkeypatch: Patch) -> None:
    """On the resident graph, after the trials; a wrong answer then is a failure."""
    asked: list[tuple[str, int]] = []

    def count(search: Callable[[], object], joules: Any, seconds: float, idle_watts: float | None) -> Energy:
        asked.append(("begin", 0))
        search()
        search()
        return Energy(searches=2, seconds=seconds, joules=len(asked), idle_watts=idle_watts)

    effort = Effort(trials=1, budget_s=60, setups=0, energy_s=2.0, energy_vertices=1)
    monkeypatch.setattr(trials_module, "energy_of", count)
    monkeypatch.setattr(experiment, "idle_power", lambda joules: 70.0)
    monkeypatch.setattr(Measurement, "wants_energy", lambda case, effort: case.energy is None)
    solvers = ["bfs/direction", "bfs/bsp"]
    for kind in {type(trials_module.make(name, EmulatedDevice())) for name in solvers}:
        of_kind = kind.solve

        def noted(solver: DeviceSolver, query: Query, of_kind: Any = of_kind) -> int | None:
            asked.append((solver.name, query.source))
            found: int | None = of_kind(solver, query)
            return found

        monkeypatch.setattr(kind, "solve", noted)
    cases = measure("fast", GRID, solvers, effort, ("emulator", Counting), sources=2, seed=3)
    firsts = [case.trials[0].source for case in cases]
    after = asked[asked.index(("begin", 0)) :]
    of_each = [(name, source) for name, source in zip(solvers, firsts, strict=True)]
    searches, check = 2, 1
    assert after == [
        ("begin", 0), *of_each[:1] * (searches + check),
        *of_each[1:], ("begin", 0), *of_each[1:] * (searches + check),
    ]  # fmt: skip
    assert [case.energy and case.energy.searches for case in cases] == [2, 2]
    assert cases[0].energy != cases[1].energy


def test_energy_of_searches_that_do_nothing_is_a_failure(monkeypatch: Patch) -> None:
    """Whose marks are those of the search before: on an H100 it took 12 mJ, where a search takes 1.6 J."""
    monkeypatch.setattr(trials_module, "energy_of", lambda *given: Energy(searches=2, seconds=2, joules=2))
    monkeypatch.setattr(BspBFS, "begin_again", lambda *given: None)
    monkeypatch.setattr(BspBFS, "repeats", False)
    monkeypatch.setattr(experiment, "idle_power", lambda joules: 70.0)
    monkeypatch.setattr(Measurement, "wants_energy", lambda case, effort: case.energy is None)
    effort = Effort(trials=1, budget_s=60, setups=0, energy_s=2.0, energy_vertices=1)
    (case,) = measure("fast", GRID, ["bfs/bsp"], effort, ("emulator", Counting))
    assert case.status == "failed"
    assert "a later solve on the same device gave another answer" in str(case.reason)
    assert case.energy is None


def test_energy_is_kept_joined_and_shown() -> None:
    used = Energy(searches=4, seconds=2.0, joules=8.0, idle_watts=70.0)
    results = Results(energy=used)
    back = Results()
    give_back(back, RESULTS.dump_python(results, mode="json"))
    assert back.energy == used
    rounds = [Measurement(request=Request("bfs/bsp", "host", Query(), None), started="x") for _ in range(2)]
    for one in rounds:
        trial_of(one)
        one.seconds = [1.0]
    rounds[0].energy = used
    case = Measurement(request=rounds[0].request)
    join_rounds(case, rounds, 60)
    assert case.energy == used
    one: Record = changed(record("bfs/bsp", "NY", backend="cuda"), energy=used)
    assert values_of("energy", one) == [2000.0]
    assert values_of("energy", record("bfs/bsp", "NY", backend="cuda")) == []
    assert Record.model_validate_json(one.model_dump_json()).energy == used


class UnknownError(Exception):
    """NVML's error."""


def nvml(**lacking: bool) -> Any:
    def number(name: str, value: int) -> Callable[..., int]:
        def tell(handle: object, *more: int) -> int:
            if lacking.get(name):
                raise UnknownError
            return value + sum(more)

        return tell

    return SimpleNamespace(
        NVMLError=UnknownError, NVML_CLOCK_SM=1, NVML_CLOCK_MEM=2, NVML_TEMPERATURE_GPU=0,
        nvmlSystemGetDriverVersion=lambda: "570.1", nvmlDeviceGetUUID=lambda handle: "GPU-1",
        nvmlDeviceGetClockInfo=number("clock", 1979), nvmlDeviceGetPowerUsage=number("power", 345_678),
        nvmlDeviceGetTemperature=number("temperature", 41),
        nvmlDeviceGetCurrentClocksThrottleReasons=number("reasons", 4),
        nvmlDeviceGetTotalEnergyConsumption=number("energy", 12_345),
    )  # fmt: skip


def test_a_gpu_says_how_it_is() -> None:
    gpu = ManagedGPU(nvml(), None)
    assert gpu.state() == {
        "sm_clock_mhz": 1980.0, "memory_clock_mhz": 1981.0, "power_w": 345.678, "temperature_c": 41.0,
        "throttled": True,
    }  # fmt: skip
    assert gpu.joules() == 12.345
    other = ManagedGPU(nvml(power=True, temperature=True, energy=True), None)
    state = other.state()
    assert (state["power_w"], state["temperature_c"], other.joules()) == (None, None, None)
    assert EmulatedDevice().joules() is None


def test_what_changes_slowly_is_asked_for_twice_a_second(monkeypatch: Patch) -> None:
    """Each answer takes milliseconds, of thousands of trials; throttling is asked for each time."""
    now = [100.0]
    monkeypatch.setattr(management, "perf_counter", lambda: now[0])
    gpu = ManagedGPU(nvml(), None)
    states = []
    for passed in (0.0, 0.3, 0.3, 0.3):
        now[0] += passed
        states.append(gpu.state())
    assert [state.get("power_w") for state in states] == [345.678, None, 345.678, None]
    assert [state["throttled"] for state in states] == [True] * 4


def test_a_record_says_how_the_gpu_was() -> None:
    one = record("bfs/bsp", "NY", backend="cuda")
    (first, *others), state = one.trials, ManagedGPU(nvml(), None).state()
    found = changed(one, trials=[first.model_copy(update=state), *others]).trials[0].model_dump()
    assert {key: found[key] for key in state} == state


@pytest.mark.parametrize(
    ("took_ms", "sound"), [(0.02, False), (0.6, True), (2.0, True), (7.0, True), (9.0, False)]
)
def test_energy_is_of_searches_that_take_as_long_as_others(took_ms: float, sound: bool) -> None:
    again = record("bfs/bsp", "NY", backend="cuda")
    trials = [trial.model_copy(update={"again": 2.0}) for trial in again.trials]
    used = Energy(searches=1000, seconds=took_ms, joules=8.0)
    errors = find_errors({"x:1": changed(again, trials=trials, energy=used)}, {})
    assert any("energy: expected searches of 2 to 2 ms" in error for error in errors) != sound


@pytest.mark.parametrize(("watts", "sound"), [(50.0, False), (70.0, True), (1500.0, True), (9e8, False)])
def test_energy_is_of_a_power_that_a_board_has(watts: float, sound: bool) -> None:
    again = record("bfs/bsp", "NY", backend="cuda")
    trials = [trial.model_copy(update={"again": 2.0}) for trial in again.trials]
    used = Energy(searches=1000, seconds=2.0, joules=2.0 * watts, idle_watts=120.0)
    errors = find_errors({"x:1": changed(again, trials=trials, energy=used)}, {})
    assert any("energy: expected 60 W" in error for error in errors) != sound


def test_small_graphs_have_no_energy(monkeypatch: Patch) -> None:
    used = Energy(searches=2, seconds=2, joules=2)
    monkeypatch.setattr(trials_module, "energy_of", lambda *given: used)
    monkeypatch.setattr(experiment, "idle_power", lambda joules: 70.0)
    monkeypatch.setattr(Measurement, "wants_energy", lambda case, effort: effort.energy_s is not None)
    for vertices, energy_of_case in ((GRID.vertices, used), (GRID.vertices + 1, None)):
        effort = Effort(trials=1, budget_s=60, setups=0, energy_s=2.0, energy_vertices=vertices)
        (case,) = measure("fast", GRID, ["bfs/bsp"], effort, ("emulator", Counting))
        assert (case.status, case.energy) == ("ok", energy_of_case)
