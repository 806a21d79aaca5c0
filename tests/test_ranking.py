"""Which of two times is less: by rounds and trials within them, and by what the same work differs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from fabricated import changed, drawn, record, trial
from retrace.planning.configuration import committed_records
from retrace.records import margins as margins_module
from retrace.records.bootstrap import interval
from retrace.records.margins import (
    ALL_MACHINES,
    Conditions,
    Margin,
    Margins,
    margins,
    margins_csv,
    phase_times,
)
from retrace.records.ranking import (
    WITHIN_NOISE,
    Order,
    is_among_best,
    is_same,
    near_end,
    rank,
    ratio_interval,
    why_untold,
)
from retrace.records.record import Record, digest_of_all, read_records
from retrace.records.repeatability import (
    FALSE_ALARMS,
    LEAST_PAIRS,
    PAIRED_BY,
    compute_margins,
    quantile_of_next,
    repetitions,
)
from retrace.records.statistics import Summary
from retrace.system.errors import RetraceError
from retrace.system.project import ROOT
from retrace_commands.comparison import compare_records

LESS, TIE, MORE = Order
NOISE = np.random.default_rng(7)


def processes(ms: float, apart: float, within: float, rounds: int = 3, trials: int = 3) -> list[list[float]]:
    """Draw rounds, log-normal: processes differ by `apart`, trials of one by `within`."""
    middles = ms * NOISE.lognormal(0, apart, rounds)
    return [[float(ms) for ms in middle * NOISE.lognormal(0, within, trials)] for middle in middles]


# ----- the interval


def test_rounds_are_drawn_before_the_trials_within_them() -> None:
    """Three processes far apart: of sixty trials as of one process, no resample would have another median."""
    rounds, base = [[8.0] * 20, [10.0] * 20, [12.0] * 20], Summary.of([10.0] * 20)
    assert interval(base.trials, Summary.of(*rounds).trials) == pytest.approx((0.8, 1.2))
    one = Summary.of([ms for trials in rounds for ms in trials])
    assert interval(base.trials, one.trials) == pytest.approx((1.0, 1.0))


def test_trials_are_drawn_within_rounds() -> None:
    apart, base = Summary.of(*[[8.0, 10.0, 12.0]] * 3), Summary.of([10.0] * 3)
    assert interval(base.trials, apart.trials) == pytest.approx((0.8, 1.2))


def test_three_rounds_tell_more_than_one() -> None:
    """The same trials as one round say nothing of processes; a round more or less decides."""
    first, second = [[10.0, 10.1, 10.2], [12.0, 12.1, 12.2], [11.0, 11.1, 11.2]], [[11.6, 11.7, 11.8]] * 3
    assert rank(Summary.of(*first), Summary.of(*second)) is TIE
    assert rank(Summary.of(first[0]), Summary.of(*second)) is LESS


def test_the_best_are_near_and_cannot_be_told_apart() -> None:
    best, wide = Summary.of([10.0] * 9), [4.0, 9.0, 14.0, 19.0, 24.0]
    assert is_among_best(Summary.of(wide), best)
    assert not is_among_best(Summary.of([ms + 2.0 for ms in wide]), best)  # 1.6 times as long
    assert not is_among_best(Summary.of([14.0] * 9), best)  # told apart
    assert why_untold(Summary.of(wide), best) == WITHIN_NOISE
    assert why_untold(Summary.of([14.0]), best) == "too few trials to tell"
    assert why_untold(Summary.of([14.0] * 9), best) == ""


def test_the_interval_holds_the_ratio_of_processes_as_often_as_it_says() -> None:
    """Of drawn rounds, with the widening that three of them need: 300 pairs of the same work."""
    outside = 0
    for _ in range(300):
        a, b = (Summary.of(*processes(10.0, 0.1, 0.02)) for _ in range(2))
        outside += near_end(a, b) > 1
    assert 0.02 < outside / 300 < 0.25  # a bootstrap of three is too narrow, hence the margin


def test_the_nearer_end_of_an_interval_is_1_if_that_is_in_it() -> None:
    base = Summary.of([10.0] * 3)
    for times, expected in (([9.0, 10.0, 12.0], 1.0), ([12.0, 13.0, 14.0], 1.2), ([7.0, 7.5, 8.0], 1.25)):
        assert near_end(base, Summary.of(times)) == pytest.approx(expected)


def test_a_double_time_is_told_from_three_rounds_that_spread_by_a_tenth() -> None:
    """By the margin of the committed records; two draws of a hundred may spread further."""
    margin = max(margins().of(machine, Conditions("GPU", 1.0, 3)) for machine in ("h200", "h100"))
    orders = []
    for _ in range(100):
        fast, slow = (Summary.of(*processes(ms, 0.1, 0.03), margin=margin) for ms in (10.0, 20.0))
        orders.append((rank(fast, slow), rank(slow, fast)))
    assert orders.count((LESS, MORE)) >= 98


rounds_of_times = st.lists(
    st.lists(st.floats(0.01, 1e4), min_size=1, max_size=5).map(tuple), min_size=1, max_size=4
).map(tuple)


@given(rounds_of_times, rounds_of_times, st.floats(1, 3))
def test_turned_round_a_comparison_says_the_same(
    first: tuple[tuple[float, ...], ...], second: tuple[tuple[float, ...], ...], margin: float
) -> None:
    assume(first != second)
    a, b = Summary.of(*first, margin=margin), Summary.of(*second)
    low, high = interval(a.trials, b.trials)
    assert low <= high
    assert interval(b.trials, a.trials) == pytest.approx((1 / high, 1 / low))
    assert rank(a, b) is {LESS: MORE, TIE: TIE, MORE: LESS}[rank(b, a)]
    assert is_same(a, b) == is_same(b, a)
    assert not (is_same(a, b) and rank(a, b) is not TIE)
    assert rank(a, a) is TIE


def test_the_same_trials_have_the_same_interval_in_every_process() -> None:
    code = (
        "from retrace.records.bootstrap import interval\n"
        "print(interval(((1.0, 2.0, 3.5), (1.5, 1.7)), ((2.0, 2.5, 9.0), (3.0,))))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT / "scripts"
        ).stdout
        for _ in range(2)
    }
    assert len(printed) == 1


def test_two_times_of_equal_trials_are_drawn_apart() -> None:
    """Drawn alike, each resample would divide a median by itself, and no interval would have a width."""
    times = ((1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0),)
    low, high = interval(times, times)
    assert low < 0.7
    assert high > 1.4


def of_sources(
    sources: Sequence[Sequence[int]], spread: float, by: float = 1.0, apart: float = 0.0, within: float = 0.01
) -> Record:
    """A record of sources whose searches differ by `spread`, alike in all records; processes by `apart`."""
    trials = []
    for number, of_round in enumerate(sources):
        process = by * NOISE.lognormal(0, apart)
        for source in of_round:
            of_source = np.random.default_rng(source).lognormal(0, spread)
            asked = {"round": number, "source": source, "digest": f"{source:016x}"}
            ms = float(10 * process * of_source * NOISE.lognormal(0, within))
            trials.append(trial(ms).model_copy(update=asked))
    flat = [source for of_round in sources for source in of_round]
    return changed(drawn("bfs/queue", "NY", flat), trials=trials, digest=digest_of_all(trials))


def solves(one: Record) -> Summary:
    times = phase_times(one, "solve", KNOWN_BY_CPU)
    assert times is not None
    return times


KNOWN_BY_CPU = Margins({("h200", Conditions("CPU", 0.0, rounds)): Margin(40, 1.1) for rounds in (1, 3)})
IN_ROUNDS = [range(22), range(22, 43), range(43, 64)]


def test_searches_from_the_same_sources_are_compared_in_pairs() -> None:
    """A search takes 1.3 times as long as another, from each of 64 sources that differ far more."""
    fast, slow = (solves(of_sources(IN_ROUNDS, 0.7, by)) for by in (1.0, 1.3))
    assert rank(fast, slow) is LESS
    assert rank(slow, fast) is MORE
    assert rank(fast.over(2), slow.over(2)) is LESS
    in_another_order = [[*of_round][::-1] for of_round in IN_ROUNDS]
    others = [range(64, 86), range(86, 107), range(107, 128)]
    for sources in (in_another_order, others, [range(64)]):
        assert rank(fast, solves(of_sources(sources, 0.7, 1.3))) is TIE


def test_no_other_trials_are_paired() -> None:
    """Not even if both happen to be in ascending order."""
    times = Summary.of([1.0, 2.0, 4.0, 8.0, 16.0])
    one, other = (tuple((number, None) for number in range(first, first + 5)) for first in (0, 5))
    for first, second in (((), ()), ((one,), ()), ((one,), (other,))):
        low, high = ratio_interval(replace(times, questions=first), replace(times, questions=second))
        assert low < 0.5 < 2 < high
    asked = replace(times, questions=(one,))
    assert ratio_interval(asked, asked) == (1, 1)


def test_a_pair_of_machines_is_compared_in_pairs_of_sources() -> None:
    first, second = (of_sources(IN_ROUNDS, 0.7, by) for by in (1.0, 1.3))
    compared = compare_records(first, second, "solve")
    assert compared is not None
    assert compared.low is not None
    assert compared.low > 1.2


def test_pairs_of_the_same_work_are_called_different_once_in_twenty() -> None:
    """Processes differ by a tenth, which pairs of sources do not tell: the margin holds as without pairs."""
    assured = [
        near_end(*(solves(of_sources(IN_ROUNDS, 0.7, apart=0.1)) for _ in range(2))) for _ in range(300)
    ]
    margin = quantile_of_next(assured[:59])
    assert margin < 1.5
    assert sum(one > margin for one in assured[59:]) / 241 < 2 * FALSE_ALARMS
    assert 0.02 < sum(one > 1 for one in assured) / 300 < 0.25  # as of rounds without sources


def test_values_that_are_not_of_each_trial_have_no_sources() -> None:
    one = of_sources(IN_ROUNDS, 0.7)
    assert solves(one).questions[1][0] == (22, None)
    setups = phase_times(changed(one, setup=[1.0, 2.0, 3.0]), "setup", KNOWN_BY_CPU)
    first, *later = one.trials
    with_a_kernel = changed(one, trials=[first.model_copy(update={"kernel": 0.1}), *later])
    kernels = phase_times(with_a_kernel, "kernel", KNOWN_BY_CPU)
    assert setups is not None
    assert kernels is not None
    assert setups.questions == kernels.questions == ()


# ----- the rule


@pytest.mark.parametrize(
    ("ratio", "margin", "order"),
    [(1.3, 1.2, LESS), (1.15, 1.2, TIE), (1.0, 1.2, TIE), (1 / 1.15, 1.2, TIE), (1 / 1.3, 1.2, MORE),
     (1.3, 1.4, TIE), (1.02, 1.0, LESS)],
)  # fmt: skip
def test_the_greater_margin_of_both_decides(ratio: float, margin: float, order: Order) -> None:
    times = [10.0, 10.0, 10.01]
    for margins_of_both in ((margin, 1.0), (1.0, margin), (margin, margin)):
        a, b = (
            Summary.of([ms * by for ms in times], margin=of)
            for by, of in zip((1.0, ratio), margins_of_both, strict=True)
        )
        assert rank(a, b) is order


def test_the_whole_interval_must_lie_beyond_the_margin() -> None:
    base = Summary.of([10.0] * 5, margin=1.2)
    assert rank(base, Summary.of([12.1, 14.0, 14.0, 14.0, 15.0])) is LESS
    assert rank(base, Summary.of([11.0, 11.9, 14.0, 14.0, 15.0])) is TIE


def test_few_trials_are_ranked_only_if_they_are_long() -> None:
    base = Summary.of([1.0, 1.001, 1.002])
    assert rank(base, Summary.of([2.0, 2.0])) is TIE
    assert rank(Summary.of([2000.0]), Summary.of([2600.0])) is LESS
    assert rank(Summary.of([2000.0], margin=1.3), Summary.of([2500.0])) is TIE


def test_what_is_the_same_has_1_in_its_interval_and_no_margin() -> None:
    base = Summary.of([10.0, 10.1, 10.2], margin=1.2)
    assert is_same(base, Summary.of([9.9, 10.1, 10.3]))
    assert not is_same(base, Summary.of([10.9, 11.0, 11.1]))  # told apart, but for the margin
    assert not is_same(base, Summary.of([5.0, 10.1, 20.0]))  # may be twice as long
    assert not is_same(base, Summary.of([10.1, 10.1]))


# ----- the margin


def of_rounds(*rounds: Iterable[float], **values: object) -> Record:
    trials = [trial(ms).model_copy(update={"round": n}) for n, times in enumerate(rounds) for ms in times]
    return record("bfs/queue", "NY", trials=trials, **values)  # type: ignore[arg-type]


def test_rounds_of_a_record_reach_its_summary() -> None:
    one = of_rounds([1.0, 2.0], [3.0], [4.0, 5.0])
    times = phase_times(one, "solve", Margins())
    assert times is not None
    assert times.trials == ((1.0, 2.0), (3.0,), (4.0, 5.0))
    old = phase_times(record("bfs/queue", "NY", (1.0, 2.0)), "solve", Margins())
    assert old is not None
    assert old.trials == ((1.0, 2.0),)


def test_work_has_a_processor_a_magnitude_and_rounds() -> None:
    three, two = of_rounds([1.0], [1.0], [1.0]), of_rounds([1.0], [1.0])
    assert Conditions.of(three, 0.99) == ("CPU", 0.0, 3)
    assert Conditions.of(two, 1.0) == ("CPU", 1.0, 1)
    assert Conditions.of(record("bfs/bsp", "NY", backend="cuda"), 100.0) == ("GPU", 100.0, 1)


KNOWN = Margins({
    ("h200", Conditions("GPU", 1.0, 1)): Margin(40, 1.3),
    ("h100", Conditions("GPU", 1.0, 1)): Margin(30, 1.2),
    ("h100", Conditions("GPU", 100.0, 1)): Margin(20, 1.05),
    ("h100", Conditions("GPU", 100.0, 3)): Margin(20, 1.02),
    ("h200", Conditions("GPU", 0.0, 1)): Margin(20, 1.6),
})  # fmt: skip


@pytest.mark.parametrize(
    ("machine", "work", "margin"),
    [("h100", ("GPU", 1.0, 1), 1.2), ("h200", ("GPU", 100.0, 1), 1.05), ("local", ("GPU", 1.0, 1), 1.3),
     ("h200", ("GPU", 1.0, 3), 1.3), ("local", ("GPU", 100.0, 3), 1.02), ("h200", ("CPU", 1.0, 1), inf)],
)  # fmt: skip
def test_a_machine_of_too_few_pairs_has_the_margin_of_others_or_of_wider_work(
    machine: str, work: tuple[str, float, int], margin: float
) -> None:
    assert KNOWN.of(machine, Conditions(*work)) == margin


def test_the_margin_is_what_a_further_pair_exceeds_once_in_twenty() -> None:
    """Another way: of 2,000 draws of 19, and of 59, and one more each, whatever they are drawn from."""
    for n in (LEAST_PAIRS, 59):
        draws = np.random.default_rng(3).lognormal(0, 1, (2000, n + 1))
        exceeded = sum(one[-1] > quantile_of_next(one[:-1].tolist()) for one in draws)
        assert abs(exceeded / 2000 - FALSE_ALARMS) < 0.015


def test_margins_are_those_of_pairs_of_the_same_work() -> None:
    """Of 20 pairs, i % apart, by the total, and half as far by the solve; with one fewer, of none."""
    pairs = []
    for number in range(1, 21):
        for name, by in (("table-3.3", 1.0), ("fast-bfs", 1 + number / 100)):
            times = [trial(10.0 * (1 + (by - 1) / 2), upload=10.0 * (1 + (by - 1) * 1.5))] * 3
            pairs.append(record("bfs/queue", "NY", trials=times, experiment=name, source=number))
    margin = Margin(20, pytest.approx(1.2))
    work = {("h200", Conditions("CPU", 1.0, 1)): margin, (ALL_MACHINES, Conditions("CPU", 0.0, 1)): margin}
    assert compute_margins(pairs) == work
    assert compute_margins(pairs[:36]) == {}
    assert compute_margins(changed(one, experiment="a") for one in pairs) == {}


def test_rounds_are_pairs_where_experiments_have_too_few() -> None:
    """Rounds i % apart, on two machines; short and long ones are one work, of two experiments none."""
    records = [
        of_rounds([ms] * 3, [ms * (1 + i / 100)] * 3, source=i, machine=f"h{1 + i % 2}00")
        for i, ms in zip(range(1, 21), [0.1, 200.0] * 10, strict=True)
    ]
    computed = compute_margins(records)
    assert computed == {(ALL_MACHINES, Conditions("CPU", 0.0, 1)): Margin(20, pytest.approx(1.2))}
    assert computed.of("h100", Conditions("CPU", 100.0, 3)) == pytest.approx(1.2)
    assert computed.of("h100", Conditions("GPU", 100.0, 3)) == inf


def test_what_machines_have_goes_before_what_all_have() -> None:
    known = Margins(KNOWN | {(ALL_MACHINES, Conditions("GPU", 0.0, 1)): Margin(400, 1.1)})
    assert known.of("h100", Conditions("GPU", 0.0, 1)) == 1.6
    assert known.spread == KNOWN.spread


def test_a_table_of_margins_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "repeatability.csv"
    monkeypatch.setattr(margins_module, "MARGINS", path)
    margins.cache_clear()
    try:
        path.write_text(margins_csv(KNOWN))
        assert margins() == KNOWN
        margins.cache_clear()
        path.write_text("machine,margin\nh200,2\n")
        with pytest.raises(RetraceError, match=r"repeatability\.csv: expected margins"):
            margins()
    finally:
        margins.cache_clear()


# ----- the committed records


@pytest.fixture(scope="module")
def committed() -> list[Record]:
    return read_records(committed_records())


def tenth(one: Record) -> int:
    """Return which tenth of the works a record is of."""
    return sha256(repr((one.subject, one.graph.sha256)).encode()).digest()[0] % 10


@pytest.fixture(scope="module")
def tenths(committed: list[Record]) -> list[tuple[list[Record], Margins]]:
    """The records of each tenth of the works, and the margins by the others' pairs."""
    return [
        (
            [one for one in committed if tenth(one) == part],
            compute_margins(one for one in committed if tenth(one) != part),
        )
        for part in range(10)
    ]


