"""What records of a machine, and those of others, say of each other: what contradicts, repeats, lacks."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from itertools import pairwise
from math import ceil, inf, sqrt

from retrace.graphs.graph_names import DRAWN_AS, STANDARD_GRAPH
from retrace.records.record import Record, Trial
from retrace.records.statistics import LEAST_TRIALS

LEAST_CLOCK = 0.9
"""Share of a GPU's clock to which it may be throttled without its times being worthless."""
LEAST_SCALED = 5
"""Trials by whose shares of their sum a run is known, at whatever scale."""
STARTED_S = 1.0
"""Seconds between the times that `started` can tell apart."""
ISOLATED = 100
"""Vertices of a graph, at most, for each that has arcs."""


def contradictions(own: Mapping[str, Record], known: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each file and key about which records differ, of this machine or of others."""
    rounds = most_rounds(known)
    statements: dict[tuple[object, ...], dict[object, list[str]]] = defaultdict(lambda: defaultdict(list))
    for place, record in known.items():
        for about, value in _statements(record, rounds[file_of(place)]):
            statements[about][value].append(place)
    named = set[tuple[str, object]]()
    for about, opinions in statements.items():
        for value, places in sorted(opinions.items(), key=lambda item: len(item[1])):
            mine = next((place for place in places if place in own), None)
            if mine is None or len(opinions) == 1 or (file_of(mine), about[0]) in named:
                continue
            named.add((file_of(mine), about[0]))
            other, (where, *more) = max(
                (item for item in opinions.items() if item[0] != value), key=lambda item: len(item[1])
            )
            contrast = f"expected {_shown(other)}, as {len(more) + 1} others, such as {where}"
            yield f"{mine}: {about[0]}: {contrast}, found {_shown(value)}; measure the wrong ones again"
            break


def _statements(record: Record, rounds: int) -> Iterator[tuple[tuple[object, ...], object]]:
    """Yield what a record says that holds for others too, after the key and what it is said of."""
    graph, parameters = record.graph, record.parameters
    named = (graph.name, graph.edition, graph.weights, graph.origin, graph.density)
    if graph.sha256 and record.problem != "generate":
        yield ("graph.sha256", *named, graph.seed), graph.sha256
        yield ("graph.seed", graph.sha256, *named), graph.seed
        if pair := parameters.get("pair"):
            yield ("parameters.target", graph.sha256, pair), (record.source, parameters.get("target"))
        elif record.source is not None:
            yield ("source", record.problem, graph.sha256), record.source
    if (seed := parameters.get("source_seed")) is not None:
        count = parameters.get("pairs") or parameters.get("sources")
        yield ("parameters.source_seed", record.experiment, *named, count), seed
        if record.drawn is not None:
            asked = DRAWN_AS.get(record.problem), graph.name, graph.edition, graph.arcs, seed
            for number, trial in _numbered(record, rounds):
                yield ("trials.source", *asked, number), (trial.source, trial.target)
    if record.agreed:
        yield ("iterations", record.solver, record.backend), record.iterations is not None


def _numbered(record: Record, rounds: int) -> Iterator[tuple[int, Trial]]:
    """Yield each trial with the number of its question: questions are dealt out among the rounds."""
    counted: Counter[int] = Counter()
    for trial in record.trials:
        number = trial.round or 0
        yield number + rounds * counted[number], trial
        counted[number] += 1


def most_rounds(placed: Mapping[str, Record]) -> dict[str, int]:
    """Return the most rounds of a record of each file."""
    rounds: dict[str, int] = defaultdict(lambda: 1)
    for place, record in placed.items():
        rounds[file_of(place)] = max(rounds[file_of(place)], record.rounds)
    return rounds


def file_of(place: str) -> str:
    """Return the file of a place, `file:line`."""
    return place.rpartition(":")[0]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "a number" if value else "null"
    return " to ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def repeated(own: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record whose further solves are, to the nanosecond, those of another one."""
    first: dict[tuple[float, ...], str] = {}
    for place, record in own.items():
        again = tuple(trial.again for trial in record.trials if trial.again is not None)
        if len(again) < LEAST_TRIALS or len(set(again)) == 1:
            continue
        if (where := first.setdefault(again, place)) != place:
            yield f"{place}: trials.again: expected other times than those of {where}; measure it again"


def outlasting(own: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each file whose trials last longer than the time to the next file of its host.

    A file's rounds after the first come when all files have had that. A solver that is measured anew may
    begin after the next file.
    """
    files: dict[str, dict[str, Record]] = defaultdict(dict)
    for place, record in own.items():
        if record.trials and record.backend != "emulator":
            files[file_of(place)][place] = record
    of_hosts: dict[str, list[tuple[datetime, float, str]]] = defaultdict(list)
    for file, records in files.items():
        computer = next(iter(records.values())).machine.computer
        begin = min(map(_began, records.values()))
        of_hosts[computer].append((begin, sum(map(_first_round_s, records.values())), file))
    for ordered in of_hosts.values():
        ordered.sort()  # of two that began in a second, the shorter one was first
        for (begin, _, file), (end, _, following) in pairwise(ordered):
            records = files[file]
            lasted = sum(_first_round_s(record) for record in records.values() if _began(record) <= end)
            if lasted > (passed := (end - begin).total_seconds()) + STARTED_S:
                contrast = f"expected at most {passed:.0f} s of trials until {following} began"
                yield f"{next(iter(records))}: started: {contrast}, found {lasted:.0f} s; measure it again"


def _began(record: Record) -> datetime:
    return datetime.fromisoformat(record.started)


def _first_round_s(record: Record) -> float:
    return sum(trial.total for trial in record.trials if not trial.round) / 1e3


def pieced(placed: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each file with records of several hosts: one process measures what is in a file."""
    first: dict[str, tuple[str, str]] = {}
    for place, record in placed.items():
        file, _, line = place.rpartition(":")
        host, where = first.setdefault(file, (record.machine.computer, line))
        if record.machine.computer != host:
            contrast = f"expected {host}, as in line {where}, found {record.machine.computer}"
            yield f"{place}: machine.host: {contrast}; measure the whole file on one"


def copied(own: Mapping[str, Record], every: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each file with a run that another machine has, too: relabelled, not measured.

    A run is known by its trials, in any order and at any scale, and by when it began.
    """
    runs: dict[tuple[object, ...], dict[str, str]] = defaultdict(dict)
    for place, record in every.items():
        for run in _runs(record):
            runs[run].setdefault(record.machine.name, place)
    named_files = set()
    for place, record in own.items():
        file, name = place.rpartition(":")[0], record.machine.name
        for run in _runs(record):
            elsewhere = {machine: where for machine, where in runs[run].items() if machine != name}
            if elsewhere and file not in named_files:
                named_files.add(file)
                machine, where = next(iter(elsewhere.items()))
                contrast = f"expected a run of {name}, found that of {machine} in {where}"
                yield f"{place}: {run[0]}: {contrast}; measure it on {name}, or remove one of the two"


def _runs(record: Record) -> Iterator[tuple[object, ...]]:
    """Yield what no run of another machine can have, each after its key in the record."""
    if record.trials:
        yield "trials", tuple((trial.upload, trial.solve, trial.download) for trial in record.trials)
    yield "started", record.experiment, record.started
    if len(record.trials) >= LEAST_SCALED and (whole := sum(trial.total for trial in record.trials)):
        shares = sorted(round(trial.total / whole, 5) for trial in record.trials)
        if len(set(shares)) > 1:
            yield "trials", record.solver, record.graph.name, record.source, *shares


def slowed(placed: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record most of whose trials ran on a GPU that was throttled well below its clock.

    A kernel that draws all the power that a GPU may use is throttled by a few per cent however often it is
    measured: a doubt, not an error. A GPU's clock is the highest of its machine's records.
    """
    clocks = full_clocks(placed)
    for place, record in placed.items():
        least = LEAST_CLOCK * clocks[record.machine.name] or inf
        if record.backend == "cuda" and least < inf:
            lacking = next((n for n, trial in enumerate(record.trials) if trial.throttled is None), None)
            if lacking is not None:
                key = f"trials[{lacking}].throttled"
                yield f"{place}: {key}: expected what the driver says, as in other records, found null"
        slow = sum(
            trial.sm_clock_mhz < least if trial.sm_clock_mhz else bool(trial.throttled)
            for trial in record.trials
        )
        if slow > len(record.trials) / 2:
            counted = f"found {slow} of {len(record.trials)} that were"
            contrast = f"expected most on a GPU that is not throttled, {counted}"
            yield f"{place}: trials: {contrast}; measure again when it is cool, or at a clock it can hold"


def full_clocks(placed: Mapping[str, Record]) -> dict[str, float]:
    """Return the highest clock in MHz of each machine's GPU that is not throttled, 0 if none is known."""
    clocks: dict[str, float] = {}
    for record in placed.values():
        known = [trial.sm_clock_mhz for trial in record.trials if trial.sm_clock_mhz and not trial.throttled]
        clocks[record.machine.name] = max([*known, clocks.get(record.machine.name, 0.0)])
    return clocks


def undrawn(own: Mapping[str, Record], known: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record whose sources are not those that its seed draws.

    Vertices are drawn in the order of `search_keys`, but for those without arcs, which only the graph tells.
    """
    rounds = most_rounds(known)
    for place, record in own.items():
        seed, count = record.parameters.get("source_seed"), record.drawn
        picked = re.fullmatch(STANDARD_GRAPH, record.graph.name)  # whose sources its benchmark picks
        if seed is None or not count or not record.trials or picked:
            continue
        side, drawn = ceil(sqrt(count)), set[tuple[int, int]]()
        for number, trial in _numbered(record, rounds[file_of(place)]):
            drawn.add((number if trial.target is None else number % side, trial.source or 0))
            if trial.target is not None:
                drawn.add((side + (number + number // side) % side, trial.target))
        places, vertices = zip(*sorted(drawn), strict=True)
        shares = _search_shares(int(seed), vertices)
        most = ISOLATED * (places[-1] + ISOLATED) / record.graph.vertices
        ascend = all(a < b for values in (places, shares) for a, b in pairwise(values))
        if not ascend or shares[-1] > most:
            contrast = f"expected those that source_seed {seed} draws, found {vertices[0]} first"
            yield f"{place}: trials.source: {contrast}; measure it again"


def _search_shares(seed: int, vertices: Sequence[int]) -> list[float]:
    """Return where vertices stand in the order that a seed draws, from 0 to 1.

    It needs NumPy, which a Snakemake that reads records may lack.
    """
    array = import_module("numpy").array(vertices)
    keys = import_module("retrace.graphs.generators").search_keys(seed, array)
    return [int(key) / 2.0**64 for key in keys]


def mixed(placed: Mapping[str, Record], key: str) -> Iterator[str]:
    """Yield a line for each value that a machine has beside its most frequent one, at its first record."""
    places: dict[str, dict[object, list[str]]] = defaultdict(lambda: defaultdict(list))
    for place, record in placed.items():
        value = record.machine.computer if key == "machine.host" else record.value_of(key)
        if value is not None:
            places[record.machine.name][value].append(place)
    for places_of in places.values():
        (usual, most), *others = sorted(places_of.items(), key=lambda item: -len(item[1]))
        for value, less in others:
            yield f"{less[0]}: {key}: {value} in {len(less)} of the records, {usual} in {len(most)}"