def alarms(records: Iterable[Record], machine: str, phase: str, known: Margins | None = None) -> list[bool]:
    of_machine = [one for one in records if one.machine.name == machine]
    return [rank(*pair.times) is not Order.TIE for pair in repetitions(of_machine, phase, known)]  # type: ignore[arg-type]


def test_the_committed_margins_are_those_of_the_committed_records(committed: list[Record]) -> None:
    assert margins_csv(compute_margins(committed)) == margins_csv(margins()), (
        "stale; write it anew with: make pages"
    )


@pytest.mark.long
@pytest.mark.parametrize("machine", ["h200", "h100"])
@pytest.mark.parametrize("phase", PAIRED_BY)
def test_the_same_work_is_called_different_once_in_twenty_at_most(
    committed: list[Record], tenths: list[tuple[list[Record], Margins]], machine: str, phase: str
) -> None:
    """Also of work that the margins do not know: each tenth of the works is judged by the others' pairs."""
    called = alarms(committed, machine, phase)
    assert len(called) > 70
    assert sum(called) / len(called) <= FALSE_ALARMS
    left_out = [alarm for part, known in tenths for alarm in alarms(part, machine, phase, known)]
    assert len(left_out) == len(called)
    assert binomtest(sum(left_out), len(left_out), FALSE_ALARMS, "greater").pvalue > 0.05  # not surely more
